"""What the metrics of detectors have in common."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any, Optional

import numpy as np

from PaddleDetection.data.dataset import Sample


@dataclasses.dataclass
class Found:
    """What a detector finds in one image.

    Attributes:
        rows: class, score and corners x1, y1, x2, y2 in pixels of the image, float32 (D, 6).
        masks: of each its run lengths as pycocotools has them, {"size": [H, W], "counts": bytes}; None: the detector
            finds boxes alone.
    """

    rows: np.ndarray
    masks: Optional[list[Any]] = None


@dataclasses.dataclass
class PrecisionRecall:
    """What the detections of one class reach, from the highest score down.

    Attributes:
        precision: the share of the first detections that are right, shape (points,).
        recall: the share of the objects that they find, shape (points,).
        scores: the lowest score among them, shape (points,).
        objects: how many objects there are.
        average_precision: between 0 and 1; NaN where there are no objects.
    """

    precision: np.ndarray
    recall: np.ndarray
    scores: np.ndarray
    objects: int
    average_precision: float


class Metric(abc.ABC):
    """Compares what is found with the objects of a data set, image by image.

    Attributes:
        monitor: the number by which the best checkpoint is chosen.
    """

    monitor: str

    @abc.abstractmethod
    def add(self, found: Found, truth: Sample) -> None:
        """Take in one image.

        Args:
            found: what is found.
            truth: what :meth:`DetectionDataset.objects` returns.
        """

    @abc.abstractmethod
    def result(self) -> dict[str, float]:
        """Return the numbers by name."""

    @abc.abstractmethod
    def curves(self) -> dict[str, PrecisionRecall]:
        """Return precision, recall and average precision of each class by its name."""
