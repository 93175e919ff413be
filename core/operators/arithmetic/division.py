"""Division with whole quotients: floor division, remainders, common divisors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import float32, int64
from core.operators._arguments import check_broadcast
from core.operators.arithmetic._integer_kernels import integer_operator
from core.operators.arithmetic.math import Operand, divide, floor, operand_pair
from core.operators.creation.creation import cast, filled
from core.operators.indexing.masking import where
from core.tensor import Tensor, apply


def _whole(function: Any, caller: str) -> Any:
    def divided(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        if (second == 0).any():
            raise OperatorError(f"{caller}: an integer is divided by 0")
        return np.asarray(function(first, second))

    return divided


_mod = Operator("remainder", "_npi_mod", check=check_broadcast("remainder"))
_integer_mod = integer_operator("remainder", _whole(np.mod, "remainder"))
_integer_floor_divide = integer_operator("floor_divide", _whole(np.floor_divide, "floor_divide"))
_gcd = integer_operator("gcd", lambda first, second: np.asarray(np.gcd(first, second)))
_lcm = integer_operator("lcm", lambda first, second: np.asarray(np.lcm(first, second)))


def _numbers(x: Operand, y: Operand, caller: str) -> tuple[Tensor, Tensor]:
    first, second = operand_pair(x, y, caller)
    if first.dtype.kind == "b":
        first, second = cast(first, int64), cast(second, int64)
    return first, second


def floor_divide(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:
    """Divide and round down, so that ``-7 // 2`` is -4; no gradient flows.

    Args:
        x: A tensor, or a number.
        y: A tensor, or a number; the shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape, in the operands' common type.

    Raises:
        OperatorError: the shapes do not broadcast, or an integer is divided by 0.
    """
    first, second = _numbers(x, y, "floor_divide")
    if first.dtype.is_floating:
        return floor(divide(first, second))
    return apply(_integer_floor_divide, first, second)


def remainder(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:
    """Compute what floor division leaves over; it has the sign of y.

    Args:
        x: A tensor, or a number.
        y: A tensor, or a number; the shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape, in the operands' common type; NaN where y is 0.

    Raises:
        OperatorError: the shapes do not broadcast, or an integer is divided by 0.
    """
    first, second = _numbers(x, y, "remainder")
    dtype = first.dtype
    if not dtype.is_floating:
        return apply(_integer_mod, first, second)
    if dtype.size == 2:
        return cast(remainder(cast(first, float32), cast(second, float32)), dtype)
    left = apply(_mod, first, second)  # the engine answers 0 for a division by 0
    return where(second == 0, filled((), float("nan"), dtype), left)


mod = floor_mod = remainder

_DIVISOR_DOC = """Compute the {what} of integers, not negative.

    Args:
        x: An integer tensor.
        y: An integer tensor; the shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        An integer tensor of the broadcast shape.

    Raises:
        OperatorError: the shapes do not broadcast.
        OperatorTypeError: an operand is no integer tensor.
    """


def _divisor(operator: Operator, caller: str, what: str) -> Any:
    def function(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
        first, second = operand_pair(x, y, caller)
        if not first.dtype.is_integer:
            raise OperatorTypeError(f"{caller}: expects integers, got {first.dtype.name}: cast it to int64")
        return apply(operator, first, second)

    function.__name__ = function.__qualname__ = caller
    function.__doc__ = _DIVISOR_DOC.format(what=what)
    return function


gcd = _divisor(_gcd, "gcd", "greatest common divisor")
lcm = _divisor(_lcm, "lcm", "least common multiple")

__all__ = ["floor_divide", "floor_mod", "gcd", "lcm", "mod", "remainder"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = tuple(__all__)
