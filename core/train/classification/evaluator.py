"""What an evaluation gathers of a classifier of images or clips, and the pictures of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np
from scipy.special import softmax

from core.drawing import confusion_matrix, prediction_sheet, reliability_diagram, sheet_selection
from core.metric import ConfusionMatrix
from core.train.classification.calibration import Calibration, calibration
from core.train.task import Evaluator
from core.vision.image import write_image
from core.weights.atomic import atomic_write

MOST_LISTED = 20
"""Classes of which the evaluation command has a line each."""


class ClassificationEvaluator(Evaluator):
    """Accuracies, loss, and the prediction for every sample.

    Args:
        class_num: the number of classes.
        topk: a sample is right for k where its class is among the k best; those that k leaves no class out are dropped.
        class_names: the classes, in the order of their numbers; a class without a name has its number.
        things: what the samples are, for pictures.
    """

    def __init__(
        self,
        class_num: int,
        topk: Sequence[int] = (1, 5),
        class_names: Optional[Sequence[str]] = None,
        things: str = "images",
    ) -> None:
        self.class_num = class_num
        self.things = things
        named = list(class_names or [])
        self.class_names = [*named, *map(str, range(len(named), class_num))]
        self.confusion = ConfusionMatrix(class_num)
        self.labels: list[int] = []
        self.predictions: list[int] = []
        self.confidences: list[float] = []
        self._hits = {k: 0 for k in topk if k > 1 and class_num > 2 * k}
        self._loss = 0.0

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in a batch's logits, shape (N, class_num), and its labels, the batch's second field."""
        probabilities = softmax(outputs[0], axis=-1)
        labels = batch[1].numpy().reshape(-1)
        predictions = probabilities.argmax(axis=1)
        of_label = np.take_along_axis(probabilities, labels[:, None], axis=1)[:, 0]
        better = (probabilities > of_label[:, None]).sum(axis=1)
        self.confusion.update(predictions, labels)
        for k in self._hits:
            self._hits[k] += int((better < k).sum())
        self._loss -= float(np.log(np.maximum(of_label, 1e-30)).sum())
        self.labels += labels.tolist()
        self.predictions += predictions.tolist()
        self.confidences += probabilities.max(axis=1).tolist()

    def result(self) -> dict[str, float]:
        """Return "accuracy", "topK_accuracy" where there are more than twice as many classes, and "loss"."""
        count = max(len(self.labels), 1)
        numbers = {"accuracy": float(np.trace(self.confusion.matrix)) / count}
        numbers.update({f"top{k}_accuracy": hits / count for k, hits in self._hits.items()})
        return {**numbers, "loss": self._loss / count}

    def details(self) -> dict[str, Any]:
        """Return "calibration_error", and the share of each class's samples that is recognised."""
        shares = dict(zip(self.class_names, self.accuracy_of_classes()))
        return {"calibration_error": self.calibration().error, "accuracy_of_classes": shares}

    def lines(self) -> list[str]:
        """Say of each class, where they are few, how many of its samples were recognised."""
        matrix = self.confusion.matrix
        rows = list(zip(self.class_names, matrix, matrix.diagonal()))
        return [f"{name}: {right} of {row.sum()} right" for name, row, right in rows if len(rows) <= MOST_LISTED]

    def calibration(self) -> Calibration:
        """Return how far the confidences are from what is right."""
        return calibration(self.confidences, [a == b for a, b in zip(self.predictions, self.labels)])

    def accuracy_of_classes(self) -> list[Optional[float]]:
        """Return for each class the share of its samples that is recognised; None where it has none."""
        matrix = self.confusion.matrix
        return [float(row[i] / row.sum()) if row.sum() else None for i, row in enumerate(matrix)]


def write_pictures(
    evaluator: ClassificationEvaluator, dataset: Any, model: str, split: str, folder: Path
) -> list[str]:
    """Write confusion_matrix.png and .csv, calibration.png and predictions.png; return their names.

    Args:
        evaluator: a filled evaluator.
        dataset: of the split; its ``image(index)`` gives what is drawn of a sample, uint8 (H, W, C).
        model: the network's name.
        split: what was evaluated.
        folder: where to write.
    """
    names = evaluator.class_names
    accuracy = evaluator.result()["accuracy"]
    title = f"{model}, {split}: {accuracy:.2%} of {len(evaluator.labels)} {evaluator.things} right"
    write_image(folder / "confusion_matrix.png", confusion_matrix(evaluator.confusion.matrix, names, title))
    _write_confusion(evaluator.confusion.matrix, names, folder / "confusion_matrix.csv")
    found = evaluator.calibration()
    remark = f"expected calibration error {found.error:.3f}"
    diagram = reliability_diagram(found.edges, found.accuracy, found.counts, f"{model}, {split}", remark)
    write_image(folder / "calibration.png", diagram)
    chosen = sheet_selection(evaluator.labels, evaluator.predictions)
    sheet = prediction_sheet(
        [dataset.image(i) for i in chosen],
        [evaluator.labels[i] for i in chosen],
        [evaluator.predictions[i] for i in chosen],
        [evaluator.confidences[i] for i in chosen],
        names,
        f"{title} (mistakes first)",
    )
    write_image(folder / "predictions.png", sheet)
    return ["confusion_matrix.png", "confusion_matrix.csv", "calibration.png", "predictions.png"]


def _write_confusion(matrix: np.ndarray, names: Sequence[str], path: Path) -> None:
    """Write a confusion matrix as CSV: a row for each true class, a column for each predicted one."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["true \\ predicted", *names])
    rows.writerows([name, *row] for name, row in zip(names, matrix.tolist()))
    with atomic_write(path) as stream:
        stream.write(text.getvalue().encode("utf-8"))
