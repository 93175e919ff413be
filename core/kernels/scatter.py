"""Adding and writing rows at given positions.

The threads share the rows of the result: each walks through all positions in order and serves its own rows. So
additions into one row happen in the order of the positions, and the result does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from core.kernels.compiled import compiled, number_of_threads, serial, threads

PARALLEL_ELEMENTS = 1 << 15
"""Below this many elements starting threads costs more than it saves."""


@compiled
def _add_rows(result, index, updates, parts):  # type: ignore[no-untyped-def]
    rows = result.shape[0]
    width = result.shape[1]
    for part in threads(parts):
        first = rows * part // parts
        last = rows * (part + 1) // parts
        for i in range(index.shape[0]):
            row = index[i]
            if first <= row < last:
                for k in range(width):
                    result[row, k] += updates[i, k]


@serial
def _add_rows_serial(result, index, updates):  # type: ignore[no-untyped-def]
    width = result.shape[1]
    for i in range(index.shape[0]):
        row = index[i]
        for k in range(width):
            result[row, k] += updates[i, k]


def add_rows(updates: np.ndarray, index: np.ndarray, size: int) -> np.ndarray:
    """Sum rows into a table of zeros.

    Args:
        updates: Rows of shape [n, width].
        index: int64 of shape [n]: the table's row that each is added to, in [0, size).
        size: Number of rows of the table.

    Returns:
        The table, of shape [size, width].
    """
    result = np.zeros((size, updates.shape[1]), updates.dtype)
    if updates.size < PARALLEL_ELEMENTS:
        _add_rows_serial(result, index, updates)
    else:
        _add_rows(result, index, updates, number_of_threads())
    return result


def add_rows_reference(updates: np.ndarray, index: np.ndarray, size: int) -> np.ndarray:
    """The definition of :func:`add_rows` in plain numpy."""
    result = np.zeros((size, updates.shape[1]), updates.dtype)
    np.add.at(result, index, updates)
    return result


def set_rows(table: np.ndarray, index: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """Return a copy of a table with some rows replaced; the last of several updates of one row stays.

    Args:
        table: Shape [size, width].
        index: int64 of shape [n], in [0, size).
        updates: Shape [n, width].

    Returns:
        The new table.
    """
    result = table.copy()
    result[index] = updates
    return result
