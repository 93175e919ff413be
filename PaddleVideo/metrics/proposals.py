"""How many actions a list of intervals finds: ActivityNet's average recall at an average number of proposals, AR@AN.

Heilbron et al., "ActivityNet: a large-scale video benchmark for human activity understanding", CVPR 2015, and the
challenges' proposal task.
"""

from __future__ import annotations

import numpy as np

from PaddleVideo.intervals import overlaps

THRESHOLDS = np.linspace(0.5, 0.95, 10)
"""Overlaps from which an interval finds an action."""

SHARES = np.arange(1, 101) / 100.0
"""Of a video's list, of which recall is measured."""


class AverageRecall:
    """Recall by the average number of proposals of a video, over the videos of :meth:`update`.

    Args:
        most: the largest average number; of a longer list of all videos each gives its share.
    """

    def __init__(self, most: int = 100) -> None:
        self.most = most
        self.reset()

    def reset(self) -> None:
        """Forget all videos."""
        self._videos: list[tuple[np.ndarray, np.ndarray]] = []

    def update(self, proposals: np.ndarray, actions: np.ndarray) -> None:
        """Add a video.

        Args:
            proposals: begin, end and score, (P, 3).
            actions: begins and ends, (G, 2); a video without actions counts as a video, but not in any recall.
        """
        rows = np.asarray(proposals, np.float64).reshape(-1, 3)
        rows = rows[np.argsort(-rows[:, 2], kind="stable")]
        self._videos.append((rows, np.asarray(actions, np.float64).reshape(-1, 2)))

    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """Return recalls by threshold and average number, (10, 100), and the average numbers of proposals, (100,)."""
        videos = [video for video in self._videos if len(video[1])]  # the official list is of videos with actions
        total = sum(len(rows) for rows, _ in self._videos)
        recall, counts = np.zeros((len(THRESHOLDS), len(SHARES))), self.most * SHARES
        if not videos or not total:
            return recall, counts
        share = self.most * len(videos) / total
        taken = [rows[: min(int(len(rows) * share), len(rows))] for rows, _ in videos]
        kept = sum(map(len, taken))
        if not kept:
            return recall, counts
        shares = SHARES * (self.most * len(videos) / kept)
        for rows, (_, actions) in zip(taken, videos):
            shared = overlaps(actions, rows) if len(rows) else np.zeros((len(actions), 1))
            count = np.minimum((shared.shape[1] * shares).astype(int), shared.shape[1])
            best = np.maximum.accumulate(np.pad(shared, [(0, 0), (1, 0)], constant_values=-1.0), axis=1)
            recall += (best[:, count][None] >= THRESHOLDS[:, None, None]).sum(axis=1)
        return recall / sum(len(actions) for _, actions in videos), shares * (kept / len(videos))

    def accumulate(self) -> dict[str, float]:
        """Return AR@1, AR@5, AR@10 and AR@100, from 0 to 1, and AUC, the area under the curve in percent.

        AR@N is the mean recall over thresholds at the N-th of 100 equal steps of the average number, as published.
        """
        recall, counts = self.curve()
        mean = recall.mean(axis=0)
        area = float((np.diff(counts) * (mean[1:] + mean[:-1]) / 2).sum())
        found = {f"AR@{number}": float(mean[number - 1]) for number in (1, 5, 10, 100)}
        return {**found, "AUC": 100.0 * area / float(counts[-1])}
