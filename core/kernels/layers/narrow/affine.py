"""Products with a bias and an activation in bfloat16 or bytes, on the CPU, for a matrix that is used again and again.

Input and result are float32 or words. A float32 input is written once in the form that is multiplied; sums are float32
or whole numbers, and leave the first cache as results alone.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, words
from core.kernels.channels_last.tiles import HEIGHT, VECTORS, height
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.weights import in_words
from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads
from core.kernels.layers.narrow.rows import COLUMNS, narrow_rows, row_tile, write_sums
from core.kernels.layers.vector_functions import CODES

_GROUP = 7 * HEIGHT
"""Rows whose sums, of a panel's columns, stay in the processor's first cache."""

_ROWS_TOGETHER = 3 * _GROUP
_PANELS_TOGETHER = 2


def can_multiply(depth: int) -> bool:
    """Return whether rows of so many numbers are whole vectors."""
    return depth % LANES == 0


def narrow_panels(matrix: np.ndarray, bias: np.ndarray, form: int, zero_point: int = 0) -> np.ndarray:
    """Cut a matrix (n, k), float32 or for bytes int8, into panels (n / COLUMNS rounded up, 1 + words of k, COLUMNS).

    The first line is what sums begin with: the bias (n,), or, of bytes, minus their zero point times the weights, in
    bits.
    """
    columns, depth = matrix.shape
    count = -(-columns // COLUMNS)
    whole = np.zeros((1 + words(depth, form), count * COLUMNS), np.float32)
    whole[1:, :columns] = in_words(np.ascontiguousarray(matrix.T), form)
    starts = (-zero_point * matrix.sum(1, dtype=np.int32)).view(np.float32) if form == BYTES else bias
    whole[0, :columns] = starts
    return np.ascontiguousarray(whole.reshape(-1, count, COLUMNS).transpose(1, 0, 2))


def narrow_affine(
    x: np.ndarray,
    panels: np.ndarray,
    bias: np.ndarray,
    scales: np.ndarray,
    *,
    form: int,
    scale: float,
    zero_point: int,
    activation: str,
    in_words: bool = False,
    written: int = FLOAT32,
    written_scale: float = 1.0,
    written_zero_point: int = 0,
    out: np.ndarray,
) -> None:
    """Write activation(x @ matrix.T * scales + bias).

    Args:
        x: (..., k), float32, or its words, (..., words of k).
        panels: The matrix (n, k) as :func:`narrow_panels` cuts it.
        bias: (n,).
        scales: (n,), of sums of bytes; of bfloat16 it does not count.
        form: In which numbers are multiplied.
        scale, zero_point: Of bytes, those of x.
        activation: ``none``, ``relu`` or ``gelu``.
        in_words: Whether x stands in words.
        written: The form of the result.
        written_scale, written_zero_point: Of bytes, those of the result.
        out: (..., n), or, n a multiple of LANES, in words.
    """
    flat, result = x.reshape(-1, x.shape[-1]), out.reshape(-1, out.shape[-1])
    (count, lines, _), workers = panels.shape, number_of_threads()
    marker = np.empty(0, np.uint16 if form == BFLOAT16 else np.uint8)
    places = np.concatenate([np.arange(HEIGHT) * (lines - 1), np.arange(lines - 1)])
    memory = flat if in_words else np.empty((len(flat), lines - 1), np.float32)
    ends = np.zeros((2, count * COLUMNS), np.float32)
    ends[:, : len(bias)] = scales, bias
    if not in_words:
        _narrow(marker, flat, memory, np.float32(1 / scale), np.float32(zero_point), workers)
    grid = (np.float32(1 / written_scale), np.float32(written_zero_point))
    given = (marker, memory, panels, ends.reshape(-1), places, CODES[activation])
    _multiply(*given, written, result, *grid, workers)


@compiled
def _narrow(marker: np.ndarray, x: np.ndarray, memory: np.ndarray, inverse: float, zero: float, workers: int) -> None:
    rows, width, line = len(x), x.shape[1], memory.shape[1]
    for worker in threads(workers):
        first, last = rows * worker // workers, rows * (worker + 1) // workers
        if first < last:
            given = (first * width, first * line, (last - first) * width // LANES)
            narrow_rows(marker, x.reshape(-1), memory.reshape(-1), *given, inverse, zero)


@compiled
def _multiply(
    marker: np.ndarray,
    memory: np.ndarray,
    panels: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    activation: int,
    form: int,
    result: np.ndarray,
    inverse: float,
    zero: float,
    workers: int,
) -> None:
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _share(marker, memory, panels, ends, places, activation, form, result, inverse, zero, counter)


@serial
def _share(
    marker: np.ndarray,
    memory: np.ndarray,
    panels: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    activation: int,
    form: int,
    result: np.ndarray,
    inverse: float,
    zero: float,
    counter: np.ndarray,
) -> None:
    """Compute what one thread gets: some rows of the columns of a few panels at a time."""
    count, rows = panels.shape[0], memory.shape[0]
    groups, blocks = (rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER, (count + _PANELS_TOGETHER - 1) // _PANELS_TOGETHER
    together = ((rows + groups - 1) // groups + HEIGHT - 1) // HEIGHT * HEIGHT
    sums = np.empty(_GROUP * COLUMNS, np.float32)
    task = taken(counter)
    while task < groups * blocks:
        block, begin = task // groups, task % groups * together
        end = min(rows, begin + together)
        for panel in range(block * _PANELS_TOGETHER, min(count, (block + 1) * _PANELS_TOGETHER)):
            for first in range(begin, end, _GROUP):
                given = (marker, memory, panels, ends, places, activation, form, result, inverse, zero, sums)
                _rows(*given, panel, first, min(end, first + _GROUP))
        task = taken(counter)


@serial
def _rows(
    marker: np.ndarray,
    memory: np.ndarray,
    panels: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    activation: int,
    form: int,
    result: np.ndarray,
    inverse: float,
    zero: float,
    sums: np.ndarray,
    panel: int,
    first: int,
    last: int,
) -> None:
    """Compute some rows of the columns of a panel."""
    depth, column, line = panels.shape[1] - 1, panel * COLUMNS, result.shape[1]
    words, weights, flat = memory.reshape(-1), panels.reshape(-1), result.reshape(-1)
    start, r = panel * (depth + 1) * COLUMNS, first
    while r < last:
        tile = height(last - r)
        given = (tile, 0, r * depth, HEIGHT, depth, start + COLUMNS, start, sums, (r - first) * COLUMNS)
        row_tile(marker, words, weights, places, *given)
        r += tile
    becomes = (ends, column, ends.size // 2 + column, activation)
    place, columns = first * line + (column >> form), min(COLUMNS, (line << form) - column)
    if columns % LANES == 0:
        vectors = columns // LANES
        write_sums(marker, sums, 0, last - first, vectors, *becomes, form, flat, place, line, inverse, zero)
    else:
        write_sums(marker, sums, 0, last - first, VECTORS, *becomes, FLOAT32, sums, 0, COLUMNS, inverse, zero)
        for r in range(first, last):
            for c in range(columns):
                result[r, column + c] = sums[(r - first) * COLUMNS + c]
