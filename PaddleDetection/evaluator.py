"""What an evaluation gathers of a detector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.train.task import Evaluator
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.metrics.voc import VOCMetric


class DetectionEvaluator(Evaluator):
    """Compares the boxes that are found with those of the data set.

    Args:
        dataset: the data set whose images are looked at.
        map_type: how precision is averaged; see :class:`VOCMetric`.
    """

    def __init__(self, dataset: DetectionDataset, map_type: str = "11point") -> None:
        self.dataset = dataset
        self.voc = VOCMetric(dataset.class_names, map_type)
        self.found: list[np.ndarray] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in a batch's boxes (N, K, 6) and their numbers (N,); the batch's "index" says whose they are."""
        for rows, count, index in zip(outputs[0], outputs[1].tolist(), batch["index"]):
            found = rows[:count]
            truth = self.dataset.objects(index)
            self.voc.update(found, truth["gt_bbox"], truth["gt_class"], truth["difficult"])
            self.found.append(found)

    def result(self) -> dict[str, float]:
        """Return "mAP"."""
        return self.voc.result()

    def details(self) -> dict[str, Any]:
        """Return the average precision of each class that has objects."""
        curves = self.voc.curves()
        return {"AP_of_classes": {name: curve.average_precision for name, curve in curves.items() if curve.objects}}

    def lines(self) -> list[str]:
        """Say of each class its average precision, and how many objects there are."""
        return [
            f"{name}: AP {curve.average_precision:.3f} of {curve.objects} objects"
            for name, curve in self.voc.curves().items()
            if curve.objects
        ]
