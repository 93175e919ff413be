"""Searching and sorting: where the extremes are, in which order elements stand, where a number belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.door import Meta
from core.kernels.dtypes import DType, DTypeLike, bfloat16, bool_, float16, float32, int32, int64, to_dtype, uint8
from core.kernels.errors import OperatorError, OperatorTypeError
from core.kernels.operator import HostOperator
from core.operators.arguments import IntOrTensor, as_tensor, axis_argument, need_tensor
from core.operators.creation import cast
from core.operators.gathering import take_along_axis
from core.operators.joining import cut
from core.operators.manipulation import reshape_exact, squeeze
from core.tensor import Tensor, apply


def _extreme(x: np.ndarray, axis: int, largest: bool) -> np.ndarray:
    return np.asarray(x.argmax(axis) if largest else x.argmin(axis))


def _order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    from core.kernels import topk  # numba loads with the first use

    return topk.sorted_indices(x, axis, descending)


def _top(x: np.ndarray, k: int, largest: bool) -> np.ndarray:
    from core.kernels import topk

    rows = x.reshape(-1, x.shape[-1])
    return topk.top_indices(rows, k, largest).reshape(*x.shape[:-1], k)


def _place(edges: np.ndarray, values: np.ndarray, right: bool) -> np.ndarray:
    side = "right" if right else "left"
    if edges.ndim == 1:
        return np.asarray(np.searchsorted(edges, values, side))
    flat, wanted = edges.reshape(-1, edges.shape[-1]), values.reshape(-1, values.shape[-1])
    found = [np.searchsorted(row, row_values, side) for row, row_values in zip(flat, wanted)]
    return np.array(found, np.int64).reshape(values.shape)


def _mode(x: np.ndarray) -> np.ndarray:
    """Return the index of the last of the most frequent elements (the smallest of several) of each row."""
    rows = x.reshape(-1, x.shape[-1])
    result = np.empty(rows.shape[0], np.int64)
    for i, row in enumerate(rows):
        order = np.argsort(row, kind="stable")
        ordered = row[order]
        ends = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
        result[i] = order[ends[np.argmax(np.diff(ends, prepend=-1))]]
    return result.reshape(x.shape[:-1])


def _without_axis(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, axis = metas[0][0], options["axis"]
    return [((*shape[:axis], *shape[axis + 1 :]), int64)]


_arg_extreme = HostOperator("arg_extreme", _extreme, infer=_without_axis, differentiable=False)
_argsort = HostOperator("argsort", _order, infer=lambda metas, _: [(metas[0][0], int64)], differentiable=False)
_topk = HostOperator(
    "topk", _top, infer=lambda metas, options: [((*metas[0][0][:-1], options["k"]), int64)], differentiable=False
)
_searchsorted = HostOperator("searchsorted", _place, infer=lambda metas, _: [(metas[1][0], int64)], differentiable=False)
_last_mode = HostOperator("mode", _mode, infer=lambda metas, _: [(metas[0][0][:-1], int64)], differentiable=False)


def _comparable(x: Tensor) -> Tensor:
    """Return the tensor in a type that numpy and numba can compare."""
    if x.dtype in (bfloat16, float16):
        return cast(x, float32)
    return cast(x, uint8) if x.dtype is bool_ else x


def _index_dtype(dtype: DTypeLike, caller: str) -> DType:
    wanted = to_dtype(dtype) if dtype is not None else None
    if wanted not in (int32, int64):
        raise OperatorTypeError(f"{caller}: dtype must be int32 or int64, got {dtype!r}")
    return wanted  # type: ignore[return-value]


def _argument_of_extreme(x: Tensor, axis: Any, keepdim: bool, dtype: DTypeLike, largest: bool, caller: str) -> Tensor:
    wanted = _index_dtype(dtype, caller)
    shape = need_tensor(x, caller).shape
    place = axis_argument(axis, len(shape), caller) if axis is not None else 0
    if axis is None or not shape:
        x = reshape_exact(x, [x.size])
    if x.shape[place] == 0:
        raise OperatorError(f"{caller}: there is no element along axis {place} of {shape} to choose from")
    found = cast(apply(_arg_extreme, _comparable(x), axis=place, largest=largest), wanted)
    if keepdim:
        found = reshape_exact(found, [1 if axis is None or i == place else size for i, size in enumerate(shape)])
    return found


def argmax(
    x: Tensor, axis: Optional[int] = None, keepdim: bool = False, dtype: DTypeLike = "int64", name: Optional[str] = None
) -> Tensor:
    """Find the index of the largest element; the first of several; the first NaN if there is one.

    Args:
        x: Any tensor with elements.
        axis: The axis to search along; None searches the flattened tensor.
        keepdim: Keep the axis (all axes for None) with size 1.
        dtype: int32 or int64.
        name: Unused, as in Paddle.

    Returns:
        Indices; 0-D for axis None.

    Raises:
        OperatorError: there is no element to choose from.
        OperatorIndexError: the axis does not exist.
    """
    return _argument_of_extreme(x, axis, keepdim, dtype, True, "argmax")


def argmin(
    x: Tensor, axis: Optional[int] = None, keepdim: bool = False, dtype: DTypeLike = "int64", name: Optional[str] = None
) -> Tensor:
    """Find the index of the smallest element; see :func:`argmax`."""
    return _argument_of_extreme(x, axis, keepdim, dtype, False, "argmin")


def argsort(x: Tensor, axis: int = -1, descending: bool = False, name: Optional[str] = None) -> Tensor:
    """Find the order that sorts the elements along an axis; equal ones keep their order, NaN counts as the largest.

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
    x = _comparable(x) if shape else reshape_exact(_comparable(x), [1])
    return reshape_exact(apply(_argsort, x, axis=place, descending=bool(descending)), shape)


def sort(x: Tensor, axis: int = -1, descending: bool = False, name: Optional[str] = None) -> Tensor:
    """Sort the elements along an axis; gradients flow back to where they stood. See :func:`argsort`.

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
        sorted: Unused: the result is always in order.
        name: Unused, as in Paddle.

    Returns:
        The elements and their int64 indices, with size k along the axis. Of equal elements the first ones are taken.

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
    if place == len(shape) - 1:
        indices = apply(_topk, _comparable(x.detach()), k=count, largest=bool(largest))
    else:
        from core.operators.arrangement import swapaxes

        turned = swapaxes(_comparable(x.detach()), place, -1)
        indices = swapaxes(apply(_topk, turned, k=count, largest=bool(largest)), place, -1)
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
    indices = cut(argsort(x, place), place, int(k) - 1, int(k))
    values = take_along_axis(x, indices, place, False)
    return (values, indices) if keepdim else (squeeze(values, place), squeeze(indices, place))


def mode(x: Tensor, axis: int = -1, keepdim: bool = False, name: Optional[str] = None) -> tuple[Tensor, Tensor]:
    """Find the most frequent element along an axis, the smallest of several.

    Args:
        x: Any tensor.
        axis: The axis.
        keepdim: Keep the axis with size 1.
        name: Unused, as in Paddle.

    Returns:
        The elements and the int64 indices of their last occurrence.

    Raises:
        OperatorError: there is no element along the axis.
        OperatorIndexError: the axis does not exist.
    """
    from core.operators.arrangement import swapaxes

    shape = need_tensor(x, "mode").shape
    place = axis_argument(axis, len(shape), "mode")
    if not shape:
        return reshape_exact(x, []), Tensor(0, dtype=int64)
    if shape[place] == 0:
        raise OperatorError(f"mode: there is no element along axis {place} of {shape}")
    turned = swapaxes(_comparable(x.detach()), place, -1)
    found = reshape_exact(apply(_last_mode, turned), [*turned.shape[:-1], 1])
    indices = swapaxes(found, place, -1)
    values = take_along_axis(x, indices, place, False)
    return (values, indices) if keepdim else (squeeze(values, place), squeeze(indices, place))


def searchsorted(
    sorted_sequence: Tensor, values: Any, out_int32: bool = False, right: bool = False, name: Optional[str] = None
) -> Tensor:
    """Find where numbers belong in sorted rows.

    Args:
        sorted_sequence: Rising numbers of shape [..., n], or [n] for all values.
        values: Numbers of shape [..., m].
        out_int32: Return int32 instead of int64.
        right: The place behind equal elements instead of before them.
        name: Unused, as in Paddle.

    Returns:
        Indices from 0 to n, of the values' shape.

    Raises:
        OperatorError: the leading axes differ.
    """
    edges, wanted = need_tensor(sorted_sequence, "searchsorted", "sorted_sequence"), as_tensor(values, "searchsorted")
    if edges.ndim == 0 or edges.ndim > 1 and edges.shape[:-1] != wanted.shape[:-1]:
        raise OperatorError(f"searchsorted: rows of shape {edges.shape} do not match values of shape {wanted.shape}")
    found = apply(_searchsorted, _comparable(edges.detach()), _comparable(wanted.detach()), right=bool(right))
    return cast(found, int32) if out_int32 else found  # type: ignore[no-any-return]


def bucketize(
    x: Any, sorted_sequence: Tensor, out_int32: bool = False, right: bool = False, name: Optional[str] = None
) -> Tensor:
    """Find the bucket of each element between rising borders; see :func:`searchsorted`.

    Args:
        x: Numbers of any shape.
        sorted_sequence: Rising borders of shape [n].
        out_int32: Return int32 instead of int64.
        right: A number equal to a border belongs to the bucket behind it.
        name: Unused, as in Paddle.

    Returns:
        Bucket numbers from 0 to n, of x's shape.

    Raises:
        OperatorError: the borders are not 1-D.
    """
    if need_tensor(sorted_sequence, "bucketize", "sorted_sequence").ndim != 1:
        raise OperatorError(f"bucketize: sorted_sequence must be 1-D, got shape {sorted_sequence.shape}")
    return searchsorted(sorted_sequence, x, out_int32, right)


__all__ = ["argmax", "argmin", "argsort", "bucketize", "kthvalue", "mode", "msort", "searchsorted", "sort", "topk"]
TENSOR_METHODS = ("argmax", "argmin", "argsort", "bucketize", "kthvalue", "mode", "sort", "topk")
