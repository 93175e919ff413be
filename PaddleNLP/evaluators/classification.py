"""What an evaluation gathers of a classifier of texts, and the pictures of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score

from core.drawing import confusion_matrix
from core.metric import ConfusionMatrix
from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator
from core.vision.image import write_image
from core.weights.atomic import atomic_write

MOST_LISTED = 20
"""Classes of which the evaluation command has a line each."""

MISTAKES = 100
"""Mistakes that mistakes.txt lists at most."""


class ClassificationEvaluator(Evaluator):
    """Accuracy, F1, and the prediction for every sample.

    Args:
        class_names: the classes, in the order of their numbers.
    """

    def __init__(self, class_names: Sequence[str]) -> None:
        self.class_names = list(class_names)
        self._probabilities: list[np.ndarray] = []
        self._labels: list[np.ndarray] = []
        self._numbers: list[np.ndarray] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in a batch's logits, (N, classes), its "label" and "index"."""
        self._probabilities.append(softmax(outputs[0], axis=-1))
        self._labels.append(batch["label"].numpy())
        self._numbers.append(batch["index"].numpy())

    @property
    def probabilities(self) -> np.ndarray:
        """Of each sample, float32 (N, classes)."""
        return np.concatenate(self._probabilities) if self._labels else np.zeros((0, len(self.class_names)), np.float32)

    @property
    def labels(self) -> np.ndarray:
        """The true classes, int64 (N,)."""
        return np.concatenate(self._labels) if self._labels else np.zeros(0, np.int64)

    @property
    def numbers(self) -> np.ndarray:
        """Which samples of the data set these are, int64 (N,)."""
        return np.concatenate(self._numbers) if self._labels else np.zeros(0, np.int64)

    def result(self) -> dict[str, float]:
        """Return "accuracy", "macro_f1" and "loss"; of two classes also "f1", "auc" and "matthews" of the second."""
        probabilities, labels = self.probabilities, self.labels
        if not len(labels):
            return {}
        predictions, classes = probabilities.argmax(axis=1), range(len(self.class_names))
        own = np.take_along_axis(probabilities, labels[:, None], axis=1)
        found = {
            "accuracy": float((predictions == labels).mean()),
            "macro_f1": float(f1_score(labels, predictions, labels=classes, average="macro", zero_division=0)),
            "loss": float(-np.log(np.maximum(own, 1e-30)).mean()),
        }
        if len(self.class_names) == 2:
            found["f1"] = float(f1_score(labels, predictions, zero_division=0))
            found["matthews"] = float(matthews_corrcoef(labels, predictions))
            if 0 < labels.sum() < len(labels):
                found["auc"] = float(roc_auc_score(labels, probabilities[:, 1]))
        return found

    def matrix(self) -> np.ndarray:
        """Return how many samples of each class (rows) are taken for each class, int64."""
        confusion = ConfusionMatrix(len(self.class_names))
        confusion.update(self.probabilities.argmax(axis=1), self.labels)
        return confusion.matrix

    def details(self) -> dict[str, Any]:
        """Return the F1 of each class."""
        scores = f1_score(
            self.labels,
            self.probabilities.argmax(axis=1),
            labels=range(len(self.class_names)),
            average=None,
            zero_division=0,
        )
        return {"f1_of_classes": dict(zip(self.class_names, scores.tolist()))}

    def lines(self) -> list[str]:
        """Say of each class, where they are few, how many of its samples were recognised."""
        rows = list(zip(self.class_names, self.matrix()))
        return [
            f"{name}: {row[number]} of {row.sum()} right"
            for number, (name, row) in enumerate(rows)
            if len(rows) <= MOST_LISTED
        ]

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each sample its number, the true class and the predicted one, and its score."""
        file = ResultFile("predictions.jsonl")
        for number, label, row in zip(self.numbers.tolist(), self.labels.tolist(), self.probabilities):
            best = int(row.argmax())
            names = {"label": self.class_names[label], "predicted": self.class_names[best]}
            file.append({"index": number, **names, "score": round(float(row[best]), 6)})
        return [file.write(folder)]


def write_pictures(evaluator: ClassificationEvaluator, dataset: Any, model: str, split: str, folder: Path) -> list[str]:
    """Write confusion_matrix.png, and mistakes.txt with the texts that were most surely mistaken; return their names.

    Args:
        evaluator: a filled evaluator.
        dataset: of the split, for its texts.
        model: the network's name.
        split: what was evaluated.
        folder: where to write.
    """
    names, probabilities, labels = evaluator.class_names, evaluator.probabilities, evaluator.labels
    title = f"{model}, {split}: {evaluator.result()['accuracy']:.2%} of {len(labels)} texts right"
    write_image(folder / "confusion_matrix.png", confusion_matrix(evaluator.matrix(), names, title))
    predictions, surely = probabilities.argmax(axis=1), probabilities.max(axis=1)
    wrong = np.flatnonzero(predictions != labels)
    lines = []
    for place in wrong[np.argsort(-surely[wrong], kind="stable")][:MISTAKES]:
        sample = dataset[int(evaluator.numbers[place])]
        texts = " | ".join(sample[name] for name in ("text", "text_pair") if name in sample)
        lines.append(f"{surely[place]:.0%} {names[predictions[place]]}, true: {names[labels[place]]}: {texts}\n")
    with atomic_write(folder / "mistakes.txt") as stream:
        stream.write("".join(lines).encode("utf-8", "backslashreplace"))
    return ["confusion_matrix.png", "mistakes.txt"]
