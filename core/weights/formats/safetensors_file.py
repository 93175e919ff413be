"""``.safetensors`` files: the safetensors library checks what is read; what is written goes from memory to the file.

The format: the header's length in 64 bits, the header in JSON (name to type, shape and place of an array), the arrays.
numpy has no bfloat16: where the bits matter, such arrays are handled as uint16 together with the set of their names.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Container, Mapping
from typing import Any, Optional

import numpy

from core.weights.atomic import PathLike, atomic_write
from core.weights.formats.bfloat16 import upcast_named
from core.weights.formats.pdparams import require_file
from core.weights.limits import LONGEST_NUMBER, array_bytes
from core.weights.messages import describe, one_line, shown

_TYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4", "I64": "<i8",
    "U64": "<u8", "F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2",
}  # fmt: skip
_LONGEST_HEADER = 32_000_000
_CODES = {numpy.dtype(form): code for code, form in _TYPES.items() if code != "BF16"}


def read_safetensors(path: PathLike) -> dict[str, numpy.ndarray]:
    """Read all arrays of a ``.safetensors`` file.

    Args:
        path: the file.

    Returns:
        Name to array, in the file's order; bfloat16 values become float32.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated or is not a safetensors file.
    """
    return read_safetensors_with_metadata(path)[0]


def read_safetensors_with_metadata(path: PathLike) -> tuple[dict[str, numpy.ndarray], dict[str, str]]:
    """Read all arrays and the free text entries of a ``.safetensors`` file.

    Args:
        path: the file.

    Returns:
        Name to array, and the metadata (empty where the file has none).

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated or is not a safetensors file.
    """
    arrays, metadata, halves = read_safetensors_bits(path)
    return upcast_named(arrays, halves), metadata


def read_safetensors_bits(path: PathLike) -> tuple[dict[str, numpy.ndarray], dict[str, str], set[str]]:
    """Read a ``.safetensors`` file with bfloat16 arrays as their bits.

    Args:
        path: the file.

    Returns:
        Name to array, the metadata, and the names of the uint16 arrays that hold bfloat16.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated or is not a safetensors file.
    """
    import safetensors  # loaded with the first use

    require_file(path)
    try:
        _check_header(path)
        with safetensors.safe_open(os.fspath(path), framework="numpy") as file:  # checks names, types, shapes, places
            metadata = dict(file.metadata() or {})
        with open(path, "rb") as stream:
            start = 8 + struct.unpack("<Q", stream.read(8))[0]
            header = json.loads(stream.read(start - 8), parse_int=bounded_integer)
            header.pop("__metadata__", None)
            arrays = {name: _read_array(stream, start, name, entry) for name, entry in header.items()}
        return arrays, metadata, {name for name, entry in header.items() if entry["dtype"] == "BF16"}
    except (safetensors.SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        name, reason = repr(os.fspath(path)), one_line(error)
        raise ValueError(f"cannot read {name} as a safetensors file: {reason}; fetch or write it again") from None


def bounded_integer(digits: str) -> int:
    """Return an integer of JSON text.

    Raises:
        ValueError: it has more digits than a number in a file may have.
    """
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"it holds an integer of more than {LONGEST_NUMBER:,} digits")
    return int(digits)


def _check_header(path: PathLike) -> None:
    """Check the announced length of the header, of which objects of many times its size are made."""
    with open(path, "rb") as stream:
        start = stream.read(8)
    if len(start) == 8 and struct.unpack("<Q", start)[0] > _LONGEST_HEADER:
        raise ValueError(f"its header is longer than {_LONGEST_HEADER:,} bytes")


def _read_array(stream: Any, start: int, name: str, entry: Mapping[str, Any]) -> numpy.ndarray:
    if entry["dtype"] not in _TYPES:
        raise ValueError(f"array {shown(name)} holds {entry['dtype']} numbers, which numpy does not have")
    dtype = numpy.dtype(_TYPES[entry["dtype"]])
    begin, end = entry["data_offsets"]
    stream.seek(start + begin)
    array_bytes(entry["shape"], dtype.itemsize)
    flat = numpy.fromfile(stream, dtype, (end - begin) // dtype.itemsize)
    return flat.astype(dtype.newbyteorder("="), copy=False).reshape(entry["shape"])


def write_safetensors(
    arrays: Mapping[str, numpy.ndarray],
    path: PathLike,
    metadata: Optional[Mapping[str, str]] = None,
    bfloat16: Container[str] = (),
) -> None:
    """Write arrays to a ``.safetensors`` file; crash-safe.

    Args:
        arrays: name to array of numbers or booleans.
        path: where to write.
        metadata: free text entries for the file's header.
        bfloat16: the names of uint16 arrays that hold the bits of bfloat16 numbers.

    Raises:
        TypeError: a value is not an array of numbers, or a metadata entry is not text.
    """
    for key, array in arrays.items():
        if not isinstance(key, str):
            raise TypeError(f"the name of an array must be text, not {describe(key)}")
        if not isinstance(array, numpy.ndarray) or array.dtype.newbyteorder("<") not in _CODES:
            raise TypeError(f"array {key!r} must be a numpy array of real numbers, not {describe(array)}")
    for key, text in (metadata or {}).items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise TypeError(f"metadata entry {key!r} must be text, not {describe(text)}")
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    header.update({key: {} for key in arrays})
    order = sorted(arrays, key=lambda key: -arrays[key].dtype.itemsize)  # so that every array is aligned
    end = 0
    for key in order:
        array = arrays[key]
        code = "BF16" if key in bfloat16 else _CODES[array.dtype.newbyteorder("<")]
        header[key] = {"dtype": code, "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    with atomic_write(path) as stream:
        stream.write(struct.pack("<Q", len(head)) + head)
        for key in order:
            array = arrays[key]
            array = numpy.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            stream.write(array.reshape(-1).view(numpy.uint8).data)
