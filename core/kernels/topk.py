"""The k largest or smallest elements of rows, in order.

NaN counts as larger than everything; of equal elements the one with the lower index comes first.
"""

from __future__ import annotations

import numpy as np

from core.kernels.compiled import compiled, serial, threads


@serial
def _before(a, i, b, j, sign):  # type: ignore[no-untyped-def]
    """Tell whether element a at i comes before element b at j; sign is 1 for largest first, -1 for smallest first."""
    a_nan, b_nan = a != a, b != b
    if a_nan or b_nan:
        if a_nan and b_nan:
            return i < j
        return a_nan if sign > 0 else b_nan
    if a == b:
        return i < j
    return a > b if sign > 0 else a < b


@serial
def _sink(row, heap, size, sign, parent):  # type: ignore[no-untyped-def]
    while True:
        last = parent
        for child in (2 * parent + 1, 2 * parent + 2):
            if child < size and _before(row[heap[last]], heap[last], row[heap[child]], heap[child], sign):
                last = child
        if last == parent:
            return
        heap[parent], heap[last] = heap[last], heap[parent]
        parent = last


@serial
def _top_of_row(row, k, sign, heap):  # type: ignore[no-untyped-def]
    """Fill ``heap`` with the indices of the k first elements, in order."""
    width = row.shape[0]
    # a heap whose root is the last of the kept ones
    for i in range(k):
        heap[i] = i
    for parent in range(k // 2 - 1, -1, -1):
        _sink(row, heap, k, sign, parent)
    last = row[heap[0]]
    for i in range(k, width):
        value = row[i]
        # most elements fail the plain comparison; NaN fails it too, and is looked at closely
        if (value > last) if sign > 0 else (value < last):
            enters = True
        elif value != value or last != last:
            enters = _before(value, i, last, heap[0], sign)
        else:
            enters = False
        if enters:
            heap[0] = i
            _sink(row, heap, k, sign, 0)
            last = row[heap[0]]
    for end in range(k - 1, 0, -1):
        heap[0], heap[end] = heap[end], heap[0]
        _sink(row, heap, end, sign, 0)


@compiled
def _top_rows(rows, k, sign, indices):  # type: ignore[no-untyped-def]
    for r in threads(rows.shape[0]):
        _top_of_row(rows[r], k, sign, indices[r])


@serial
def _top_rows_serial(rows, k, sign, indices):  # type: ignore[no-untyped-def]
    for r in range(rows.shape[0]):
        _top_of_row(rows[r], k, sign, indices[r])


PARALLEL_ELEMENTS = 1 << 15
"""Below this many elements starting threads costs more than it saves."""


def top_indices(rows: np.ndarray, k: int, largest: bool) -> np.ndarray:
    """Find the k first elements of each row in falling (or rising) order.

    Args:
        rows: Shape [n, width], not float16.
        k: How many, at most width.
        largest: Whether the largest ones are wanted.

    Returns:
        int64 indices of shape [n, k].
    """
    indices = np.zeros((rows.shape[0], k), np.int64)
    run = _top_rows_serial if rows.size < PARALLEL_ELEMENTS else _top_rows
    if indices.size:
        run(rows, k, 1 if largest else -1, indices)
    return indices


def top_indices_reference(rows: np.ndarray, k: int, largest: bool) -> np.ndarray:
    """The definition of :func:`top_indices` in plain numpy."""
    return sorted_indices(rows, -1, largest)[:, :k]


def sorted_indices(array: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """Return the order that sorts along an axis; equal elements keep their order, NaN counts as the largest.

    Args:
        array: Any array.
        axis: The axis.
        descending: Whether the largest come first.

    Returns:
        int64 indices of the array's shape.
    """
    if not descending:
        return np.argsort(array, axis=axis, kind="stable")
    size = array.shape[axis]
    return size - 1 - np.flip(np.argsort(np.flip(array, axis), axis=axis, kind="stable"), axis)
