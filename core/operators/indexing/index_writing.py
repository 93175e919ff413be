"""Writing along axes: elements and slices at positions given by index tensors, one axis or several at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import int64
from core.operators._arguments import Scalar, as_tensor, axis_argument, broadcast_shape, need_tensor
from core.operators.creation._constants import positions
from core.operators.creation.creation import cast, filled
from core.operators.graphs.segment import reduce_edges
from core.operators.indexing.gathering import along_axis_position, check_range, index_argument, linear_index, take_rows
from core.operators.indexing.masking import nonzero_columns, where
from core.operators.indexing.scattering import add_rows, set_rows
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.arrangement import moveaxis
from core.operators.shape.joining import concat
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor


def _index_of_axis(x: Tensor, index: Tensor, axis: int, caller: str) -> tuple[Tensor, int]:
    place = axis_argument(axis, need_tensor(x, caller).ndim, caller)
    index = index_argument(index, caller)
    if index.ndim != 1 or x.ndim == 0:
        raise OperatorError(f"{caller}: index must be 1-D and x at least 1-D, got {index.shape} and {x.shape}")
    size = x.shape[place]
    check_range(index, size, caller, negative=True)
    return linear_index([index], [size]), place


def index_add(x: Tensor, index: Tensor, axis: int, value: Tensor, name: Optional[str] = None) -> Tensor:
    """Add slices to x along an axis; repeated indices add up.

    Args:
        x: A tensor of at least one axis.
        index: int32 or int64 of shape [n]; negative ones count from the end.
        axis: The axis that the index addresses.
        value: x's shape with n along the axis (sizes broadcast).
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: an index or the axis does not exist.
        OperatorError: the shapes do not fit.
    """
    index, place = _index_of_axis(x, index, axis, "index_add")
    wanted = [*x.shape[:place], index.size, *x.shape[place + 1 :]]
    value = broadcast_to(cast(need_tensor(value, "index_add", "value"), x.dtype), wanted)
    added = add_rows(moveaxis(value, place, 0), index, x.shape[place])
    return x + moveaxis(added, 0, place)


def index_fill(x: Tensor, index: Tensor, axis: int, value: Union[Scalar, Tensor], name: Optional[str] = None) -> Tensor:
    """Set slices of x along an axis to a number.

    Args:
        x: A tensor of at least one axis.
        index: int32 or int64 of shape [n]; negative ones count from the end.
        axis: The axis that the index addresses.
        value: A number or 0-D tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: an index or the axis does not exist.
    """
    index, place = _index_of_axis(x, index, axis, "index_fill")
    number = cast(as_tensor(value, "index_fill"), x.dtype)
    front = moveaxis(x, place, 0)
    number = reshape_exact(number, []) if number.size == 1 else number
    filled_rows = broadcast_to(number, [index.size, *front.shape[1:]])
    return moveaxis(set_rows(front, index, filled_rows), 0, place)


def index_put(
    x: Tensor, indices: Sequence[Tensor], value: Tensor, accumulate: bool = False, name: Optional[str] = None
) -> Tensor:
    """Write, or add, elements at positions given by one index tensor per leading axis.

    Args:
        x: A tensor of at least one axis.
        indices: Integer tensors that broadcast together (negative ones count from the end), or bool masks.
        value: Broadcasts to the addressed elements.
        accumulate: Add instead of writing; repeated positions add up.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: a position is outside x.
        OperatorError: there are more indices than axes.
    """
    shape = need_tensor(x, "index_put").shape
    parts = expand_masks(indices, "index_put")
    if not parts or len(parts) > len(shape):
        raise OperatorError(f"index_put: {len(parts)} indices for a tensor of shape {shape}")
    for axis, part in enumerate(parts):
        check_range(part, shape[axis], "index_put", negative=True, name=f"index of axis {axis}")
    leading = shape[: len(parts)]
    position = linear_index(parts, leading)
    return put_rows(x, position, len(parts), as_tensor(value, "index_put"), accumulate)


def put_rows(x: Tensor, position: Tensor, depth: int, value: Tensor, accumulate: bool = False) -> Tensor:
    """Write or add slices of x that row numbers over its first ``depth`` axes address; the value broadcasts to them."""
    shape = x.shape
    rest = shape[depth:]
    count = math.prod(shape[:depth])
    updates = broadcast_to(cast(value, x.dtype), [*position.shape, *rest])
    updates = reshape_exact(updates, [position.size, *rest])
    position = reshape_exact(position, [position.size])
    rows = reshape_exact(x, [count, *rest])
    new = rows + add_rows(updates, position, count) if accumulate else set_rows(rows, position, updates)
    return reshape_exact(new, shape)


def expand_masks(indices: Sequence[Any], caller: str) -> list[Tensor]:
    """Return integer indices, one per axis, that broadcast together; a bool mask becomes one per axis of the mask."""
    parts: list[Tensor] = []
    for i, index in enumerate(indices):
        tensor = need_tensor(index, caller, f"indices[{i}]")
        if tensor.dtype.kind == "b":
            parts.extend(nonzero_columns(tensor))
        else:
            parts.append(index_argument(tensor, caller, f"indices[{i}]"))
    broadcast_shape(*[part.shape for part in parts], caller=caller)
    return parts


_REDUCTIONS = {
    "assign": "assign", "add": "add", "mul": "mul", "multiply": "mul", "mean": "mean", "amax": "amax", "amin": "amin"
}  # fmt: skip


def put_along_axis(
    arr: Tensor,
    indices: Tensor,
    values: Union[Scalar, Tensor],
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """Write one element for each index, or reduce it with what is there, at the index's place in the other axes.

    Args:
        arr: A tensor of at least one axis.
        indices: int32 or int64 of arr's rank; negative ones count from the end.
        values: Broadcast to the (broadcast) indices.
        axis: The axis that the indices address.
        reduce: ``assign``, ``add``, ``mul`` (also ``multiply``), ``mean``, ``amax`` or ``amin``.
        include_self: Whether arr's own element takes part in a reduction.
        broadcast: Whether the indices are broadcast to arr's sizes along the other axes.

    Returns:
        A tensor of arr's shape.

    Raises:
        OperatorIndexError: an index is outside the axis.
        OperatorError: the shapes do not fit or the reduction is unknown.
    """
    if reduce not in _REDUCTIONS:
        raise OperatorError(
            f"put_along_axis: reduce {reduce!r} is unknown: use 'assign', 'add', 'mul', 'mean', 'amax' or 'amin'"
        )
    position = along_axis_position(arr, indices, axis, broadcast, "put_along_axis")
    value = broadcast_to(cast(as_tensor(values, "put_along_axis"), arr.dtype), position.shape)
    flat = reshape_exact(arr, [arr.size])
    position, value = reshape_exact(position, [position.size]), reshape_exact(value, [value.size])
    if reduce in ("mean", "amax", "amin"):
        return reshape_exact(_reduced(flat, position, value, reduce, include_self), arr.shape)
    if _REDUCTIONS[reduce] != "assign" and not include_self:
        neutral = 0 if reduce == "add" else 1
        flat = set_rows(flat, position, filled((position.size,), neutral, arr.dtype))
    if _REDUCTIONS[reduce] == "assign":
        new = set_rows(flat, position, value)
    elif _REDUCTIONS[reduce] == "add":
        new = flat + add_rows(value, position, arr.size)
    else:
        new = _multiplied(flat, position, value)
    return reshape_exact(new, arr.shape)


def _reduced(flat: Tensor, position: Tensor, value: Tensor, reduce: str, include_self: bool) -> Tensor:
    """Replace elements by the mean or an extreme of the values brought to them, and of themselves if asked."""
    size = flat.shape[0]
    brought, target = value, cast(position, int64)
    if include_self:
        brought, target = concat([flat, value]), concat([positions(size), target])
    found = reduce_edges(brought, positions(brought.shape[0]), target, size, reduce.lstrip("a"))
    touched = add_rows(filled((position.shape[0],), 1, int64), position, size) > 0
    return where(touched, found, flat)


def _multiplied(flat: Tensor, position: Tensor, value: Tensor) -> Tensor:
    """Multiply elements by values; an element with k updates is multiplied in k passes."""
    numbers = position.numpy()
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.maximum.accumulate(np.where(np.r_[True, ordered[1:] != ordered[:-1]], np.arange(ordered.size), 0))
    turn = np.empty_like(order)
    turn[order] = np.arange(ordered.size) - first
    for k in range(int(turn.max(initial=-1)) + 1):
        chosen = Tensor(np.flatnonzero(turn == k))
        places = take_rows(position, chosen)
        flat = set_rows(flat, places, take_rows(flat, places) * take_rows(value, chosen))
    return flat


__all__ = ["index_add", "index_fill", "index_put", "put_along_axis"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = tuple(__all__)
