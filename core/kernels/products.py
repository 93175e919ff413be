"""Matrix products in float32 for kernels of ours that multiply by one matrix again and again.

The right factor is cut into panels of a few columns that stand contiguously (:func:`panels`), once; each product then
runs through them at the processor's full speed, also for a left factor of few rows, where a BLAS is far from it.
"""

from __future__ import annotations

import numpy as np

from core.kernels.compiled import compiled, serial, threads
from core.kernels.tiles import COLUMNS, ROWS, tile1, tile2, tile3, tile4, tile5, tile6

_ROWS_TOGETHER = 60
"""Rows of the left factor that one thread runs through a panel: they and the panel fit into its cache."""


@compiled
def panels(matrix: np.ndarray) -> np.ndarray:
    """Cut a matrix (k, n) of any strides into panels (n / COLUMNS rounded up, k, COLUMNS), filled up with zeros."""
    depth, width = matrix.shape
    count = (width + COLUMNS - 1) // COLUMNS
    result = np.empty((count, depth, COLUMNS), np.float32)
    for p in threads(count):
        first = p * COLUMNS
        columns = min(COLUMNS, width - first)
        for start in range(0, depth, COLUMNS):  # square blocks: either side may be the contiguous one
            stop = min(start + COLUMNS, depth)
            for k in range(start, stop):
                for c in range(columns):
                    result[p, k, c] = matrix[k, first + c]
                for c in range(columns, COLUMNS):
                    result[p, k, c] = 0
    return result


@compiled
def add_product(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
    """Add ``left @ matrix`` to a result (m, n), both C-contiguous, where ``right`` holds the panels of the matrix."""
    rows = left.shape[0]
    groups = (rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER
    for task in threads(groups * right.shape[0]):
        panel, group = task % right.shape[0], task // right.shape[0]
        first = group * _ROWS_TOGETHER
        _add_panel(left, right, result, panel, first, min(first + _ROWS_TOGETHER, rows))


@serial
def add_rows_of_product(left: np.ndarray, right: np.ndarray, result: np.ndarray, first: int, last: int) -> None:
    """Do what :func:`add_product` does for the rows from ``first`` to before ``last``, on the calling thread."""
    for panel in range(right.shape[0]):
        _add_panel(left, right, result, panel, first, last)


@serial
def _add_panel(left: np.ndarray, right: np.ndarray, result: np.ndarray, panel: int, first: int, last: int) -> None:
    depth = left.shape[1]
    flat, factors = left.reshape(-1), right.reshape(-1)
    start = panel * depth * COLUMNS
    columns = min(COLUMNS, result.shape[1] - panel * COLUMNS)
    sums = np.empty(ROWS * COLUMNS, np.float32)
    step = ROWS if (last - first) % ROWS == 0 or ROWS < 5 or (last - first) % 5 else 5
    row = first
    while row < last:
        rows = min(step, last - row)
        place = row * depth
        if rows == 1:
            tile1(flat, place, factors, start, depth, sums)
        elif rows == 2:
            tile2(flat, place, factors, start, depth, sums)
        elif rows == 3:
            tile3(flat, place, factors, start, depth, sums)
        elif rows == 4:
            tile4(flat, place, factors, start, depth, sums)
        elif rows == 5:
            tile5(flat, place, factors, start, depth, sums)
        else:
            tile6(flat, place, factors, start, depth, sums)
        for r in range(rows):
            for c in range(columns):
                result[row + r, panel * COLUMNS + c] += sums[r * COLUMNS + c]
        row += rows


@compiled
def transposed(matrix: np.ndarray) -> np.ndarray:
    """Return the transpose of a matrix, C-contiguous."""
    rows, columns = matrix.shape
    result = np.empty((columns, rows), np.float32)
    for block in threads((columns + 31) // 32):
        for start in range(0, rows, 32):
            for c in range(block * 32, min(block * 32 + 32, columns)):
                for r in range(start, min(start + 32, rows)):
                    result[c, r] = matrix[r, c]
    return result
