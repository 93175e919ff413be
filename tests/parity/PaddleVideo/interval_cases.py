"""Random intervals and labels of frames, of which ppvideo's metrics were asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

STORED = Path(__file__).with_name("intervals.json")
VIDEOS = 5
SEGMENTS, DURATION, STEPS = [[3.2, 11.0], [10.5, 31.0], [-1.0, 2.0], [38.0, 47.0]], 40.0, 12
"""Actions of a video in seconds, its duration, and the steps into which BMN's targets cut it."""


def proposal_videos() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return proposals (P, 3) and actions (G, 2) of each video; the last has no proposals."""
    rng, found = np.random.RandomState(3), []
    for number in range(VIDEOS):
        actions = np.sort(rng.uniform(0, 100, (rng.randint(1, 5), 2)), axis=1)
        near = actions[rng.randint(0, len(actions), 40)] + rng.normal(0, 4, (40, 2))
        far = rng.uniform(0, 100, (60, 2))
        rows = np.sort(np.concatenate([near, far])[: 30 + 17 * number], axis=1)
        found.append((np.column_stack([rows, rng.uniform(0, 1, len(rows))]), actions))
    found[-1] = (np.zeros((0, 3)), found[-1][1])
    return found


def frame_videos() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return answers and true classes of the frames of each video, (T,)."""
    rng, found = np.random.RandomState(5), []
    for number in range(VIDEOS):
        truth = np.repeat(rng.randint(0, 4, 12), rng.randint(2, 9, 12))
        answer = np.where(rng.uniform(size=len(truth)) < 0.06 * number, rng.randint(0, 4, len(truth)), truth)
        found.append((np.roll(answer, number), truth))
    return found
