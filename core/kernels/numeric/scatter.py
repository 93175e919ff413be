"""Adding and writing rows at given positions.

The threads share the rows of the result: each walks through all positions in order and serves its own rows. So
additions into one row happen in the order of the positions, and the result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads

PARALLEL_ELEMENTS = 1 << 15
"""Below this many elements starting threads costs more than it saves."""


@serial
def _add_range(result, index, updates, first, last):
    """Serve the rows from first to last."""
    width = result.shape[1]
    for row in range(first, last):
        for k in range(width):
            result[row, k] = 0
    for i in range(index.shape[0]):
        row = index[i]
        if first <= row < last:
            for k in range(width):
                result[row, k] += updates[i, k]


@compiled
def _add_rows(result, index, updates, parts):
    rows = result.shape[0]
    for part in threads(parts):
        _add_range(result, index, updates, rows * part // parts, rows * (part + 1) // parts)


def add_rows(updates: np.ndarray, index: np.ndarray, size: int, out: Optional[np.ndarray] = None) -> np.ndarray:
    """Sum rows into a table of zeros.

    Args:
        updates: Rows of shape [n, width].
        index: int64 of shape [n]: the table's row that each is added to, in [0, size).
        size: Number of rows of the table.
        out: Memory for the table; new when None.

    Returns:
        The table, of shape [size, width].
    """
    result = np.empty((size, updates.shape[1]), updates.dtype) if out is None else out
    if max(updates.size, result.size) < PARALLEL_ELEMENTS:
        _add_range(result, index, updates, 0, size)
    else:
        _add_rows(result, index, updates, number_of_threads())
    return result


def add_rows_reference(updates: np.ndarray, index: np.ndarray, size: int) -> np.ndarray:
    """The definition of :func:`add_rows` in plain numpy."""
    result = np.zeros((size, updates.shape[1]), updates.dtype)
    np.add.at(result, index, updates)
    return result


def set_rows(
    table: np.ndarray, index: np.ndarray, updates: np.ndarray, out: Optional[np.ndarray] = None
) -> np.ndarray:
    """Copy a table with some rows replaced; the last of several updates of one row stays.

    Args:
        table: Shape [size, width].
        index: int64 of shape [n], in [0, size).
        updates: Shape [n, width].
        out: Memory for the copy; new when None.

    Returns:
        The new table.
    """
    result = np.empty_like(table) if out is None else out
    np.copyto(result, table)
    result[index] = updates
    return result
