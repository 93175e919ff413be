"""How well actions are found and named: ActivityNet's mean average precision at several overlaps.

Heilbron et al., "ActivityNet: a large-scale video benchmark for human activity understanding", CVPR 2015, and the
challenges' detection task.
"""

from __future__ import annotations

import numpy as np

from PaddleVideo.intervals import overlaps

THRESHOLDS = np.linspace(0.5, 0.95, 10)
"""Overlaps from which a detection is right, if its class is."""


class DetectionMAP:
    """Mean average precision over classes, over the videos of :meth:`update`.

    Args:
        thresholds: overlaps, (T,).
    """

    def __init__(self, thresholds: np.ndarray = THRESHOLDS) -> None:
        self.thresholds = np.asarray(thresholds, np.float64)
        self.reset()

    def reset(self) -> None:
        """Forget all videos."""
        self._found: list[np.ndarray] = []
        self._truth: list[np.ndarray] = []

    def update(self, detections: np.ndarray, actions: np.ndarray) -> None:
        """Add a video.

        Args:
            detections: class, score, begin and end, (M, 4).
            actions: class, begin and end, (G, 3).
        """
        self._found.append(np.asarray(detections, np.float64).reshape(-1, 4))
        self._truth.append(np.asarray(actions, np.float64).reshape(-1, 3))

    def average_precisions(self) -> dict[int, np.ndarray]:
        """Return the average precisions at all thresholds, (T,), by class; classes are those of the actions."""
        classes = np.unique(np.concatenate([rows[:, 0] for rows in self._truth])) if self._truth else []
        return {int(number): self._of_class(number) for number in classes}

    def accumulate(self) -> dict[str, float]:
        """Return the mean over classes at each threshold, "mAP@0.5" and so on, and over thresholds, "mAP"."""
        every = list(self.average_precisions().values())
        means = np.mean(every, axis=0) if every else np.zeros(len(self.thresholds))
        found = {f"mAP@{round(float(value), 2)}": float(mean) for value, mean in zip(self.thresholds, means)}
        return {"mAP": float(means.mean()), **found}

    def _of_class(self, number: float) -> np.ndarray:
        """Return the average precisions of a class, (T,).

        Detections of all videos take their turn by score, equal ones in the order of the videos. Each takes the action
        that it overlaps most, of those that none before has taken.
        """
        actions = [rows[rows[:, 0] == number, 1:] for rows in self._truth]
        found = [rows[rows[:, 0] == number, 1:] for rows in self._found]
        video = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
        rows = np.concatenate(found)
        order = np.argsort(-rows[:, 0], kind="stable")
        taken = [np.zeros((len(self.thresholds), len(one)), bool) for one in actions]
        right = np.zeros((len(self.thresholds), len(rows)), bool)
        for place, index in enumerate(order):
            where = video[index]
            if len(actions[where]):
                shared = overlaps(rows[index : index + 1, 1:], actions[where])[0]
                free = (shared >= self.thresholds[:, None]) & ~taken[where]
                best = np.where(free, shared, -1.0).argmax(axis=1)
                hit = free.any(axis=1)
                right[:, place] = hit
                taken[where][hit, best[hit]] = True
        return interpolated(right, sum(map(len, actions)))


def interpolated(right: np.ndarray, count: int) -> np.ndarray:
    """Return average precisions, (T,): the mean of the best precision at every recall or a greater one.

    Args:
        right: whether each detection is right, best ones first, bool (T, M).
        count: how many actions there are.
    """
    hits = right.cumsum(axis=1)
    precision = hits / np.arange(1, right.shape[1] + 1)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    return (best * right).sum(axis=1) / count
