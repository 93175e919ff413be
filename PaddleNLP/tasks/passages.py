"""Answers in one of several passages: reading as the baseline of DuReader does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.io import Dataset, Pad
from core.jit.input_spec import InputSpec
from core.text.batching import LENGTH
from core.train.runner.task import Program, Suggestion
from core.weights.messages import counted
from PaddleNLP.answers.passage_spans import PRIOR
from PaddleNLP.answers.question_windows import answer_tokens
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, Ragged
from PaddleNLP.data.stacked import StackedDataset, stacked
from PaddleNLP.evaluators.passages import PassageEvaluator
from PaddleNLP.tasks.base import LanguageTask


class PassageReading(LanguageTask):
    """Trains a network to find where in several passages the answer to a question begins and ends.

    Passages are cut to ``tokenizer.max_length`` words.

    Args:
        config: the experiment.
        passages: how many are read; further ones are left out.
        max_question: words of a question, to which shorter ones are padded and longer ones cut.
        longest: words of an answer at most.
        prior: how probable it is that the first, second, ... passage has the answer.
        monitor: the number by which the best checkpoint is chosen.

    Raises:
        ValueError: there are not as many priors as passages.
    """

    head = "passage_reading"
    reader = "passages"
    numbers = ("rouge_l", "bleu_1", "bleu_2", "bleu_3", "bleu_4", "marked_rouge_l", "share_of_marked")
    labelled = False

    def __init__(
        self,
        config: LanguageConfig,
        passages: int = len(PRIOR),
        max_question: int = 60,
        longest: int = 200,
        prior: Sequence[float] = PRIOR,
        monitor: str = "rouge_l",
    ) -> None:
        super().__init__(config)
        if len(prior) < passages:
            numbers = counted(len(prior), "number")
            raise ValueError(f"task.prior has {numbers}, and task.passages is {passages}: give one for each")
        self.monitor = monitor
        self.passages, self.max_question = passages, max_question
        self.inputs = (None, passages, None)
        self.search: dict[str, Any] = {"longest": longest, "prior": [float(share) for share in prior]}

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without passages."""
        if "passages" not in getattr(dataset, "columns", ()):
            raise ValueError(f"data.{split} has no passages; dataset.name: DuReaderPassages reads some")

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return the ids of some questions and their passages, and where the answers are."""
        samples = [dataset[number] for number in part]
        fill = self.tokenizer.pad_token_id
        questions = np.full((len(samples), self.max_question), fill, np.int64)
        asked, _ = self._words([sample["question"] for sample in samples], self.max_question)
        for row, words in zip(questions, asked):
            row[: len(words)] = words
        texts: list[str] = []
        begins, ends = [], []
        for sample in samples:
            own = list(sample["passages"][: self.passages])
            texts += own + [""] * (self.passages - len(own))
        ids, offsets = self._words(texts, self.config.tokenizer.max_length)
        for number, sample in enumerate(samples):
            begin, end = self._place(sample, offsets[number * self.passages : (number + 1) * self.passages])
            begins.append(begin)
            ends.append(end)
        columns = stacked({"input_ids": Ragged.of(ids)}, [self.passages] * len(samples), {"input_ids": fill})
        places = {"begin": np.array(begins, np.int64), "end": np.array(ends, np.int64)}
        return {**columns, "question_ids": questions, **places}

    def _words(self, texts: Sequence[str], most: int) -> tuple[list[Any], list[Any]]:
        """Return the ids of texts' words, and the characters of each."""
        options: dict[str, Any] = {"add_special_tokens": False, "return_offsets_mapping": True}
        columns = self.tokenizer.batch(list(texts), None, most, **options)
        return columns["input_ids"], columns["offset_mapping"]

    @staticmethod
    def _place(sample: Mapping[str, Any], offsets: Sequence[Any]) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return passage and word of the answer's beginning and end; -1 where it is cut off, or is none."""
        passage = sample["passage"]
        if not 0 <= passage < len(offsets) or not len(offsets[passage]):
            return (-1, -1), (-1, -1)
        places = np.array(offsets[passage], np.int64).reshape(-1, 2)
        if places[-1, 1] < sample["end"]:
            return (-1, -1), (-1, -1)
        first, last = answer_tokens(places, sample["start"], sample["end"])
        return (passage, first), (passage, last)

    def fields(self, split: str) -> Dataset:  # type: ignore[override]  # with an axis more
        """Return the samples of a split as ids, an axis for their passages."""
        return StackedDataset(super().fields(split), ["input_ids"])

    def padded(self) -> dict[str, Any]:
        """Return how fields of a batch are batched."""
        fill = self.tokenizer.pad_token_id
        return {"input_ids": Pad(None, LENGTH, value=fill, mask=False)}

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return the probabilities of beginnings and ends of a batch's answers."""
        return self.network(fields["question_ids"], fields["input_ids"])

    def loss_of(self, probabilities: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the sum of both cross entropies, mean over a batch's questions."""
        return self.network.loss(probabilities, (fields["begin"], fields["end"])), {}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the probabilities of beginning and end, (N, P, T) each."""
        return list(self.forward(fields))

    def evaluator(self, split: str) -> PassageEvaluator:
        """Return an empty evaluator."""
        most = self.config.tokenizer.max_length
        return PassageEvaluator(self.dataset(split), lambda texts: self._words(texts, most)[1], **self.search)

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 8", "answer eight questions of the test split")]

    def program(self) -> Program:
        """Return the network from ids to probabilities, for any lengths of questions and passages."""
        specs = [
            InputSpec([None, None], "int64", "question_ids", examples={0: (2, 3), 1: (8, 16)}),
            InputSpec([None, self.passages, None], "int64", "input_ids", examples={0: (2, 3), 2: (8, 12)}),
        ]
        text = f"question_ids int64 [any, any] and input_ids int64 [any, {self.passages}, any]"
        return Program(core.jit.to_static(self.network), specs, text, {"preprocessing": self.stored()})

    def reader_settings(self) -> dict[str, Any]:
        """Return how answers are searched."""
        return {**self.search, "passages": self.passages, "max_question": self.max_question}
