"""Polygamma functions in numpy: recurrence towards large arguments, then the asymptotic series.

Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3 and 6.4.
"""

from __future__ import annotations

import math

import numpy as np

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""The Bernoulli numbers B2, B4, ... B20."""


def polygamma(x: np.ndarray, order: int) -> np.ndarray:
    """Return the derivative number ``order`` of the digamma function, in float64.

    Args:
        x: Any shape; NaN comes out at 0 and the negative integers (infinity for odd orders).
        order: 0 for digamma itself.
    """
    x = np.asarray(x, np.float64)
    if order == 0:
        return _digamma(x)
    sign = -1.0 if order % 2 == 0 else 1.0
    result = np.empty_like(x)
    low = x <= 0
    result[~low] = sign * math.factorial(order) * _hurwitz_zeta(x[~low], order + 1)
    if low.any():
        result[low] = _reflected(x[low], order)
    return result


def _digamma(x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        low = x <= 0
        y = np.where(low, 1.0 - x, x)
        total = np.zeros_like(y)
        for _ in range(10):
            small = y < 10
            total -= np.where(small, 1.0 / y, 0.0)
            y = np.where(small, y + 1.0, y)
        total += np.log(y) - 0.5 / y
        for k, number in enumerate(BERNOULLI, start=1):
            total -= number / (2 * k * y ** (2 * k))
        total = np.where(low, total - np.pi / np.tan(np.pi * (x - np.floor(x))), total)
        total = np.where(np.isposinf(x), np.inf, total)
        return np.where((low & (x == np.floor(x))) | np.isnan(x), np.nan, total)


def _hurwitz_zeta(x: np.ndarray, s: int) -> np.ndarray:
    """Sum ``1 / (x + n) ** s`` over n >= 0 by Euler and Maclaurin, for x > 0."""
    with np.errstate(all="ignore"):
        total = np.zeros_like(x)
        y = x.copy()
        for _ in range(12):
            total += y**-s
            y = y + 1.0
        total += y ** (1.0 - s) / (s - 1.0) + 0.5 * y**-s
        factor = float(s)
        for k, number in enumerate(BERNOULLI, start=1):
            total += number * factor / math.factorial(2 * k) * y ** (-s - 2.0 * k + 1.0)
            factor *= (s + 2 * k - 1) * (s + 2 * k)
        return total


def _reflected(x: np.ndarray, order: int) -> np.ndarray:
    """Evaluate at x <= 0 by stepping up to positive arguments, one integer at a time."""
    steps = np.where(np.isfinite(x), np.ceil(-x) + 1, 0).astype(np.int64)
    y = x + steps
    sign = -1.0 if order % 2 == 0 else 1.0
    result = sign * math.factorial(order) * _hurwitz_zeta(y, order + 1)
    with np.errstate(all="ignore"):
        for row in range(x.size):
            terms = x.flat[row] + np.arange(steps.flat[row])
            result.flat[row] += sign * math.factorial(order) * np.sum(terms ** -(order + 1.0))
    return np.where(np.isfinite(x), result, np.nan)


def bessel_i(x: np.ndarray, order: int, scaled: bool) -> np.ndarray:
    """Return the modified Bessel function of the first kind, times exp(-abs(x)) if scaled, in float64.

    The power series serves up to 30, the asymptotic one beyond (Abramowitz and Stegun 9.6.10 and 9.7.1).

    Args:
        x: Any shape.
        order: The order, at least 0.
        scaled: Whether to multiply by exp(-abs(x)), which keeps large arguments finite.
    """
    x = np.asarray(x, np.float64)
    size = np.abs(x)
    with np.errstate(all="ignore"):
        near = np.minimum(size, 30.0)
        term = (near / 2) ** order / math.factorial(order)
        total = term.copy()
        for k in range(1, 80):
            term = term * (near / 2) ** 2 / (k * (k + order))
            total = total + term
        far = np.maximum(size, 30.0)
        share = np.ones_like(far)
        series = share.copy()
        for k in range(1, 20):
            share = share * -(4.0 * order**2 - (2 * k - 1) ** 2) / (k * 8 * far)
            series = series + share
        beyond = np.where(np.isinf(size), 0.0, series / np.sqrt(2 * np.pi * far))
        result = np.where(size <= 30, total * np.exp(-near), beyond)
        if not scaled:
            result = np.where(np.isinf(size), np.inf, result * np.exp(size))
        result = np.where(np.isnan(x), np.nan, result)
    return np.where(x < 0, -result, result) if order % 2 else result
