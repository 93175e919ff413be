"""Tensors made by a rule: spaced logarithmically, powers of a vector, combinations of its elements."""

from __future__ import annotations

import itertools
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DTypeLike, float64, to_dtype
from core.operators._arguments import Scalar, need_tensor
from core.operators.arithmetic.math import pow
from core.operators.creation.creation import arange, cast, full, linspace
from core.operators.indexing.gathering import index_select
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, default_dtype


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
        raise OperatorError(f"vander: expects one axis and n of at least 0, got shape {x.shape} and n={n}")
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
        raise OperatorError(f"combinations: expects one axis and r of at least 0, got shape {x.shape} and r={r}")
    choose: Any = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = np.array(list(choose(range(x.shape[0]), r)), np.int64).reshape(-1, r)
    if not chosen.size:
        return full([*chosen.shape] if r else [0], 0, x.dtype)
    return reshape_exact(index_select(x, Tensor(chosen.ravel())), chosen.shape)


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


__all__ = ["combinations", "logspace", "vander"]
TENSOR_METHODS = ("combinations", "vander")
