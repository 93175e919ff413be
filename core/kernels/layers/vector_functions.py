"""Functions of vectors of numbers, written in LLVM's own language for the kernels of layers."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable

from core.kernels.channels_last.forms import FormCode
from core.kernels.channels_last.vectors import LANES
from core.kernels.numeric.smooth import ERF_ABOVE, ERF_BELOW, ERF_FLAT, LN2, LOG2_E, LOWEST

CODES = {"none": 0, "relu": 1, "gelu": 2}
"""Activations by name."""


def activated(code: FormCode, change: int, x: Any) -> Any:
    """Return a vector after the activation of a code; what is no number stays none."""
    if change == CODES["relu"]:
        return code.builder.select(code.builder.fcmp_ordered("<", x, code.constant(0)), code.constant(0), x)
    return gelu(code, x) if change == CODES["gelu"] else x


def larger(code: FormCode, x: Any, y: Any) -> Any:
    """Return the larger of two vectors' numbers; of one that is none, the second."""
    return code.builder.select(code.builder.fcmp_ordered(">", x, y), x, y)


def of_lanes(code: FormCode, vectors: Sequence[Any], join: Callable[[Any, Any], Any]) -> Any:
    """Return a vector of what joins all numbers of some vectors."""
    total = functools.reduce(join, vectors)
    apart = LANES // 2
    while apart:
        total = join(total, code.shuffled(total, [i ^ apart for i in range(LANES)]))
        apart //= 2
    return total


def power(code: FormCode, x: Any, series: Sequence[Any]) -> Any:
    """Return exp of numbers that are not above 0, by a series for ±ln(2) / 2; far below 0 it is 0."""
    builder, lowest = code.builder, code.constant(float(LOWEST))
    low = builder.fcmp_ordered("<", x, lowest)
    x = builder.select(low, lowest, x)
    n = builder.call(code.rounded, [builder.fmul(x, code.constant(float(LOG2_E)))])
    for part in LN2:
        x = code.multiply_add(n, code.constant(-float(part)), x)
    exponent = builder.shl(builder.add(builder.fptosi(n, code.whole), code.wholes(127)), code.wholes(23))
    result = builder.fmul(polynomial(code, x, series), builder.bitcast(exponent, code.vector))
    return builder.select(low, code.constant(0), result)


def polynomial(code: FormCode, x: Any, numbers: Sequence[Any]) -> Any:
    """Return a polynomial of a vector, given its coefficients, lowest first."""
    total = code.constant(float(numbers[-1]))
    for number in reversed(numbers[:-1]):
        total = code.multiply_add(total, x, code.constant(float(number)))
    return total


def gelu(code: FormCode, x: Any) -> Any:
    """Return what :func:`core.kernels.numeric.smooth.gelu` returns."""
    builder, half = code.builder, code.builder.fmul(x, code.constant(0.5))
    z = code.bounded(builder.fmul(x, code.constant(0.5**0.5)), code.constant(-ERF_FLAT), code.constant(ERF_FLAT))
    square = builder.fmul(z, z)
    above, below = (polynomial(code, square, numbers) for numbers in (ERF_ABOVE, ERF_BELOW))
    erf = builder.fdiv(builder.fmul(z, above), below)
    return code.multiply_add(half, erf, half)
