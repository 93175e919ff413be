"""Gathering: elements and rows at positions that are themselves tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import int32, int64
from core.kernels.sizes.dimension import agree, is_known
from core.operators._arguments import IntOrTensor, axis_argument, broadcast_shape, need_tensor
from core.operators.creation._constants import positions_along
from core.operators.creation.creation import cast
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import unbind
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply, numbers_now


def _taken(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), (index_shape, _) = metas
    axis = options["axis"]
    return [((*shape[:axis], *index_shape, *shape[axis + 1 :]), dtype)]


_take = Operator(
    "take", "take", infer=_taken, attributes=lambda metas, options: {"axis": options["axis"], "mode": "wrap"}
)


def take_along(x: Tensor, index: Tensor, axis: int) -> Tensor:
    """Return the slices of x at checked positions along an axis, which the axes of the index replace.

    Negative positions count from the end; the axis itself is counted from the front.
    """
    if 0 in x.shape and x.shape[axis] == 0 or x.size == 0:
        shape = x.shape
        return reshape_exact(x, [*shape[:axis], *index.shape, *shape[axis + 1 :]])
    return apply(_take, x, index, axis=axis)


def take_rows(x: Tensor, index: Tensor) -> Tensor:
    """Return the slices of x along its first axis at checked positions; see :func:`take_along`."""
    return take_along(x, index, 0)


def index_argument(index: Any, caller: str, name: str = "index") -> Tensor:
    """Return an index as a tensor of int32 or int64.

    Raises:
        OperatorTypeError: it is not an integer tensor.
    """
    tensor = need_tensor(index, caller, name)
    if not tensor.dtype.is_integer:
        raise OperatorTypeError(f"{caller}: {name} must hold integers, got {tensor.dtype.name}: cast it to int64")
    return tensor if tensor.dtype in (int32, int64) else cast(tensor, int64)


def check_range(index: Tensor, size: int, caller: str, negative: bool = False, name: str = "index") -> None:
    """Check the values of an index that can be read now; while tracing nothing can be.

    Args:
        index: An integer tensor.
        size: The length of the axis that it addresses.
        caller: The function's name, for the message.
        negative: Whether negative positions count from the end.
        name: The index's name, for the message.

    Raises:
        OperatorIndexError: an index is outside the axis.
    """
    numbers = numbers_now(index)
    if numbers is None or not numbers.size:
        return
    low, high = int(numbers.min()), int(numbers.max())
    lowest = -size if negative else 0
    if low < lowest or high >= size:
        wrong = low if low < lowest else high
        raise OperatorIndexError(
            f"{caller}: {name} {wrong} is outside an axis of size {size}: use [{lowest}, {size})"
        )


def linear_index(parts: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """Return positions in the flattened axes from one checked position tensor per axis; negative ones are resolved."""
    total: Optional[Tensor] = None
    for i, (part, size) in enumerate(zip(parts, sizes)):
        position = cast(part, int64)
        if _may_be_negative(position):
            position = position + cast(position < 0, int64) * size
        stride = math.prod(sizes[i + 1 :])
        term = position if is_known(stride, 1) else position * stride
        total = term if total is None else total + term
    assert total is not None
    return total


def _may_be_negative(index: Tensor) -> bool:
    numbers = numbers_now(index)
    if numbers is None or not numbers.size:
        return index.size != 0
    return bool(numbers.min() < 0)


def gather(x: Tensor, index: Tensor, axis: Optional[IntOrTensor] = None, name: Optional[str] = None) -> Tensor:
    """Take slices along an axis.

    Args:
        x: A tensor of at least one axis.
        index: int32 or int64 of shape [n], [n, 1] or []; 0 <= index < size of the axis.
        axis: The axis; 0 when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose axis has size n; without that axis for a 0-D index.

    Raises:
        OperatorIndexError: an index or the axis does not exist.
        OperatorError: the index has another shape.
    """
    place = axis_argument(0 if axis is None else axis, need_tensor(x, "gather").ndim, "gather")
    index = index_argument(index, "gather")
    if index.ndim == 2 and index.shape[1] == 1:
        index = reshape_exact(index, index.shape[:1])
    if index.ndim > 1:
        raise OperatorError(f"gather: index must have the shape [n] or [n, 1], got {index.shape}")
    check_range(index, x.shape[place], "gather")
    return take_along(x, index, place)


def index_select(x: Tensor, index: Tensor, axis: int = 0, name: Optional[str] = None) -> Tensor:
    """Take slices along an axis.

    Args:
        x: A tensor of at least one axis.
        index: int32 or int64 of shape [n]; 0 <= index < size of the axis.
        axis: The axis.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose axis has size n.

    Raises:
        OperatorIndexError: an index or the axis does not exist.
        OperatorError: the index is not 1-D.
    """
    place = axis_argument(axis, need_tensor(x, "index_select").ndim, "index_select")
    index = index_argument(index, "index_select")
    if index.ndim != 1:
        raise OperatorError(f"index_select: index must be 1-D, got shape {index.shape}")
    check_range(index, x.shape[place], "index_select")
    return take_along(x, index, place)


def gather_nd(x: Tensor, index: Tensor, name: Optional[str] = None) -> Tensor:
    """Take elements or slices at positions along the first axes.

    Args:
        x: A tensor of shape [d0, d1, ...].
        index: int32 or int64 of shape [..., k], k <= rank of x; its last axis holds one position in the first k axes.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape index.shape[:-1] + x.shape[k:].

    Raises:
        OperatorIndexError: a position is outside x.
        OperatorError: k exceeds the rank of x.
    """
    index = index_argument(index, "gather_nd")
    rows, position = nd_position(need_tensor(x, "gather_nd").shape, index, "gather_nd")
    return take_rows(reshape_exact(x, rows), position)


def nd_position(shape: Sequence[int], index: Tensor, caller: str) -> tuple[list[int], Tensor]:
    """Return the shape of rows that an index of k-component positions addresses, and the number of each row.

    Raises:
        OperatorIndexError: a position is outside the shape.
        OperatorError: the index has no axis, or more components than the shape has axes.
    """
    if index.ndim == 0:
        raise OperatorError(f"{caller}: index must have at least one axis, whose size is the number of components")
    depth = index.shape[-1]
    if depth > len(shape):
        raise OperatorError(f"{caller}: index has {depth} components, but x has only {len(shape)} axes")
    leading, rest = list(shape[:depth]), list(shape[depth:])
    if depth == 0:
        return [1, *rest], Tensor(np.zeros(index.shape[:-1], "int64"))
    parts = unbind(index, -1)
    for axis, (part, size) in enumerate(zip(parts, leading)):
        check_range(part, size, caller, name=f"index of axis {axis}")
    return [math.prod(leading), *rest], linear_index(parts, leading)


def take(x: Tensor, index: Tensor, mode: str = "raise", name: Optional[str] = None) -> Tensor:
    """Take elements of the flattened tensor.

    Args:
        x: Any tensor.
        index: int32 or int64 of any shape; negative ones count from the end (not with ``clip``).
        mode: Outside x: ``raise`` is an error, ``wrap`` starts again at the other end, ``clip`` takes the nearest.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the index's shape.

    Raises:
        OperatorIndexError: an index is outside x and the mode is ``raise``.
        OperatorError: the mode is unknown.
    """
    total = need_tensor(x, "take").size
    index = index_argument(index, "take")
    if mode == "clip":
        limits = Tensor(0, dtype=index.dtype), Tensor(max(total - 1, 0), dtype=index.dtype)
        index = index.maximum(limits[0]).minimum(limits[1])
    elif mode == "raise":
        check_range(index, total, "take", negative=True)
    elif mode == "wrap":
        index = index % max(total, 1)
    else:
        raise OperatorError(f"take: mode {mode!r} is unknown: use 'raise', 'wrap' or 'clip'")
    if total == 0 and index.size:
        raise OperatorIndexError("take: x has no elements to take")
    return take_rows(reshape_exact(x, [total]), index)


def index_sample(x: Tensor, index: Tensor) -> Tensor:
    """Take elements from each row.

    Args:
        x: A tensor of shape [n, m].
        index: int32 or int64 of shape [n, k]; positions in x's row of the same number.

    Returns:
        A tensor of shape [n, k].

    Raises:
        OperatorIndexError: an index is outside the row.
        OperatorError: the shapes do not fit.
    """
    need_tensor(x, "index_sample")
    index = index_argument(index, "index_sample")
    if x.ndim != 2 or index.ndim != 2 or x.shape[0] != index.shape[0]:
        raise OperatorError(f"index_sample: x and index must have as many rows, got {x.shape} and {index.shape}")
    return take_along_axis(x, index, 1, broadcast=False)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int, broadcast: bool = True) -> Tensor:
    """Take one element for each index, at the index's own place in the other axes.

    Args:
        arr: A tensor of at least one axis.
        indices: int32 or int64 of arr's rank; negative ones count from the end.
        axis: The axis that the indices address.
        broadcast: Whether the indices are broadcast to arr's sizes along the other axes; otherwise they may be smaller.

    Returns:
        A tensor of the (broadcast) indices' shape.

    Raises:
        OperatorIndexError: an index is outside the axis.
        OperatorError: the shapes do not fit.
    """
    position = along_axis_position(arr, indices, axis, broadcast, "take_along_axis")
    return take_rows(reshape_exact(arr, [arr.size]), position)


def along_axis_position(arr: Tensor, indices: Tensor, axis: int, broadcast: bool, caller: str) -> Tensor:
    """Return positions in the flattened tensor of elements addressed along one axis."""
    shape = need_tensor(arr, caller, "arr").shape
    indices = index_argument(indices, caller, "indices")
    if indices.ndim != len(shape) or not shape:
        raise OperatorError(
            f"{caller}: indices must have arr's rank, at least 1: got {indices.shape}, arr {shape}"
        )
    place = axis_argument(axis, len(shape), caller)
    check_range(indices, shape[place], caller, negative=True, name="indices:")
    if broadcast:
        wanted = [*shape[:place], indices.shape[place], *shape[place + 1 :]]
        if not agree(broadcast_shape(indices.shape, wanted, caller=caller), wanted):
            raise OperatorError(f"{caller}: indices of shape {indices.shape} do not broadcast to {wanted}")
        indices = broadcast_to(indices, wanted)
    elif any(have > size for i, (have, size) in enumerate(zip(indices.shape, shape)) if i != place):
        raise OperatorError(
            f"{caller}: indices {indices.shape} are larger than arr {shape} beside axis {place}"
        )
    grid: list[Tensor] = []
    for i in range(len(shape)):
        if i != place:
            grid.append(positions_along(i, indices.shape))
        else:
            grid.append(indices)
    return broadcast_to(linear_index(grid, shape), indices.shape)


__all__ = ["gather", "gather_nd", "index_sample", "index_select", "take", "take_along_axis"]
TENSOR_METHODS = tuple(__all__)
