"""How well every frame's action is named: accuracy, edit score and F1 of segments, as MS-TCN's authors define them.

Abu Farha and Gall, "MS-TCN: multi-stage temporal convolutional network for action segmentation", CVPR 2019,
https://arxiv.org/abs/1903.01945; Lea et al., "Temporal convolutional networks for action segmentation and detection",
CVPR 2017, https://arxiv.org/abs/1611.05267.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

OVERLAPS = (0.1, 0.25, 0.5)
"""From which a segment is right, if its class is."""


class Segments(NamedTuple):
    """Runs of frames of one class: classes, first frames, and the frames after the last ones, (S,) each."""

    classes: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


def segments(labels: np.ndarray, background: Collection[int] = ()) -> Segments:
    """Return the runs of equal labels.

    Args:
        labels: classes of the frames, (T,).
        background: classes whose runs are left out.
    """
    labels = np.asarray(labels)
    starts = np.flatnonzero(np.diff(labels, prepend=labels[:1] - 1)) if len(labels) else np.zeros(0, int)
    ends = np.append(starts[1:], len(labels)).astype(int)[: len(starts)]
    kept = ~np.isin(labels[starts], list(background))
    return Segments(labels[starts][kept], starts[kept], ends[kept])


def edit_distance(one: np.ndarray, other: np.ndarray) -> int:
    """Return how many insertions, deletions and replacements make one sequence of the other (Levenshtein)."""
    row = np.arange(len(other) + 1)
    for number, item in enumerate(one, 1):
        changed = np.minimum(row[1:] + 1, row[:-1] + (np.asarray(other) != item))
        row = np.minimum.accumulate(np.append(number, changed) - np.arange(len(row))) + np.arange(len(row))
    return int(row[-1])


def segment_hits(found: Segments, truth: Segments, overlap: float) -> int:
    """Return how many segments are right: each takes, in turn, the segment of its class that it overlaps most.

    The overlap is the part that both cover, of the frames from the first of either to the last of either.

    Args:
        found: the answer.
        truth: the true ones.
        overlap: the least that counts.
    """
    taken, hits = np.zeros(len(truth.classes), bool), 0
    for kind, start, end in zip(*found):
        inner = np.minimum(end, truth.ends) - np.maximum(start, truth.starts)
        union = np.maximum(end, truth.ends) - np.minimum(start, truth.starts)
        shared = inner / union * (truth.classes == kind)
        if len(shared):
            best = int(shared.argmax())
            if shared[best] >= overlap and not taken[best]:
                taken[best] = True
                hits += 1
    return hits


class SegmentationScores:
    """Accuracy of frames, edit score and F1, over the videos of :meth:`update`.

    Args:
        background: classes whose segments do not count; their frames do.
    """

    def __init__(self, background: Collection[int] = ()) -> None:
        self.background = tuple(background)
        self.reset()

    def reset(self) -> None:
        """Forget all videos."""
        self._right = self._frames = self._found = self._true = 0
        self._edits: list[float] = []
        self._hits = np.zeros(len(OVERLAPS))

    def update(self, answer: np.ndarray, truth: np.ndarray) -> None:
        """Add a video.

        Args:
            answer: classes of the frames, (T,).
            truth: the true ones, (T,).

        Raises:
            ValueError: there are not as many of either.
        """
        answer, truth = np.asarray(answer), np.asarray(truth)
        if answer.shape != truth.shape or answer.ndim != 1:
            raise ValueError(f"answer and truth must be classes of the same frames, not {answer.shape}, {truth.shape}")
        self._right += int((answer == truth).sum())
        self._frames += len(truth)
        found, true = segments(answer, self.background), segments(truth, self.background)
        longest = max(len(found.classes), len(true.classes))
        distance = edit_distance(found.classes, true.classes)
        self._edits.append(100.0 * (1.0 - distance / longest) if longest else 100.0)
        self._found += len(found.classes)
        self._true += len(true.classes)
        self._hits += [segment_hits(found, true, overlap) for overlap in OVERLAPS]

    def accumulate(self) -> dict[str, float]:
        """Return "accuracy", "edit", "F1@10", "F1@25" and "F1@50", in percent."""
        accuracy = 100.0 * self._right / max(self._frames, 1)
        scores = {"accuracy": accuracy, "edit": float(np.mean(self._edits)) if self._edits else 0.0}
        for overlap, hits in zip(OVERLAPS, self._hits):
            total = self._found + self._true
            scores[f"F1@{round(100 * overlap)}"] = 100.0 * 2.0 * float(hits) / total if total else 0.0
        return scores
