"""Lamb's update compiled by numba: two passes, since its step is scaled by norms of the whole tensor."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from core.kernels.engine.compiled import compiled, summing, threads
from core.kernels.optimizer.update_rules import _advance, _effective, _row, _span, _squares


@summing
def _squared_direction(
    w: ndarray, m: ndarray, v: ndarray, rest1: float, rest2: float, epsilon: float, decay: float
) -> float:
    """Return the sum of squares of one chunk of Lamb's direction in float64."""
    total = np.float64(0.0)
    for j in range(w.size):
        direction = np.float64((m[j] / rest1) / (np.sqrt(v[j] / rest2) + epsilon) + decay * w[j])
        total += direction * direction
    return float(total)


@compiled
def lamb_moments(
    table: ndarray, chunks: ndarray, like: ndarray, terms: ndarray, rates: ndarray, constants: ndarray, parts: ndarray
) -> None:
    """First half of Lamb: the moments, and the sums of squares of weight and direction of each chunk in ``parts``.

    Columns, constants and rates as for :func:`lamb_weights`.
    """
    b1, b2, epsilon = constants[0], constants[1], constants[2]
    c1, c2 = like[1] - b1, like[1] - b2
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        g = _span(table[i, 1], first, last, like)
        m = _span(table[i, 2], first, last, like)
        v = _span(table[i, 3], first, last, like)
        rest1 = like[1] - _span(table[i, 4], 0, 1, like)[0]
        rest2 = like[1] - _span(table[i, 5], 0, 1, like)[0]
        term = _row(terms, i)
        for j in range(w.size):
            d = _effective(g[j], w[j], term)
            m[j] = b1 * m[j] + c1 * d
            v[j] = b2 * v[j] + c2 * d * d
        parts[c, 0] = _squares(w)
        parts[c, 1] = _squared_direction(w, m, v, rest1, rest2, epsilon, rates[i, 1])


@compiled
def lamb_weights(
    table: ndarray, chunks: ndarray, like: ndarray, ratios: ndarray, rates: ndarray, constants: ndarray
) -> None:
    """Second half of Lamb: the weights. Columns: weight, gradient, two moments, two powers of the betas.

    Constants: beta1, beta2, epsilon. ``rates`` has two columns that count: the learning rate and the weight decay.
    ``ratios`` is the trust ratio of each tensor.
    """
    epsilon = constants[2]
    for c in threads(chunks.shape[0]):
        i, first, last = chunks[c, 0], chunks[c, 1], chunks[c, 2]
        w = _span(table[i, 0], first, last, like)
        m = _span(table[i, 2], first, last, like)
        v = _span(table[i, 3], first, last, like)
        rest1 = like[1] - _span(table[i, 4], 0, 1, like)[0]
        rest2 = like[1] - _span(table[i, 5], 0, 1, like)[0]
        decay = rates[i, 1]
        rate = rates[i, 0] * ratios[i]
        for j in range(w.size):
            direction = (m[j] / rest1) / (np.sqrt(v[j] / rest2) + epsilon) + decay * w[j]
            w[j] -= rate * direction
    _advance(table, like, 4, constants[0])
    _advance(table, like, 5, constants[1])
