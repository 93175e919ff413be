"""Images times a weight for each of their channels, forward and backward in one pass each, float32 on the CPU."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.engine.compiled import compiled, threads, vectorized

_ZERO = np.float32(0)


def scale_channels(images: np.ndarray, weights: np.ndarray, *, out: np.ndarray) -> None:
    """Write images (n, c, ...) times weights (n, c, 1, ...).

    Args:
        images, weights: see above.
        out: memory for the result.
    """
    rows = (weights.size, -1)
    _weigh(images.reshape(rows), weights.reshape(-1), out.reshape(rows))


def scale_channels_gradients(
    gradient: np.ndarray,
    images: np.ndarray,
    weights: np.ndarray,
    *,
    out: tuple[Optional[np.ndarray], Optional[np.ndarray]],
) -> None:
    """Write the gradients of (images, weights) of :func:`scale_channels`; None where it is not needed."""
    rows = (weights.size, -1)
    of_images, of_weights = out
    if of_images is not None:
        _weigh(gradient.reshape(rows), weights.reshape(-1), of_images.reshape(rows))
    if of_weights is not None:
        _products(gradient.reshape(rows), images.reshape(rows), of_weights.reshape(-1))


@compiled
def _weigh(images: np.ndarray, weights: np.ndarray, result: np.ndarray) -> None:
    for r in threads(images.shape[0]):
        _weigh_row(images[r], weights[r], result[r])


@vectorized
def _weigh_row(row: np.ndarray, weight: Any, result: np.ndarray) -> None:
    for i in range(row.size):
        result[i] = row[i] * weight


@compiled
def _products(gradient: np.ndarray, images: np.ndarray, result: np.ndarray) -> None:
    for r in threads(images.shape[0]):
        result[r] = _product(gradient[r], images[r])


@vectorized
def _product(first: np.ndarray, second: np.ndarray) -> Any:
    total = _ZERO
    for i in range(first.size):
        total += first[i] * second[i]
    return total
