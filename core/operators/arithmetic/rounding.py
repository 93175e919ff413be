"""Keeping numbers within bounds, rounding them, and replacing those that are not finite."""

from __future__ import annotations

from typing import Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dtypes import float16, float32
from core.operators._arguments import Scalar, need_tensor
from core.operators.arithmetic.math import maximum, minimum, subtract, trunc
from core.operators.creation.creation import assign, cast
from core.tensor import Tensor, apply

_clip = Operator("clip", "_npi_clip")
_round = Operator("round", "round", differentiable=False)
_replace = HostOperator(
    "nan_to_num",
    lambda x, nan, highest, lowest: np.nan_to_num(x, nan=nan, posinf=highest, neginf=lowest),
    infer=lambda metas, options: [metas[0]],
)

_LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}


def clip(
    x: Tensor, min: Union[Scalar, Tensor, None] = None, max: Union[Scalar, Tensor, None] = None,  # noqa: A002
    name: Optional[str] = None,
) -> Tensor:
    """Move elements outside bounds to the nearer bound; NaN stays.

    Args:
        x: A tensor of numbers.
        min: Lower bound, a number or a tensor of one element; none when None. For an integer x its fraction is cut off.
        max: Upper bound, likewise.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype; elements at a bound still pass their gradient.

    Raises:
        OperatorError: the lower bound is above the upper one.
        OperatorTypeError: x is a bool tensor.
    """
    need_tensor(x, "clip")
    if x.dtype.kind == "b":
        raise OperatorTypeError("clip: expects numbers, got a bool tensor: cast it first")
    plain = not isinstance(min, Tensor) and not isinstance(max, Tensor)
    if plain and min is not None and max is not None and min > max:
        raise OperatorError(f"clip: the lower bound {min} is above the upper bound {max}")
    if plain and min is not None and max is not None and x.dtype in (float16, float32):
        return apply(_clip, x, a_min=float(min), a_max=float(max))  # its bounds are float32 numbers
    for bound, bounded in ((min, maximum), (max, minimum)):
        if bound is not None:
            bound = int(bound) if isinstance(bound, float) and x.dtype.is_integer and np.isfinite(bound) else bound
            x = bounded(x, cast(bound, x.dtype) if isinstance(bound, Tensor) else bound)
    return assign(x) if min is None and max is None else x


def round(x: Tensor, name: Optional[str] = None) -> Tensor:  # noqa: A001 - Paddle's name
    """Round to the nearest integer value, halves away from 0.

    Args:
        x: A tensor of numbers.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    need_tensor(x, "round")
    return apply(_round, x) if x.dtype.is_floating else assign(x)


def frac(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Return what truncation cuts off, with the sign of x.

    Args:
        x: A tensor of numbers.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    need_tensor(x, "frac")
    return subtract(x, trunc(x))


def nan_to_num(
    x: Tensor,
    nan: float = 0.0,
    posinf: Optional[float] = None,
    neginf: Optional[float] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Replace NaN and infinities by finite numbers; no gradient flows through the replaced elements.

    Args:
        x: A tensor of numbers.
        nan: Stands in for NaN.
        posinf: Stands in for infinity; the largest number of the dtype when None.
        neginf: Stands in for minus infinity; the smallest number of the dtype when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    need_tensor(x, "nan_to_num")
    if not x.dtype.is_floating:
        return assign(x)
    largest = _LARGEST.get(x.dtype.name) or float(np.finfo(x.dtype.numpy).max)
    wide = cast(x, float32) if x.dtype.size == 2 else x
    high = largest if posinf is None else float(posinf)
    low = -largest if neginf is None else float(neginf)
    return cast(apply(_replace, wide, nan=float(nan), highest=high, lowest=low), x.dtype)


__all__ = ["clip", "frac", "nan_to_num", "round"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = tuple(__all__)
