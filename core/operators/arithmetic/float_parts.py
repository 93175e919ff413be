"""Parts and neighbours of floating-point numbers, and tables made from one vector."""

from __future__ import annotations

import itertools
import math
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DTypeLike, float32, float64, to_dtype
from core.operators._arguments import Scalar, broadcast_shape, floating, need_tensor
from core.operators.arithmetic.math import add, operand_pair, pow
from core.operators.arithmetic.special import lgamma
from core.operators.creation.creation import arange, cast, full, linspace
from core.operators.indexing.gathering import index_select
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply, default_dtype

_nextafter = HostOperator(
    "nextafter", lambda x, y: np.nextafter(x, y), infer=lambda metas, options: [metas[0]], differentiable=False
)
_exponents = HostOperator(
    "exponents",
    lambda x: np.frexp(x)[1].astype(x.dtype),
    infer=lambda metas, options: [metas[0]],
    differentiable=False,
)


def nextafter(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Return the next number after x towards y.

    Args:
        x: A float32 or float64 tensor.
        y: A tensor whose shape broadcasts with x's.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        OperatorError: the shapes do not broadcast.
        OperatorTypeError: the tensors are 16-bit.
    """
    first, second = operand_pair(x, y, "nextafter")
    dtype = floating(first.dtype)
    if dtype.size == 2:
        raise OperatorTypeError(f"nextafter: x must be float32 or float64, got {dtype.name}: cast it to float32")
    shape = broadcast_shape(first.shape, second.shape)
    return apply(_nextafter, broadcast_to(cast(first, dtype), shape), broadcast_to(cast(second, dtype), shape))


def frexp(x: Tensor, name: Optional[str] = None) -> tuple[Tensor, Tensor]:
    """Split numbers into a mantissa within [0.5, 1) and a power of 2.

    Args:
        x: A floating-point tensor.
        name: Unused, as in Paddle.

    Returns:
        Mantissas and exponents, two tensors of x's shape and dtype with ``x == mantissa * 2 ** exponent``.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    x = cast(need_tensor(x, "frexp"), floating(x.dtype))
    wide = cast(x, float32) if x.dtype.size == 2 else x
    exponent = apply(_exponents, wide.detach())
    half = pow(2.0, -exponent * 0.5)  # in two steps: 2 to the power -exponent may overflow
    return cast(wide * half * half, x.dtype), cast(exponent, x.dtype)


def vander(x: Tensor, n: Optional[int] = None, increasing: bool = False, name: Optional[str] = None) -> Tensor:
    """Build the Vandermonde matrix: each column is a power of x.

    Args:
        x: A tensor of one axis.
        n: How many columns; as many as x has elements when None.
        increasing: Whether the powers rise from left to right.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [elements, n].

    Raises:
        OperatorError: x has another number of axes, or n is negative.
    """
    if need_tensor(x, "vander").ndim != 1 or (n is not None and n < 0):
        raise OperatorError(f"vander: wants one axis and n of at least 0, got shape {x.shape} and n={n}")
    count = x.shape[0] if n is None else int(n)
    powers = arange(count) if increasing else arange(count - 1, -1, -1)
    return pow(reshape_exact(x, [x.shape[0], 1]), cast(powers, x.dtype))


def combinations(x: Tensor, r: int = 2, with_replacement: bool = False, name: Optional[str] = None) -> Tensor:
    """List all choices of r elements, in order.

    Args:
        x: A tensor of one axis.
        r: How many to choose, at least 0.
        with_replacement: Whether an element may be chosen again.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [choices, r].

    Raises:
        OperatorError: x has another number of axes, or r is negative.
    """
    if need_tensor(x, "combinations").ndim != 1 or r < 0:
        raise OperatorError(f"combinations: wants one axis and r of at least 0, got shape {x.shape} and r={r}")
    choose: Any = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = np.array(list(choose(range(x.shape[0]), r)), np.int64).reshape(-1, r)
    if not chosen.size:
        return full([*chosen.shape] if r else [0], 0, x.dtype)
    return reshape_exact(index_select(x, Tensor(chosen.ravel())), chosen.shape)


def multigammaln(x: Tensor, p: int, name: Optional[str] = None) -> Tensor:
    """Compute the logarithm of the multivariate gamma function.

    Args:
        x: A tensor, every element above (p - 1) / 2.
        p: The dimension, at least 1.
        name: Unused, as in Paddle.

    Returns:
        A floating-point tensor of x's shape.

    Raises:
        OperatorError: the dimension is below 1.
    """
    if p < 1:
        raise OperatorError(f"multigammaln: the dimension p must be at least 1, got {p}")
    x = cast(need_tensor(x, "multigammaln"), floating(x.dtype))
    steps = cast(arange(p), x.dtype) * -0.5
    terms = lgamma(add(reshape_exact(x, [*x.shape, 1]), steps))
    return add(reduce_sum(terms, axis=-1), p * (p - 1) / 4 * math.log(math.pi))


def logspace(
    start: Union[Scalar, Tensor],
    stop: Union[Scalar, Tensor],
    num: Union[int, Tensor],
    base: Union[Scalar, Tensor] = 10.0,
    dtype: DTypeLike = None,
    name: Optional[str] = None,
) -> Tensor:
    """Make powers of a base whose exponents are equally spaced from start to stop, both included.

    Args:
        start: First exponent.
        stop: Last exponent.
        num: How many, at least 1.
        base: The base.
        dtype: Element type; the default float type when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [num].

    Raises:
        OperatorError: num is below 1.
    """
    wanted = default_dtype() if dtype is None else to_dtype(dtype)
    base = base.item() if isinstance(base, Tensor) else base
    return cast(pow(full([], base, float64), linspace(start, stop, num, float64)), wanted)


__all__ = ["combinations", "frexp", "logspace", "multigammaln", "nextafter", "vander"]
TENSOR_METHODS = ("combinations", "frexp", "multigammaln", "nextafter", "vander")
IN_PLACE_METHODS = ("multigammaln",)
