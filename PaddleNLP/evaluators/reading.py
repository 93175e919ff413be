"""What an evaluation gathers of a reader: of each window its best spans, and of each question its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from core.train.task import Evaluator
from core.weights.atomic import atomic_write
from PaddleNLP.data.reading import ReadingDataset
from PaddleNLP.metrics.reading import cmrc_result, squad_result
from PaddleNLP.spans import Answer, WindowSpans, best_answers, chosen_answer, window_spans

Scorer = Literal["SQuAD", "SQuAD2.0", "CMRC"]


class ReadingEvaluator(Evaluator):
    """Finds the answers to a data set's questions in the logits of their windows, and scores them.

    Args:
        dataset: the questions.
        questions: of each window which question it is of, int64 (windows,).
        offsets: of each window of each token its first character in the context and the one behind its last, integers
            (L, 2) or (2 L,); -1 of tokens that are not of the context.
        scorer: whose score counts.
        n_best: how many answers a question keeps.
        longest: the most tokens of an answer.
        threshold: how much better than the best answer none must be, where there may be none (SQuAD 2.0).
        out_of_domain: the sets of the data set that count as out of domain; the others are in it.
    """

    def __init__(
        self,
        dataset: ReadingDataset,
        questions: np.ndarray,
        offsets: Sequence[np.ndarray],
        scorer: Scorer = "SQuAD",
        n_best: int = 20,
        longest: int = 30,
        threshold: float = 0.0,
        out_of_domain: Sequence[str] = (),
    ) -> None:
        self.dataset = dataset
        self.questions, self.offsets = questions, offsets
        self.scorer = scorer
        self.n_best, self.longest, self.threshold = n_best, longest, threshold
        self.out_of_domain = list(out_of_domain)
        self._windows: dict[int, list[tuple[np.ndarray, WindowSpans]]] = {}

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in a batch's logits of starts and of ends, each (N, L); the batch's "index" says which windows."""
        numbers = np.asarray(batch["index"].numpy()).reshape(-1).tolist()
        start, end = outputs
        rows = [np.reshape(self.offsets[number], (-1, 2)) for number in numbers]
        inside = np.zeros(start.shape, bool)
        for place, row in enumerate(rows):
            inside[place, : len(row)] = row[: start.shape[1], 0] >= 0
        spans = window_spans(start, end, inside, self.n_best, self.longest)
        for place, (number, row) in enumerate(zip(numbers, rows)):
            own = WindowSpans(*(part[place : place + 1] for part in spans))
            self._windows.setdefault(int(self.questions[number]), []).append((row, own))

    def answers(self) -> dict[int, tuple[list[Answer], float]]:
        """Return the best answers to each question that was looked at, and how much better none is."""
        found = {}
        for question, windows in sorted(self._windows.items()):
            spans = WindowSpans(*(np.concatenate(parts) for parts in zip(*(own for _, own in windows))))
            context, offsets = self.dataset.columns["context"][question], [row for row, _ in windows]
            found[question] = best_answers(context, spans, offsets, self.n_best, self.scorer == "SQuAD2.0")
        return found

    def result(self) -> dict[str, float]:
        """Return the scorer's numbers, percent; of several sets their means, and those in and out of domain.

        Of one set "exact" and "f1", and what :func:`squad_result` and :func:`cmrc_result` say besides. Of several sets
        "exact" and "f1" are means over the sets, as are "in_domain_f1" and "out_of_domain_f1".
        """
        of_sets = self._of_sets()
        if len(of_sets) <= 1:
            return next(iter(of_sets.values()), {})
        result = _mean(list(of_sets.values()))
        if self.out_of_domain:
            for name, there in (("in_domain", False), ("out_of_domain", True)):
                among = [scores for group, scores in of_sets.items() if (group in self.out_of_domain) is there]
                result.update({f"{name}_{key}": value for key, value in _mean(among).items()} if among else {})
        return result

    def details(self) -> dict[str, Any]:
        """Return the scores of each set."""
        of_sets = self._of_sets()
        return {"sets": of_sets} if len(of_sets) > 1 else {}

    def lines(self) -> list[str]:
        """Say the scores of each set, where there are several."""
        return [
            f"{group}: exact {scores['exact']:.2f}, F1 {scores['f1']:.2f}"
            for group, scores in self.details().get("sets", {}).items()
        ]

    def write(self, folder: Path) -> list[str]:
        """Write predictions.json as the official scorers take it, nbest_predictions.json, and null_odds.json.

        Where there are several sets, each has files of its own, with its name in front.
        """
        names = []
        groups = self.dataset.groups
        answers = self.answers()
        for group in groups:
            chosen, n_best, null = {}, {}, {}
            for question, (found, difference) in answers.items():
                if self.dataset.columns["group"][question] != group:
                    continue
                name = self.dataset.columns["id"][question]
                chosen[name] = self._chosen(found, difference)
                n_best[name] = [{**vars(answer)} for answer in found]
                null[name] = difference
            files = {"predictions.json": chosen, "nbest_predictions.json": n_best}
            if self.scorer == "SQuAD2.0":
                files["null_odds.json"] = {name: max(min(value, 1e9), -1e9) for name, value in null.items()}
            for file, content in files.items():
                file = file if len(groups) == 1 else f"{group}.{file}"
                with atomic_write(folder / file) as stream:
                    stream.write(json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace"))
                names.append(file)
        return names

    def _chosen(self, answers: Sequence[Answer], difference: float) -> str:
        return chosen_answer(answers, difference, self.threshold if self.scorer == "SQuAD2.0" else np.inf)

    def _of_sets(self) -> dict[str, dict[str, float]]:
        columns = self.dataset.columns
        references: dict[str, dict[str, list[str]]] = {}
        chosen: dict[str, dict[str, str]] = {}
        null: dict[str, dict[str, float]] = {}
        for question, (found, difference) in self.answers().items():
            group, name = columns["group"][question], columns["id"][question]
            references.setdefault(group, {})[name] = columns["references"][question]
            best = next((answer.text for answer in found if answer.text), "")
            chosen.setdefault(group, {})[name] = best
            null.setdefault(group, {})[name] = difference
        return {group: self._scores(right, chosen[group], null[group]) for group, right in references.items()}

    def _scores(
        self, references: dict[str, list[str]], chosen: dict[str, str], null: dict[str, float]
    ) -> dict[str, float]:
        if self.scorer == "CMRC":
            return cmrc_result(references, chosen)
        if self.scorer == "SQuAD":
            return squad_result(references, chosen)
        return squad_result(references, chosen, True, null, self.threshold)


def _mean(scores: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the means of exact match and F1 over sets."""
    return {name: float(np.mean([one[name] for one in scores])) for name in ("exact", "f1")}
