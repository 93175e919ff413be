"""How one field of the samples becomes fields of a batch: padded, concatenated, or kept as it is."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.io import padding
from core.io.batch import HostList, SampleError
from core.io.collate import collate, is_tensor
from core.io.sizes import Sizes

Part = tuple[str, Any]
"""What is added to a field's name, and the value: the field itself adds nothing."""


class Field(abc.ABC):
    """How a field is batched."""

    names: tuple[Optional[str], ...] = ()

    @abc.abstractmethod
    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Sequence[Any]:
        """Return the values of B samples, checked, as :meth:`build` takes them."""

    def wanted(self, values: Sequence[Any]) -> dict[str, int]:
        """Return how much room checked values need, by the name of the size."""
        return {}

    @abc.abstractmethod
    def build(self, values: Sequence[Any], path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the batch's fields, for the room that the batch has by the names of sizes."""


class Stack(Field):
    """A field that has one shape in all samples, as the default collate function batches it. It may be nested."""

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Sequence[Any]:
        """Return the values as they are."""
        return values

    def build(self, values: Sequence[Any], path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the stacked field."""
        try:
            return [("", collate(values, empty))]
        except (ValueError, TypeError) as error:
            raise type(error)(f"field {path}: {error}") from None


class Keep(Field):
    """A field that stays as it is, a list with one entry per sample: for evaluators, not for networks."""

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Sequence[Any]:
        """Return the values as they are."""
        return values

    def build(self, values: Sequence[Any], path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the list."""
        return [("", HostList(values))]


class Pad(Field):
    """A field whose arrays are padded at the end of ragged axes and stacked, with a mask or lengths beside it.

    Args:
        axes: a name for each axis from the first on; None: this axis has one size in all samples. Axes with the same
            name, of any field, have the same size in a batch: the smallest bucket of that name that holds them all.
        value: what fills the rest.
        mask: also give ``<field>_mask``, a bool array of shape (B, \\*ragged sizes): True where something is.
        lengths: also give ``<field>_lengths``, int64, of shape (B,), or (B, K) for K ragged axes.
        dtype: convert to this type; None: samples have one already.

    Raises:
        ValueError: no axis has a name.
    """

    def __init__(
        self, *axes: Optional[str], value: float = 0, mask: bool = True, lengths: bool = False, dtype: Any = None
    ) -> None:
        if not any(axes) or any(name is not None and not isinstance(name, str) for name in axes):
            raise ValueError(f"Pad: name the ragged axes, as in Pad('length') or Pad(None, 'height'), not {axes!r}")
        self.names = axes
        self.value = value
        self.mask = mask
        self.lengths = lengths
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.ragged = {axis: name for axis, name in enumerate(axes) if name is not None}

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Sequence[Any]:
        """Return arrays, checked."""
        arrays = _arrays(values, path, self.dtype, len(self.names))
        _check(arrays, path, set(self.ragged), len(self.names))
        _check_value(self.value, arrays[0].dtype, path)
        for axis, name in self.ragged.items():
            limit = sizes.limit(name)
            if limit is not None and sizes.longest == "error":
                for position, array in enumerate(arrays):
                    if array.shape[axis] > limit:
                        raise SampleError(
                            position,
                            f"field {path} has {array.shape[axis]} of size {name!r}, whose last bucket is {limit}; add "
                            "a bucket, or say longest='truncate'",
                        )
        return arrays

    def wanted(self, values: Sequence[Any]) -> dict[str, int]:
        """Return the largest size of each name."""
        needs: dict[str, int] = {}
        for axis, name in self.ragged.items():
            needs[name] = max(needs.get(name, 0), *[array.shape[axis] for array in values])
        return needs

    def build(self, values: Sequence[Any], path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the padded field, and what is beside it."""
        sizes = {axis: room[name] for axis, name in self.ragged.items()}
        parts = [("", padding.pad(values, sizes, self.value, empty))]
        shapes = [array.shape for array in values]
        if self.mask:
            parts.append(("_mask", padding.within(shapes, sizes)))
        if self.lengths:
            lengths = np.array(shapes, np.int64)[:, list(sizes)]
            parts.append(("_lengths", np.minimum(lengths, list(sizes.values())).squeeze(1 if len(sizes) == 1 else ())))
        return parts


class Concatenate(Field):
    """A field whose arrays are joined along their first axis, with offsets that say where each sample's rows begin.

    Args:
        rows: the name of the size of all rows of a batch; with buckets, rows of ``value`` fill the rest.
        value: what they are filled with.
        offsets: also give ``<field>_offsets``, int64, of shape (B + 1,): the rows of sample i are those from
            ``offsets[i]`` to before ``offsets[i + 1]``, and ``offsets[0]`` is 0.
        numbers: also give ``<field>_numbers``, int64, one for each row: its sample in the batch, B for filling rows.
        dtype: convert to this type; None: samples have one already.
    """

    def __init__(
        self, rows: str, value: float = 0, offsets: bool = True, numbers: bool = False, dtype: Any = None
    ) -> None:
        if not isinstance(rows, str) or not rows:
            raise ValueError(f"Concatenate: rows must be the name of a size, as in Concatenate('boxes'), not {rows!r}")
        self.names = (rows,)
        self.value = value
        self.offsets = offsets
        self.numbers = numbers
        self.dtype = None if dtype is None else np.dtype(dtype)

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Sequence[Any]:
        """Return arrays, checked."""
        arrays = _arrays(values, path, self.dtype, 1)
        _check(arrays, path, {0}, 1)
        _check_value(self.value, arrays[0].dtype, path)
        name = self.names[0]
        limit = sizes.limit(name)
        if limit is not None and sizes.longest == "error":
            ends = np.cumsum([len(array) for array in arrays])
            if ends[-1] > limit:
                raise SampleError(
                    int(np.argmax(ends > limit)),
                    f"with it field {path} has more rows than the last bucket of {name!r}, {limit} (the batch has "
                    f"{ends[-1]}); add a bucket, make smaller batches, or say longest='truncate'",
                )
        return arrays

    def wanted(self, values: Sequence[Any]) -> dict[str, int]:
        """Return the number of all rows."""
        return {str(self.names[0]): sum(len(array) for array in values)}

    def build(self, values: Sequence[Any], path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the rows, and what is beside them."""
        size = room[str(self.names[0])]
        rows, offsets = padding.concatenate(values, size, self.value, empty)
        parts = [("", rows)]
        if self.offsets:
            parts.append(("_offsets", offsets))
        if self.numbers:
            parts.append(("_numbers", padding.sample_numbers(offsets, size)))
        return parts


def _arrays(values: Sequence[Any], path: str, dtype: Optional[np.dtype], axes: int) -> list[np.ndarray]:
    """Return the values of a field as arrays; an empty list takes the shape and type of the others."""
    arrays: list[np.ndarray] = []
    unknown = []
    for position, value in enumerate(values):
        if isinstance(value, (list, tuple)) and len(value) == 0:
            unknown.append(position)
        try:
            array = np.asarray(value.numpy() if is_tensor(value) else value, dtype)
        except (ValueError, TypeError, OverflowError) as error:
            raise SampleError(position, f"field {path} cannot be made an array: {error}") from None
        if array.dtype.kind not in "biufc":
            kind = type(value).__name__ if array.dtype.kind == "O" else f"an array of {array.dtype}"
            raise SampleError(position, f"field {path} is {kind}, not numbers; Keep() leaves a field as it is")
        arrays.append(array)
    if unknown:
        known = next((array for position, array in enumerate(arrays) if position not in set(unknown)), None)
        if known is None and dtype is None:
            raise SampleError(0, f"field {path} is an empty list in every sample, which has no type; give dtype=")
        blank = np.zeros((0,) * axes, dtype) if known is None else known[:0]
        for position in unknown:
            arrays[position] = blank
    return arrays


def _check(arrays: Sequence[np.ndarray], path: str, ragged: set[int], axes: int) -> None:
    """Refuse arrays that differ in anything but their ragged axes."""
    first = arrays[0]
    if first.ndim < axes:
        raise SampleError(0, f"field {path} has shape {first.shape}, and needs at least {_axes(axes)}")
    if len({array.ndim for array in arrays}) > 1:
        position = next(place for place, array in enumerate(arrays) if array.ndim != first.ndim)
        other = arrays[position]
        raise SampleError(
            position,
            f"field {path} has {_axes(other.ndim)}, shape {other.shape}, and {_axes(first.ndim)}, shape {first.shape}, "
            "in sample 0 of the batch; where there is nothing, give an array of length 0 with as many axes",
        )
    if len({array.dtype for array in arrays}) > 1:
        position = next(place for place, array in enumerate(arrays) if array.dtype != first.dtype)
        raise SampleError(
            position,
            f"field {path} is {arrays[position].dtype}, and {first.dtype} in sample 0 of the batch; give all samples "
            "one type, or say dtype=",
        )
    fixed = [axis for axis in range(first.ndim) if axis not in ragged]
    shapes = [tuple([array.shape[axis] for axis in fixed]) for array in arrays]
    if len(set(shapes)) > 1:
        position = next(place for place, shape in enumerate(shapes) if shape != shapes[0])
        raise SampleError(
            position,
            f"field {path} has shape {arrays[position].shape}, and {first.shape} in sample 0 of the batch; they may "
            f"differ in {'axis' if len(ragged) == 1 else 'axes'} {', '.join(map(str, sorted(ragged)))} alone",
        )


def _check_value(value: float, dtype: np.dtype, path: str) -> None:
    if dtype.kind in "biu" and value not in (np.array([0, 1]) if dtype.kind == "b" else ()):
        limits = None if dtype.kind == "b" else np.iinfo(dtype)
        if limits is None or value != value // 1 or not limits.min <= value <= limits.max:
            raise ValueError(f"field {path} is {dtype}, and cannot be padded with {value!r}")


def _axes(count: int) -> str:
    return f"{count} {'axis' if count == 1 else 'axes'}"
