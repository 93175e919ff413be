"""The native checkpoint format: a ``.safetensors`` file whose metadata keeps how its arrays were nested.

Any tool reads the arrays. The entry ``core`` of the metadata is JSON: ``{"version": 1, "value": ...}``, in which a
dictionary is ``{"dict": [[key, value], ...]}``, a list ``{"list": [...]}``, a tuple ``{"tuple": [...]}``, an array
``{"array": name}``, a numpy number ``{"number": name}``, a tensor ``{"tensor": name, "name": global name}``; numbers,
text, true, false and null stand as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

import numpy

from core.weights.atomic import PathLike
from core.weights.formats.safetensors_file import bounded_integer, read_safetensors_bits, write_safetensors
from core.weights.messages import one_line, shown

VERSION = 1
_ENTRY = "core"


class TensorContent(NamedTuple):
    """A tensor in a file.

    Args:
        array: its elements; bfloat16 as bits in uint16.
        name: its global name, or None.
        is_bfloat16: whether the bits are bfloat16.
    """

    array: numpy.ndarray
    name: Optional[str]
    is_bfloat16: bool


def write_native(value: Any, path: PathLike, content: Callable[[Any], Optional[TensorContent]]) -> None:
    """Write nested values; crash-safe.

    Args:
        value: tensors, arrays, numbers, text and dictionaries, lists and tuples of them.
        path: where to write.
        content: gives what a tensor holds; None for anything that is not a tensor.

    Raises:
        TypeError: something in it is of another kind.
    """
    writer = _Writer(content)
    structure = writer.encode(value, "")
    metadata = {_ENTRY: json.dumps({"version": VERSION, "value": structure}, separators=(",", ":"))}
    write_safetensors(writer.arrays, path, metadata, writer.bfloat16)


class _Writer:
    """Collects the arrays of a value under the paths at which they stand."""

    def __init__(self, content: Callable[[Any], Optional[TensorContent]]) -> None:
        self.arrays: dict[str, numpy.ndarray] = {}
        self.bfloat16: set[str] = set()
        self._content = content

    def encode(self, value: Any, place: str) -> Any:
        """Return the JSON of a value."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        tensor = self._content(value)
        if tensor is not None:
            name = self._add(tensor.array, place)
            if tensor.is_bfloat16:
                self.bfloat16.add(name)
            return {"tensor": name, "name": tensor.name}
        if isinstance(value, numpy.ndarray) and value.dtype.kind in "biuf":
            return {"array": self._add(value, place)}
        if isinstance(value, numpy.generic) and value.dtype.kind in "biuf":
            return {"number": self._add(numpy.asarray(value), place)}
        if isinstance(value, Mapping):
            items = [(self._key(key, place), self.encode(part, _join(place, key))) for key, part in value.items()]
            return {"dict": items}
        if type(value) in (list, tuple):
            parts = [self.encode(part, _join(place, index)) for index, part in enumerate(value)]
            return {type(value).__name__: parts}
        kind = f"an array of {value.dtype}" if isinstance(value, numpy.ndarray) else f"a {type(value).__name__}"
        where = f" at {shown(place)}" if place else ""
        fix = "; save its state_dict()" if hasattr(value, "state_dict") else ""
        raise TypeError(
            f"a .safetensors file holds tensors, arrays, numbers, text and dictionaries, lists and tuples of them, not"
            f" {kind}{where}{fix}"
        )

    def _key(self, key: Any, place: str) -> Any:
        if type(key) not in (str, int, bool, float, type(None)):
            kind = type(key).__name__
            raise TypeError(f"a .safetensors file has text or numbers for keys, not a {kind} at {shown(place)}")
        return key

    def _add(self, array: numpy.ndarray, place: str) -> str:
        name, count = place or "value", 1
        while name in self.arrays or name == "__metadata__":
            count += 1
            name = f"{place or 'value'}#{count}"
        self.arrays[name] = array
        return name


def _join(place: str, key: Any) -> str:
    return f"{place}/{key}" if place else str(key)


def read_native(path: PathLike, tensor: Callable[[TensorContent], Any]) -> Any:
    """Read nested values; a ``.safetensors`` file of other origin is a dictionary of its arrays as tensors.

    Args:
        path: the file.
        tensor: makes a tensor.

    Returns:
        The value as it was written.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file cannot be read, or a newer version of core wrote it.
    """
    arrays, metadata, halves = read_safetensors_bits(path)
    if _ENTRY not in metadata:
        return {name: tensor(TensorContent(array, None, name in halves)) for name, array in arrays.items()}
    try:
        described = json.loads(metadata[_ENTRY], parse_int=bounded_integer)
        version = described["version"]
        if version != VERSION:
            raise ValueError(f"its layout has version {str(version)[:20]}, this core reads version {VERSION}")
        return _decode(described["value"], dict(arrays), halves, tensor)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        reason = one_line(error) if isinstance(error, ValueError) else "it does not fit its arrays"
        name = repr(os.fspath(path))
        raise ValueError(f"cannot read {name}: its description of nested values is damaged ({reason})") from None


def _decode(value: Any, arrays: dict[str, Any], halves: set[str], tensor: Callable[[TensorContent], Any]) -> Any:
    """Return a described value; each array is in one place, from which it is taken."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if "tensor" in value:
        name = value["tensor"]
        return tensor(TensorContent(arrays.pop(name), value["name"], name in halves))
    (kind, content), = value.items()
    if kind in ("array", "number"):
        return arrays.pop(content) if kind == "array" else arrays.pop(content)[()]
    if kind == "dict":
        return {key: _decode(part, arrays, halves, tensor) for key, part in content}
    if kind not in ("list", "tuple"):
        raise ValueError("unknown kind")
    parts = [_decode(part, arrays, halves, tensor) for part in content]
    return parts if kind == "list" else tuple(parts)
