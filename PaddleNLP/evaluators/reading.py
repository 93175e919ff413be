"""What an evaluation gathers of a network that answers questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np

from core.train.task import Evaluator
from core.weights.atomic import atomic_write
from PaddleNLP.answers.spans import Answer, WindowSpans, best_answers, chosen_answer, inside_text, joined, window_spans
from PaddleNLP.data.encoded import EncodedDataset
from PaddleNLP.metrics.reading import cmrc_result, squad_result


class ReadingEvaluator(Evaluator):
    """Answers of all windows of a question, and how well they are those that are right.

    Args:
        dataset: the questions.
        encoded: their windows.
        metric: "SQuAD", "SQuAD2" or "CMRC".
        threshold: how much better no answer must score, with "SQuAD2".
        n_best: how many spans of a window, and answers of a question.
        longest: tokens of an answer at most.
        out_of_domain: those of the data set's sets that are of another domain than the training data.
    """

    def __init__(
        self,
        dataset: Any,
        encoded: EncodedDataset,
        metric: str,
        threshold: float,
        n_best: int,
        longest: int,
        out_of_domain: Sequence[str] = (),
    ) -> None:
        self.dataset, self.encoded = dataset, encoded
        self.metric, self.threshold = metric, threshold
        self.n_best, self.longest = n_best, longest
        self.out_of_domain = frozenset(out_of_domain)
        self._spans: dict[int, list[tuple[int, WindowSpans]]] = {}

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the logits of a batch's windows, (N, L) each; the batch's "index" says which these are."""
        start, end = outputs
        windows = batch["index"].numpy().tolist()
        inside = inside_text([self._offsets(window) for window in windows], start.shape)
        found = window_spans(start, end, inside, self.n_best, self.longest)
        samples = self.encoded.beside["sample"]
        for row, window in enumerate(windows):
            own = WindowSpans(*(part[row : row + 1] for part in found))
            self._spans.setdefault(int(samples[window]), []).append((window, own))

    def answers(self) -> dict[int, tuple[list[Answer], float]]:
        """Return of each question that was looked at its best answers, and how much better no answer scores."""
        found = {}
        for number, parts in sorted(self._spans.items()):
            parts = sorted(parts, key=lambda part: part[0])
            spans = joined([spans for _, spans in parts])
            offsets = [self._offsets(window) for window, _ in parts]
            context = self.dataset[number]["context"]
            found[number] = best_answers(context, spans, offsets, self.n_best, self.metric == "SQuAD2")
        return found

    def _offsets(self, window: int) -> np.ndarray:
        return np.asarray(self.encoded.beside["offsets"][window]).reshape(-1, 2)

    def result(self) -> dict[str, float]:
        """Return the scorer's numbers, percent; of several sets also each one's F1, and means over the sets.

        These are "macro_f1", and, where sets are out of domain, "in_domain_f1" and "out_of_domain_f1".
        """
        found = self.answers()
        if not found:
            return {}
        groups: dict[str, list[int]] = {}
        for number in found:
            groups.setdefault(self.dataset[number].get("group", ""), []).append(number)
        result = self._scored(found, list(found))
        if len(groups) > 1:
            each = {group: self._scored(found, numbers)["f1"] for group, numbers in groups.items()}
            result.update({f"{group}_f1": value for group, value in each.items()})
            result["macro_f1"] = float(np.mean(list(each.values())))
            inside = [value for group, value in each.items() if group not in self.out_of_domain]
            outside = [value for group, value in each.items() if group in self.out_of_domain]
            if inside and outside:
                result["in_domain_f1"], result["out_of_domain_f1"] = float(np.mean(inside)), float(np.mean(outside))
        return result

    def _scored(self, found: dict[int, tuple[list[Answer], float]], numbers: Sequence[int]) -> dict[str, float]:
        questions = {str(number): self.dataset[number] for number in numbers}
        references = {name: question["references"] for name, question in questions.items()}
        texts = {str(number): chosen_answer(found[number][0], found[number][1], self._limit()) for number in numbers}
        if self.metric == "CMRC":
            return cmrc_result(references, texts)
        if self.metric == "SQuAD":
            return squad_result(references, texts)
        best = {str(number): chosen_answer(*found[number], threshold=np.inf) for number in numbers}
        nulls = {str(number): found[number][1] for number in numbers}
        return squad_result(references, best, True, nulls, self.threshold)

    def _limit(self) -> float:
        return self.threshold if self.metric == "SQuAD2" else np.inf

    def write(self, folder: Path) -> list[str]:
        """Write predictions.json, as the official scorers take it, and nbest.json with other answers.

        Ids are those of a set: of several sets a file has an object for each, by the set's name.
        """
        files: dict[str, Callable[[list[Answer], float], Any]] = {
            "predictions.json": lambda answers, null: chosen_answer(answers, null, self._limit()),
            "nbest.json": lambda answers, null: [_record(answer) for answer in answers],
        }
        if self.metric == "SQuAD2":
            files["null_odds.json"] = lambda answers, null: max(min(null, 1e9), -1e9)  # JSON has no infinity
        found = self.answers()
        for name, content_of in files.items():
            content: dict[str, Any] = {}
            for number, one in found.items():
                question = self.dataset[number]
                content.setdefault(question.get("group", ""), {})[question["id"]] = content_of(*one)
            if len(content) == 1:
                (content,) = content.values()
            with atomic_write(folder / name) as stream:
                stream.write((json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))
        return list(files)


def _record(answer: Answer) -> dict[str, Any]:
    numbers = {"score": round(answer.score, 4), "probability": round(answer.probability, 6)}
    return {"text": answer.text, "start": answer.start, "end": answer.end, **numbers}
