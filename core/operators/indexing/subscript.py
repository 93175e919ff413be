"""Subscripts: ``x[...]`` and ``x[...] = value`` with numpy's rules.

A subscript is read in two steps. The basic one (ints, slices, None, Ellipsis) is known without looking at any tensor.
What remains are index tensors at some axes of the basic result. As in Paddle an int is basic even beside index tensors.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.sizes.dimension import agree
from core.operators._arguments import as_tensor, broadcast_shape
from core.operators._methods import in_place
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import check_range, index_argument, linear_index, take_along
from core.operators.indexing.index_writing import put_rows
from core.operators.indexing.masking import nonzero_columns, where
from core.operators.indexing.slicing import Range, assign_ranges, range_of, take_ranges
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import broadcast_to, transpose
from core.tensor import Tensor


class Subscript:
    """One subscript, read for a tensor's shape.

    Attributes:
        ranges: The basic part, one range per axis.
        shape: The basic result's shape: ints dropped, None inserted.
        indices: ``(first axis of the basic result, index tensor)`` in order; a bool mask spans several axes.
    """

    def __init__(self, item: Any, shape: Sequence[int]) -> None:
        entries = [_entry(part) for part in (item if isinstance(item, tuple) else (item,))]
        entries = _without_ellipsis(entries, shape)
        self.ranges: list[Range] = []
        self.shape: list[int] = []
        self.indices: list[tuple[int, Tensor]] = []
        axis = 0
        for entry in entries:
            if entry is None:
                self.shape.append(1)
            elif isinstance(entry, bool):
                self.indices.append((len(self.shape), Tensor(np.arange(int(entry)))))
                self.shape.append(1)
            elif isinstance(entry, int):
                size = shape[axis]
                if (entry >= size) if entry >= 0 else (-entry > size):
                    raise OperatorIndexError(f"index {entry} is outside axis {axis} of a tensor of shape {list(shape)}")
                self.ranges.append((entry if entry >= 0 else size + entry, 1, 1))
                axis += 1
            elif isinstance(entry, builtins.slice):
                if entry.step is not None and int(entry.step) == 0:
                    raise OperatorError("a slice's step must not be 0")
                self.ranges.append(range_of(entry, shape[axis]))
                self.shape.append(self.ranges[-1][1])
                axis += 1
            else:
                self.indices.append((len(self.shape), entry))
                for _ in range(_axes_of(entry)):
                    self.ranges.append((0, shape[axis], 1))
                    self.shape.append(shape[axis])
                    axis += 1

    def basic(self, x: Tensor) -> Tensor:
        """Return the basic part of x."""
        part = take_ranges(x, self.ranges)
        return reshape_exact(part, self.shape) if not agree(part.shape, self.shape) or part is x else part


def _entry(part: Any) -> Any:
    """Return a subscript's entry as None, Ellipsis, bool, int, slice or Tensor."""
    if part is None or part is Ellipsis or isinstance(part, (bool, builtins.slice)):
        return part
    if isinstance(part, np.bool_):
        return bool(part)
    if isinstance(part, (int, np.integer)):
        return int(part)
    if isinstance(part, (list, tuple, np.ndarray)):
        array = (
            np.asarray([entry.numpy() if isinstance(entry, Tensor) else entry for entry in part])
            if isinstance(part, (list, tuple))
            else part
        )
        part = Tensor(array.astype("int64") if array.size == 0 and array.dtype.kind == "f" else array)
    elif isinstance(part, range):
        part = Tensor(np.asarray(part, "int64"))
    if not isinstance(part, Tensor):
        raise OperatorTypeError(
            f"a tensor cannot be indexed by {type(part).__name__}: use ints, slices, None, ..., lists or Tensors"
        )
    if part.dtype.kind == "b":
        return part
    index = index_argument(part, "subscript")
    if index.ndim == 0 and index._is_initialized():
        return int(index)  # as in Paddle a 0-D tensor is an int; one that is traced stays an index tensor
    return index


def _axes_of(entry: Any) -> int:
    """Return how many axes of the indexed tensor an entry stands for."""
    if entry is None or isinstance(entry, bool):
        return 0
    if isinstance(entry, Tensor) and entry.dtype.kind == "b":
        return entry.ndim
    return 1


def _without_ellipsis(entries: list[Any], shape: Sequence[int]) -> list[Any]:
    used = sum(_axes_of(entry) for entry in entries if entry is not Ellipsis)
    places = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    if len(places) > 1:
        raise OperatorIndexError("a subscript can have only one Ellipsis (...)")
    if used > len(shape):
        raise OperatorIndexError(f"{used} indices for a tensor of shape {list(shape)}, which has {len(shape)} axes")
    place = places[0] if places else len(entries)
    whole = [builtins.slice(None)] * (len(shape) - used)
    return [*entries[:place], *whole, *entries[place + 1 :]]


class _Gathered:
    """The index tensors of a subscript, one per axis, and where their common axes are in the result.

    Attributes:
        axes: Axes of the basic result that the index tensors address.
        parts: One integer tensor per axis, checked; they broadcast together.
        place: The axis of the result at which the index's own axes begin.
    """

    def __init__(self, shape: Sequence[int], indices: Sequence[tuple[int, Tensor]]) -> None:
        self.axes: list[int] = []
        self.parts: list[Tensor] = []
        for axis, index in indices:
            if index.dtype.kind == "b":
                covered = list(shape[axis : axis + index.ndim])
                if index.shape != covered:
                    raise OperatorIndexError(f"a mask of shape {index.shape} does not fit axes of shape {covered}")
                self.parts.extend(nonzero_columns(index))
                self.axes.extend(range(axis, axis + index.ndim))
            else:
                check_range(index, shape[axis], "subscript", negative=True)
                self.parts.append(index)
                self.axes.append(axis)
        self.index_shape = broadcast_shape(*[part.shape for part in self.parts], caller="subscript")
        adjacent = self.axes == list(range(self.axes[0], self.axes[0] + len(self.axes)))
        self.place = self.axes[0] if adjacent else 0

    def order(self, rank: int) -> list[int]:
        """Return the axes of the basic result with the addressed ones together, at ``place``."""
        others = [axis for axis in range(rank) if axis not in self.axes]
        return [*others[: self.place], *self.axes, *others[self.place :]]

    def position(self, shape: Sequence[int]) -> Tensor:
        """Return positions in the addressed axes, flattened to one."""
        if len(self.parts) == 1:
            return self.parts[0]
        return linear_index(self.parts, [shape[axis] for axis in self.axes])


def __getitem__(x: Tensor, item: Any) -> Tensor:
    """Return the elements that a subscript addresses; gradients flow back to where they came from.

    Args:
        x: Any tensor.
        item: Ints, slices, ``None``, ``...``, bools, and lists, arrays or Tensors of integers or bools.

    Returns:
        A new tensor, shaped by numpy's rules (an int beside index tensors only drops its axis).

    Raises:
        OperatorIndexError: an index is outside its axis, or there are too many.
        OperatorTypeError: an entry is nothing to index with.
    """
    result = _elements(x, Subscript(item, x.shape))
    return reshape_exact(result, [1]) if dispatcher.at_least_1d and x.ndim and not result.ndim else result


def _elements(x: Tensor, subscript: Subscript) -> Tensor:
    result = subscript.basic(x)
    if not subscript.indices:
        return result
    shape = result.shape
    gathered = _Gathered(shape, subscript.indices)
    order = gathered.order(len(shape))
    if order != list(range(len(shape))):
        result = transpose(result, order)
    place, depth = gathered.place, len(gathered.axes)
    if depth > 1:
        joined = math.prod(shape[axis] for axis in gathered.axes)
        result = reshape_exact(result, [*result.shape[:place], joined, *result.shape[place + depth :]])
    return take_along(result, gathered.position(shape), place)


def __setitem__(x: Tensor, item: Any, value: Any) -> None:
    """Move a tensor to a new value in which the elements that a subscript addresses are replaced, differentiably.

    Args:
        x: Any tensor but a leaf that needs a gradient.
        item: As for reading.
        value: A tensor, number or array that broadcasts to what reading would give; cast to x's type.

    Raises:
        OperatorIndexError: an index is outside its axis.
        OperatorError: the value does not fit.
        RuntimeError: x is a leaf that needs a gradient.
    """
    result = replaced(x, item, as_tensor(value, "assignment"))
    if x.stop_gradient and dispatcher.is_tracing() and not x._value.traced:
        x._update_in_trace(result)
    else:
        in_place(x, result, "x[...] = value")


def replaced(x: Tensor, item: Any, value: Tensor) -> Tensor:
    """Return x with the elements that a subscript addresses replaced by the value."""
    value = cast(value, x.dtype)
    masked = _mask_of(item, x.shape)
    if masked is not None and value.size == 1:  # known without looking at the mask, so it can be compiled
        return where(masked, reshape_exact(value, []), x)
    subscript = Subscript(item, x.shape)
    counts = [count for _, count, _ in subscript.ranges]
    if not subscript.indices:
        return assign_ranges(x, subscript.ranges, reshape_exact(_fitted(value, subscript.shape), counts))
    part = _with_rows(subscript.basic(x), subscript, value)
    if all(entry == (0, size, 1) for entry, size in zip(subscript.ranges, x.shape)):
        return reshape_exact(part, x.shape)
    return assign_ranges(x, subscript.ranges, reshape_exact(part, counts))


def _with_rows(part: Tensor, subscript: Subscript, value: Tensor) -> Tensor:
    """Return the basic part with the rows at index tensors replaced."""
    shape = part.shape
    gathered = _Gathered(shape, subscript.indices)
    depth, place, spread = len(gathered.axes), gathered.place, len(gathered.index_shape)
    others = [axis for axis in range(len(shape)) if axis not in gathered.axes]
    rest = [shape[axis] for axis in others]
    value = _fitted(value, [*rest[:place], *gathered.index_shape, *rest[place:]])
    if place:
        rank = value.ndim
        index_axes = list(range(place, place + spread))
        value = transpose(value, [*index_axes, *[axis for axis in range(rank) if axis not in index_axes]])
    order = [*gathered.axes, *others]
    position = broadcast_to(linear_index(gathered.parts, [shape[axis] for axis in gathered.axes]), gathered.index_shape)
    new = put_rows(transpose(part, order), position, depth, value)
    return transpose(new, [order.index(axis) for axis in range(len(shape))])


def _fitted(value: Tensor, shape: Sequence[int]) -> Tensor:
    """Broadcast a value to the addressed elements; axes of size 1 in front are dropped where there are too many."""
    have = value.shape
    extra = max(len(have) - len(shape), 0)
    if all(size == 1 for size in have[:extra]):
        have = have[extra:]
        pairs = zip(have, shape[len(shape) - len(have) :])
        if all(size in (1, wanted) for size, wanted in pairs):
            return broadcast_to(reshape_exact(value, have) if extra else value, shape)
    raise OperatorError(f"a value of shape {value.shape} cannot be assigned to elements of shape {list(shape)}")


def _mask_of(item: Any, shape: Sequence[int]) -> Optional[Tensor]:
    """Return a subscript that is one bool mask, with axes to broadcast against the tensor; None for any other one."""
    if isinstance(item, np.ndarray) and item.dtype == np.bool_ and item.ndim:
        item = Tensor(item)
    if not (isinstance(item, Tensor) and item.dtype.kind == "b" and 0 < item.ndim <= len(shape)):
        return None
    if item.shape != list(shape[: item.ndim]):
        raise OperatorIndexError(f"a mask of shape {item.shape} does not fit axes of shape {list(shape[: item.ndim])}")
    return reshape_exact(item, [*item.shape, *[1] * (len(shape) - item.ndim)])


__all__: list[str] = []
TENSOR_METHODS = ("__getitem__", "__setitem__")
