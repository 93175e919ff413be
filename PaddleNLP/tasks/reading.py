"""Answers that are parts of a text: extractive reading comprehension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from core.train.runner.task import Suggestion
from PaddleNLP.answers.question_windows import answer_tokens, question_windows
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, Ragged
from PaddleNLP.evaluators.reading import ReadingEvaluator
from PaddleNLP.tasks.base import LanguageTask


class QuestionAnswering(LanguageTask):
    """Trains a network to find where in a text the answer to a question begins and ends.

    A text longer than ``tokenizer.max_length`` is read in overlapping windows; one that does not hold the whole answer
    points to its first token.

    Args:
        config: the experiment.
        metric: whose scorer judges: SQuAD 1.1's, SQuAD 2.0's, where a text may not answer a question, or CMRC 2018's.
        stride: how many tokens apart windows begin.
        max_question: tokens of a question at most; longer ones are cut.
        n_best: how many spans of a window, and answers of a question, are looked at.
        longest: tokens of an answer at most.
        threshold: with SQuAD 2.0, how much better no answer must score than the best one.
        out_of_domain: of several sets those of another domain, whose mean is said besides, as MRQA 2019 does.
    """

    head = "question_answering"
    reader = "answers"
    takes = ("question", "context", "answers")
    monitor = "f1"
    labelled = False
    windowed = True
    beside = ("offsets", "sample")

    def __init__(
        self,
        config: LanguageConfig,
        metric: Literal["SQuAD", "SQuAD2", "CMRC"] = "SQuAD",
        stride: int = 128,
        max_question: int = 64,
        n_best: int = 20,
        longest: int = 30,
        threshold: float = 0.0,
        out_of_domain: Sequence[str] = (),
    ) -> None:
        super().__init__(config)
        self.metric = metric
        self.search = {"stride": stride, "max_question": max_question, "n_best": n_best, "longest": longest}
        self.threshold = threshold
        self.out_of_domain = list(out_of_domain)

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return the windows of some questions, with the tokens at which their answers begin and end."""
        samples = [dataset[number] for number in part]
        found = question_windows(
            self.tokenizer,
            [sample["question"] for sample in samples],
            [sample["context"] for sample in samples],
            self.config.tokenizer.max_length,
            self.search["stride"],
            self.search["max_question"],
        )
        spans = []
        for offsets, number in zip(found.offsets, found.samples.tolist()):
            answers, starts = samples[number]["answers"], samples[number]["answer_starts"]
            span = (0, 0)
            if answers and not samples[number]["is_impossible"]:
                span = answer_tokens(offsets, starts[0], starts[0] + len(answers[0]))
            spans.append(span)
        positions = np.array(spans, np.int64).reshape(-1, 2)
        columns: dict[str, Column] = {
            name: Ragged.of(rows)
            for name, rows in found.columns.items()
            if name == "input_ids" or name in self.tokenizer.model_input_names
        }
        places = Ragged.of([row.reshape(-1) for row in found.offsets])
        ends = {"start": positions[:, 0], "end": positions[:, 1]}
        return {**columns, **ends, "offsets": places, "sample": found.samples + part.start}

    def loss_of(self, logits: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean cross entropy of a batch's beginnings and ends."""
        return self.network.loss(logits, (fields["start"], fields["end"])), {}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the logits of beginning and end, (N, L) each."""
        return list(self.forward(fields))

    def evaluator(self, split: str) -> ReadingEvaluator:
        """Return an empty evaluator."""
        settings = self.metric, self.threshold, self.search["n_best"], self.search["longest"], self.out_of_domain
        return ReadingEvaluator(self.dataset(split), self.fields(split), *settings)

    def facts(self) -> list[str]:
        """Return how many questions there are, and of how many windows."""
        windows = ", ".join(f"{len(self.fields(split)):,} of {split}" for split in self.splits)
        return [*super().facts(), f"windows: {windows}"]

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 8", "answer eight questions of the test split")]

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: how answers are searched, too."""
        none = {"may_be_none": self.metric == "SQuAD2", "threshold": self.threshold}
        return {**self.search, **none}
