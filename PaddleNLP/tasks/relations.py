"""Relations between parts of a text: who was born where, which film has which director."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.io import Dataset, Pad
from core.nn import functional as F
from core.text.batching import LENGTH
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, EncodedDataset, Ragged
from PaddleNLP.evaluators.numbers import sigmoid
from PaddleNLP.evaluators.relations import RelationEvaluator
from PaddleNLP.metrics.triples import Triple
from PaddleNLP.relations.tags import found_relations, relation_tags, tag_count
from PaddleNLP.tasks.base import LanguageTask


class RelationExtraction(LanguageTask):
    """Trains a network to mark the characters of subjects and objects of relations; one may have several marks.

    Marks are those of :mod:`PaddleNLP.relations.tags`; each is judged on its own, by binary cross entropy.

    Args:
        config: the experiment.
        threshold: the probability from which a mark counts as given.
    """

    numbers = ("precision", "recall", "f1")
    head = "token_classification"
    reader = "relations"
    answers = "labels"
    monitor = "f1"

    def __init__(self, config: LanguageConfig, threshold: float = 0.5) -> None:
        super().__init__(config)
        if not 0 < threshold < 1:
            raise ValueError(f"task.threshold must be between 0 and 1, not {threshold}")
        self.threshold = threshold

    def class_count(self) -> int:
        """Return the number of marks."""
        return tag_count(len(self.class_names))

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without relations, besides what :class:`LanguageTask` refuses."""
        if "relations" not in getattr(dataset, "columns", ()):
            raise ValueError(f"data.{split} has no relations; dataset.name: RelationDataset reads some")
        super().check_dataset(split, dataset)

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids of the characters of some texts, which characters these are, and their marks."""
        samples = [dataset[number] for number in part]
        columns = self.tokens(
            [list(sample["text"]) for sample in samples], is_split_into_words=True, return_word_ids=True
        )
        characters = [[-1 if word is None else word for word in words] for words in columns.pop("word_ids")]
        numbers = {name: number for number, name in enumerate(self.class_names)}
        marks = []
        for row, sample in zip(characters, samples):
            own = relation_tags(sample["relations"], numbers, len(sample["text"]))[row]
            own[np.array(row) < 0] = False
            marks.append(np.flatnonzero(own).tolist())
        return {**columns, "characters": Ragged.of(characters), "marks": Ragged.of(marks)}

    def fields(self, split: str) -> Dataset:  # type: ignore[override]  # with marks as an array
        """Return the samples of a split, with "marks" as an array."""
        return MarkedDataset(super().fields(split), self.class_count())

    def padded(self) -> dict[str, Any]:
        """Return how fields of a batch are batched."""
        own = {"characters": Pad(LENGTH, value=-1, mask=False), "marks": Pad(LENGTH, None, mask=False)}
        return {**super().padded(), **own}

    def loss_of(self, logits: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean binary cross entropy of a batch's marks, special tokens and padding left out."""
        each = F.binary_cross_entropy_with_logits(logits, fields["marks"], reduction="none").mean(axis=-1)
        counted = core.cast(fields["characters"] >= 0, "float32")
        return (each * counted).sum() / counted.sum(), {}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the logits of all marks, (N, L, marks)."""
        return [self.forward(fields)]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> list[list[Triple]]:
        """Return the relations of each text of a batch."""
        marks = sigmoid(outputs[0]) >= self.threshold
        rows = zip(marks, batch["characters"].numpy().tolist())
        return [found_relations(own, characters, self.class_names) for own, characters in rows]

    def evaluator(self, split: str) -> RelationEvaluator:
        """Return an empty evaluator."""
        return RelationEvaluator(self.dataset(split))

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: the threshold, too."""
        return {"threshold": self.threshold}


class MarkedDataset(Dataset):
    """Samples whose "marks", the places of those that hold, become an array float32 (L, count).

    Args:
        encoded: the samples.
        count: how many marks a token may have.
    """

    def __init__(self, encoded: EncodedDataset, count: int) -> None:
        self.encoded, self.count = encoded, count
        self.lengths, self.columns = encoded.lengths, encoded.columns

    def __len__(self) -> int:
        return len(self.encoded)

    def __getitem__(self, index: int) -> dict[str, Any]:
        sample = self.encoded[index]
        marks = np.zeros(len(sample["input_ids"]) * self.count, np.float32)
        marks[sample["marks"]] = 1
        return {**sample, "marks": marks.reshape(-1, self.count)}
