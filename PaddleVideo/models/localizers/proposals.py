"""From scores of begins, ends and intervals to a ranked list of intervals: the post-processing of BSN and BMN.

Paper: Lin et al., "BSN: boundary sensitive network for temporal action proposal generation", ECCV 2018, section 3.4,
https://arxiv.org/abs/1806.02964; numbers are those of PaddleVideo 2.3. These are steps for the host, in NumPy.
"""

from __future__ import annotations

import numpy as np

from PaddleVideo.intervals import overlaps

KEPT = 100
"""How many intervals a video's list has at most."""


def boundary_steps(scores: np.ndarray) -> np.ndarray:
    """Return at which steps an interval may begin or end: where a score is high or higher than on both sides.

    Args:
        scores: of the steps, (T,).

    Returns:
        bool (T,): the score is more than half the highest one, or a peak; beyond the ends scores are 0.
    """
    padded = np.concatenate([[0.0], scores, [0.0]])
    peak = (scores > padded[:-2]) & (scores > padded[2:])
    return (scores > 0.5 * scores.max()) | peak


def candidates(maps: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the intervals between possible boundaries with their scores, float64 (K, 3).

    Args:
        maps: of the intervals, (2, D, T), BSN's (1, D, T): row d, column t is the interval of d + 1 steps from step t
            on.
        starts: of begins, (T,).
        ends: of ends, (T,).

    Returns:
        Rows of begin and end, as parts of the video, and the product of all scores.
    """
    count = len(starts)
    begins, finishes = boundary_steps(starts), boundary_steps(ends)
    begins[0] = finishes[-1] = True
    durations, first = np.mgrid[: maps.shape[1], :count]
    last = first + durations
    valid = last < count
    valid &= begins[first] & finishes[np.minimum(last, count - 1)]
    first, last, durations = first[valid], last[valid], durations[valid]
    scores = starts[first] * ends[last] * maps.prod(axis=0)[durations, first]
    return np.stack([first / count, (last + 1) / count, scores], axis=1).astype(np.float64)


def soft_suppressed(
    rows: np.ndarray, alpha: float = 0.4, low: float = 0.55, high: float = 0.9, keep: int = KEPT
) -> np.ndarray:
    """Return the best intervals, each of which has lowered the scores of those that overlap it much (soft-NMS).

    Paper: Bodla et al., "Soft-NMS: improving object detection with one line of code", ICCV 2017,
    https://arxiv.org/abs/1704.04503

    Args:
        rows: begin, end (parts of the video) and score, (K, 3).
        alpha: width of the Gaussian by which an overlap lowers a score.
        low: the overlap from which scores are lowered, for the shortest intervals.
        high: likewise, for those as long as the video.
        keep: how many are returned at most.

    Returns:
        float64 (at most keep, 3), the best first. (The official code never returns the last of all candidates.)
    """
    left = np.array(rows, np.float64)
    found: list[np.ndarray] = []
    while len(left) and len(found) < keep:
        best = int(left[:, 2].argmax())
        row = left[best]
        found.append(row)
        left = np.delete(left, best, axis=0)
        shared = overlaps(left, row[None])[:, 0]
        lowered = shared > low + (high - low) * (row[1] - row[0])
        left[lowered, 2] *= np.exp(-np.square(shared[lowered]) / alpha)
    return np.array(found).reshape(-1, 3)


def proposals(
    maps: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    duration: float,
    keep: int = KEPT,
    alpha: float = 0.4,
    low: float = 0.55,
) -> np.ndarray:
    """Return the ranked intervals of a video, float64 (at most keep, 3): begin and end in seconds, and score.

    Args:
        maps: of the intervals, (2, D, T) or (1, D, T).
        starts: of begins, (T,).
        ends: of ends, (T,).
        duration: of the video, seconds.
        keep: how many are returned at most.
        alpha: as of :func:`soft_suppressed`; BSN's is 0.75.
        low: likewise; BSN's is 0.65.
    """
    rows = soft_suppressed(candidates(maps, starts, ends), alpha, low, keep=keep)
    rows[:, :2] = rows[:, :2].clip(0.0, 1.0) * duration
    return rows
