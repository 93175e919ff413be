"""Products with a bias and an activation in bfloat16 or bytes, on the CPU, for a matrix that is used again and again.

The input and the result are float32. The input is written once in the form that is multiplied; sums are float32 or
whole numbers, and leave the registers for the bias, the activation and the result alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, FormCode, words
from core.kernels.channels_last.narrow_steps import GROUP, ROOM
from core.kernels.channels_last.narrow_tiles import AS_THEY_ARE, COUNTED, IN_PLACE, dot_tile, finish, form_of
from core.kernels.channels_last.tiles import HEIGHT, VECTORS, height
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.weights import in_words
from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads, vectorized
from core.kernels.layers.affine import CODES
from core.kernels.numeric.smooth import gelu

COLUMNS = VECTORS * LANES
"""Columns of a panel."""

_ROWS_TOGETHER = 3 * GROUP
_ZERO, _LOWEST, _HIGHEST = np.float32(0), np.float32(-np.inf), np.float32(np.inf)
_RELU, _GELU = CODES["relu"], CODES["gelu"]


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
    out: np.ndarray,
) -> None:
    """Write activation(x @ matrix.T * scales + bias).

    Args:
        x: (..., k), float32.
        panels: The matrix (n, k) as :func:`narrow_panels` cuts it.
        bias: (n,).
        scales: (n,), of sums of bytes; of bfloat16 it does not count.
        form: In which numbers are multiplied.
        scale, zero_point: Of bytes, those of x.
        activation: ``none``, ``relu`` or ``gelu``.
        out: (..., n), float32.
    """
    flat, result = x.reshape(-1, x.shape[-1]), out.reshape(-1, out.shape[-1])
    (count, lines, _), workers = panels.shape, number_of_threads()
    marker = np.empty(0, np.uint16 if form == BFLOAT16 else np.uint8)
    places = [np.arange(HEIGHT) * (lines - 1), np.arange(lines - 1), np.arange(GROUP) * result.shape[1]]
    memory = np.empty(len(flat) * (lines - 1) + workers * ROOM, np.float32)
    ends = np.zeros((2, count * COLUMNS), np.float32)
    ends[:, : len(bias)] = scales, bias
    grid = (np.float32(1 / scale), np.float32(zero_point))
    _affine(
        marker,
        flat,
        memory,
        panels,
        ends.reshape(-1),
        np.concatenate(places),
        *grid,
        CODES[activation],
        result,
        workers,
    )


@compiled
def _affine(
    marker: np.ndarray,
    x: np.ndarray,
    memory: np.ndarray,
    panels: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    inverse: float,
    zero: float,
    activation: int,
    result: np.ndarray,
    workers: int,
) -> None:
    rows, depth = len(x), panels.shape[1] - 1
    for worker in threads(workers):
        first, last = rows * worker // workers, rows * (worker + 1) // workers
        if first < last:
            given = (first * x.shape[1], first * depth, (last - first) * x.shape[1] // LANES)
            _narrow(marker, x.reshape(-1), memory, *given, inverse, zero)
    counter = np.zeros(1, np.int64)
    for worker in threads(workers):
        room = rows * depth + worker * ROOM
        _share(marker, memory, panels, ends, places, activation, result, room, counter)


@intrinsic
def _narrow(
    context: Any, marker: Any, x: Any, memory: Any, source: Any, target: Any, vectors: Any, inverse: Any, zero: Any
) -> Any:
    """Write vectors of x, from ``source`` on, in the marker's form, from the word ``target`` on."""
    signature = types.void(marker, x, memory, *[types.int64] * 3, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code, form = FormCode(context, builder, signature, arguments), form_of(signature.args[0])
        x, memory, source, target, vectors, inverse, zero = code.values[1:]
        inverse, zero = code.spread(inverse), code.spread(zero)

        def vector(v: Any, _: Sequence[Any]) -> list[Any]:
            row = code.row(x, code.sum(source, code.times(v, LANES)))
            code.write(form, row, memory, code.sum(target, code.times(v, LANES >> form)), inverse, zero)
            return []

        code.loop(vectors, [], vector)
        return context.get_dummy_value()

    return signature, generate


@serial
def _share(
    marker: np.ndarray,
    memory: np.ndarray,
    panels: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    activation: int,
    result: np.ndarray,
    room: int,
    counter: np.ndarray,
) -> None:
    """Compute what one thread gets."""
    count, depth, rows = panels.shape[0], panels.shape[1] - 1, result.shape[0]
    groups = (rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER
    weights = panels.reshape(-1)
    task = taken(counter)
    while task < groups * count:
        panel, first = task // groups, task % groups * _ROWS_TOGETHER
        stop, start = min(rows, first + _ROWS_TOGETHER), panel * (depth + 1) * COLUMNS
        while first < stop:
            last = min(stop, first + GROUP)
            r = first
            while r < last:
                tile = height(last - r)
                given = (0, r * depth, HEIGHT, depth, start + COLUMNS, start, room + (r - first) * COLUMNS)
                dot_tile(marker, memory, weights, places, VECTORS, tile, *given)
                r += tile
            _finish(marker, memory, ends, places, activation, result, room, panel * COLUMNS, first, last)
            first = last
        task = taken(counter)


@serial
def _finish(
    marker: np.ndarray,
    memory: np.ndarray,
    ends: np.ndarray,
    places: np.ndarray,
    activation: int,
    result: np.ndarray,
    room: int,
    begin: int,
    first: int,
    last: int,
) -> None:
    """Turn the sums of some rows and the columns of a panel into results."""
    sums_are, low = COUNTED if marker.itemsize == 1 else AS_THEY_ARE, _ZERO if activation == _RELU else _LOWEST
    columns, targets = result.shape[1], places.size - GROUP
    sums = (VECTORS, last - first, room, begin, ends.size // 2 + begin, -1, 0, 0)
    bounds, flat = (_ZERO, _ZERO, low, _HIGHEST, _ZERO, _ZERO), result.reshape(-1)
    is_whole = begin + COLUMNS <= columns
    if activation == _GELU or not is_whole:
        if sums_are == COUNTED or activation == _RELU:
            finish(marker, memory, ends, places, flat, sums_are, *sums, IN_PLACE, 0, 0, *bounds)
            sums_are = AS_THEY_ARE
        if activation == _GELU:
            _activate(memory[room : room + (last - first) * COLUMNS])
    if is_whole:
        finish(marker, memory, ends, places, flat, sums_are, *sums, FLOAT32, first * columns + begin, targets, *bounds)
    else:
        for r in range(last - first):
            for c in range(columns - begin):
                result[first + r, begin + c] = memory[room + r * COLUMNS + c]


@vectorized
def _activate(x: np.ndarray) -> None:
    for i in range(x.size):
        x[i] = gelu(x[i])
