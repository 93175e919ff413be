"""Products with a bias and an activation in one pass, float32 on the CPU, for a matrix that is used again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from core.kernels.channels_last.forms import FormCode
from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads, vectorized
from core.kernels.layers.vector_functions import CODES, activated
from core.kernels.numeric.products import multiply_panel
from core.kernels.numeric.smooth import gelu
from core.kernels.numeric.tiles import COLUMNS, LANES, VECTORS

_ROWS_TOGETHER = 128
_DEPTH_TOGETHER = 768
_ZERO = np.float32(0)


def packed_affine(x: np.ndarray, panels: np.ndarray, bias: np.ndarray, *, activation: str, out: np.ndarray) -> None:
    """Write activation(x @ matrix + bias).

    Args:
        x: (..., k).
        panels: The matrix (k, n) as core.kernels.numeric.products.panels cuts it.
        bias: (n,).
        activation: ``none``, ``relu`` or ``gelu``.
        out: (..., n).
    """
    flat, result = x.reshape(-1, x.shape[-1]), out.reshape(-1, out.shape[-1])
    _affine(flat, panels, bias, CODES[activation], result, number_of_threads())


@compiled
def _affine(
    x: np.ndarray, panels: np.ndarray, bias: np.ndarray, activation: int, result: np.ndarray, workers: int
) -> None:
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _share(x, panels, bias, activation, result, counter)


@serial
def _share(
    x: np.ndarray, panels: np.ndarray, bias: np.ndarray, activation: int, result: np.ndarray, counter: np.ndarray
) -> None:
    """Compute what one thread gets."""
    rows, count = x.shape[0], panels.shape[0]
    groups = (rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER
    task = taken(counter)
    while task < groups * count:
        panel, group = task // groups, task % groups
        _block(x, panels, bias, activation, result, panel, group, groups)
        task = taken(counter)


@serial
def _block(
    x: np.ndarray,
    panels: np.ndarray,
    bias: np.ndarray,
    activation: int,
    result: np.ndarray,
    panel: int,
    group: int,
    groups: int,
) -> None:
    """Compute some rows of the columns of one panel, and fetch as large a share of the next panel."""
    rows, depth, begin = x.shape[0], x.shape[1], panel * COLUMNS
    first, last = rows * group // groups, rows * (group + 1) // groups
    end = min(begin + COLUMNS, result.shape[1])
    share = depth * COLUMNS // groups
    block = np.empty((last - first, COLUMNS), np.float32)
    left, right, chunks = x.reshape(-1), panels.reshape(-1), (depth + _DEPTH_TOGETHER - 1) // _DEPTH_TOGETHER
    coming = (panel + 1) * depth * COLUMNS + group * share
    for chunk in range(chunks):  # what of a panel all rows are multiplied with stays in the second cache
        k, after = depth * chunk // chunks, depth * (chunk + 1) // chunks
        given = (left, first * depth + k, depth, 1, right, (panel * depth + k) * COLUMNS, after - k)
        ahead = (chunk > 0, coming + share * chunk // chunks, share // chunks)
        multiply_panel(*given, block.reshape(-1), 0, COLUMNS, last - first, COLUMNS, *ahead)
    if end == begin + COLUMNS:
        place, width = first * result.shape[1] + begin, result.shape[1]
        _write(block.reshape(-1), last - first, bias, begin, activation, result.reshape(-1), place, width)
    else:
        for r in range(first, last):
            _finish(block[r - first, : end - begin], bias[begin:end], activation, result[r, begin:end])


@intrinsic
def _write(
    context: Any,
    sums: Any,
    rows: Any,
    bias: Any,
    begin: Any,
    activation: Any,
    result: Any,
    target: Any,
    line: Any,
) -> Any:
    """Write activation(sums + bias) of some rows of a panel; row r from ``result[target + r * line]`` on."""
    whole = types.int64
    signature = types.void(sums, whole, bias, whole, whole, result, whole, whole)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = FormCode(context, builder, signature, arguments)
        sums, rows, bias, begin, activation, result, target, line = code.values

        def written(change: int) -> None:
            shifts = [code.row(bias, code.sum(begin, v * LANES)) for v in range(VECTORS)]

            def row(r: Any, _: Sequence[Any]) -> list[Any]:
                start, end = code.times(r, COLUMNS), code.sum(target, code.times(r, line))
                for v in range(VECTORS):
                    x = builder.fadd(code.row(sums, code.sum(start, v * LANES)), shifts[v])
                    code.store(activated(code, change, x), result, code.sum(end, v * LANES))
                return []

            code.loop(rows, [], row)

        code.choose(activation, [(change, lambda change=change: written(change)) for change in CODES.values()])
        return context.get_dummy_value()

    return signature, generate


@vectorized
def _finish(sums: np.ndarray, bias: np.ndarray, activation: int, result: np.ndarray) -> None:
    if activation == 2:
        for c in range(sums.size):
            result[c] = gelu(sums[c] + bias[c])
    elif activation == 1:
        for c in range(sums.size):
            value = sums[c] + bias[c]
            result[c] = _ZERO if value < 0 else value
    else:
        for c in range(sums.size):
            result[c] = sums[c] + bias[c]
