"""Looking at a tensor differently: windows, strides, its sizes as tensors, shards of its indices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.kernels.dispatch.operator import ConstantOperator
from core.kernels.dtypes import int32, int64
from core.kernels.sizes.dimension import combine
from core.operators import _arguments as arguments
from core.operators._arguments import ShapeLike, axis_argument, need_tensor, shape_argument
from core.operators.creation._constants import constant, positions
from core.operators.creation.creation import cast, range_length
from core.operators.indexing.gathering import index_argument, take_along, take_along_axis, take_rows
from core.operators.indexing.masking import where
from core.operators.indexing.slicing import cut
from core.operators.shape._primitives import reshape_exact
from core.operators.shape._sizes import size_tensor
from core.operators.shape.arrangement import moveaxis
from core.operators.shape.joining import concat, stack, unbind
from core.operators.shape.manipulation import broadcast_to
from core.operators.shape.padding import pad_exact
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


def numel(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Count the elements.

    Args:
        x: Any tensor.
        name: Unused, as in Paddle.

    Returns:
        A 0-D int64 tensor.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return size_tensor(need_tensor(x, "numel").size, int64)


def shape(input: Tensor) -> Tensor:  # noqa: A002 - Paddle's name
    """Return the sizes of all axes as a tensor.

    Args:
        input: Any tensor.

    Returns:
        An int32 tensor of shape [rank].

    Raises:
        OperatorTypeError: the input is no Tensor.
    """
    return size_tensor(need_tensor(input, "shape", "input").shape, int32)


def rank(input: Tensor) -> Tensor:  # noqa: A002 - Paddle's name
    """Count the axes.

    Args:
        input: Any tensor.

    Returns:
        A 0-D int32 tensor.

    Raises:
        OperatorTypeError: the input is no Tensor.
    """
    return Tensor(need_tensor(input, "rank", "input").ndim, dtype=int32)


def tolist(x: Tensor) -> Any:
    """Return nested lists of Python numbers, or one number for a 0-D tensor; see :func:`Tensor.tolist`."""
    return need_tensor(x, "tolist").tolist()


def is_floating_point(x: Tensor) -> bool:
    """Tell whether the elements are real floating-point numbers.

    Args:
        x: Any tensor.

    Returns:
        True for float16, bfloat16, float32 and float64.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return need_tensor(x, "is_floating_point").dtype.is_floating


def is_integer(x: Tensor) -> bool:
    """Tell whether the elements are integers.

    Args:
        x: Any tensor.

    Returns:
        True for integer types, False for floats and bool.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return need_tensor(x, "is_integer").dtype.is_integer


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


def temporal_shift(
    x: Tensor, seg_num: int, shift_ratio: float = 0.25, name: Optional[str] = None, data_format: str = "NCHW"
) -> Tensor:
    """Shift some channels of a video's frames by one frame back, others by one frame ahead (Lin et al. 2019, TSM).

    Args:
        x: Frames of shape [N * seg_num, C, H, W], or with the channels last.
        seg_num: Number of frames of one video.
        shift_ratio: Share of the channels that receive the previous frame's; as many receive the next frame's.
        name: Unused, as in Paddle.
        data_format: ``NCHW`` or ``NHWC``.

    Returns:
        A tensor of x's shape; what has no neighbour is 0.

    Raises:
        OperatorError: the shape, the ratio or the format do not fit.
    """
    sizes = need_tensor(x, "temporal_shift").shape
    if data_format not in ("NCHW", "NHWC"):
        raise OperatorError(f"temporal_shift: data_format {data_format!r} is unknown: use 'NCHW' or 'NHWC'")
    if len(sizes) != 4 or sizes[0] % seg_num or not 0 < shift_ratio < 0.5:
        raise OperatorError(
            f"temporal_shift: x {sizes} must hold {seg_num} frames per video, shift_ratio {shift_ratio} be in (0, 0.5)"
        )
    axis = 2 if data_format == "NCHW" else 4
    video = reshape_exact(x, [sizes[0] // seg_num, seg_num, *sizes[1:]])
    channels = video.shape[axis]
    first, second = combine("scaled", channels, shift_ratio), combine("scaled", channels * 2, shift_ratio)
    none, before, after = (0, 0), (1, 0), (0, 1)
    earlier = pad_exact(cut(cut(video, axis, 0, first), 1, 0, seg_num - 1), [none, before, none, none, none])
    later = pad_exact(cut(cut(video, axis, first, second), 1, 1, seg_num), [none, after, none, none, none])
    parts = [part for part in (earlier, later, cut(video, axis, second, channels)) if part.shape[axis]]
    return reshape_exact(concat(parts, axis), sizes)


def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """Follow beams back from their last step, so that each holds its own whole sequence.

    Args:
        ids: Integers of shape [steps, batch, beams].
        parents: The beam of the step before that each one came from; of the same shape.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: the shapes differ or have not three axes.
    """
    ids, parents = index_argument(ids, "gather_tree", "ids"), index_argument(parents, "gather_tree", "parents")
    if ids.ndim != 3 or ids.shape != parents.shape:
        raise OperatorError(
            f"gather_tree: ids and parents must have one shape of three axes: {ids.shape}, {parents.shape}"
        )
    if ids.size == 0:
        return reshape_exact(ids, ids.shape)
    steps, origins = unbind(ids), unbind(parents)
    beam = broadcast_to(positions(ids.shape[2]), ids.shape[1:])
    result = []
    for step in range(ids.shape[0] - 1, -1, -1):
        result.append(take_along_axis(steps[step], beam, 1))
        beam = cast(take_along_axis(origins[step], beam, 1), int64)
    return stack(result[::-1])


def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """Return the shape that an operation on tensors of two shapes gives.

    Args:
        x_shape: One shape.
        y_shape: The other.

    Returns:
        The shape as a list.

    Raises:
        OperatorError: two sizes of one axis differ and neither is 1.
    """
    return list(arguments.broadcast_shape(x_shape, y_shape, caller="broadcast_shape"))


__all__ = [
    "as_strided", "broadcast_shape", "gather_tree", "is_floating_point", "is_integer", "numel", "rank", "shape",
    "shard_index", "temporal_shift", "tolist", "unflatten", "unfold",
]  # fmt: skip
TENSOR_METHODS = ("as_strided", "is_integer", "numel", "rank", "shard_index", "unflatten", "unfold")
