"""Scattering: writing or adding elements and rows at positions that are themselves tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.door import Meta
from core.kernels.errors import OperatorError
from core.kernels.operator import HostOperator
from core.operators.arguments import Scalar, ShapeLike, as_tensor, axis_argument, broadcast_shape, need_tensor, shape_argument
from core.operators.creation import cast, filled
from core.operators.gathering import (
    along_axis_position,
    check_range,
    index_argument,
    linear_index,
    nd_position,
    take_rows,
)
from core.operators.manipulation import broadcast_to, reshape_exact
from core.tensor import Tensor, apply


def _added(updates: np.ndarray, index: np.ndarray, size: int) -> np.ndarray:
    from core.kernels import scatter  # numba loads with the first use

    return scatter.add_rows(updates, index, size)


def _set(table: np.ndarray, index: np.ndarray, updates: np.ndarray) -> np.ndarray:
    from core.kernels import scatter

    return scatter.set_rows(table, index, updates)


def _added_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), _ = metas
    return [((options["size"], shape[1]), dtype)]


_scatter_add = HostOperator("scatter_add_rows", _added, infer=_added_meta)
_scatter_set = HostOperator("scatter_set_rows", _set, infer=lambda metas, options: [metas[0]])

_HALF = ("float16", "bfloat16")


def add_rows(updates: Tensor, index: Tensor, size: int) -> Tensor:
    """Sum rows into a table of zeros.

    Args:
        updates: Shape [n, ...].
        index: Integers of shape [n], checked, in [0, size).
        size: Number of rows of the table.

    Returns:
        The table, of shape [size, ...].
    """
    shape = updates.shape
    width = int(np.prod(shape[1:], dtype=np.int64))
    if updates.dtype.kind == "b" or updates.dtype.name in _HALF:  # numba has no arithmetic of half precision
        wide = "int32" if updates.dtype.kind == "b" else "float32"
        return cast(add_rows(cast(updates, wide), index, size), updates.dtype)
    table = apply(_scatter_add, reshape_exact(updates, [shape[0], width]), cast(index, "int64"), size=size)
    return reshape_exact(table, [size, *shape[1:]])


def set_rows(table: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    """Return a table with some rows replaced; the last of several updates of one row stays.

    Args:
        table: Shape [size, ...].
        index: Integers of shape [n], checked, in [0, size).
        updates: Shape [n, ...].

    Returns:
        The new table. Each update of a row receives the row's gradient, overwritten ones too, as in Paddle.
    """
    shape = table.shape
    width = int(np.prod(shape[1:], dtype=np.int64))
    rows = reshape_exact(table, [shape[0], width])
    new = apply(_scatter_set, rows, cast(index, "int64"), reshape_exact(cast(updates, table.dtype), [index.size, width]))
    return reshape_exact(new, shape)


def scatter(x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: Optional[str] = None) -> Tensor:
    """Write rows into a tensor along its first axis, or add them up there.

    Args:
        x: A tensor of at least one axis.
        index: int32 or int64 of shape [n] (or [n, 1], or [] for one row); 0 <= index < x.shape[0].
        updates: Shape [n, *x.shape[1:]].
        overwrite: True writes (the last of several updates of one row stays); False first sets the rows to 0, then adds
            all their updates.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: an index is outside x.
        OperatorError: the shapes do not fit.
    """
    shape = need_tensor(x, "scatter").shape
    if not shape:
        raise OperatorError("scatter: x is 0-D, it has no rows")
    index = index_argument(index, "scatter")
    if index.ndim == 0:
        index = reshape_exact(index, [1])
        updates = reshape_exact(updates, [1, *updates.shape]) if updates.ndim < len(shape) else updates
    elif index.ndim == 2 and index.shape[1] == 1:
        index = reshape_exact(index, index.shape[:1])
    if index.ndim != 1 or need_tensor(updates, "scatter", "updates").shape != [index.shape[0], *shape[1:]]:
        raise OperatorError(
            f"scatter: x has shape {shape} and index {index.shape}, so updates must be {[*index.shape[:1], *shape[1:]]}, got"
            f" {updates.shape}"
        )
    check_range(index, shape[0], "scatter")
    if overwrite:
        return set_rows(x, index, updates)
    cleared = set_rows(x, index, filled(tuple(updates.shape), 0, x.dtype))
    return cleared + add_rows(cast(updates, x.dtype), index, shape[0])  # type: ignore[operator, no-any-return]


def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor, name: Optional[str] = None) -> Tensor:
    """Add elements or slices to x at positions along its first axes; repeated positions add up.

    Args:
        x: A tensor of shape [d0, d1, ...].
        index: int32 or int64 of shape [..., k], k <= rank of x.
        updates: Shape index.shape[:-1] + x.shape[k:], x's dtype.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: a position is outside x.
        OperatorError: the shapes do not fit.
    """
    index = index_argument(index, "scatter_nd_add")
    shape = need_tensor(x, "scatter_nd_add").shape
    rows, position = nd_position(shape, index, "scatter_nd_add")
    wanted = [*index.shape[:-1], *shape[index.shape[-1] :]]
    if need_tensor(updates, "scatter_nd_add", "updates").shape != wanted:
        raise OperatorError(f"scatter_nd_add: updates must have the shape {wanted}, got {updates.shape}")
    flat = reshape_exact(updates, [position.size, *rows[1:]])
    added = add_rows(cast(flat, x.dtype), reshape_exact(position, [position.size]), rows[0])
    return x + reshape_exact(added, shape)  # type: ignore[operator, no-any-return]


def scatter_nd(index: Tensor, updates: Tensor, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Add elements or slices to a tensor of zeros; see :func:`scatter_nd_add`.

    Args:
        index: int32 or int64 of shape [..., k].
        updates: Shape index.shape[:-1] + shape[k:].
        shape: The result's shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.
    """
    zeros = filled(shape_argument(shape, "scatter_nd"), 0, need_tensor(updates, "scatter_nd", "updates").dtype)
    return scatter_nd_add(zeros, index, updates)


def _to_front(x: Tensor, axis: int) -> Tensor:
    from core.operators.arrangement import moveaxis

    return moveaxis(x, axis, 0)


def _from_front(x: Tensor, axis: int) -> Tensor:
    from core.operators.arrangement import moveaxis

    return moveaxis(x, 0, axis)


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
    added = add_rows(_to_front(value, place), index, x.shape[place])
    return x + _from_front(added, place)  # type: ignore[operator, no-any-return]


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
    front = _to_front(x, place)
    number = reshape_exact(number, []) if number.size == 1 else number
    return _from_front(set_rows(front, index, broadcast_to(number, [index.size, *front.shape[1:]])), place)


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
    count = int(np.prod(shape[:depth], dtype=np.int64))
    updates = broadcast_to(cast(value, x.dtype), [*position.shape, *rest])
    updates = reshape_exact(updates, [position.size, *rest])
    position = reshape_exact(position, [position.size])
    rows = reshape_exact(x, [count, *rest])
    new = rows + add_rows(updates, position, count) if accumulate else set_rows(rows, position, updates)  # type: ignore[operator]
    return reshape_exact(new, shape)


def expand_masks(indices: Sequence[Any], caller: str) -> list[Tensor]:
    """Return integer indices, one per axis, that broadcast together; a bool mask becomes one per axis of the mask."""
    from core.operators.masking import nonzero_columns  # which stands on gathering

    parts: list[Tensor] = []
    for i, index in enumerate(indices):
        tensor = need_tensor(index, caller, f"indices[{i}]")
        if tensor.dtype.kind == "b":
            parts.extend(nonzero_columns(tensor))
        else:
            parts.append(index_argument(tensor, caller, f"indices[{i}]"))
    broadcast_shape(*[part.shape for part in parts], caller=caller)
    return parts


_REDUCTIONS = {"assign": "assign", "add": "add", "mul": "mul", "multiply": "mul"}


def put_along_axis(
    arr: Tensor,
    indices: Tensor,
    values: Union[Scalar, Tensor],
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """Write, add or multiply one element for each index, at the index's own place in the other axes.

    Args:
        arr: A tensor of at least one axis.
        indices: int32 or int64 of arr's rank; negative ones count from the end.
        values: Broadcast to the (broadcast) indices.
        axis: The axis that the indices address.
        reduce: ``assign``, ``add`` or ``mul`` (also ``multiply``).
        include_self: Whether arr's own element takes part in adding and multiplying.
        broadcast: Whether the indices are broadcast to arr's sizes along the other axes.

    Returns:
        A tensor of arr's shape.

    Raises:
        OperatorIndexError: an index is outside the axis.
        OperatorError: the shapes do not fit or the reduction is unknown.
    """
    if reduce not in _REDUCTIONS:
        raise OperatorError(f"put_along_axis: reduce {reduce!r} is unknown: use 'assign', 'add' or 'mul'")
    position = along_axis_position(arr, indices, axis, broadcast, "put_along_axis")
    value = broadcast_to(cast(as_tensor(values, "put_along_axis"), arr.dtype), position.shape)
    flat = reshape_exact(arr, [arr.size])
    position, value = reshape_exact(position, [position.size]), reshape_exact(value, [value.size])
    if _REDUCTIONS[reduce] != "assign" and not include_self:
        neutral = 0 if reduce == "add" else 1
        flat = set_rows(flat, position, filled((position.size,), neutral, arr.dtype))
    if _REDUCTIONS[reduce] == "assign":
        new = set_rows(flat, position, value)
    elif _REDUCTIONS[reduce] == "add":
        new = flat + add_rows(value, position, arr.size)  # type: ignore[operator]
    else:
        new = _multiplied(flat, position, value)
    return reshape_exact(new, arr.shape)


def _multiplied(flat: Tensor, position: Tensor, value: Tensor) -> Tensor:
    """Multiply elements by values; the k-th update of an element is applied in the k-th pass, so repeats multiply up."""
    numbers = position.numpy()
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.maximum.accumulate(np.where(np.r_[True, ordered[1:] != ordered[:-1]], np.arange(ordered.size), 0))
    turn = np.empty_like(order)
    turn[order] = np.arange(ordered.size) - first
    for k in range(int(turn.max(initial=-1)) + 1):
        chosen = Tensor(np.flatnonzero(turn == k))
        places = take_rows(position, chosen)
        flat = set_rows(flat, places, take_rows(flat, places) * take_rows(value, chosen))  # type: ignore[operator]
    return flat


__all__ = ["index_add", "index_fill", "index_put", "put_along_axis", "scatter", "scatter_nd", "scatter_nd_add"]
TENSOR_METHODS = ("index_add", "index_fill", "index_put", "put_along_axis", "scatter", "scatter_nd_add")
IN_PLACE_METHODS = ("index_add", "index_fill", "index_put", "put_along_axis", "scatter")
