"""Norms and distances of vectors and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import float32
from core.operators._arguments import AxisLike, axes_argument, floating, need_tensor
from core.operators.arithmetic.logic import equal, not_equal
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import add, multiply, pow, sqrt, square, subtract
from core.operators.creation.creation import cast
from core.operators.reductions.reduction import max as largest
from core.operators.reductions.reduction import min as smallest
from core.operators.reductions.reduction import sum as reduce_sum
from core.tensor import Tensor

INFINITY = float("inf")


def norm(
    x: Tensor, p: Union[float, str] = "fro", axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None
) -> Tensor:
    """Compute the p-norm along axes: the p-th root of the sum of absolute values to the power p.

    Args:
        x: A tensor; integers are converted to the default float type.
        p: A number, infinity and minus infinity included, 0 for the count of elements that are not 0, or ``fro`` for 2.
        axis: One axis, a list of one or two, or None for all elements.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The norms; 0-D when everything is reduced. The gradient at the zero vector is 0.

    Raises:
        OperatorError: p is another text, or there are more than two axes, or two for p = 0.
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "norm")
    if isinstance(p, str) and p != "fro":
        raise OperatorError(f"norm: p must be a number or 'fro', got {p!r}")
    if isinstance(axis, (list, tuple)) and len(axis) > 2:
        raise OperatorError(f"norm: expects at most two axes, got {list(axis)}")
    if p == 0 and isinstance(axis, (list, tuple)) and len(axis) == 2:
        raise OperatorError("norm: p = 0 is not defined for two axes: give one axis, or None")
    axes = axes_argument(axis, x.ndim, "norm")
    dtype = floating(x.dtype)
    wide = cast(x, dtype if dtype.size > 2 else float32)
    return cast(_norm(wide, 2.0 if isinstance(p, str) else float(p), axes, keepdim), dtype)


def _norm(x: Tensor, p: float, axes: Sequence[int], keepdim: bool) -> Tensor:
    if p == INFINITY:
        return largest(absolute(x), axes, keepdim)
    if p == -INFINITY:
        return smallest(absolute(x), axes, keepdim)
    if p == 0:
        return reduce_sum(cast(not_equal(x, 0), x.dtype), axes, keepdim=keepdim)
    if p == 1:
        return reduce_sum(absolute(x), axes, keepdim=keepdim)
    if p == 2:
        return _root(reduce_sum(square(x), axes, keepdim=keepdim), 2.0)
    if p < 0:
        return pow(reduce_sum(pow(absolute(x), p), axes, keepdim=keepdim), 1.0 / p)
    return _root(reduce_sum(pow(absolute(x), p), axes, keepdim=keepdim), p)


def _root(total: Tensor, p: float) -> Tensor:
    """Return the p-th root with derivative 0 at 0, where the true one is infinite and would spoil the gradient."""
    zero = cast(equal(total, 0), total.dtype)
    safe = add(total, zero)
    root = sqrt(safe) if p == 2 else pow(safe, 1.0 / p)
    return multiply(root, subtract(1.0, zero))


def dist(x: Tensor, y: Tensor, p: float = 2, name: Optional[str] = None) -> Tensor:
    """Compute the p-norm of the difference of two tensors.

    Args:
        x: A tensor.
        y: A tensor whose shape broadcasts with x's.
        p: As for :func:`norm`.
        name: Unused, as in Paddle.

    Returns:
        A 0-D tensor.

    Raises:
        OperatorError: the shapes do not broadcast.
    """
    need_tensor(x, "dist")
    return norm(subtract(x, need_tensor(y, "dist", "y")), float(p))


def renorm(x: Tensor, p: float, axis: int, max_norm: float) -> Tensor:
    """Scale down every slice along an axis whose p-norm is above a bound.

    Args:
        x: A floating-point tensor of at least 2 axes.
        p: The norm's exponent, above 0.
        axis: The axis that counts the slices.
        max_norm: The bound.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: there are fewer than 2 axes.
        OperatorIndexError: the axis does not exist.
    """
    if need_tensor(x, "renorm").ndim < 2:
        raise OperatorError(f"renorm: expects at least 2 axes, got shape {x.shape}")
    kept = axes_argument(axis, x.ndim, "renorm")
    length = _norm(x, float(p), [i for i in range(x.ndim) if i not in kept], True)
    above = cast(length > max_norm, x.dtype)
    factor: Any = above * (max_norm / (length + 1e-7)) + (1.0 - above)
    return multiply(x, factor)


__all__ = ["dist", "norm", "renorm"]
IN_PLACE_METHODS = ("renorm",)
TENSOR_METHODS = tuple(__all__)
