"""Layer normalisation of rows, forward and backward, float32 on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, threads, vectorized

_F = np.float32
_ROWS_TOGETHER = 16
_NOTHING = np.empty((0, 0), np.float32)


def normalize_rows(
    x: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    *,
    epsilon: float,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write (x - mean) / deviation * scale + shift of each row, the mean, and deviation = sqrt(variance + epsilon).

    Args:
        x: (..., n).
        scale, shift: (n,).
        epsilon: Added to the variance.
        out: (result (..., n), mean (..., 1), deviation (..., 1)).
    """
    result, mean, deviation = out
    rows = (-1, x.shape[-1])
    statistics = (mean.reshape(-1), deviation.reshape(-1))
    _normalize(x.reshape(rows), _NOTHING, scale, shift, _F(epsilon), result.reshape(rows), _NOTHING, *statistics)


def add_and_normalize_rows(
    x: np.ndarray, y: np.ndarray, scale: np.ndarray, shift: np.ndarray, *, epsilon: float, keep: bool, out: Any
) -> None:
    """Write the normalised rows of x + y and, where ``keep``, the sum.

    Args:
        x, y: (..., n).
        scale, shift: (n,).
        epsilon: Added to the variance.
        keep: Whether the sum is a result too.
        out: The result (..., n), or (result, sum).
    """
    rows = (-1, x.shape[-1])
    result, total = (out[0], out[1].reshape(rows)) if keep else (out, _NOTHING)
    statistics = np.empty((2, x.size // max(1, x.shape[-1])), np.float32)
    _normalize(x.reshape(rows), y.reshape(rows), scale, shift, _F(epsilon), result.reshape(rows), total, *statistics)


def normalize_rows_gradients(
    gradient: np.ndarray,
    x: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    deviation: np.ndarray,
    *,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write the gradients of (x, scale, shift) of :func:`normalize_rows`."""
    rows = (-1, x.shape[-1])
    blocks = (mean.size + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER
    sums = np.zeros((2, min(blocks, 64), x.shape[-1]), np.float32)  # so many, whatever the number of threads
    statistics = (mean.reshape(-1), deviation.reshape(-1))
    _gradients(gradient.reshape(rows), x.reshape(rows), scale, *statistics, out[0].reshape(rows), sums)
    sums[0].sum(0, out=out[1])
    sums[1].sum(0, out=out[2])


@compiled
def _normalize(
    x: np.ndarray,
    y: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    epsilon: Any,
    result: np.ndarray,
    total: np.ndarray,
    mean: np.ndarray,
    deviation: np.ndarray,
) -> None:
    rows = x.shape[0]
    for block in threads((rows + _ROWS_TOGETHER - 1) // _ROWS_TOGETHER):
        for r in range(block * _ROWS_TOGETHER, min(rows, (block + 1) * _ROWS_TOGETHER)):
            if y.size:
                row = result[r]
                add_rows(x[r], y[r], row)
                if total.size:
                    add_rows(x[r], y[r], total[r])
                mean[r], deviation[r] = row_moments(row, epsilon)
                apply_moments(row, mean[r], _F(1) / deviation[r], scale, shift, row)
            else:
                mean[r], deviation[r] = row_moments(x[r], epsilon)
                apply_moments(x[r], mean[r], _F(1) / deviation[r], scale, shift, result[r])


@vectorized
def add_rows(x: np.ndarray, y: np.ndarray, result: np.ndarray) -> None:
    """Write x + y."""
    for c in range(result.size):
        result[c] = x[c] + y[c]


@vectorized
def row_moments(row: np.ndarray, epsilon: Any) -> tuple[Any, Any]:
    """Return the mean and sqrt(variance + epsilon)."""
    total = _F(0)
    for c in range(row.size):
        total += row[c]
    mean = total / _F(row.size)
    squares = _F(0)
    for c in range(row.size):
        centred = row[c] - mean
        squares += centred * centred
    return mean, np.sqrt(squares / _F(row.size) + epsilon)


@vectorized
def apply_moments(
    row: np.ndarray, mean: Any, factor: Any, scale: np.ndarray, shift: np.ndarray, result: np.ndarray
) -> None:
    """Write (row - mean) * factor * scale + shift."""
    for c in range(result.size):
        result[c] = (row[c] - mean) * factor * scale[c] + shift[c]


@compiled
def _gradients(
    gradient: np.ndarray,
    x: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    deviation: np.ndarray,
    grad_x: np.ndarray,
    sums: np.ndarray,
) -> None:
    rows, parts = x.shape[0], sums.shape[1]
    for part in threads(parts):
        for r in range(rows * part // parts, rows * (part + 1) // parts):
            given = (gradient[r], x[r], scale, mean[r], _F(1) / deviation[r])
            _row_gradients(*given, grad_x[r], sums[0, part], sums[1, part])


@vectorized
def _row_gradients(
    gradient: np.ndarray,
    row: np.ndarray,
    scale: np.ndarray,
    mean: Any,
    factor: Any,
    grad_row: np.ndarray,
    grad_scale: np.ndarray,
    grad_shift: np.ndarray,
) -> None:
    scaled, along = _F(0), _F(0)
    for c in range(row.size):
        normal = (row[c] - mean) * factor
        scaled += gradient[c] * scale[c]
        along += gradient[c] * scale[c] * normal
        grad_scale[c] += gradient[c] * normal
        grad_shift[c] += gradient[c]
    scaled, along = scaled / _F(row.size), along / _F(row.size)
    for c in range(row.size):
        normal = (row[c] - mean) * factor
        grad_row[c] = (gradient[c] * scale[c] - scaled - normal * along) * factor
