"""Products with a bias and an activation in one pass, float32 on the CPU, for a matrix that is used again and again."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads, vectorized
from core.kernels.numeric.products import multiply_panel
from core.kernels.numeric.smooth import gelu
from core.kernels.numeric.tiles import COLUMNS

_ROWS_TOGETHER = 128
CODES = {"none": 0, "relu": 1, "gelu": 2}
"""Activations by name."""

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
    given = (x.reshape(-1), first * depth, depth, 1, panels.reshape(-1), panel * depth * COLUMNS, depth)
    coming = (panel + 1) * depth * COLUMNS + group * share
    multiply_panel(*given, block.reshape(-1), 0, COLUMNS, last - first, COLUMNS, False, coming, share)
    for r in range(first, last):
        _finish(block[r - first, : end - begin], bias[begin:end], activation, result[r, begin:end])


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
