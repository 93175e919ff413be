"""A collate function for samples whose fields differ in size: boxes, labels, texts, images of many shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from core.io.batch import Batch, NamedBatch, SampleError
from core.io.ragged.fields import Concatenate, Field, Keep, Pad, Stack
from core.io.ragged.padding import Maker
from core.io.ragged.sizes import Longest, SizeRule, Sizes

__all__ = ["Collate", "Concatenate", "Field", "Keep", "Pad", "Stack"]

Fields = Union[Field, Mapping[Any, Any], Sequence[Any]]
"""How fields are batched: by name, by position, or for a sample that is one field; nested as the samples are."""


class _Leaf(NamedTuple):
    field: Field
    values: Sequence[Any]
    path: str

    def parts_of(self, room: dict[str, int], empty: Maker) -> list[tuple[str, Any]]:
        """Return the field and what is beside it: what its name is followed by, and the value."""
        return self.field.build(self.values, self.path, room, empty)


class _Branch(NamedTuple):
    named: bool
    parts: dict[Any, Any]

    def build(self, room: dict[str, int], empty: Maker) -> Any:
        """Return the fields as a dict or a list."""
        built = {key: part.parts_of(room, empty) for key, part in self.parts.items()}
        if not self.named:
            return [value for parts in built.values() for _, value in parts]
        fields: dict[Any, Any] = {}
        for key, parts in built.items():
            for suffix, value in parts:
                name = f"{key}{suffix}" if suffix else key
                if suffix and name in built:
                    raise ValueError(f"Collate: {name!r} is a field of the samples, and what is made beside {key!r}")
                fields[name] = value
        return fields

    def parts_of(self, room: dict[str, int], empty: Maker) -> list[tuple[str, Any]]:
        """Return the nested fields, which have nothing beside them."""
        return [("", self.build(room, empty))]


class Collate:
    """Make a batch of samples, of each field as is said: stacked, padded, concatenated, or kept.

    Args:
        fields: for samples that are dicts a Field by name, for others one by position, in a list or by number; a dict
            or list in place of a Field for a nested field. A field that is not mentioned is stacked.
        sizes: for each name of a size its buckets, or an integer of which it is to be a multiple; a name that is not
            here is padded to what the batch needs, and each size is compiled again.
        longest: how to treat what is longer than the last bucket: "error" or "truncate", or one of these for each
            size by name.
        before: called with the samples first, and returns those that are batched: for what concerns a batch as a
            whole, such as one size of all images. Its attribute ``sizes``, if it has one, says which sizes it gives
            to fields that are stacked: by name a list, or None where they are not known.

    Raises:
        ValueError: a rule for a size is not one, or no field has a size of that name.
        TypeError: a field is described by something else.
    """

    def __init__(
        self,
        fields: Fields,
        sizes: Optional[Mapping[str, SizeRule]] = None,
        longest: Longest = "error",
        before: Optional[Callable[[Sequence[Any]], Sequence[Any]]] = None,
    ) -> None:
        self.fields = _described(fields, "fields")
        self.sizes = Sizes(sizes, longest)
        self.before = before
        self.names = list(dict.fromkeys(name for name in _names(self.fields) if name is not None))
        for name in self.sizes.rules:
            if name not in self.names:
                known = ", ".join(map(repr, self.names)) or "no sizes"
                raise ValueError(f"Collate: no field has a size {name!r}; the fields have {known}")

    def __call__(self, samples: Sequence[Any]) -> Any:
        """Return the batch of some samples.

        Args:
            samples: B samples of one structure.

        Returns:
            A :class:`Batch`, of dict samples a :class:`NamedBatch`: the fields, and after each what was asked for
            beside it, ``<field>_mask``, ``_lengths``, ``_offsets`` or ``_numbers``.

        Raises:
            SampleError: a sample does not go with the others; which one, which field, and how.
            ValueError: there are no samples, or samples have no such field.
        """
        return self.collate(samples, np.empty)

    def collate(self, samples: Sequence[Any], empty: Maker) -> Any:
        """Do what calling it does, with arrays that ``empty(shape, dtype)`` makes."""
        if len(samples) == 0:
            raise ValueError("a batch cannot be made from no samples")
        if self.before is not None:
            samples = self.before(samples)
        plan = self._plan(self.fields, samples, "")
        wanted: dict[str, int] = {}
        for leaf in _leaves(plan):
            for name, size in leaf.field.wanted(leaf.values).items():
                wanted[name] = max(wanted.get(name, 0), size)
        room = {name: self.sizes.padded(name, size) for name, size in wanted.items()}
        if isinstance(plan, _Leaf):
            plan = _Branch(False, {0: plan})
        fields = plan.build(room, empty)
        return NamedBatch(fields, len(samples)) if plan.named else Batch(fields, len(samples))

    def _plan(self, fields: Any, values: Sequence[Any], path: str) -> Any:
        """Return the samples' values by field, checked: a leaf for each, in branches where fields are nested."""
        if isinstance(fields, Field):
            return _Leaf(fields, fields.read(values, path or "of the samples", self.sizes), path)
        first = values[0]
        named = isinstance(first, Mapping)
        if not named and (isinstance(first, (str, bytes)) or not isinstance(first, Sequence)):
            where = f"field {path} is" if path else "it is"
            raise SampleError(0, f"{where} {type(first).__name__}, not the dict, tuple or list that is described")
        keys = list(first) if named else list(range(len(first)))
        for key in fields:
            if key not in keys:
                here = f" in field {path}" if path else ""
                known = ", ".join(map(repr, keys))
                raise ValueError(f"Collate: samples have no field {key!r}{here}; they have {known}")
        kind, expected = type(first), first.keys() if named else len(first)
        for position, value in enumerate(values):
            if type(value) is not kind or (value.keys() if named else len(value)) != expected:
                _check_structure(first, value, keys, position, path)
        parts = {
            key: self._plan(
                fields.get(key, _STACK), [value[key] for value in values], f"{path}[{key!r}]" if path else repr(key)
            )
            for key in keys
        }
        return _Branch(named, parts)


_STACK = Stack()


def _check_structure(first: Any, value: Any, keys: Sequence[Any], position: int, path: str) -> None:
    where = f"field {path}" if path else "it"
    if isinstance(value, Mapping) != isinstance(first, Mapping) or not isinstance(value, (Mapping, Sequence)):
        raise SampleError(position, f"{where} is {type(value).__name__}, and {type(first).__name__} in sample 0")
    if len(value) == len(keys) and (not isinstance(value, Mapping) or all(key in value for key in keys)):
        return
    if not isinstance(value, Mapping):
        raise SampleError(position, f"{where} has {len(value)} fields, and {len(keys)} in sample 0 of the batch")
    missing = [key for key in keys if key not in value]
    if missing:
        raise SampleError(position, f"{where} lacks the field {missing[0]!r}")
    further = next(key for key in value if key not in keys)
    raise SampleError(position, f"{where} has a field {further!r}, which sample 0 of the batch lacks")


def _leaves(plan: Union[_Leaf, _Branch]) -> Iterator[_Leaf]:
    if isinstance(plan, _Leaf):
        yield plan
        return
    for part in plan.parts.values():
        yield from _leaves(part)


def _described(fields: Any, path: str) -> Any:
    """Return fields with lists as dicts from position to field."""
    if isinstance(fields, Field):
        return fields
    if isinstance(fields, Mapping):
        return {key: _described(field, f"{path}[{key!r}]") for key, field in fields.items()}
    if isinstance(fields, Sequence) and not isinstance(fields, str):
        return {key: _described(field, f"{path}[{key}]") for key, field in enumerate(fields)}
    raise TypeError(f"Collate: {path} must be Stack(), Pad(...), Concatenate(...), Keep() or nested, not {fields!r}")


def _names(fields: Any) -> Iterator[Optional[str]]:
    if isinstance(fields, Field):
        yield from fields.names
        return
    for field in fields.values():
        yield from _names(field)
