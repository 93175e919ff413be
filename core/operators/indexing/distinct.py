"""Distinct elements: sorted, or in runs, with where they come from and how often they occur."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DTypeLike, bfloat16, float32
from core.operators._arguments import axis_argument, need_tensor
from core.operators.creation.creation import cast
from core.operators.indexing.search import index_dtype
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def _distinct(x: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    values, index, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    return values, index, inverse.reshape(-1), counts


def _runs(x: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    front = np.moveaxis(x, axis, 0)
    rows = front.reshape(front.shape[0], int(np.prod(front.shape[1:])))
    starts = np.r_[True, (rows[1:] != rows[:-1]).any(1)] if len(rows) else np.zeros(0, bool)
    places = np.flatnonzero(starts)
    values = np.moveaxis(front[places], 0, axis)
    return values, np.cumsum(starts) - 1, np.diff(places, append=len(rows))


_unique = HostOperator("unique", _distinct, differentiable=False)
_unique_consecutive = HostOperator("unique_consecutive", _runs, differentiable=False)


def _prepared(x: Any, axis: Optional[int], caller: str) -> tuple[Tensor, int]:
    x = need_tensor(x, caller).detach()
    if x.dtype is bfloat16:
        x = cast(x, float32)
    if axis is None or x.ndim == 0:
        return reshape_exact(x, [x.size]), 0
    return x, axis_argument(axis, x.ndim, caller)


def unique(
    x: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Optional[int] = None,
    dtype: DTypeLike = "int64",
    name: Optional[str] = None,
) -> Any:
    """Find the distinct elements (or slices along an axis), sorted.

    Args:
        x: Any tensor.
        return_index: Also return where each first occurs.
        return_inverse: Also return, for each element of x, the number of its distinct value.
        return_counts: Also return how often each occurs.
        axis: Compare slices along this axis; None compares the elements of the flattened tensor.
        dtype: Type of the indices and counts, int32 or int64.
        name: Unused, as in Paddle.

    Returns:
        The distinct values, or a tuple that begins with them and goes on with what was asked for.

    Raises:
        OperatorIndexError: the axis does not exist.
        OperatorTypeError: the dtype is not an index type.
    """
    wanted = index_dtype(dtype, "unique")
    kind = need_tensor(x, "unique").dtype
    flat, place = _prepared(x, axis, "unique")
    values, index, inverse, counts = apply(_unique, flat, axis=place)
    chosen = [(index, return_index), (inverse, return_inverse), (counts, return_counts)]
    extra = [cast(tensor, wanted) for tensor, asked in chosen if asked]
    return (cast(values, kind), *extra) if extra else cast(values, kind)


def unique_consecutive(
    x: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Optional[int] = None,
    dtype: DTypeLike = "int64",
    name: Optional[str] = None,
) -> Any:
    """Drop elements (or slices along an axis) that equal their predecessor.

    Args:
        x: Any tensor.
        return_inverse: Also return, for each element of x, the number of its run.
        return_counts: Also return the length of each run.
        axis: Compare slices along this axis; None compares the elements of the flattened tensor.
        dtype: Type of the indices and counts, int32 or int64.
        name: Unused, as in Paddle.

    Returns:
        The first element of each run, or a tuple that begins with them and goes on with what was asked for.

    Raises:
        OperatorIndexError: the axis does not exist.
        OperatorTypeError: the dtype is not an index type.
    """
    wanted = index_dtype(dtype, "unique_consecutive")
    kind = need_tensor(x, "unique_consecutive").dtype
    flat, place = _prepared(x, axis, "unique_consecutive")
    values, inverse, counts = apply(_unique_consecutive, flat, axis=place)
    extra = [cast(tensor, wanted) for tensor, asked in ((inverse, return_inverse), (counts, return_counts)) if asked]
    return (cast(values, kind), *extra) if extra else cast(values, kind)


__all__ = ["unique", "unique_consecutive"]
TENSOR_METHODS = tuple(__all__)
