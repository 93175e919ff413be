"""A class, several labels or a number for each text or pair of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import core
from core.train.task import Evaluator
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column
from PaddleNLP.evaluators.classification import ClassificationEvaluator, write_pictures
from PaddleNLP.tasks.base import LanguageTask


class SequenceTask(LanguageTask):
    """A task with a result for each text, or pair."""

    head = "sequence_classification"

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids and labels of some samples."""
        samples = [dataset[number] for number in part]
        pairs = [sample["text_pair"] for sample in samples] if "text_pair" in samples[0] else None
        columns = self.tokens([sample["text"] for sample in samples], pairs)
        if "label" not in samples[0]:
            raise ValueError(f"data.{split} has no labels: infer.py predicts them")
        return {**columns, "label": self.labels([sample["label"] for sample in samples])}

    def labels(self, labels: Sequence[Any]) -> np.ndarray:
        """Return what the loss takes of some samples' labels."""
        raise NotImplementedError

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the logits, (N, classes)."""
        return [self.forward(fields)]


class Classification(SequenceTask):
    """Trains a network to tell classes apart.

    Args:
        config: the experiment.
    """

    reader = "classification"
    monitor = "accuracy"

    def __init__(self, config: LanguageConfig, monitor: str = "accuracy") -> None:
        super().__init__(config)
        self.monitor = monitor

    def labels(self, labels: Sequence[str]) -> np.ndarray:
        """Return the classes' numbers, int64 (N,)."""
        numbers = {name: number for number, name in enumerate(self.class_names)}
        return np.array([numbers[label] for label in labels], np.int64)

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the cross entropy of a batch, and its accuracy."""
        logits = self.forward(fields)
        hits = core.equal(core.argmax(logits, axis=-1), fields["label"])
        return self.network.loss(logits, fields["label"]), {"accuracy": core.cast(hits, "float32").mean()}

    def evaluator(self, split: str) -> ClassificationEvaluator:
        """Return an empty evaluator."""
        return ClassificationEvaluator(self.class_names)

    def write_pictures(self, evaluator: Evaluator, split: str, folder: Path) -> list[str]:
        """Write confusion_matrix.png and mistakes.txt; return their names."""
        assert isinstance(evaluator, ClassificationEvaluator)
        return write_pictures(evaluator, self.dataset(split), self.config.network.name, split, folder)
