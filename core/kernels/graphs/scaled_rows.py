"""Rows of a table of small integers, made float32 while they are gathered."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, threads
from core.kernels.graphs.adjacency import read_only


@compiled
def _gather(values, scale, rows, result):
    for i in threads(rows.shape[0]):
        row = rows[i]
        for k in range(values.shape[1]):
            result[i, k] = values[row, k] * scale[k]


def gather_scaled(values: np.ndarray, scale: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return rows of integers times the scale of their columns.

    Args:
        values: int8 (size, width); may be memory-mapped.
        scale: float32 (width,).
        rows: int64 (n,), in [0, size), checked by the caller.

    Returns:
        float32 (n, width): ``values[rows] * scale``.
    """
    result = np.empty((rows.shape[0], values.shape[1]), np.float32)
    _gather(read_only(values), read_only(scale), rows, result)
    return result
