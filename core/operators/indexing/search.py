"""Searching: where the extremes are, what is frequent, where a number belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DType, DTypeLike, bfloat16, bool_, float16, float32, int32, int64, to_dtype, uint8
from core.operators._arguments import as_tensor, axis_argument, need_tensor
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import take_along_axis
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.arrangement import swapaxes
from core.operators.shape.manipulation import squeeze
from core.tensor import Tensor, apply


def _extreme(x: np.ndarray, axis: int, largest: bool) -> np.ndarray:
    return np.asarray(x.argmax(axis) if largest else x.argmin(axis))


def _place(edges: np.ndarray, values: np.ndarray, right: bool) -> np.ndarray:
    side: Any = "right" if right else "left"
    if edges.ndim == 1:
        return np.asarray(np.searchsorted(edges, values, side))
    flat, wanted = edges.reshape(-1, edges.shape[-1]), values.reshape(-1, values.shape[-1])
    found = [np.searchsorted(row, row_values, side) for row, row_values in zip(flat, wanted)]
    return np.array(found, np.int64).reshape(values.shape)


def _mode(x: np.ndarray) -> np.ndarray:
    """Return the index of the last of the most frequent elements (the smallest of several) of each row."""
    from core.kernels.numeric.topk import sorted_indices  # numba loads with the first use

    rows = x.reshape(-1, x.shape[-1])
    result = np.empty(rows.shape[0], np.int64)
    for i, (row, order) in enumerate(zip(rows, sorted_indices(rows, -1, False))):
        ordered = row[order]
        ends = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
        result[i] = order[ends[np.argmax(np.diff(ends, prepend=-1))]]
    return result.reshape(x.shape[:-1])


def _without_axis(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, axis = metas[0][0], options["axis"]
    return [((*shape[:axis], *shape[axis + 1 :]), int64)]


_arg_extreme = HostOperator("arg_extreme", _extreme, infer=_without_axis, differentiable=False)
_searchsorted = HostOperator(
    "searchsorted", _place, infer=lambda metas, _: [(metas[1][0], int64)], differentiable=False
)
_last_mode = HostOperator("mode", _mode, infer=lambda metas, _: [(metas[0][0][:-1], int64)], differentiable=False)


def comparable(x: Tensor) -> Tensor:
    """Return the tensor in a type that numpy and numba can compare."""
    if x.dtype in (bfloat16, float16):
        return cast(x, float32)
    return cast(x, uint8) if x.dtype is bool_ else x


def index_dtype(dtype: DTypeLike, caller: str) -> DType:
    """Return int32 or int64.

    Raises:
        OperatorTypeError: another type is asked for.
    """
    wanted = to_dtype(dtype) if dtype is not None else None
    if wanted not in (int32, int64):
        raise OperatorTypeError(f"{caller}: dtype must be int32 or int64, got {dtype!r}")
    return wanted


def _argument_of_extreme(x: Tensor, axis: Any, keepdim: bool, dtype: DTypeLike, largest: bool, caller: str) -> Tensor:
    wanted = index_dtype(dtype, caller)
    shape = need_tensor(x, caller).shape
    place = axis_argument(axis, len(shape), caller) if axis is not None else 0
    if axis is None or not shape:
        x = reshape_exact(x, [x.size])
    if x.shape[place] == 0:
        raise OperatorError(f"{caller}: there is no element along axis {place} of {shape} to choose from")
    found = cast(apply(_arg_extreme, comparable(x), axis=place, largest=largest), wanted)
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
    shape = need_tensor(x, "mode").shape
    place = axis_argument(axis, len(shape), "mode")
    if not shape:
        return reshape_exact(x, []), Tensor(0, dtype=int64)
    if shape[place] == 0:
        raise OperatorError(f"mode: there is no element along axis {place} of {shape}")
    turned = swapaxes(comparable(x.detach()), place, -1)
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
    found = apply(_searchsorted, comparable(edges.detach()), comparable(wanted.detach()), right=bool(right))
    return cast(found, int32) if out_int32 else found


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


__all__ = ["argmax", "argmin", "bucketize", "mode", "searchsorted"]
TENSOR_METHODS = ("argmax", "argmin", "bucketize", "mode")
