"""The order of rows: all of it, and their k first elements.

NaN counts as larger than everything. Equal elements are where Paddle's kernels leave them: those use the C++
library's algorithms (:mod:`core.kernels.numeric.introsort`), which keep their order in rows of up to 16 elements that
are sorted whole, and not elsewhere.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.numeric.introsort import FIRST, partial_sort, select, sort

PARALLEL_ELEMENTS = 1 << 15
"""Below this many elements starting threads costs more than it saves."""


@serial
def _sort_row(keys, places):
    for i in range(places.shape[0]):
        places[i] = i
    sort(keys, places, FIRST, places.shape[0])


@compiled
def _sort_rows(keys, places):
    for r in threads(keys.shape[0]):
        _sort_row(keys[r], places[r])


@serial
def _sort_rows_serial(keys, places):
    for r in range(keys.shape[0]):
        _sort_row(keys[r], places[r])


@serial
def _top_of_row(keys, k, in_order, places):
    width = keys.shape[0]
    order = np.arange(width)
    if k * 64 < width:  # as in Paddle: a small top is kept in a heap
        partial_sort(keys, order, FIRST, k, width)
    else:
        select(keys, order, FIRST, k - 1, width)
        if in_order:
            sort(keys, order, FIRST, k - 1)
    for i in range(k):
        places[i] = order[i]


@compiled
def _top_rows(keys, k, in_order, places):
    for r in threads(keys.shape[0]):
        _top_of_row(keys[r], k, in_order, places[r])


@serial
def _top_rows_serial(keys, k, in_order, places):
    for r in range(keys.shape[0]):
        _top_of_row(keys[r], k, in_order, places[r])


def top_indices(rows: np.ndarray, k: int, largest: bool, in_order: bool = True) -> np.ndarray:
    """Find the k first elements of each row in falling (or rising) order.

    Args:
        rows: Shape [n, width], not float16.
        k: How many, from 1 to width.
        largest: Whether the largest ones are wanted.
        in_order: Whether they must be in order; otherwise they are as selecting left them, the last of them last.

    Returns:
        int64 indices of shape [n, k].
    """
    places = np.zeros((rows.shape[0], k), np.int64)
    run = _top_rows_serial if rows.size < PARALLEL_ELEMENTS else _top_rows
    if places.size:
        run(_keys(rows, largest), k, in_order, places)
    return places


def sorted_indices(array: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """Return the order that sorts along an axis; NaN counts as the largest.

    Args:
        array: Any array, not float16.
        axis: The axis.
        descending: Whether the largest come first.

    Returns:
        int64 indices of the array's shape.
    """
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    turned = np.moveaxis(array, axis, -1)
    rows = turned.reshape(-1, turned.shape[-1])
    places = np.empty(rows.shape, np.int64)
    run = _sort_rows_serial if rows.size < PARALLEL_ELEMENTS else _sort_rows
    run(_keys(rows, descending), places)
    return np.ascontiguousarray(np.moveaxis(places.reshape(turned.shape), -1, axis))


def _keys(rows: np.ndarray, largest: bool) -> np.ndarray:
    """Return numbers without NaN whose falling order is the order of the rows' elements."""
    if rows.dtype.itemsize < 4:  # one kernel for all of them
        rows = rows.astype(np.int64)
    if rows.dtype.kind != "f":
        return np.ascontiguousarray(rows if largest else ~rows)
    if np.isnan(rows).any():
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)  # NaN has the highest rank
    return np.ascontiguousarray(rows if largest else -rows)
