"""Features of nodes that are kept as small integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.graphs.checks import FLOAT32, check_array, checked_ids


def gather_scaled(values: np.ndarray, scale: np.ndarray, rows: Any) -> np.ndarray:
    """Return rows of a table of small integers, each times the scale of its column.

    Args:
        values: int8 (size, width); may be memory-mapped: only the rows asked for are read.
        scale: float32 (width,).
        rows: integers (n,), from 0 to below size.

    Returns:
        float32 (n, width): ``values[rows] * scale``.

    Raises:
        TypeError: a table or scale is no array.
        ValueError: an array is of another type or shape, or there is no such row.
    """
    owner = "gather_scaled"
    check_array(values, owner, "values", (np.dtype(np.int8),), [None, None])
    check_array(scale, owner, "scale", FLOAT32, [values.shape[1]])
    chosen = checked_ids(rows, len(values), owner, "rows")
    from core.kernels.graphs.scaled_rows import gather_scaled as gather  # numba loads with the first use

    return gather(values, scale, chosen)
