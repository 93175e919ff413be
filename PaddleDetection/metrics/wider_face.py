"""WIDER FACE's average precision, over its easy, medium and hard faces.

Yang et al., "WIDER FACE: A Face Detection Benchmark", arXiv 1511.06523; the definition is that of its evaluation tools,
http://shuoyang1213.me/WIDERFACE: scores are stretched to 0 to 1 over the whole set; precision and recall are taken at
1000 thresholds; a detection belongs to the face that it overlaps most, at least by a half, with corners as whole pixels
that both belong to the box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.wider_face import DIFFICULTIES
from PaddleDetection.metrics.base import Found, Metric, PrecisionRecall
from PaddleDetection.metrics.voc import pixel_overlaps

THRESHOLDS = 1000

OVERLAP = 0.5
"""The least intersection over union of a detection with its face."""


class Judged(NamedTuple):
    """The detections of an image, against one set of faces.

    Attributes:
        scores: (D,).
        counted: whether each is right or wrong; not if its face does not belong to the set, bool (D,).
        right: whether it is the first one of a face of the set, bool (D,).
    """

    scores: np.ndarray
    counted: np.ndarray
    right: np.ndarray


class WIDERFaceMetric(Metric):
    """Average precision of each set of faces that the truth knows, and of all that are not difficult."""

    monitor = "AP"

    def __init__(self) -> None:
        self._judged: dict[str, list[Judged]] = {"": []}
        self._faces: dict[str, int] = {"": 0}

    def add(self, found: Found, truth: Sample) -> None:
        """Take in one image.

        Args:
            found: what is found.
            truth: "gt_bbox" (G, 4), "difficult" (G, 1), and where they are known "easy", "medium" and "hard", which
                faces belong to these sets, bool (G,).
        """
        rows = np.asarray(found.rows, np.float64).reshape(-1, 6)
        rows = rows[np.argsort(-rows[:, 1], kind="stable")]
        faces = np.asarray(truth["gt_bbox"], np.float64).reshape(-1, 4)
        overlaps = pixel_overlaps(rows[:, 2:], faces)
        best = overlaps.argmax(1) if len(faces) else np.zeros(len(rows), int)
        matched = overlaps.max(1, initial=0.0) >= OVERLAP
        subsets = {"": np.asarray(truth.get("difficult", np.zeros(len(faces)))).reshape(-1) == 0}
        subsets.update({name: np.asarray(truth[name], bool) for name in DIFFICULTIES if name in truth})
        for name, members in subsets.items():
            member = matched.copy()
            member[matched] = members[best[matched]]
            right = np.zeros(len(rows), bool)
            places = np.flatnonzero(member)
            right[places[np.unique(best[places], return_index=True)[1]]] = True
            self._judged.setdefault(name, []).append(Judged(rows[:, 1], member | ~matched, right))
            self._faces[name] = self._faces.get(name, 0) + int(members.sum())

    def result(self) -> dict[str, float]:
        """Return "AP", and "AP_easy", "AP_medium" and "AP_hard" where they are known; NaN without faces."""
        return {
            f"AP_{name}" if name else "AP": curve.average_precision for name, curve in self._curves().items()
        }

    def curves(self) -> dict[str, PrecisionRecall]:
        """Return the curves of all faces, "face", and of the sets that are known."""
        return {name or "face": curve for name, curve in self._curves().items()}

    def _curves(self) -> dict[str, PrecisionRecall]:
        return {name: self._curve(judged, self._faces[name]) for name, judged in self._judged.items()}

    def _curve(self, judged: list[Judged], faces: int) -> PrecisionRecall:
        together = [np.concatenate([np.zeros(0), *(getattr(one, key) for one in judged)]) for key in Judged._fields]
        scores, counted, right = together
        if not faces or not len(scores):
            return PrecisionRecall(*(np.zeros(0),) * 3, faces, 0.0 if faces else float("nan"))
        lowest, span = scores.min(), np.ptp(scores)
        stretched = (scores - lowest) / span if span else np.ones(len(scores))
        order = np.argsort(-stretched, kind="stable")
        thresholds = 1 - np.arange(1, THRESHOLDS + 1) / THRESHOLDS
        reached = np.searchsorted(-stretched[order], -thresholds, side="right")
        counted, right = (np.append(0, np.cumsum(flags[order]))[reached] for flags in (counted, right))
        precision = right / np.maximum(counted, 1)
        recall = right / faces
        return PrecisionRecall(precision, recall, lowest + thresholds * span, faces, area_below(precision, recall))


def area_below(precision: np.ndarray, recall: np.ndarray) -> float:
    """Return the area below a curve of which each precision is the best of this and any larger recall.

    Args:
        precision: (points,).
        recall: rising, (points,).
    """
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float((np.diff(recall, prepend=0.0) * best).sum())
