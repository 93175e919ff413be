"""Shape and order: reshape, transpose, join, split, repeat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import bfloat16, bool_, float32, uint8
from core.kernels.sizes.dimension import Dimension, larger, same, same_shape
from core.operators._arguments import (
    ShapeLike,
    axes_argument,
    axis_argument,
    need_tensor,
    shape_argument,
)
from core.operators.creation.creation import cast
from core.operators.shape import _primitives as primitives
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def reshape(x: Tensor, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Give the elements, in order, another shape.

    Args:
        x: Any tensor.
        shape: New sizes; 0 keeps the size of that axis, one -1 stands for what remains.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the new shape.

    Raises:
        OperatorError: the number of elements differs.
    """
    need_tensor(x, "reshape")
    old = tuple(x.shape)
    wanted = list(shape_argument(shape, "reshape"))
    for i, size in enumerate(wanted):
        if size == 0:
            if i < len(old):
                wanted[i] = old[i]
            elif x.size:
                raise OperatorError(f"reshape: shape {wanted} has a 0 at axis {i}, which {list(old)} does not have")
        elif size < -1:
            raise OperatorError(f"reshape: shape {wanted} has the size {size}: use -1 for what remains")
    if wanted.count(-1) > 1:
        raise OperatorError(f"reshape: shape {wanted} has more than one -1")
    known = 1
    for size in wanted:
        known *= size if size != -1 else 1
    total = x.size
    if -1 in wanted:
        if known == 0 or total % known:
            raise OperatorError(f"reshape: {list(old)} ({total} elements) does not divide into {wanted}")
        wanted[wanted.index(-1)] = total // known
    elif known != total:
        raise OperatorError(f"reshape: {list(old)} has {total} elements, {wanted} has {known}")
    return reshape_exact(x, wanted)


def transpose(x: Tensor, perm: Sequence[int], name: Optional[str] = None) -> Tensor:
    """Reorder the axes.

    Args:
        x: Any tensor.
        perm: For each new axis, the old axis that it is.
        name: Unused, as in Paddle.

    Returns:
        A tensor whose axis i is x's axis perm[i].

    Raises:
        OperatorError: perm is no permutation of the axes.
    """
    need_tensor(x, "transpose")
    rank = x.ndim
    order = tuple([int(axis) % rank if -rank <= int(axis) < rank else rank for axis in perm])
    if sorted(order) != list(range(rank)):
        raise OperatorError(f"transpose: perm {list(perm)} is no permutation of the {rank} axes of {x.shape}")
    if order == tuple(range(rank)):
        return reshape_exact(x, x.shape)
    if x.dtype is bool_:  # the engine cannot transpose bool
        return cast(transpose(cast(x, uint8), order), bool_)
    if rank > MAXIMUM_AXES:
        return _transpose_many(x, order)
    return apply(primitives.transpose, x, axes=order)


MAXIMUM_AXES = 6
"""How many axes the engine can reorder."""


def _transpose_many(x: Tensor, order: Sequence[int]) -> Tensor:
    """Reorder many axes: neighbours that stay neighbours as one; of too many, one after another comes to the front."""
    shape = x.shape
    runs: list[list[int]] = []
    for axis in order:
        if runs and axis == runs[-1][-1] + 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    starts = sorted(run[0] for run in runs)
    sizes = {run[0]: math.prod(shape[axis] for axis in run) for run in runs}
    joined = reshape_exact(x, [sizes[start] for start in starts])
    places = [starts.index(run[0]) for run in runs]
    if len(places) <= MAXIMUM_AXES:
        joined = transpose(joined, places)
    else:
        standing = list(range(len(places)))
        for place in reversed(places):
            at = standing.index(place)
            lengths = [sizes[starts[axis]] for axis in standing]
            three = reshape_exact(joined, [math.prod(lengths[:at]), lengths[at], math.prod(lengths[at + 1 :])])
            joined = transpose(three, [1, 0, 2])
            standing.insert(0, standing.pop(at))
    return reshape_exact(joined, [shape[axis] for axis in order])


def broadcast_to(x: Tensor, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Repeat axes of size 1, and add axes in front, to reach a shape.

    Args:
        x: Any tensor.
        shape: The wanted shape; -1 keeps the size of an axis.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.

    Raises:
        OperatorError: an axis of another size than 1 would have to change.
    """
    need_tensor(x, "broadcast_to")
    wanted = list(shape_argument(shape, "broadcast_to"))
    old = x.shape
    offset = len(wanted) - len(old)
    for i, size in enumerate(wanted):
        have = old[i - offset] if i >= offset else None
        if size == -1 and have is not None:
            wanted[i] = have
        elif isinstance(have, Dimension):  # 1 or the wanted size: the engine checks each run
            wanted[i] = larger(have, size)
        elif offset < 0 or size < 0 or (have is not None and have != 1 and have != size):
            raise OperatorError(f"broadcast_to: {old} does not broadcast to {wanted}")
    if offset < 0:
        raise OperatorError(f"broadcast_to: {old} has more axes than {wanted}")
    if same_shape(wanted, old):
        return x
    if x.dtype is bfloat16:  # whose gradient would be a sum that the engine lacks
        return cast(broadcast_to(cast(x, float32), wanted), bfloat16)
    if len(wanted) > MAXIMUM_BROADCAST_AXES:
        return _broadcast_many(x, wanted)
    return apply(primitives.broadcast_to, x, shape=tuple(wanted))


MAXIMUM_BROADCAST_AXES = 5
"""How many axes the engine can sum over in the gradient."""


def _broadcast_many(x: Tensor, wanted: Sequence[int]) -> Tensor:
    """Repeat one axis after the other, each time as a tensor of three axes."""
    shape = [1] * (len(wanted) - x.ndim) + x.shape
    for axis, size in enumerate(wanted):
        if not same(shape[axis], size):
            before, after = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
            x = apply(primitives.broadcast_to, reshape_exact(x, [before, 1, after]), shape=(before, size, after))
            shape[axis] = size
    return reshape_exact(x, wanted)


def squeeze(x: Tensor, axis: Any = None, name: Optional[str] = None) -> Tensor:
    """Drop axes of size 1.

    Args:
        x: Any tensor.
        axis: Which axes (int or list); all of size 1 when None. An axis of another size is kept, as in Paddle.
        name: Unused, as in Paddle.

    Returns:
        A tensor with fewer axes.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "squeeze")
    axes = axes_argument(axis, x.ndim, "squeeze")
    return reshape_exact(x, [size for i, size in enumerate(x.shape) if i not in axes or size != 1])


def unsqueeze(x: Tensor, axis: Any, name: Optional[str] = None) -> Tensor:
    """Insert axes of size 1.

    Args:
        x: Any tensor.
        axis: Where (int or list); several are inserted one after the other.
        name: Unused, as in Paddle.

    Returns:
        A tensor with more axes.

    Raises:
        OperatorError: a position lies outside the result.
    """
    need_tensor(x, "unsqueeze")
    if isinstance(axis, Tensor):
        axis = axis.tolist()
    shape = x.shape
    for position in axis if isinstance(axis, (list, tuple)) else [axis]:
        place = int(position)
        if not -len(shape) - 1 <= place <= len(shape):
            raise OperatorError(f"unsqueeze: axis {place} is outside a result of {len(shape) + 1} dimensions")
        shape.insert(place if place >= 0 else place + len(shape) + 1, 1)
    return reshape_exact(x, shape)


def flatten(x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: Optional[str] = None) -> Tensor:
    """Join neighbouring axes into one.

    Args:
        x: Any tensor; a 0-D one becomes 1-D.
        start_axis: First axis to join.
        stop_axis: Last axis to join.
        name: Unused, as in Paddle.

    Returns:
        A tensor with the axes joined.

    Raises:
        OperatorError: the first axis follows the last.
        OperatorIndexError: an axis does not exist.
    """
    shape = need_tensor(x, "flatten").shape
    start, stop = axis_argument(start_axis, len(shape), "flatten"), axis_argument(stop_axis, len(shape), "flatten")
    if start > stop:
        raise OperatorError(f"flatten: start_axis {start_axis} is after stop_axis {stop_axis}")
    joined = 1
    for size in shape[start : stop + 1]:
        joined *= size
    return reshape_exact(x, [*shape[:start], joined, *shape[stop + 1 :]])


__all__ = ["broadcast_to", "flatten", "reshape", "squeeze", "transpose", "unsqueeze"]
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = ("flatten", "reshape", "squeeze", "transpose", "unsqueeze")
