"""Windows and strides over the elements of a tensor, and one axis in place of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.dispatch.operator import ConstantOperator
from core.operators._arguments import ShapeLike, axis_argument, need_tensor, shape_argument
from core.operators.creation._constants import constant
from core.operators.creation.creation import range_length
from core.operators.indexing.gathering import index_argument, take_along, take_rows
from core.operators.indexing.masking import where
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.arrangement import moveaxis
from core.tensor import Tensor

_windows = ConstantOperator(
    "windows",
    lambda length, size, step: np.arange(0, length - size + 1, step)[:, None] + np.arange(size),
    lambda length, size, step: ([range_length(0, length - size + 1, step), size], np.int64),
)


def unfold(x: Tensor, axis: int, size: int, step: int, name: Optional[str] = None) -> Tensor:
    """Take windows along an axis (``paddle.unfold``; for images see ``nn.functional.unfold``).

    Args:
        x: A tensor of at least one axis.
        axis: The axis to walk along.
        size: Length of a window.
        step: Distance between the starts of windows.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose axis counts the windows, with the window as a new last axis.

    Raises:
        OperatorError: size or step do not fit the axis.
        OperatorIndexError: the axis does not exist.
    """
    shape = need_tensor(x, "unfold").shape
    place = axis_argument(axis, len(shape), "unfold")
    length = shape[place] if shape else 1
    if not 0 <= size <= length or step < 1:
        raise OperatorError(f"unfold: windows of size {size} at step {step} do not fit an axis of size {length}")
    windows = take_along(x, constant(_windows, length=length, size=size, step=step), place)
    return moveaxis(windows, place + 1, -1)


def as_strided(
    x: Tensor, shape: Sequence[int], stride: Sequence[int], offset: int = 0, name: Optional[str] = None
) -> Tensor:
    """Take elements of the flattened tensor at regular steps in several directions, as a copy.

    Args:
        x: Any tensor.
        shape: The result's shape.
        stride: How many elements one step along each axis of the result advances.
        offset: The first element.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.

    Raises:
        OperatorError: shape and stride differ in length.
        OperatorIndexError: a step leads outside the tensor.
    """
    if len(shape) != len(stride):
        raise OperatorError(f"as_strided: {len(shape)} sizes but {len(stride)} strides")
    total = need_tensor(x, "as_strided").size
    index = np.full([1] * len(shape), offset, np.int64)
    for i, (size, step) in enumerate(zip(shape, stride)):
        index = index + (np.arange(size) * step).reshape([-1 if k == i else 1 for k in range(len(shape))])
    if index.size and not (0 <= index.min() and int(index.max()) < total):
        raise OperatorIndexError(f"as_strided: element {index.max()} is outside a tensor of {total} elements")
    return take_rows(reshape_exact(x, [total]), Tensor(index))


def unflatten(x: Tensor, axis: int, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Split one axis into several.

    Args:
        x: A tensor of at least one axis.
        axis: The axis to split.
        shape: The sizes of the new axes; one may be -1.
        name: Unused, as in Paddle.

    Returns:
        A tensor with the axes in its place.

    Raises:
        OperatorError: the sizes do not multiply to the axis's size.
        OperatorIndexError: the axis does not exist.
    """
    old = need_tensor(x, "unflatten").shape
    place = axis_argument(axis, len(old), "unflatten")
    wanted = list(shape_argument(shape, "unflatten"))
    known = math.prod(size for size in wanted if size != -1)
    if wanted.count(-1) == 1 and known and old[place] % known == 0:
        wanted[wanted.index(-1)] = old[place] // known
    if not wanted or any(size < 0 for size in wanted) or math.prod(wanted) != old[place]:
        raise OperatorError(
            f"unflatten: axis {place} of {old} does not split into {wanted}"
        )
    return reshape_exact(x, [*old[:place], *wanted, *old[place + 1 :]])


def shard_index(input: Tensor, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Tensor:  # noqa: A002
    """Recompute indices for one shard of an index range that is split evenly.

    Args:
        input: int32 or int64; the last axis has size 1.
        index_num: Length of the whole range.
        nshards: Number of shards.
        shard_id: Which shard, from 0 to nshards - 1.
        ignore_value: What indices of other shards become.

    Returns:
        A tensor of the input's shape and type.

    Raises:
        OperatorError: the shard does not exist.
    """
    index = index_argument(input, "shard_index", "input")
    if nshards < 1 or not 0 <= shard_id < nshards:
        raise OperatorError(f"shard_index: there is no shard {shard_id} of {nshards}")
    size = (index_num + nshards - 1) // nshards
    low = shard_id * size
    inside = (index >= low).logical_and(index < low + size)
    return where(inside, index - low, Tensor(ignore_value, dtype=index.dtype))


__all__ = ["as_strided", "shard_index", "unflatten", "unfold"]
TENSOR_METHODS = ("as_strided", "shard_index", "unflatten", "unfold")
