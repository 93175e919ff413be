"""Softmax, its logarithm, and sampling from it."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import DTypeLike, float16
from core.operators._arguments import axis_argument
from core.operators._methods import in_place
from core.operators.arithmetic.math import log
from core.operators.creation.creation import assign, cast
from core.operators.creation.random import uniform
from core.operators.indexing.masking import one_hot
from core.operators.indexing.search import argmax
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.arrangement import moveaxis
from core.tensor import Tensor, apply

_softmax = Operator("softmax", "_npx_softmax", lacks=(float16,))  # adds up in 16 bits there
_log_softmax = Operator("log_softmax", "_npx_log_softmax", lacks=(float16,))


def softmax(x: Tensor, axis: int = -1, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Turn scores into probabilities along an axis: exp(x) over its sum.

    Args:
        x: Scores, floating-point.
        axis: The axis that sums to 1.
        dtype: Convert to this type first.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: x has no such axis.
        OperatorTypeError: x is no floating-point Tensor.
    """
    return _along_axis(_softmax, x, axis, dtype, "softmax")


def softmax_(x: Tensor, axis: int = -1, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Compute :func:`softmax` and move x to the result."""
    return in_place(x, softmax(x, axis, dtype), "softmax_")


def log_softmax(x: Tensor, axis: int = -1, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Compute the logarithm of :func:`softmax`, exactly for large scores.

    Args:
        x: Scores, floating-point.
        axis: The axis whose probabilities sum to 1.
        dtype: Convert to this type first.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: x has no such axis.
        OperatorTypeError: x is no floating-point Tensor.
    """
    return _along_axis(_log_softmax, x, axis, dtype, "log_softmax")


def _along_axis(operator: Operator, x: Any, axis: int, dtype: DTypeLike, caller: str) -> Tensor:
    if dtype is not None and isinstance(x, Tensor):
        x = cast(x, dtype)
    shape = floating_tensor(x, caller).shape
    place = axis_argument(axis, len(shape), caller)
    if not shape:
        return reshape_exact(apply(operator, reshape_exact(x, [1]), axis=0), [])
    if 0 in shape:
        return assign(x)
    return apply(operator, x, axis=place)


def gumbel_softmax(
    x: Tensor, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: Optional[str] = None
) -> Tensor:
    """Draw from the distribution softmax(x), differentiably (https://arxiv.org/abs/1611.01144).

    Args:
        x: Scores, floating-point, at least 1-D.
        temperature: Above 0; low values give nearly one-hot draws.
        hard: Return one-hot draws whose gradient is that of the soft ones.
        axis: The axis of categories.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: the temperature is not positive.
    """
    floating_tensor(x, "gumbel_softmax")
    if temperature <= 0:
        raise OperatorError(f"gumbel_softmax: the temperature must be above 0, got {temperature}")
    place = axis_argument(axis, x.ndim, "gumbel_softmax")
    draws = uniform(x.shape, dtype=x.dtype, min=1e-20, max=1.0)
    soft = softmax((x - log(-log(draws) + 1e-20)) * (1.0 / temperature), place)
    if not hard:
        return soft
    chosen = cast(one_hot(argmax(soft, place), x.shape[place]), x.dtype)
    chosen = moveaxis(chosen, -1, place)
    return chosen - soft.detach() + soft


__all__ = ["gumbel_softmax", "log_softmax", "softmax", "softmax_"]
