"""Exact integer forms of operators that the engine computes through floating point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.operators._arguments import broadcast_shape, check_broadcast


def _broadcast_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [(broadcast_shape(*[shape for shape, _ in metas]), metas[0][1])]


def integer_operator(name: str, function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> HostOperator:
    """Declare the exact integer form of a binary operator, computed by numpy."""
    return HostOperator(
        f"{name}_integers", function, check=check_broadcast(name), infer=_broadcast_meta, differentiable=False
    )


def integer_quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide and cut the fraction off."""
    if not denominator.all():
        raise OperatorError("divide: an integer is divided by 0: cast to float32 for an infinite result")
    quotient = numerator // denominator
    cut_up = (quotient < 0) & (quotient * denominator != numerator)
    return np.asarray(quotient + cut_up, quotient.dtype)


def integer_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Raise to integer powers; a negative power is 1 over a whole number, cut off to 0 except for a base of 1 or -1."""
    negative = exponent < 0
    if not negative.any():
        return np.power(base, exponent)
    if (negative & (base == 0)).any():
        raise OperatorError("pow: 0 is raised to a negative power, which integers cannot hold: cast to float32")
    result = np.power(base, np.abs(exponent))
    return np.where(negative & (np.abs(base) != 1), np.zeros_like(result), result)
