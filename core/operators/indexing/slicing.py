"""Slices: parts of a tensor at regular steps, known before anything is computed."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import ConstantOperator, HostOperator, Operator
from core.kernels.sizes.dimension import all_ints, ceiling, contains_dimension, is_known, larger, same, smaller
from core.operators._arguments import ShapeLike, axis_argument, need_tensor, shape_argument
from core.operators.creation._constants import constant
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import take_rows
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import concat, split_sizes
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply

MAXIMUM_AXES = 5  # the engine's slice counts no further

Range = tuple[int, int, int]
"""Start, number of elements (at least 1) and step along one axis."""


def _sliced(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [(tuple(count for _, count, _ in options["ranges"]), metas[0][1])]


def _bounds(metas: Sequence[Meta], options: dict[str, Any]) -> dict[str, Any]:
    ends = [start + count * step for start, count, step in options["ranges"]]
    return {
        "begin": tuple(start for start, _, _ in options["ranges"]),
        "end": tuple(None if end < 0 else min(end, size) for end, size in zip(ends, metas[0][0])),
        "step": tuple(step for _, _, step in options["ranges"]),
    }


def _assigned(x: np.ndarray, value: np.ndarray, ranges: tuple[Range, ...], out: np.ndarray) -> None:
    np.copyto(out, x)
    out[tuple(as_slice(part) for part in ranges)] = value


def _same(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[0]]


def _where_from(shape: tuple[int, ...], ranges: tuple[Range, ...]) -> np.ndarray:
    """For each place of a tensor after an assignment, the row that it comes from: an old one, or a new one behind."""
    origin = np.arange(math.prod(shape)).reshape(shape)
    changed = origin[tuple(as_slice(part) for part in ranges)]
    changed[...] = origin.size + np.arange(changed.size).reshape(changed.shape)
    return origin.reshape(-1)


_origin = ConstantOperator("slice_origin", _where_from, lambda shape, ranges: ([math.prod(shape)], np.int64))
_slice = Operator("slice", "slice", infer=_sliced, attributes=_bounds)
_slice_assign = HostOperator("slice_assign", _assigned, infer=_same, fills=True)
slice_backward = Operator(
    "slice_backward",
    "_backward_slice",
    allocate=True,
    differentiable=False,
    infer=lambda metas, options: [(options["shape"], metas[0][1])],
    attributes=lambda metas, options: _bounds([(options["shape"], metas[0][1])], options),
)


def as_slice(part: Range) -> builtins.slice:
    """Return the Python slice of a range."""
    start, count, step = part
    end = start + count * step
    return builtins.slice(start, None if end < 0 else end, step)


def is_whole(part: Range, size: int) -> bool:
    """Return whether a range is a whole axis."""
    if all_ints((*part, size)):
        return part == (0, size, 1)
    return is_known(part[0], 0) and is_known(part[2], 1) and same(part[1], size)


def take_ranges(x: Tensor, ranges: Sequence[Range]) -> Tensor:
    """Return the elements at the given ranges, one of them per axis, each within its axis."""
    if all(is_whole(part, size) for part, size in zip(ranges, x.shape)):
        return x
    counts = [count for _, count, _ in ranges]
    if 0 in counts:  # the engine makes no empty slice; an empty gather keeps the way of the gradient open
        return reshape_exact(take_rows(reshape_exact(x, [x.size]), Tensor(np.zeros(0, "int64"))), counts)
    if x.ndim > MAXIMUM_AXES:
        return _axis_by_axis(x, ranges)
    cut = [axis for axis, (part, size) in enumerate(zip(ranges, x.shape)) if not is_whole(part, size)]
    if x.ndim in (4, 5) and len(cut) > 1 and 1 in cut:  # channels by themselves: see the lowering
        whole = [(0, size, 1) for size in x.shape]
        x = apply(_slice, x, ranges=(whole[0], ranges[1], *whole[2:]))
        ranges = [(0, part[1], 1) if axis == 1 else part for axis, part in enumerate(ranges)]
    return apply(_slice, x, ranges=tuple(ranges))


def _axis_by_axis(x: Tensor, ranges: Sequence[Range]) -> Tensor:
    for axis, part in enumerate(ranges):
        shape = x.shape
        if not is_whole(part, shape[axis]):
            before, after = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
            cut = take_ranges(reshape_exact(x, [before, shape[axis], after]), [(0, before, 1), part, (0, after, 1)])
            x = reshape_exact(cut, [*shape[:axis], part[1], *shape[axis + 1 :]])
    return x


def assign_ranges(x: Tensor, ranges: Sequence[Range], value: Tensor) -> Tensor:
    """Return x with the elements at the given ranges replaced; the value broadcasts to their shape."""
    counts = [count for _, count, _ in ranges]
    if 0 in counts:
        return x
    value = broadcast_to(cast(value, x.dtype), counts)
    if all(is_whole(part, size) for part, size in zip(ranges, x.shape)):
        return value
    if not (x._value.traced or value._value.traced):
        return apply(_slice_assign, x, value, ranges=tuple(ranges))
    return _assembled(x, tuple(ranges), value)


def _assembled(x: Tensor, ranges: Sequence[Range], value: Tensor) -> Tensor:
    """Put the result of an assignment together in a way that a compiled program does without leaving the engine."""
    shape = x.shape
    partial = [i for i, (part, size) in enumerate(zip(ranges, shape)) if not is_whole(part, size)]
    axis = partial[-1]
    start, count, step = ranges[axis]
    if len(partial) == 1 and step == 1:
        sides = [(0, start), (start + count, shape[axis])]
        before, after = [[] if same(low, high) else [cut(x, axis, low, high)] for low, high in sides]
        return concat([*before, value, *after], axis)
    old, new = math.prod(shape[: axis + 1]), math.prod(count for _, count, _ in ranges[: axis + 1])
    both = concat([reshape_exact(x, [old, *shape[axis + 1 :]]), reshape_exact(value, [new, *shape[axis + 1 :]])])
    origin = constant(_origin, shape=tuple(shape[: axis + 1]), ranges=tuple(ranges[: axis + 1]))
    return reshape_exact(take_rows(both, origin), shape)


def slice(  # noqa: A001 - Paddle's name
    input: Tensor, axes: Sequence[int], starts: ShapeLike, ends: ShapeLike, name: Optional[str] = None
) -> Tensor:
    """Cut out the part from starts to ends along some axes.

    Args:
        input: A tensor of at least one axis.
        axes: The axes to cut; the others stay whole.
        starts: First index along each of them; negative ones count from the end.
        ends: Where to stop along each of them; beyond the end means the end.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same rank.

    Raises:
        OperatorError: the three lists differ in length.
        OperatorIndexError: an axis does not exist.
    """
    return _strided(input, axes, starts, ends, None, "slice")


def strided_slice(
    x: Tensor,
    axes: Sequence[int],
    starts: ShapeLike,
    ends: ShapeLike,
    strides: ShapeLike,
    name: Optional[str] = None,
) -> Tensor:
    """Cut out every n-th element from starts to ends along some axes.

    Args:
        x: A tensor of at least one axis.
        axes: The axes to cut; the others stay whole.
        starts: First index along each of them; negative ones count from the end.
        ends: Where to stop along each of them.
        strides: The step along each of them, not 0; negative ones walk backwards.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same rank.

    Raises:
        OperatorError: the lists differ in length, or a stride is 0.
        OperatorIndexError: an axis does not exist.
    """
    return _strided(x, axes, starts, ends, strides, "strided_slice")


def _strided(x: Tensor, axes: Any, starts: Any, ends: Any, strides: Any, caller: str) -> Tensor:
    rank = need_tensor(x, caller).ndim
    first, last = shape_argument(starts, caller), shape_argument(ends, caller)
    steps = (1,) * len(first) if strides is None else shape_argument(strides, caller)
    if not len(axes) == len(first) == len(last) == len(steps):
        raise OperatorError(f"{caller}: {len(axes)} axes, {len(first)} starts, {len(last)} ends, {len(steps)} strides")
    ranges = [(0, size, 1) for size in x.shape]
    for axis, start, end, step in zip(axes, first, last, steps):
        place = axis_argument(axis, rank, caller)
        if step == 0:
            raise OperatorError(f"{caller}: the stride of axis {axis} is 0")
        # Paddle has no None: with a negative stride an end below -size means "through index 0"
        ranges[place] = range_of(builtins.slice(start, end, step), x.shape[place])
    return take_ranges(x, ranges)


def range_of(part: builtins.slice, size: int) -> Range:
    """Return the range that a Python slice addresses along an axis of the given size."""
    ends = (part.start, part.stop, part.step)
    if not all_ints([size, *[end for end in ends if end is not None]]):
        ends = tuple([end.item() if isinstance(end, Tensor) else end for end in ends])  # type: ignore[assignment]  # None may stand among them
        part = builtins.slice(*ends)
        if contains_dimension([size, *ends]):
            return _unknown_range(part, size)
    start, end, step = part.indices(size)
    count = len(range(start, end, step))
    return (start, count, step) if count else (0, 0, 1)


def _unknown_range(part: builtins.slice, size: Any) -> Range:
    """As :func:`range_of`, for an axis of unknown size; a later run in which nothing would remain is an error."""
    step = 1 if part.step is None else int(part.step)
    if step > 0:
        first, last = [_within(at, size, 0, size, default) for at, default in ((part.start, 0), (part.stop, size))]
        count = ceiling(last - first, step)
    else:
        ends = ((part.start, size - 1), (part.stop, -1))
        first, last = [_within(at, size, -1, size - 1, default) for at, default in ends]
        count = ceiling(first - last, -step)
    return (first, count, step) if count > 0 else (0, 0, 1)


def range_start(at: int, size: int) -> int:
    """Return where a Python slice ``at:`` begins along an axis of the given size."""
    return _within(at, size, 0, size, 0)


def _within(at: Any, size: Any, low: Any, high: Any, default: Any) -> Any:
    """Return a slice's end as a place between two others."""
    if at is None:
        return default
    return smaller(at, high) if at >= 0 else larger(size + at, low)


def crop(
    x: Tensor, shape: Optional[ShapeLike] = None, offsets: Optional[ShapeLike] = None, name: Optional[str] = None
) -> Tensor:
    """Cut out a block.

    Args:
        x: A tensor of at least one axis.
        shape: The block's shape; -1 reaches to the end of an axis; x's shape when None.
        offsets: Where the block begins; zeros when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the block's shape.

    Raises:
        OperatorError: the block reaches beyond x.
    """
    sizes = need_tensor(x, "crop").shape
    begin = shape_argument(offsets, "crop") if offsets is not None else (0,) * x.ndim
    wanted = shape_argument(shape, "crop") if shape is not None else (-1,) * x.ndim
    if not len(begin) == len(wanted) == len(sizes):
        raise OperatorError(f"crop: x has {len(sizes)} axes, shape {len(wanted)}, offsets {len(begin)}")
    counts = [size - start if count == -1 else count for size, start, count in zip(sizes, begin, wanted)]
    for axis, (size, start, count) in enumerate(zip(sizes, begin, counts)):
        if start < 0 or count < 0 or start + count > size:
            raise OperatorError(f"crop: {count} elements from {start} reach beyond axis {axis} of {sizes}")
    return take_ranges(x, [(start if count else 0, count, 1) for start, count in zip(begin, counts)])


def cut(x: Tensor, axis: int, start: int, end: int) -> Tensor:
    """Return the part from start to end (0 <= start <= end <= size) along an axis counted from the front."""
    size = x.shape[axis]
    if is_known(start, 0) and same(end, size):
        return x
    if contains_dimension([start, end, size]):  # a part may be empty for some sizes: no part of it is made
        whole = [(0, length, 1) for length in x.shape]
        return take_ranges(x, [*whole[:axis], (start, end - start, 1), *whole[axis + 1 :]])
    sizes = [start, end - start, size - end]
    wanted = 1 if start else 0
    return split_sizes(x, [part for i, part in enumerate(sizes) if part or i == 1], axis)[wanted]


__all__ = ["crop", "slice", "strided_slice"]
TENSOR_METHODS = tuple(__all__)
