"""Normalisation of each channel of each image, forward and backward, float32 on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, threads, vectorized
from core.kernels.layers.normalization import row_moments

_F = np.float32


def normalize_images(
    x: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    *,
    epsilon: float,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write (x - mean) / deviation * scale + shift, the mean, and deviation = sqrt(variance + epsilon).

    Args:
        x: (n, c, ...).
        scale, shift: (c,).
        epsilon: Added to the variance.
        out: (result (n, c, ...), mean (n, c), deviation (n, c)).
    """
    result, mean, deviation = out
    rows = (mean.size, -1)
    _normalize(
        x.reshape(rows), scale, shift, _F(epsilon), result.reshape(rows), mean.reshape(-1), deviation.reshape(-1)
    )


def normalize_images_gradients(
    gradient: np.ndarray,
    x: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    deviation: np.ndarray,
    *,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write the gradients of (x, scale, shift) of :func:`normalize_images`."""
    rows = (mean.size, -1)
    sums = np.empty((2, *mean.shape), np.float32)
    statistics = (mean.reshape(-1), deviation.reshape(-1))
    _gradients(gradient.reshape(rows), x.reshape(rows), scale, *statistics, out[0].reshape(rows), sums.reshape(2, -1))
    sums[0].sum(0, out=out[1])
    sums[1].sum(0, out=out[2])


@compiled
def _normalize(
    x: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    epsilon: Any,
    result: np.ndarray,
    mean: np.ndarray,
    deviation: np.ndarray,
) -> None:
    channels = scale.size
    for r in threads(x.shape[0]):
        mean[r], deviation[r] = row_moments(x[r], epsilon)
        _apply(x[r], mean[r], scale[r % channels] / deviation[r], shift[r % channels], result[r])


@vectorized
def _apply(row: np.ndarray, mean: Any, factor: Any, shift: Any, result: np.ndarray) -> None:
    for i in range(result.size):
        result[i] = (row[i] - mean) * factor + shift


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
    channels = scale.size
    for r in threads(x.shape[0]):
        factor = _F(1) / deviation[r]
        sums[0, r], sums[1, r] = _sums(gradient[r], x[r], mean[r], factor)
        _row_gradient(gradient[r], x[r], mean[r], factor, scale[r % channels], sums[0, r], sums[1, r], grad_x[r])


@vectorized
def _sums(gradient: np.ndarray, row: np.ndarray, mean: Any, factor: Any) -> tuple[Any, Any]:
    """Return the sums of gradient * normalised and of gradient."""
    along, total = _F(0), _F(0)
    for i in range(row.size):
        along += gradient[i] * (row[i] - mean)
        total += gradient[i]
    return along * factor, total


@vectorized
def _row_gradient(
    gradient: np.ndarray,
    row: np.ndarray,
    mean: Any,
    factor: Any,
    scale: Any,
    along: Any,
    total: Any,
    result: np.ndarray,
) -> None:
    size = _F(row.size)
    outer, slope, level = scale * factor, along * factor / size, total / size
    for i in range(result.size):
        result[i] = (gradient[i] - level - (row[i] - mean) * slope) * outer
