"""Intervals of time: how much they overlap. For the host, in NumPy; nothing here loads the engine."""

from __future__ import annotations

import numpy as np


def overlaps(intervals: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return intersections over unions, float64 (N, M); 0 where both intervals are empty.

    Args:
        intervals: begins and ends in the first two columns, (N, 2 or more).
        others: likewise, (M, 2 or more).
    """
    one, other = np.asarray(intervals, np.float64)[:, None], np.asarray(others, np.float64)[None]
    inner = np.clip(np.minimum(one[..., 1], other[..., 1]) - np.maximum(one[..., 0], other[..., 0]), 0.0, None)
    union = (one[..., 1] - one[..., 0]) - inner + other[..., 1] - other[..., 0]  # in the order of the official code
    return np.divide(inner, union, out=np.zeros_like(inner), where=union > 0)
