"""The logistic loss in one pass: log(1 + exp(x)) - x * label without the cancellation of its two large parts."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, threads


def logistic_loss(x: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Compute max(x, 0) - x * label + log(1 + exp(-|x|)) element by element.

    Args:
        x: Scores, float32 or float64.
        label: Of x's shape and type.

    Returns:
        Losses of x's shape, exact to the last bits also where they are tiny.
    """
    result = np.empty(x.size, x.dtype)
    _fill(np.ascontiguousarray(x).reshape(-1), np.ascontiguousarray(label).reshape(-1), result)
    return result.reshape(x.shape)


@compiled
def _fill(x: np.ndarray, label: np.ndarray, result: np.ndarray) -> None:
    for i in threads(x.size):
        score = x[i]
        result[i] = max(score, 0) - score * label[i] + np.log1p(np.exp(-abs(score)))


def logistic_loss_reference(x: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Compute the same in plain numpy."""
    return np.maximum(x, 0) - x * label + np.log1p(np.exp(-np.abs(x)))
