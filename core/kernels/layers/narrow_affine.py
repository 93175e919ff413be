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

from core.kernels.channels_last.forms import BFLOAT16, BYTES, FormCode, words
from core.kernels.channels_last.narrow_tiles import dot_tile, form_of
from core.kernels.channels_last.tiles import HEIGHT, VECTORS, height
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.weights import in_words
from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads, vectorized
from core.kernels.layers.affine import CODES, finish_row

COLUMNS = VECTORS * LANES
"""Columns of a panel."""

_ROWS_TOGETHER = 18 * HEIGHT
_TILE = HEIGHT * COLUMNS


def can_multiply(depth: int) -> bool:
    """Return whether rows of so many numbers are whole vectors."""
    return depth % LANES == 0


def narrow_panels(matrix: np.ndarray, form: int, zero_point: int = 0) -> np.ndarray:
    """Cut a matrix (n, k), float32 or for bytes int8, into panels (n / COLUMNS rounded up, 1 + words of k, COLUMNS).

    The first line is what sums begin with: 0, or, of bytes, minus their zero point times the weights, in bits.
    """
    columns, depth = matrix.shape
    count = -(-columns // COLUMNS)
    whole = np.zeros((1 + words(depth, form), count * COLUMNS), np.float32)
    whole[1:, :columns] = in_words(np.ascontiguousarray(matrix.T), form)
    if form == BYTES:
        whole[0, :columns] = (-zero_point * matrix.sum(1, dtype=np.int32)).view(np.float32)
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
    rows, depth, workers = len(flat), panels.shape[1] - 1, number_of_threads()
    marker = np.empty(0, np.uint16 if form == BFLOAT16 else np.uint8)
    places = np.concatenate([np.arange(HEIGHT) * depth, np.arange(depth)])
    memory = np.empty(rows * depth + workers * _TILE, np.float32)
    grid = (np.float32(1 / scale), np.float32(zero_point))
    _affine(marker, flat, memory, panels, bias, scales, places, *grid, CODES[activation], result, workers)


@compiled
def _affine(
    marker: np.ndarray,
    x: np.ndarray,
    memory: np.ndarray,
    panels: np.ndarray,
    bias: np.ndarray,
    scales: np.ndarray,
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
        room = rows * depth + worker * _TILE
        _share(marker, memory, panels, bias, scales, places, activation, result, room, counter)


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
    bias: np.ndarray,
    scales: np.ndarray,
    places: np.ndarray,
    activation: int,
    result: np.ndarray,
    room: int,
    counter: np.ndarray,
) -> None:
    """Compute what one thread gets."""
    count, depth, rows = panels.shape[0], panels.shape[1] - 1, result.shape[0]
    groups = (rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER
    weights, counts = panels.reshape(-1), memory.view(np.int32)
    task = taken(counter)
    while task < groups * count:
        panel, r = task // groups, task % groups * _ROWS_TOGETHER
        last, start = min(rows, r + _ROWS_TOGETHER), panel * (depth + 1) * COLUMNS
        begin = panel * COLUMNS
        end = min(begin + COLUMNS, result.shape[1])
        while r < last:
            tile = height(last - r)
            given = (0, r * depth, HEIGHT, depth, start + COLUMNS, start, room)
            dot_tile(marker, memory, weights, places, VECTORS, tile, *given)
            for i in range(tile):
                at = room + i * COLUMNS
                sums = memory[at : at + end - begin]
                if marker.itemsize == 1:
                    _scale(counts[at : at + end - begin], scales[begin:end], sums)
                finish_row(sums, bias[begin:end], activation, result[r + i, begin:end])
            r += tile
        task = taken(counter)


@vectorized
def _scale(counts: np.ndarray, scales: np.ndarray, result: np.ndarray) -> None:
    for c in range(counts.size):
        result[c] = np.float32(counts[c]) * scales[c]
