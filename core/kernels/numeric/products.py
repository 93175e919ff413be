"""Matrix products in float32 for custom kernels that multiply by one matrix again and again.

The right factor is cut into panels of a few columns that stand contiguously (:func:`panels`), once; each product then
runs through them at the processor's full speed, also for a left factor of few rows, where a BLAS is far from it.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads, vectorized
from core.kernels.numeric.columns import copy_columns
from core.kernels.numeric.tiles import COLUMNS, ROWS, tile1, tile2, tile3, tile4, tile5, tile6
from core.kernels.numeric.transposition import SQUARE, transpose_square

_NO_BIAS = np.empty(0, np.float32)
_NOTHING = np.zeros(COLUMNS, np.float32)
_ROWS_TOGETHER = 128
"""Rows of the left factor that one thread runs through a panel: they and the panel fit into its cache."""


def panels(matrix: np.ndarray) -> np.ndarray:
    """Cut a matrix (k, n) of any strides into panels (n / COLUMNS rounded up, k, COLUMNS), filled up with zeros."""
    result: np.ndarray = panels_of(matrix[None])[0]
    return result


def panels_of(matrices: np.ndarray) -> np.ndarray:
    """Cut matrices (m, k, n) into panels (m, n / COLUMNS rounded up, k, COLUMNS), see :func:`panels`."""
    number, depth, width = matrices.shape
    result = np.empty((number, -(-width // COLUMNS), depth, COLUMNS), np.float32)
    turned = matrices.transpose(0, 2, 1)
    if turned.flags.c_contiguous and matrices.dtype == np.float32:
        _cut_turned(turned, result)
    elif matrices.flags.c_contiguous and matrices.dtype == np.float32:
        _cut(matrices, result)
    else:
        _cut(np.ascontiguousarray(matrices, np.float32), result)
    return result


@compiled
def _cut(matrices: np.ndarray, result: np.ndarray) -> None:
    number, depth, width = matrices.shape
    blocks = (depth + 31) // 32
    for task in threads(number * blocks):  # rows are read from end to end
        matrix, block = task // blocks, task % blocks
        panels = result[matrix].reshape(-1)
        for k in range(block * 32, min(block * 32 + 32, depth)):
            row, whole = matrices[matrix, k], width // COLUMNS
            for p in range(whole):
                copy_columns(row, p * COLUMNS, panels, (p * depth + k) * COLUMNS)
            for p in range(whole, result.shape[1]):
                for c in range(COLUMNS):
                    result[matrix, p, k, c] = row[p * COLUMNS + c] if p * COLUMNS + c < width else 0


@compiled
def _cut_turned(matrices: np.ndarray, result: np.ndarray) -> None:
    (number, width, depth), count = matrices.shape, result.shape[1]
    for task in threads(number * count):
        first = task % count * COLUMNS
        start = (task // count * width + first) * depth
        panel = result[task // count, task % count].reshape(-1)
        pack_transposed(matrices.reshape(-1), start, depth, depth, min(COLUMNS, width - first), panel)


def add_product(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
    """Add ``left @ matrix`` to a result (m, n), both C-contiguous, where ``right`` holds the panels of the matrix."""
    _add_product(left, right, _NO_BIAS, result, number_of_threads())


def biased_product(left: np.ndarray, right: np.ndarray, bias: np.ndarray, result: np.ndarray) -> None:
    """Write ``left @ matrix + bias`` into a result; arguments are those of :func:`add_product`, and a bias (n,)."""
    _add_product(left, right, bias, result, number_of_threads())


@compiled
def _add_product(left: np.ndarray, right: np.ndarray, bias: np.ndarray, result: np.ndarray, workers: int) -> None:
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _add_share(left, right, bias, result, counter)


@serial
def _add_share(left: np.ndarray, right: np.ndarray, bias: np.ndarray, result: np.ndarray, counter: np.ndarray) -> None:
    """Add what one thread gets to compute, to the bias if there is one."""
    rows = left.shape[0]
    groups = (rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER
    task = taken(counter)
    while task < groups * right.shape[0]:
        group, panel = task // right.shape[0], task % right.shape[0]  # rows stay in the cache while panels pass
        first, last = rows * group // groups, rows * (group + 1) // groups
        product_panel(left, right, bias, result, panel, first, last)
        task = taken(counter)


def add_transposed_product(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
    """Add ``left.T @ matrix`` to a result (m, n), for a left factor (k, m); see :func:`add_product`."""
    _add_transposed_product(left, right, result, number_of_threads())


@compiled
def _add_transposed_product(left: np.ndarray, right: np.ndarray, result: np.ndarray, workers: int) -> None:
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _add_transposed_share(left, right, result, counter)


@serial
def _add_transposed_share(left: np.ndarray, right: np.ndarray, result: np.ndarray, counter: np.ndarray) -> None:
    """Add what one thread gets to compute."""
    (depth, rows), width = left.shape, result.shape[1]
    groups = (rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER
    task = taken(counter)
    while task < groups * right.shape[0]:
        group, panel = task // right.shape[0], task % right.shape[0]
        first, last, at = rows * group // groups, rows * (group + 1) // groups, panel * COLUMNS
        given = (left.reshape(-1), first, 1, rows, right.reshape(-1), at * depth, depth)
        place, columns = first * width + at, min(COLUMNS, width - at)
        multiply_panel(*given, result.reshape(-1), place, width, last - first, columns, True)
        task = taken(counter)


@serial
def add_rows_of_product(left: np.ndarray, right: np.ndarray, result: np.ndarray, first: int, last: int) -> None:
    """Do what :func:`add_product` does for the rows from ``first`` to before ``last``, on the calling thread."""
    for panel in range(right.shape[0]):
        product_panel(left, right, _NO_BIAS, result, panel, first, last)


@serial
def product_panel(
    left: np.ndarray, right: np.ndarray, bias: np.ndarray, result: np.ndarray, panel: int, first: int, last: int
) -> None:
    """Compute the columns of one panel for some rows: the product and a bias, or, without one, what is there and it."""
    depth, width, at = left.shape[1], result.shape[1], panel * COLUMNS
    place, flat = first * width + at, result.reshape(-1)
    given = (left.reshape(-1), first * depth, depth, 1, right.reshape(-1), at * depth, depth, flat, place, width)
    initial, begin, stride = (bias, at, 0) if bias.size else (flat, place, width)
    _accumulate(*given, last - first, min(COLUMNS, width - at), initial, begin, stride, -1, 0)


@serial
def multiply_panel(
    left: np.ndarray,
    start: int,
    row: int,
    step: int,
    right: np.ndarray,
    first: int,
    depth: int,
    result: np.ndarray,
    place: int,
    line: int,
    rows: int,
    columns: int,
    add: bool,
    ahead: int = -1,
    count: int = 0,
) -> None:
    """Multiply some rows by one panel; all arrays are flat.

    ``result[place + r * line + c]`` becomes, or grows by, the sum of ``left[start + r * row + k * step] * right[first +
    k * COLUMNS + c]`` over k below ``depth``, for r below ``rows`` and c below ``columns``. Meanwhile ``right[ahead:
    ahead + count]`` is fetched into the cache, where ``ahead`` is given.
    """
    initial, begin, stride = (result, place, line) if add else (_NOTHING, 0, 0)
    given = (left, start, row, step, right, first, depth, result, place, line, rows, columns)
    _accumulate(*given, initial, begin, stride, ahead, count)


@serial
def _accumulate(
    left: np.ndarray,
    start: int,
    row: int,
    step: int,
    right: np.ndarray,
    first: int,
    depth: int,
    result: np.ndarray,
    place: int,
    line: int,
    rows: int,
    columns: int,
    initial: np.ndarray,
    begin: int,
    stride: int,
    ahead: int,
    count: int,
) -> None:
    """Write ``initial[begin + r * stride + c]`` and the product of :func:`multiply_panel`."""
    sums = np.empty(ROWS * COLUMNS, np.float32)
    direct = columns == COLUMNS
    tiles = (rows + ROWS - 1) // ROWS
    fetches = ahead >= 0 and tiles > 1  # a single tile waits for its own panel all the time
    pace = (count + tiles * depth - 1) // (tiles * depth) if fetches else 0
    coming = ahead if fetches else first
    r = 0
    while r < rows:
        height = (rows - r + tiles - 1) // tiles  # of about one height: a low tile costs nearly as much as a high one
        tiles -= 1
        at = start + r * row
        target, where, width = (result, place + r * line, line) if direct else (sums, 0, COLUMNS)
        added = (initial, begin + r * stride, stride) if direct else (_NOTHING, 0, 0)
        more = (*added, coming, pace)
        coming += depth * pace
        if height == 1:
            tile1(left, at, row, step, right, first, depth, target, where, width, *more)
        elif height == 2:
            tile2(left, at, row, step, right, first, depth, target, where, width, *more)
        elif height == 3:
            tile3(left, at, row, step, right, first, depth, target, where, width, *more)
        elif height == 4:
            tile4(left, at, row, step, right, first, depth, target, where, width, *more)
        elif height == 5:
            tile5(left, at, row, step, right, first, depth, target, where, width, *more)
        else:
            tile6(left, at, row, step, right, first, depth, target, where, width, *more)
        if not direct:
            for i in range(height):
                for c in range(columns):
                    result[place + (r + i) * line + c] = initial[begin + (r + i) * stride + c] + sums[i * COLUMNS + c]
        r += height


@vectorized
def add_dots(matrix: np.ndarray, start: int, count: int, vector: np.ndarray, sums: np.ndarray) -> None:
    """Add the products of ``count`` rows of a flat matrix, which begin at ``start``, with a vector as long as they."""
    depth = vector.size
    for j in range(count):
        row = matrix[start + j * depth : start + (j + 1) * depth]
        total = np.float32(0)
        for k in range(depth):
            total += row[k] * vector[k]
        sums[j] += total


@serial
def pack(matrix: np.ndarray, start: int, row: int, depth: int, width: int, result: np.ndarray) -> None:
    """Cut ``matrix[start + k * row + c]``, k below ``depth``, c below ``width``, into panels; all arrays are flat."""
    for first in range(0, width, COLUMNS):
        columns = min(COLUMNS, width - first)
        for k in range(depth):
            at, place = start + k * row + first, first * depth + k * COLUMNS
            if columns == COLUMNS:
                copy_columns(matrix, at, result, place)
            else:
                for c in range(columns):
                    result[place + c] = matrix[at + c]
                for c in range(columns, COLUMNS):
                    result[place + c] = 0


@serial
def pack_transposed(matrix: np.ndarray, start: int, row: int, depth: int, width: int, result: np.ndarray) -> None:
    """Cut ``matrix[start + c * row + k]``, k below ``depth``, c below ``width``, into panels; all arrays are flat."""
    for first in range(0, width, COLUMNS):
        columns, place, whole = min(COLUMNS, width - first), first * depth, depth // SQUARE * SQUARE
        for c in range(0, columns // SQUARE * SQUARE, SQUARE):
            at = start + (first + c) * row
            for k in range(0, whole, SQUARE):
                transpose_square(matrix, at + k, row, result, place + k * COLUMNS + c, COLUMNS)
            for k in range(whole, depth):
                for i in range(SQUARE):
                    result[place + k * COLUMNS + c + i] = matrix[at + i * row + k]
        for c in range(columns // SQUARE * SQUARE, columns):
            for k in range(depth):
                result[place + k * COLUMNS + c] = matrix[start + (first + c) * row + k]
        for c in range(columns, COLUMNS):
            for k in range(depth):
                result[place + k * COLUMNS + c] = 0


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
