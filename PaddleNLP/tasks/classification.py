"""A class, several labels or a number for each text or pair of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

import core
from core.train.task import Evaluator
from core.weights.messages import counted
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column
from PaddleNLP.evaluators.classification import ClassificationEvaluator, write_pictures
from PaddleNLP.evaluators.numbers import MultiLabelEvaluator, RegressionEvaluator
from PaddleNLP.tasks.base import LanguageTask


class SequenceTask(LanguageTask):
    """A task with a result for each text, or pair."""

    head = "sequence_classification"
    takes = ("text",)

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
        monitor: the number by which the best checkpoint is chosen.
    """

    numbers: Sequence[str] = ("accuracy", "macro_f1", "loss", "f1", "matthews", "auc")
    reader = "classification"
    monitor = "accuracy"

    def __init__(self, config: LanguageConfig, monitor: str = "accuracy") -> None:
        super().__init__(config)
        self.monitor = monitor

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data whose samples have several labels or a number, besides what :class:`LanguageTask` refuses."""
        super().check_dataset(split, dataset)
        label = dataset[0].get("label", "")
        if not isinstance(label, str):
            what, task = ("several labels", "MultiLabel") if isinstance(label, list) else ("a number", "Regression")
            raise ValueError(f"data.{split} has {what} a sample, not a class; task.name: {task} learns that")

    def labels(self, labels: Sequence[str]) -> np.ndarray:
        """Return the classes' numbers, int64 (N,)."""
        numbers = {name: number for number, name in enumerate(self.class_names)}
        return np.array([numbers[label] for label in labels], np.int64)

    def loss_of(self, logits: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the cross entropy of a batch, and its accuracy."""
        hits = core.equal(core.argmax(logits, axis=-1), fields["label"])
        return self.network.loss(logits, fields["label"]), {"accuracy": core.cast(hits, "float32").mean()}

    def evaluator(self, split: str) -> ClassificationEvaluator:
        """Return an empty evaluator."""
        return ClassificationEvaluator(self.class_names)

    def write_pictures(self, evaluator: Evaluator, split: str, folder: Path) -> list[str]:
        """Write confusion_matrix.png and mistakes.txt; return their names."""
        assert isinstance(evaluator, ClassificationEvaluator)
        return write_pictures(evaluator, self.dataset(split), self.config.network.name, split, folder)


class MultiLabel(SequenceTask):
    """Trains a network to say of each of several labels whether it holds.

    Args:
        config: the experiment.
        thresholds: the probability from which a label counts as given: one for all, or one for each label in order.
        monitor: the number by which the best checkpoint is chosen.
    """

    numbers = ("micro_f1", "macro_f1", "exact", "auc")
    reader = "multi_label"
    answers = "labels"

    def __init__(
        self, config: LanguageConfig, thresholds: Union[float, list[float]] = 0.5, monitor: str = "macro_f1"
    ) -> None:
        super().__init__(config)
        for threshold in thresholds if isinstance(thresholds, list) else [thresholds]:
            if not 0 <= threshold <= 1:
                raise ValueError(f"task.thresholds are probabilities, between 0 and 1, not {threshold}")
        self.given = thresholds
        self.monitor = monitor

    def thresholds(self) -> list[float]:
        """Return the threshold of each label.

        Raises:
            ValueError: there are not as many as labels.
        """
        count = len(self.class_names)
        if not isinstance(self.given, list):
            return [self.given] * count
        if len(self.given) != count:
            numbers, labels = counted(len(self.given), "number"), counted(count, "label")
            raise ValueError(f"task.thresholds has {numbers} for {labels}; give one for each")
        return self.given

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data whose samples have one class each, besides what :class:`LanguageTask` refuses."""
        super().check_dataset(split, dataset)
        if not getattr(dataset, "multi_label", False):
            raise ValueError(f"data.{split} has one class a sample; task.name: Classification learns that")
        self.thresholds()

    def labels(self, labels: Sequence[Sequence[str]]) -> np.ndarray:
        """Return which labels hold, float32 (N, classes)."""
        numbers = {name: number for number, name in enumerate(self.class_names)}
        marks = np.zeros((len(labels), len(numbers)), np.float32)
        for row, names in zip(marks, labels):
            row[[numbers[name] for name in names]] = 1
        return marks

    def loss_of(self, logits: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the binary cross entropy of a batch."""
        return self.network.loss(logits, fields["label"]), {}

    def evaluator(self, split: str) -> MultiLabelEvaluator:
        """Return an empty evaluator."""
        return MultiLabelEvaluator(self.class_names, self.thresholds())

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: the thresholds, too."""
        return {"thresholds": self.thresholds()}


class Regression(SequenceTask):
    """Trains a network to give a number, such as how alike two texts are.

    Args:
        config: the experiment.
    """

    numbers = ("pearson", "spearman", "mse")
    reader = "regression"
    answers = "numbers"
    monitor = "pearson"
    labelled = False

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data whose labels are classes, besides what :class:`LanguageTask` refuses."""
        super().check_dataset(split, dataset)
        if getattr(dataset, "labels", ()):
            raise ValueError(f"data.{split} has classes, not numbers; task.name: Classification learns those")

    def labels(self, labels: Sequence[float]) -> np.ndarray:
        """Return the numbers, float32 (N,)."""
        return np.array(labels, np.float32)

    def loss_of(self, values: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the mean squared error of a batch."""
        return self.network.loss(values, fields["label"]), {}

    def evaluator(self, split: str) -> RegressionEvaluator:
        """Return an empty evaluator."""
        return RegressionEvaluator()
