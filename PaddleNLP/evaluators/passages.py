"""What an evaluation gathers of a network that finds answers in several passages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np

from core.train.task import Evaluator
from core.weights.atomic import atomic_write
from PaddleNLP.answers.passage_spans import best_span
from PaddleNLP.metrics.dureader import dureader_result


class PassageEvaluator(Evaluator):
    """Answers to questions, and how much of them is right.

    Args:
        dataset: the questions.
        place: returns of texts the characters of each word that is read.
        longest: words of an answer at most.
        prior: how probable each passage is.
    """

    def __init__(
        self, dataset: Any, place: Callable[[list[str]], list[Any]], longest: int, prior: Sequence[float]
    ) -> None:
        self.dataset, self.place = dataset, place
        self.search: dict[str, Any] = {"longest": longest, "prior": prior}
        self._found: dict[int, str] = {}

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the probabilities of a batch, (N, P, T) each; its "index" says which questions these are."""
        for row, number in enumerate(batch["index"].numpy().tolist()):
            passages = self.dataset[number]["passages"][: outputs[0].shape[1]]
            offsets = self.place(list(passages))
            span = best_span(outputs[0][row], outputs[1][row], [len(words) for words in offsets], **self.search)
            self._found[number] = answer_text(passages, offsets, span)

    def result(self) -> dict[str, float]:
        """Return DuReader's numbers, percent; where all answers are marked, also those of the marked spans.

        These are "marked_rouge_l", and "share_of_marked", what "rouge_l" is of it.
        """
        if not self._found:
            return {}
        references = {str(number): self.dataset[number]["references"] for number in self._found}
        result = dureader_result(references, {str(number): text for number, text in self._found.items()})
        marked = {}
        for number in self._found:
            sample = self.dataset[number]
            if sample["passage"] >= 0:
                marked[str(number)] = sample["passages"][sample["passage"]][sample["start"] : sample["end"]]
        if len(marked) == len(self._found):
            best = dureader_result(references, marked)["rouge_l"]
            result["marked_rouge_l"] = best
            result["share_of_marked"] = 100 * result["rouge_l"] / best if best else 0.0
        return result

    def write(self, folder: Path) -> list[str]:
        """Write predictions.json, a line for each question, as the official scorer takes it."""
        with atomic_write(folder / "predictions.json") as stream:
            for number, text in sorted(self._found.items()):
                row = {"question_id": self.dataset[number]["id"], "answers": [text]}
                further = {"question_type": "", "entity_answers": [[]], "yesno_answers": []}
                stream.write((json.dumps({**row, **further}, ensure_ascii=False) + "\n").encode("utf-8"))
        return ["predictions.json"]


def answer_text(passages: Sequence[str], offsets: Sequence[Any], span: Any) -> str:
    """Return the words of an answer one behind the other, as the official program writes them.

    Args:
        passages: the texts.
        offsets: of each word of each passage its first character and the one behind its last.
        span: the best one; "" where it is none.
    """
    if span.passage < 0:
        return ""
    places = offsets[span.passage]
    return "".join(passages[span.passage][places[span.start][0] : places[span.end][1]].split())
