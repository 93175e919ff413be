"""Optimizer updates in plain numpy: the definition of what the compiled rules compute, one tensor at a time.

Each rule changes its arrays in place. ``gradient`` is the effective gradient (:func:`effective`). The formulas are
Paddle's, which differ from the papers' in where epsilon is and in the names of the accumulators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Union

import numpy as np

Scalars = Union[Sequence[float], np.ndarray]


def effective(gradient: np.ndarray, weight: np.ndarray, terms: Scalars) -> np.ndarray:
    """Return the gradient scaled by a factor and bounded, plus weight decay.

    Args:
        gradient: raw gradient.
        weight: the weight, of the same shape.
        terms: factor, lower bound, upper bound, L2 coefficient, L1 coefficient.
    """
    factor, low, high, l2, l1 = terms
    return np.clip(gradient * factor, low, high) + l2 * weight + l1 * np.sign(weight)


def sgd(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """w -= rate * g."""
    arrays[0][...] -= rates[0] * gradient


def momentum(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """v = mu * v + g; w -= rate * v, or with Nesterov's rule w -= rate * (g + mu * v)."""
    weight, _, velocity = arrays
    mu, nesterov = constants
    velocity[...] = mu * velocity + gradient
    weight[...] -= rates[0] * (gradient + mu * velocity if nesterov else velocity)


def adam(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """Adam with bias correction, epsilon times the root of 1 - beta2^t, decoupled decay as a factor of the weight."""
    weight, _, moment1, moment2, power1, power2 = arrays
    beta1, beta2, epsilon = constants
    moment1[...] = beta1 * moment1 + (1 - beta1) * gradient
    moment2[...] = beta2 * moment2 + (1 - beta2) * gradient * gradient
    root = np.sqrt(1 - power2[0])
    rate = rates[0] * root / (1 - power1[0])
    weight[...] = rates[1] * weight - rate * (moment1 / (np.sqrt(moment2) + epsilon * root))
    power1 *= beta1
    power2 *= beta2


def adamax(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """m = b1 m + (1 - b1) g; u = max(|g|, b2 u + epsilon); w -= rate / (1 - b1^t) * m / u."""
    weight, _, moment, norm, power = arrays
    beta1, beta2, epsilon = constants
    moment[...] = beta1 * moment + (1 - beta1) * gradient
    norm[...] = np.maximum(np.abs(gradient), beta2 * norm + epsilon)
    weight[...] -= rates[0] / (1 - power[0]) * (moment / norm)
    power *= beta1


def adagrad(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """m += g^2; w -= rate * g / (sqrt(m) + epsilon)."""
    weight, _, moment = arrays
    moment[...] += gradient * gradient
    weight[...] -= rates[0] * gradient / (np.sqrt(moment) + constants[0])


def adadelta(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """a = rho a + (1 - rho) g^2; d = sqrt((u + eps) / (a + eps)) g; u = rho u + (1 - rho) d^2; w -= rate * d."""
    weight, _, gradients, updates = arrays
    rho, epsilon = constants
    gradients[...] = rho * gradients + (1 - rho) * gradient * gradient
    change = np.sqrt((updates + epsilon) / (gradients + epsilon)) * gradient
    updates[...] = rho * updates + (1 - rho) * change * change
    weight[...] -= rates[0] * change


def rmsprop(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """s = rho s + (1 - rho) g^2; v = mu v + rate * g / sqrt(s [- mean gradient squared] + epsilon); w -= v."""
    weight, _, velocity, square, mean = arrays
    rho, epsilon, mu, centered = constants
    square[...] = rho * square + (1 - rho) * gradient * gradient
    spread = square
    if centered:
        mean[...] = rho * mean + (1 - rho) * gradient
        spread = square - mean * mean
    velocity[...] = mu * velocity + rates[0] * gradient / np.sqrt(spread + epsilon)
    weight[...] -= velocity


def lamb(arrays: Sequence[np.ndarray], gradient: np.ndarray, rates: Scalars, constants: Scalars) -> None:
    """Adam's direction plus decay, scaled to the norm of the weight; ``rates``: rate, decay, whether to adapt."""
    weight, _, moment1, moment2, power1, power2 = arrays
    beta1, beta2, epsilon = constants
    moment1[...] = beta1 * moment1 + (1 - beta1) * gradient
    moment2[...] = beta2 * moment2 + (1 - beta2) * gradient * gradient
    direction = (moment1 / (1 - power1[0])) / (np.sqrt(moment2 / (1 - power2[0])) + epsilon) + rates[1] * weight
    squares = [np.sum(np.square(array, dtype=np.float64)) for array in (weight, direction)]
    weight[...] -= rates[0] * trust_ratios(np.array([squares]), np.array([rates[2]])).astype(weight.dtype) * direction
    power1 *= beta1
    power2 *= beta2


def trust_ratios(squares: np.ndarray, adapt: np.ndarray) -> np.ndarray:
    """Return Lamb's ratio of the norms of weight and direction for each tensor; 1 where one is 0 or none is wanted.

    Args:
        squares: sums of squares of weight and direction, shape (tensors, 2), float64.
        adapt: whether a tensor is adapted at all, shape (tensors,).
    """
    weights, directions = np.sqrt(squares[:, 0]), np.sqrt(squares[:, 1])
    usable = (weights > 0) & (directions > 0) & (adapt != 0)
    return np.where(usable, weights / np.where(usable, directions, 1.0), 1.0)


Rule = Callable[[Sequence[np.ndarray], np.ndarray, Scalars, Scalars], None]
RULES: dict[str, Rule] = {
    "sgd": sgd,
    "momentum": momentum,
    "adam": adam,
    "adamax": adamax,
    "adagrad": adagrad,
    "adadelta": adadelta,
    "rmsprop": rmsprop,
    "lamb": lamb,
}
