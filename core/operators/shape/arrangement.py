"""Rearranging elements: axes moved, turned, rolled, repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.sizes.dimension import contains_dimension, is_known
from core.operators._arguments import ShapeLike, axis_argument, need_tensor, shape_argument
from core.operators.creation._constants import positions
from core.operators.indexing.gathering import index_argument, take_along
from core.operators.indexing.slicing import cut, take_ranges
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import concat
from core.operators.shape.manipulation import broadcast_to, transpose
from core.tensor import Tensor


def moveaxis(
    x: Tensor, source: Union[int, Sequence[int]], destination: Union[int, Sequence[int]], name: Optional[str] = None
) -> Tensor:
    """Move axes to other places; the remaining ones keep their order.

    Args:
        x: Any tensor.
        source: Axes to move (int or list).
        destination: Where each of them shall stand.
        name: Unused, as in Paddle.

    Returns:
        A tensor with its axes in another order.

    Raises:
        OperatorError: the lists differ in length or name an axis twice.
        OperatorIndexError: an axis does not exist.
    """
    rank = need_tensor(x, "moveaxis").ndim
    start = [source] if isinstance(source, (int, np.integer)) else list(source)
    end = [destination] if isinstance(destination, (int, np.integer)) else list(destination)
    if len(start) != len(end):
        raise OperatorError(f"moveaxis: {len(start)} source axes but {len(end)} destinations")
    start = [axis_argument(axis, rank, "moveaxis") for axis in start]
    end = [axis_argument(axis, rank, "moveaxis") for axis in end]
    if len(set(start)) != len(start) or len(set(end)) != len(end):
        raise OperatorError(f"moveaxis: source {start} or destination {end} names one axis twice")
    order = [axis for axis in range(rank) if axis not in start]
    for place, axis in sorted(zip(end, start)):
        order.insert(place, axis)
    return transpose(x, order)


def swapaxes(x: Tensor, axis0: int, axis1: int, name: Optional[str] = None) -> Tensor:
    """Exchange two axes.

    Args:
        x: A tensor of at least one axis.
        axis0: One of them.
        axis1: The other.
        name: Unused, as in Paddle.

    Returns:
        A tensor with the two axes exchanged.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    rank = need_tensor(x, "swapaxes").ndim
    first, second = axis_argument(axis0, rank, "swapaxes"), axis_argument(axis1, rank, "swapaxes")
    order = list(range(rank))
    if rank:
        order[first], order[second] = second, first
    return transpose(x, order)


def flip(x: Tensor, axis: Union[int, Sequence[int]], name: Optional[str] = None) -> Tensor:
    """Reverse the order of elements along axes.

    Args:
        x: A tensor of at least one axis.
        axis: The axes (int or list).
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    rank = need_tensor(x, "flip").ndim
    axes = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    places = [axis_argument(item, rank, "flip") for item in axes]
    if x.size == 0 or rank == 0:
        return reshape_exact(x, x.shape)
    turned = [i in places and not is_known(size, 1) for i, size in enumerate(x.shape)]
    return take_ranges(x, [(size - 1, size, -1) if turn else (0, size, 1) for turn, size in zip(turned, x.shape)])


reverse = flip


def rot90(x: Tensor, k: int = 1, axes: Sequence[int] = (0, 1), name: Optional[str] = None) -> Tensor:
    """Turn by quarter turns in the plane of two axes.

    Args:
        x: A tensor of at least two axes.
        k: Number of quarter turns, from the first axis towards the second; negative ones turn the other way.
        axes: The two axes.
        name: Unused, as in Paddle.

    Returns:
        The turned tensor.

    Raises:
        OperatorError: the axes are not two different ones.
    """
    rank = need_tensor(x, "rot90").ndim
    if len(axes) != 2 or rank < 2:
        raise OperatorError(
            f"rot90: expects two axes of a tensor that has them, got axes {list(axes)}, shape {x.shape}"
        )
    first, second = [axis_argument(axis, rank, "rot90") for axis in axes]
    if first == second:
        raise OperatorError(f"rot90: axes {list(axes)} are the same axis")
    turns = k % 4
    if turns == 0:
        return reshape_exact(x, x.shape)
    if turns == 2:
        return flip(x, [first, second])
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


def roll(
    x: Tensor,
    shifts: Union[int, Sequence[int], Tensor],
    axis: Union[int, Sequence[int], None] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Shift elements along axes; what leaves at one end enters at the other.

    Args:
        x: Any tensor.
        shifts: By how many places, per axis.
        axis: The axes; None rolls the flattened tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.

    Raises:
        OperatorError: the numbers of shifts and axes differ.
        OperatorIndexError: an axis does not exist.
    """
    shape = need_tensor(x, "roll").shape
    steps = shape_argument(shifts, "roll")
    if axis is None:
        if len(steps) != 1:
            raise OperatorError(f"roll: {len(steps)} shifts without axes")
        flat = reshape_exact(x, [x.size])
        return reshape_exact(roll(flat, steps[0], 0), shape) if x.size else flat.reshape(shape)
    axes = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    if len(axes) != len(steps):
        raise OperatorError(f"roll: {len(steps)} shifts but {len(axes)} axes")
    result = reshape_exact(x, shape)
    for step, item in zip(steps, axes):
        place = axis_argument(item, len(shape), "roll")
        size = shape[place] if shape else 0
        if contains_dimension([size, step]):
            result = take_along(result, (positions(size) - step) % size, place)
        elif size and step % size:
            border = size - step % size
            result = concat([cut(result, place, border, size), cut(result, place, 0, border)], place)
    return result


def tile(x: Tensor, repeat_times: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Repeat a tensor as a whole along its axes.

    Args:
        x: Any tensor.
        repeat_times: How often along each axis; axes are added in front where one list is longer.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose sizes are multiplied.

    Raises:
        OperatorError: a number is negative.
    """
    times = shape_argument(repeat_times, "tile")
    if any(count < 0 for count in times):
        raise OperatorError(f"tile: repeat_times {list(times)} has a negative number")
    shape = need_tensor(x, "tile").shape
    rank = max(len(shape), len(times))
    shape = [1] * (rank - len(shape)) + shape
    counts = [1] * (rank - len(times)) + list(times)
    result = reshape_exact(x, shape)
    for axis, count in enumerate(counts):
        if not is_known(count, 1):  # one axis at a time, as three: the engine has no gradient for broadcasting many
            before, after = math.prod(shape[:axis]), math.prod(shape[axis:])
            spread = broadcast_to(reshape_exact(result, [before, 1, after]), [before, count, after])
            shape[axis] *= count
            result = reshape_exact(spread, shape)
    return result


def repeat_interleave(
    x: Tensor, repeats: Union[int, Tensor], axis: Optional[int] = None, name: Optional[str] = None
) -> Tensor:
    """Repeat each element along an axis.

    Args:
        x: Any tensor.
        repeats: How often, for all or (a 1-D integer tensor) for each of them.
        axis: The axis; None repeats the elements of the flattened tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor that is longer along the axis.

    Raises:
        OperatorError: the numbers do not fit the axis.
        OperatorIndexError: the axis does not exist.
    """
    if axis is None:
        x, axis = reshape_exact(need_tensor(x, "repeat_interleave"), [x.size]), 0
    shape = need_tensor(x, "repeat_interleave").shape
    place = axis_argument(axis, len(shape), "repeat_interleave")
    size = shape[place]
    if isinstance(repeats, Tensor) and repeats.size == 1:
        repeats = int(repeats.item())
    if isinstance(repeats, Tensor):
        counts = index_argument(repeats, "repeat_interleave", "repeats").numpy()
        if counts.shape != (size,) or counts.min(initial=0) < 0:
            raise OperatorError(
                f"repeat_interleave: repeats must be {size} numbers, none negative, got {counts.tolist()}"
            )
        return take_along(x, Tensor(np.repeat(np.arange(size), counts)), place)
    if repeats < 0:
        raise OperatorError(f"repeat_interleave: repeats must be at least 0, got {repeats}")
    before, after = math.prod(shape[: place + 1]), math.prod(shape[place + 1 :])
    spread = broadcast_to(reshape_exact(x, [before, 1, after]), [before, repeats, after])
    return reshape_exact(spread, [*shape[:place], size * repeats, *shape[place + 1 :]])


@property  # type: ignore[misc]  # it is given to Tensor, and called with one
def T(x: Tensor) -> Tensor:  # noqa: N802 - Paddle's name
    """The tensor with its axes in reversed order."""
    return transpose(x, list(range(x.ndim))[::-1])


@property  # type: ignore[misc]  # it is given to Tensor, and called with one
def mT(x: Tensor) -> Tensor:  # noqa: N802 - Paddle's name
    """The tensor with its last two axes exchanged."""
    if x.ndim < 2:
        raise OperatorError(f"mT: a tensor of shape {x.shape} has no matrix to transpose")
    return swapaxes(x, -2, -1)


__all__ = ["flip", "moveaxis", "repeat_interleave", "reverse", "roll", "rot90", "swapaxes", "tile"]
TENSOR_METHODS = ("T", "mT", *__all__)
