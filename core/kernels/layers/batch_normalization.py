"""Batch normalisation of rows, of which only those that a mask marks move the statistics, float32 on the CPU.

Sums are formed by blocks of rows, which stay in the cache, and added up in float64; no bit depends on the threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, threads, vectorized

_F = np.float32
_ROWS = 64
"""Fewest rows of a block."""

_BLOCKS = 128
"""Most blocks."""

_STRIP = 1024
"""Columns that are computed together."""


def normalize_batch(
    x: np.ndarray,
    mask: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    *,
    epsilon: float,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write (x - mean) * inverse * scale + shift, the mean of each column, and inverse = 1 / sqrt(variance + epsilon).

    Args:
        x: (..., n).
        mask: What each row counts in the statistics, (...); not all are 0.
        scale, shift: (n,).
        epsilon: Added to the variance.
        out: (result (..., n), mean (n,), inverse (n,)).
    """
    result, mean, inverse = out
    rows, counts = x.reshape(-1, x.shape[-1]), mask.reshape(-1)
    blocks = _blocks(len(rows))
    means, squares = np.zeros((2, blocks, scale.size), _F)
    shares = np.zeros(blocks, _F)
    _moments(rows, counts, shares, means, squares)
    wide, total = shares.astype(np.float64), shares.sum(dtype=np.float64)
    average = wide @ means / total
    variance = (squares.sum(0, dtype=np.float64) + wide @ np.square(means - average)) / total
    mean[...], inverse[...] = average, 1 / np.sqrt(variance + epsilon)
    _apply(rows, mean, inverse * scale, shift, result.reshape(rows.shape))


def normalize_batch_gradients(
    gradient: np.ndarray,
    x: np.ndarray,
    mask: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    inverse: np.ndarray,
    *,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write the gradients of (x, scale, shift) of :func:`normalize_batch`."""
    rows, given, counts = x.reshape(-1, x.shape[-1]), gradient.reshape(-1, x.shape[-1]), mask.reshape(-1)
    parts = np.zeros((2, _blocks(len(rows)), scale.size), _F)
    _sums(given, rows, mean, parts[0], parts[1])
    total, along = parts.sum(1, dtype=np.float64)
    along *= inverse
    out[1][...], out[2][...] = along, total
    count = counts.sum(dtype=np.float64)
    level, slope = (total / count).astype(_F), (along * inverse / count).astype(_F)
    _row_gradients(given, rows, counts, mean, inverse * scale, level, slope, out[0].reshape(rows.shape))


def _blocks(rows: int) -> int:
    return max(1, min(_BLOCKS, rows // _ROWS))


@compiled
def _moments(x: np.ndarray, mask: np.ndarray, shares: np.ndarray, means: np.ndarray, squares: np.ndarray) -> None:
    """Write of each block of rows how much it counts, its columns' means, and sums of squared distances from them."""
    rows, columns = x.shape
    blocks, strips = means.shape[0], (columns + _STRIP - 1) // _STRIP
    for task in threads(blocks * strips):
        block, left = task // strips, task % strips * _STRIP
        right = min(left + _STRIP, columns)
        first, last = rows * block // blocks, rows * (block + 1) // blocks
        count = _F(0)
        for r in range(first, last):
            count += mask[r]
            if mask[r] != 0:
                _add(x[r, left:right], mask[r], means[block, left:right])
        if count != 0:
            _scale(means[block, left:right], _F(1) / count)
        for r in range(first, last):
            if mask[r] != 0:
                _add_square(x[r, left:right], mask[r], means[block, left:right], squares[block, left:right])
        if left == 0:
            shares[block] = count


@vectorized
def _add(row: np.ndarray, factor: Any, sums: np.ndarray) -> None:
    for c in range(sums.size):
        sums[c] += factor * row[c]


@vectorized
def _scale(sums: np.ndarray, factor: Any) -> None:
    for c in range(sums.size):
        sums[c] *= factor


@vectorized
def _add_square(row: np.ndarray, factor: Any, mean: np.ndarray, sums: np.ndarray) -> None:
    for c in range(sums.size):
        centred = row[c] - mean[c]
        sums[c] += factor * centred * centred


@compiled
def _apply(x: np.ndarray, mean: np.ndarray, factor: np.ndarray, shift: np.ndarray, result: np.ndarray) -> None:
    for r in threads(x.shape[0]):
        _apply_row(x[r], mean, factor, shift, result[r])


@vectorized
def _apply_row(row: np.ndarray, mean: np.ndarray, factor: np.ndarray, shift: np.ndarray, result: np.ndarray) -> None:
    for c in range(result.size):
        result[c] = (row[c] - mean[c]) * factor[c] + shift[c]


@compiled
def _sums(gradient: np.ndarray, x: np.ndarray, mean: np.ndarray, total: np.ndarray, along: np.ndarray) -> None:
    """Write of each block of rows the sums of the gradient and of gradient * (x - mean)."""
    rows, columns = x.shape
    blocks, strips = total.shape[0], (columns + _STRIP - 1) // _STRIP
    for task in threads(blocks * strips):
        block, left = task // strips, task % strips * _STRIP
        right = min(left + _STRIP, columns)
        for r in range(rows * block // blocks, rows * (block + 1) // blocks):
            given = (gradient[r, left:right], x[r, left:right], mean[left:right])
            _add_gradient(*given, total[block, left:right], along[block, left:right])


@vectorized
def _add_gradient(
    gradient: np.ndarray, row: np.ndarray, mean: np.ndarray, total: np.ndarray, along: np.ndarray
) -> None:
    for c in range(total.size):
        total[c] += gradient[c]
        along[c] += gradient[c] * (row[c] - mean[c])


@compiled
def _row_gradients(
    gradient: np.ndarray,
    x: np.ndarray,
    mask: np.ndarray,
    mean: np.ndarray,
    factor: np.ndarray,
    level: np.ndarray,
    slope: np.ndarray,
    result: np.ndarray,
) -> None:
    for r in threads(x.shape[0]):
        _row_gradient(gradient[r], x[r], mask[r], mean, factor, level, slope, result[r])


@vectorized
def _row_gradient(
    gradient: np.ndarray,
    row: np.ndarray,
    count: Any,
    mean: np.ndarray,
    factor: np.ndarray,
    level: np.ndarray,
    slope: np.ndarray,
    result: np.ndarray,
) -> None:
    for c in range(result.size):
        result[c] = (gradient[c] - count * (level[c] + (row[c] - mean[c]) * slope[c])) * factor[c]
