"""Integrated gradients: what each part of an input contributes to a result.

Paper: Axiomatic attribution for deep networks, Sundararajan et al. 2017, arXiv:1703.01365.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

import core


def integrated_gradients(
    function: Callable[[Any], Any], inputs: np.ndarray, baseline: np.ndarray, steps: int = 64, batch_size: int = 16
) -> np.ndarray:
    """Return the contribution of each number of an input to the difference of a result from that of a baseline.

    The gradient is integrated along the straight line between the two, by Gauss-Legendre quadrature. The contributions
    add up to ``function(inputs) - function(baseline)``, up to the error of the quadrature.

    Args:
        function: returns a result (N,) for each of N inputs, a Tensor (N, *shape); those of a batch do not influence
            each other.
        inputs: float32 (*shape).
        baseline: of the same shape: an input that says nothing.
        steps: points on the line.
        batch_size: points that are computed at a time.

    Returns:
        float64 (*shape).
    """
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    shares, weights = (nodes + 1) / 2, weights / 2
    difference = inputs.astype(np.float64) - baseline
    total = np.zeros(inputs.shape)
    for start in range(0, steps, batch_size):
        part = slice(start, start + batch_size)
        points = baseline + shares[part].reshape([-1] + [1] * inputs.ndim) * difference
        given = core.to_tensor(points.astype(np.float32), stop_gradient=False)
        (gradient,) = core.grad([function(given).sum()], [given])
        total += np.tensordot(weights[part], gradient.numpy().astype(np.float64), 1)
    return total * difference
