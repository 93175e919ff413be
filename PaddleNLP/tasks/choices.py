"""Samples of several texts: which of some choices is right, and pairs whose texts are encoded one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.io import Dataset, Pad
from core.text.batching import LENGTH
from core.train.runner.task import Suggestion
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column
from PaddleNLP.data.stacked import StackedDataset, stacked
from PaddleNLP.evaluators.choices import ChoiceEvaluator
from PaddleNLP.tasks.base import LanguageTask
from PaddleNLP.tasks.classification import Classification

IDS = ("input_ids", "token_type_ids")


class StackedTask(LanguageTask):
    """A task whose network reads several texts of each sample, (N, texts, L)."""

    inputs: Sequence[Optional[int]] = (None, None, None)

    def rows(self, samples: Sequence[Mapping[str, Any]]) -> tuple[list[str], Optional[list[str]], list[int]]:
        """Return the texts of some samples, the second ones of pairs or None, and how many each sample has."""
        raise NotImplementedError

    def stacked_ids(self, samples: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
        """Return the ids of some samples, and "rows"."""
        first, second, counts = self.rows(samples)
        columns = {name: column for name, column in self.tokens(first, second).items() if name in IDS}
        return stacked(columns, counts, dict(zip(IDS, (self.tokenizer.pad_token_id, self.tokenizer.pad_token_type_id))))

    def fields(self, split: str) -> Dataset:  # type: ignore[override]  # with an axis more
        """Return the samples of a split as ids, an axis for their texts."""
        return StackedDataset(super().fields(split), IDS)

    def padded(self) -> dict[str, Any]:
        """Return how fields of a batch are batched."""
        fills = (self.tokenizer.pad_token_id, self.tokenizer.pad_token_type_id)
        return {name: Pad("texts", LENGTH, value=fill, mask=False) for name, fill in zip(IDS, fills)}

    def kept(self, fields: Mapping[str, Any]) -> Any:
        """Return where a batch's texts have tokens, bool (N, texts, L)."""
        return core.not_equal(fields["input_ids"], core.full([1], self.tokenizer.pad_token_id, "int64"))

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return what the network's head computes of a batch."""
        return self.network(fields["input_ids"], fields.get("token_type_ids"), attention_mask=self.kept(fields))


class PairClassification(StackedTask, Classification):
    """Trains a network to tell classes of pairs apart, whose texts it encodes one by one, as Sentence-BERT does.

    Reimers and Gurevych 2019, https://arxiv.org/abs/1908.10084. The vector of a text does not depend on the other one.

    Args:
        config: the experiment.
        monitor: the number by which the best checkpoint is chosen.
    """

    head = "pair_classification"
    reader = "pair"
    inputs = (None, 2, None)

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without pairs, besides what :class:`LanguageTask` refuses."""
        super().check_dataset(split, dataset)
        if "text_pair" not in dataset.columns:
            raise ValueError(f"data.{split} has no pairs of texts; task.name: Classification learns single ones")

    def rows(self, samples: Sequence[Mapping[str, Any]]) -> tuple[list[str], Optional[list[str]], list[int]]:
        """Return both texts of each pair."""
        texts = [sample[name] for sample in samples for name in ("text", "text_pair")]
        return texts, None, [2] * len(samples)

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids and labels of some pairs."""
        samples = [dataset[number] for number in part]
        if "label" not in samples[0]:
            raise ValueError(f"data.{split} has no labels: infer.py predicts them")
        return {**self.stacked_ids(samples), "label": self.labels([sample["label"] for sample in samples])}


class MultipleChoice(StackedTask):
    """Trains a network to choose the right answer to a question about a text.

    Args:
        config: the experiment.
    """

    numbers = ("accuracy",)
    head = "multiple_choice"
    reader = "choices"
    labelled = False

    def __init__(self, config: LanguageConfig) -> None:
        super().__init__(config)
        self.monitor = "accuracy"

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without choices."""
        if "choices" not in getattr(dataset, "columns", ()):
            raise ValueError(f"data.{split} has no choices; dataset.name: C3Dataset reads some")

    def rows(self, samples: Sequence[Mapping[str, Any]]) -> tuple[list[str], Optional[list[str]], list[int]]:
        """Return of each choice the text, and the question with the choice behind it."""
        pairs = [(one["context"], one["question"] + choice) for one in samples for choice in one["choices"]]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs], [len(one["choices"]) for one in samples]

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids of all choices of some questions, and which are right."""
        samples = [dataset[number] for number in part]
        if "label" not in samples[0]:
            raise ValueError(f"data.{split} has no answers: infer.py predicts them")
        return {**self.stacked_ids(samples), "label": np.array([sample["label"] for sample in samples], np.int64)}

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return the logits of a batch's choices, (N, choices); what is no choice has a very small one."""
        there = core.cast(self.kept(fields), "float32").max(axis=-1)
        return super().forward(fields) - (1.0 - there) * 1e4

    def loss_of(self, logits: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the cross entropy of a batch, and its accuracy."""
        hits = core.equal(core.argmax(logits, axis=-1), fields["label"])
        return self.network.loss(logits, fields["label"]), {"accuracy": core.cast(hits, "float32").mean()}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the logits, (N, choices)."""
        return [self.forward(fields)]

    def evaluator(self, split: str) -> ChoiceEvaluator:
        """Return an empty evaluator."""
        return ChoiceEvaluator(self.dataset(split))

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--demo 8", "choose the answers to eight questions of the test split")]
