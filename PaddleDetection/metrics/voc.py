"""Mean average precision as PASCAL VOC defines it, at one overlap, over eleven recalls or the whole curve.

Everingham et al., "The PASCAL Visual Object Classes (VOC) challenge", IJCV 88, 2010,
https://doi.org/10.1007/s11263-009-0275-4. Corners are whole pixels that both belong to the box, as in that challenge; a
detection matches an object that it overlaps by more than the threshold, as in PaddleDetection's ``DetectionMAP``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from PaddleDetection.data.dataset import Sample
from PaddleDetection.metrics.base import Found, Metric, PrecisionRecall

KINDS = ("11point", "integral")


class VOCMetric(Metric):
    """Average precision of each class, and their mean.

    Args:
        class_names: the classes, in the order of their numbers.
        kind: "11point", the mean of the best precisions at recalls 0, 0.1, …, 1 (VOC 2007), or "integral", the area
            under the curve of precision over recall.
        overlap: the intersection over union above which a detection finds an object.
        evaluate_difficult: whether objects that are marked as difficult count; otherwise a detection of one counts
            neither as right nor as wrong.

    Raises:
        ValueError: an argument is out of range.
    """

    monitor = "mAP"

    def __init__(
        self,
        class_names: Sequence[str],
        kind: str = "11point",
        overlap: float = 0.5,
        evaluate_difficult: bool = False,
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"VOCMetric: kind must be one of {', '.join(KINDS)}, not {kind!r}")
        if not 0 <= overlap < 1:
            raise ValueError(f"VOCMetric: overlap must be at least 0 and below 1, not {overlap}")
        self.class_names = list(class_names)
        self.kind = kind
        self.overlap = overlap
        self.evaluate_difficult = evaluate_difficult
        self._objects = np.zeros(len(self.class_names), np.int64)
        self._found: list[np.ndarray] = []

    def update(
        self,
        detections: np.ndarray,
        boxes: np.ndarray,
        classes: np.ndarray,
        difficult: Optional[np.ndarray] = None,
    ) -> None:
        """Take in one image.

        Args:
            detections: rows of class, score, x1, y1, x2, y2, in pixels, shape (D, 6).
            boxes: corners of the objects, in the same pixels, shape (G, 4).
            classes: their class numbers, G integers.
            difficult: whether each is difficult, G numbers; None: none is.

        Raises:
            ValueError: shapes do not fit each other, a class has no name, or a score is not a number.
        """
        detections = _table(detections, 6, "detections")
        boxes, classes = _table(boxes, 4, "boxes"), np.asarray(classes, np.int64).reshape(-1)
        hard = np.zeros(len(classes), bool) if difficult is None else np.asarray(difficult).reshape(-1) != 0
        if not len(boxes) == len(classes) == len(hard):
            raise ValueError(f"VOCMetric: {len(boxes)} boxes, {len(classes)} classes and {len(hard)} marks do not fit")
        labels = detections[:, 0].astype(np.int64)
        for name, numbers in (("detection", labels), ("object", classes)):
            wrong = numbers[(numbers < 0) | (numbers >= len(self.class_names))]
            if wrong.size:
                known = len(self.class_names)
                raise ValueError(f"VOCMetric: {name} class {wrong[0]} is out of range: there are {known} classes")
        if np.isnan(detections[:, 1]).any():
            raise ValueError("VOCMetric: a detection's score is not a number")
        counted = np.ones(len(classes), bool) if self.evaluate_difficult else ~hard
        self._objects += np.bincount(classes[counted], minlength=len(self.class_names))

        order = np.argsort(-detections[:, 1], kind="stable")
        detections, labels = detections[order], labels[order]
        right, skipped = np.zeros(len(labels), bool), np.zeros(len(labels), bool)
        if len(labels) and len(classes):
            overlaps = np.where(labels[:, None] == classes, pixel_overlaps(detections[:, 2:], boxes), -1.0)
            best = overlaps.argmax(axis=1)
            matches = np.flatnonzero(overlaps[np.arange(len(labels)), best] > self.overlap)
            _, first = np.unique(best[matches], return_index=True)  # the best detection of an object
            right[matches[first]] = True
            skipped[matches] = ~counted[best[matches]]
        kept = ~skipped
        self._found.append(np.stack([labels[kept], detections[kept, 1], right[kept]], axis=1))

    def add(self, found: Found, truth: Sample) -> None:
        """Take in what is found in an image, of which the truth has "gt_bbox", "gt_class" and "difficult"."""
        self.update(found.rows, truth["gt_bbox"], truth["gt_class"], truth.get("difficult"))

    def result(self) -> dict[str, float]:
        """Return "mAP", the mean over the classes that have objects; NaN if none has."""
        values = [curve.average_precision for curve in self.curves().values() if curve.objects]
        return {"mAP": float(np.mean(values)) if values else float("nan")}

    def curves(self) -> dict[str, PrecisionRecall]:
        """Return precision, recall and average precision of each class by its name."""
        found = np.concatenate([np.zeros((0, 3)), *self._found])
        return {name: self._curve(found[found[:, 0] == number], number) for number, name in enumerate(self.class_names)}

    def _curve(self, found: np.ndarray, number: int) -> PrecisionRecall:
        objects = int(self._objects[number])
        found = found[np.argsort(-found[:, 1], kind="stable")]
        hits = np.cumsum(found[:, 2])
        precision, recall = hits / np.arange(1, len(hits) + 1), hits / max(objects, 1)
        area = _eleven_points if self.kind == "11point" else _integral
        value = area(precision, recall) if objects else float("nan")
        return PrecisionRecall(precision, recall, found[:, 1], objects, value)


def pixel_overlaps(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the intersection over union of boxes whose corners are whole pixels that belong to them.

    Args:
        first: corners x1, y1, x2, y2, shape (N, 4).
        second: corners, shape (M, 4).

    Returns:
        Between 0 and 1, float64, shape (N, M); 0 where boxes share at most an edge.
    """
    first, second = np.asarray(first, np.float64)[:, None], np.asarray(second, np.float64)[None]
    sides = np.minimum(first[..., 2:], second[..., 2:]) - np.maximum(first[..., :2], second[..., :2])
    shared = np.where((sides > 0).all(-1), (sides + 1).prod(-1), 0.0)
    return shared / np.maximum(_area(first) + _area(second) - shared, 1e-12)


def _area(boxes: np.ndarray) -> np.ndarray:
    """Return areas in pixels; an inverted box has none."""
    sides = boxes[..., 2:] - boxes[..., :2]
    return np.where((sides >= 0).all(-1), (sides + 1).prod(-1), 0.0)


def _eleven_points(precision: np.ndarray, recall: np.ndarray) -> float:
    reached = recall >= np.arange(11)[:, None] / 10
    return float(np.where(reached, precision, 0.0).max(axis=1, initial=0.0).mean())


def _integral(precision: np.ndarray, recall: np.ndarray) -> float:
    return float((np.diff(recall, prepend=0.0) * precision).sum())


def _table(rows: np.ndarray, columns: int, name: str) -> np.ndarray:
    table = np.asarray(rows, np.float64)
    if not table.size:
        return np.zeros((0, columns))
    if table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"VOCMetric: {name} must have shape (N, {columns}), not {list(table.shape)}")
    return table
