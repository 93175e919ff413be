"""Questions about whole tensors: equal, nearly equal, empty."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dtypes import DType, float32
from core.operators._arguments import common_dtype, floating, need_tensor
from core.operators.arithmetic.logic import equal, isfinite, isnan, less_equal, logical_and, logical_or
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import add, multiply, subtract
from core.operators.creation.creation import cast
from core.operators.reductions.reduction import all as all_true
from core.tensor import Tensor


def isclose(
    x: Tensor, y: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: Optional[str] = None
) -> Tensor:
    """Tell where ``abs(x - y) <= atol + rtol * abs(y)``.

    Args:
        x: A tensor of numbers.
        y: A tensor whose shape broadcasts with x's.
        rtol: Allowed difference relative to y.
        atol: Allowed absolute difference.
        equal_nan: Whether two NaN are close.
        name: Unused, as in Paddle.

    Returns:
        A bool tensor of the broadcast shape; equal infinities are close.

    Raises:
        OperatorError: the shapes do not broadcast.
    """
    need_tensor(x, "isclose")
    need_tensor(y, "isclose", "y")
    dtype: DType = floating(common_dtype(x.dtype, y.dtype))
    if dtype.size == 2:  # differences that are to be small against a step of 16 bits
        dtype = float32
    first, second = cast(x, dtype), cast(y, dtype)
    allowed = add(multiply(absolute(second), rtol), atol)
    near = logical_and(less_equal(absolute(subtract(first, second)), allowed), isfinite(second))
    close = logical_or(near, equal(first, second))
    return logical_or(close, logical_and(isnan(first), isnan(second))) if equal_nan else close


def allclose(
    x: Tensor, y: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: Optional[str] = None
) -> Tensor:
    """Tell whether all elements are close; see :func:`isclose`.

    Args:
        x: A tensor of numbers.
        y: A tensor whose shape broadcasts with x's.
        rtol: Allowed difference relative to y.
        atol: Allowed absolute difference.
        equal_nan: Whether two NaN are close.
        name: Unused, as in Paddle.

    Returns:
        A 0-D bool tensor.

    Raises:
        OperatorError: the shapes do not broadcast.
    """
    return all_true(isclose(x, y, rtol, atol, equal_nan))


def equal_all(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Tell whether two tensors have one shape and equal elements.

    Args:
        x: Any tensor.
        y: Any tensor.
        name: Unused, as in Paddle.

    Returns:
        A 0-D bool tensor.

    Raises:
        OperatorTypeError: an argument is no Tensor.
    """
    need_tensor(x, "equal_all")
    need_tensor(y, "equal_all", "y")
    return all_true(equal(x, y)) if x.shape == y.shape else Tensor(False)


def is_empty(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Tell whether a tensor has no elements.

    Args:
        x: Any tensor.
        name: Unused, as in Paddle.

    Returns:
        A 0-D bool tensor.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return Tensor(need_tensor(x, "is_empty").size == 0)


def is_tensor(x: Any) -> bool:
    """Tell whether an object is a Tensor.

    Args:
        x: Anything.

    Returns:
        A Python bool.
    """
    return isinstance(x, Tensor)


__all__ = ["allclose", "equal_all", "is_empty", "is_tensor", "isclose"]
TENSOR_METHODS = tuple(__all__)
