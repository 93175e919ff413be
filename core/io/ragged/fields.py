"""How one field of the samples becomes fields of a batch: padded, concatenated, or kept as it is."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io.batch import HostList, SampleError
from core.io.collate import collate, is_tensor
from core.io.ragged import padding
from core.io.ragged.sizes import Sizes

Part = tuple[str, Any]
"""What is added to a field's name, and the value: the field itself adds nothing."""


class Arrays(NamedTuple):
    """The arrays of a field, and the sizes of their ragged axes, of shape (B, K)."""

    arrays: list[np.ndarray]
    lengths: np.ndarray


class Field(abc.ABC):
    """How a field is batched."""

    names: tuple[Optional[str], ...] = ()

    @abc.abstractmethod
    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Any:
        """Return the values of B samples, checked, as :meth:`build` takes them."""

    def wanted(self, values: Any) -> dict[str, int]:
        """Return how much room checked values need, by the name of the size."""
        return {}

    @abc.abstractmethod
    def build(self, values: Any, path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the batch's fields, for the room that the batch has by the names of sizes."""


class Stack(Field):
    """A field that has one shape in all samples, as the default collate function batches it. It may be nested."""

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Any:
        """Return the values as they are."""
        return values

    def build(self, values: Any, path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the stacked field."""
        try:
            return [("", collate(values, empty))]
        except (ValueError, TypeError) as error:
            raise type(error)(f"field {path}: {error}") from None


class Keep(Field):
    """A field that stays as it is, a list with one entry per sample: for evaluators, not for networks."""

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Any:
        """Return the values as they are."""
        return values

    def build(self, values: Any, path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
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
        self.value = _number("Pad", value)
        self.mask = mask
        self.lengths = lengths
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.ragged = {axis: name for axis, name in enumerate(axes) if name is not None}

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Sequence[Any]:
        """Return arrays, checked."""
        arrays = _arrays(values, path, self.dtype, len(self.names))
        shapes = _shapes(arrays, path, list(self.ragged), len(self.names))
        _check_value(self.value, arrays[0].dtype, path)
        lengths = shapes[:, list(self.ragged)]
        for place, name in enumerate(self.ragged.values()):
            limit = sizes.limit(name)
            if limit is not None and lengths[:, place].max() > limit:
                position = int(np.argmax(lengths[:, place] > limit))
                raise SampleError(
                    position,
                    f"field {path} has {lengths[position, place]} of size {name!r}, whose last bucket is {limit}; "
                    f"{sizes.advice(name)}",
                )
        return Arrays(arrays, lengths)

    def wanted(self, values: Any) -> dict[str, int]:
        """Return the largest size of each name."""
        needs: dict[str, int] = {}
        for name, longest in zip(self.ragged.values(), values.lengths.max(axis=0).tolist()):
            needs[name] = max(needs.get(name, 0), longest)
        return needs

    def build(self, values: Any, path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the padded field, and what is beside it."""
        sizes = {axis: room[name] for axis, name in self.ragged.items()}
        parts = [("", padding.pad(values.arrays, sizes, self.value, empty))]
        if self.mask:
            parts.append(("_mask", padding.within(values.lengths, list(sizes.values()))))
        if self.lengths:
            lengths = np.minimum(values.lengths, list(sizes.values()))
            parts.append(("_lengths", lengths[:, 0] if len(sizes) == 1 else lengths))
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
        self.rows = rows
        self.value = _number("Concatenate", value)
        self.offsets = offsets
        self.numbers = numbers
        self.dtype = None if dtype is None else np.dtype(dtype)

    def read(self, values: Sequence[Any], path: str, sizes: Sizes) -> Sequence[Any]:
        """Return arrays, checked."""
        arrays = _arrays(values, path, self.dtype, 1)
        shapes = _shapes(arrays, path, [0], 1)
        _check_value(self.value, arrays[0].dtype, path)
        lengths = shapes[:, :1]
        limit = sizes.limit(self.rows)
        if limit is not None and lengths.sum() > limit:
            raise SampleError(
                int(np.argmax(lengths.cumsum() > limit)),
                f"with it field {path} has more rows than the last bucket of {self.rows!r}, {limit} (the batch has "
                f"{lengths.sum()}); make smaller batches, {sizes.advice(self.rows)}",
            )
        return Arrays(arrays, lengths)

    def wanted(self, values: Any) -> dict[str, int]:
        """Return the number of all rows."""
        return {self.rows: int(values.lengths.sum())}

    def build(self, values: Any, path: str, room: dict[str, int], empty: padding.Maker) -> list[Part]:
        """Return the rows, and what is beside them."""
        size = room[self.rows]
        offsets = np.zeros(len(values.arrays) + 1, np.int64)
        np.minimum(values.lengths[:, 0].cumsum(), size, out=offsets[1:])
        parts = [("", padding.concatenate(values.arrays, size, self.value, empty))]
        if self.offsets:
            parts.append(("_offsets", offsets))
        if self.numbers:
            parts.append(("_numbers", padding.sample_numbers(offsets, size)))
        return parts


def _arrays(values: Sequence[Any], path: str, dtype: Optional[np.dtype], axes: int) -> list[np.ndarray]:
    """Return the values of a field as arrays; an empty list takes the shape and type of the others."""
    arrays = [
        value
        if type(value) is np.ndarray and (dtype is None or value.dtype == dtype)
        else _array(value, place, path, dtype)
        for place, value in enumerate(values)
    ]
    if arrays[0].dtype.kind not in "biufc":
        _array(values[0], 0, path, None)
    unknown = [place for place, value in enumerate(values) if isinstance(value, (list, tuple)) and len(value) == 0]
    if unknown:
        known = next((array for place, array in enumerate(arrays) if place not in set(unknown)), None)
        if known is None and dtype is None:
            raise SampleError(0, f"field {path} is an empty list in every sample, which has no type; give dtype=")
        blank = np.zeros((0,) * axes, dtype) if known is None else known[:0]
        for place in unknown:
            arrays[place] = blank
    return arrays


def _array(value: Any, position: int, path: str, dtype: Optional[np.dtype]) -> np.ndarray:
    try:
        array = np.asarray(value.numpy() if is_tensor(value) else value, dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise SampleError(position, f"field {path} cannot be made an array: {error}") from None
    if array.dtype.kind not in "biufc":
        kind = type(value).__name__ if array.dtype.kind == "O" else f"an array of {array.dtype}"
        raise SampleError(position, f"field {path} is {kind}, not numbers; Keep() leaves a field as it is")
    return array


def _shapes(arrays: Sequence[np.ndarray], path: str, ragged: Sequence[int], axes: int) -> np.ndarray:
    """Return the shapes of arrays, one in each row; refuse what differs in anything but the ragged axes."""
    first, shapes = arrays[0], [array.shape for array in arrays]
    if first.ndim < axes:
        raise SampleError(0, f"field {path} has shape {first.shape}, and needs at least {_axes(axes)}")
    other = _other(list(map(len, shapes)), first.ndim)
    if other is not None:
        raise SampleError(
            other,
            f"field {path} has {_axes(len(shapes[other]))}, shape {shapes[other]}, and {_axes(first.ndim)}, shape "
            f"{first.shape}, in sample 0 of the batch; where there is nothing, give an array of length 0 with as many "
            "axes",
        )
    other = _other([array.dtype for array in arrays], first.dtype)
    if other is not None:
        raise SampleError(
            other,
            f"field {path} is {arrays[other].dtype}, and {first.dtype} in sample 0 of the batch; give all samples one "
            "type, or say dtype=",
        )
    table = np.array(shapes, np.int64)
    differs = table != table[0]
    differs[:, ragged] = False
    if differs.any():
        other = int(differs.any(axis=1).argmax())
        raise SampleError(
            other,
            f"field {path} has shape {shapes[other]}, and {first.shape} in sample 0 of the batch; they may differ in "
            f"{'axis' if len(ragged) == 1 else 'axes'} {', '.join(map(str, ragged))} alone",
        )
    return table


def _other(items: list[Any], first: Any) -> Optional[int]:
    """Return the position of an item that is not equal to the first one; None where all are."""
    return None if items.count(first) == len(items) else next(n for n, item in enumerate(items) if item != first)


def _check_value(value: float, dtype: np.dtype, path: str) -> None:
    if dtype.kind in "biu":
        low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        if not (low <= value <= high and value == value // 1):
            raise ValueError(f"field {path} is {dtype}, and cannot be padded with {value!r}")


def _number(owner: str, value: Any) -> float:
    if not isinstance(value, (int, float, np.number)):
        raise ValueError(f"{owner}: value must be a number, not {value!r}")
    return value  # type: ignore[return-value]  # numpy's numbers too


def _axes(count: int) -> str:
    return f"{count} {'axis' if count == 1 else 'axes'}"
