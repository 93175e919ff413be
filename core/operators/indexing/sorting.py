"""Sorting: the order of elements, the k first of them, the k-th one."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int64
from core.operators._arguments import IntOrTensor, axis_argument, need_tensor
from core.operators.indexing.gathering import take_along_axis
from core.operators.indexing.search import comparable
from core.operators.indexing.slicing import cut
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.arrangement import swapaxes
from core.operators.shape.manipulation import squeeze
from core.tensor import Tensor, apply


def _order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    from core.kernels.numeric import topk  # numba loads with the first use

    return topk.sorted_indices(x, axis, descending)


def _top(x: np.ndarray, k: int, largest: bool, in_order: bool = True) -> np.ndarray:
    from core.kernels.numeric import topk  # numba loads with the first use

    rows = x.reshape(-1, x.shape[-1])
    return topk.top_indices(rows, k, largest, in_order).reshape(*x.shape[:-1], k)


_argsort = HostOperator("argsort", _order, infer=lambda metas, _: [(metas[0][0], int64)], differentiable=False)
_topk = HostOperator(
    "topk", _top, infer=lambda metas, options: [((*metas[0][0][:-1], options["k"]), int64)], differentiable=False
)


def argsort(x: Tensor, axis: int = -1, descending: bool = False, name: Optional[str] = None) -> Tensor:
    """Find the order that sorts the elements along an axis; NaN counts as the largest.

    Equal elements stand as in Paddle, whose sorting keeps their order along axes of up to 16 elements.

    Args:
        x: Any tensor.
        axis: The axis.
        descending: Whether the largest come first.
        name: Unused, as in Paddle.

    Returns:
        int64 indices of x's shape.

    Raises:
        OperatorIndexError: the axis does not exist.
    """
    shape = need_tensor(x, "argsort").shape
    place = axis_argument(axis, len(shape), "argsort")
    x = comparable(x) if shape else reshape_exact(comparable(x), [1])
    return reshape_exact(apply(_argsort, x, axis=place, descending=bool(descending)), shape)


def sort(x: Tensor, axis: int = -1, descending: bool = False, name: Optional[str] = None) -> Tensor:
    """Sort the elements along an axis; gradients flow back to where they were. See :func:`argsort`.

    Args:
        x: Any tensor.
        axis: The axis.
        descending: Whether the largest come first.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: the axis does not exist.
    """
    order = argsort(x, axis, descending)
    return take_along_axis(x, order, axis, False) if x.ndim else reshape_exact(x, [])


def msort(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Sort along the first axis; see :func:`sort`."""
    return sort(x, 0)


def topk(
    x: Tensor,
    k: IntOrTensor,
    axis: Optional[int] = None,
    largest: bool = True,
    sorted: bool = True,  # noqa: A002 - Paddle's name
    name: Optional[str] = None,
) -> tuple[Tensor, Tensor]:
    """Find the k largest elements along an axis, in falling order; NaN counts as the largest.

    Args:
        x: Any tensor.
        k: How many, from 1 to the axis's size.
        axis: The axis; the last one when None.
        largest: False finds the smallest, in rising order.
        sorted: False: the result need not be in order.
        name: Unused, as in Paddle.

    Returns:
        The elements and their int64 indices, with size k along the axis. Of equal elements those are taken, in that
        order, which Paddle takes.

    Raises:
        OperatorError: k is out of range.
        OperatorIndexError: the axis does not exist.
    """
    shape = need_tensor(x, "topk").shape
    place = axis_argument(-1 if axis is None else axis, len(shape), "topk")
    count = int(k.item()) if isinstance(k, Tensor) else int(k)
    size = shape[place] if shape else 1
    if not 1 <= count <= size:
        raise OperatorError(f"topk: k must be between 1 and the axis's size {size}, got {count}")
    if not shape:
        return reshape_exact(x, []), Tensor(0, dtype=int64)
    indices = _tops(x, place, count, bool(largest), sorted)
    return take_along_axis(x, indices, place, False), indices


def kthvalue(
    x: Tensor, k: int, axis: Optional[int] = None, keepdim: bool = False, name: Optional[str] = None
) -> tuple[Tensor, Tensor]:
    """Find the k-th smallest element along an axis.

    Args:
        x: Any tensor.
        k: Which one, from 1 to the axis's size.
        axis: The axis; the last one when None.
        keepdim: Keep the axis with size 1.
        name: Unused, as in Paddle.

    Returns:
        The elements and their int64 indices.

    Raises:
        OperatorError: k is out of range.
        OperatorIndexError: the axis does not exist.
    """
    shape = need_tensor(x, "kthvalue").shape
    place = axis_argument(-1 if axis is None else axis, len(shape), "kthvalue")
    size = shape[place] if shape else 1
    if not 1 <= int(k) <= size:
        raise OperatorError(f"kthvalue: k must be between 1 and the axis's size {size}, got {k}")
    if not shape:
        return reshape_exact(x, []), Tensor(0, dtype=int64)
    indices = cut(_tops(x, place, int(k), False, False), place, int(k) - 1, int(k))
    values = take_along_axis(x, indices, place, False)
    return (values, indices) if keepdim else (squeeze(values, place), squeeze(indices, place))


def _tops(x: Tensor, axis: int, k: int, largest: bool, in_order: bool) -> Tensor:
    """Return the indices of the k largest (or smallest) elements along an axis."""
    options = {"k": k, "largest": largest, **({} if in_order else {"in_order": False})}
    if axis == x.ndim - 1:
        return apply(_topk, comparable(x.detach()), **options)
    return swapaxes(apply(_topk, swapaxes(comparable(x.detach()), axis, -1), **options), axis, -1)


__all__ = ["argsort", "kthvalue", "msort", "sort", "topk"]
TENSOR_METHODS = ("argsort", "kthvalue", "sort", "topk")
