"""MXNet's ``.params`` files, read and written in their documented byte layout without loading the engine.

All integers are little-endian: a 64-bit magic number 0x112 and a 64-bit zero; the 64-bit count of arrays and the
arrays; the 64-bit count of names and the names, each with a 64-bit length. An array is a 32-bit magic number that gives
the version, then (from version 2 on) a 32-bit storage type, the 32-bit number of axes and the 64-bit extents, two
32-bit numbers for the device, a 32-bit data type and the values.
"""
from __future__ import annotations

import os
import struct
from collections.abc import Container, Mapping
from typing import Any, BinaryIO

import numpy

from core.weights.atomic import PathLike, atomic_write
from core.weights.formats.bfloat16 import upcast
from core.weights.formats.pdparams import require_file
from core.weights.limits import MOST_AXES, array_bytes
from core.weights.messages import describe

MAGIC = 0x112
_VERSION_1, _VERSION_2, _VERSION_3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_STORAGE = {0: "dense", 1: "row-sparse", 2: "compressed sparse row"}
_DTYPES = {0: "f4", 1: "f8", 2: "f2", 3: "u1", 4: "i4", 5: "i1", 6: "i8", 7: "?", 8: "i2", 9: "u2", 10: "u4", 11: "u8"}
_BFLOAT16 = 12


class _Reader:
    """A cursor over the file that knows how many bytes are left, so a false length is refused before it is read."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        if count > self._left:
            raise ValueError("it is truncated")
        self._left -= count
        return self._stream.read(count)

    def integers(self, form: str) -> tuple[Any, ...]:
        """Return the next integers, in a form of :mod:`struct`."""
        return struct.unpack("<" + form, self.read(struct.calcsize("<" + form)))


def read_mxnet_params(path: PathLike) -> dict[str, numpy.ndarray]:
    """Read a ``.params`` file that MXNet or Gluon wrote.

    Args:
        path: the file.

    Returns:
        Name to array. The prefixes ``arg:`` and ``aux:`` of Module checkpoints are kept. Arrays saved without names are
        called ``"0"``, ``"1"``, … bfloat16 values become float32.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, is not a ``.params`` file, or holds a sparse array.
    """
    require_file(path)
    with open(path, "rb") as stream:
        reader = _Reader(stream, os.fstat(stream.fileno()).st_size)
        try:
            if reader.integers("QQ")[0] != MAGIC:
                raise ValueError("it does not begin with MXNet's magic number")
            arrays = [_read_array(reader) for _ in range(reader.integers("Q")[0])]
            names = [reader.read(reader.integers("Q")[0]).decode("utf-8") for _ in range(reader.integers("Q")[0])]
            return _pair(names, arrays)
        except ValueError as error:
            raise ValueError(f"cannot read {os.fspath(path)!r} as an MXNet .params file: {error}") from None


def write_mxnet_params(arrays: Mapping[str, numpy.ndarray], path: PathLike, bfloat16: Container[str] = ()) -> None:
    """Write arrays to a ``.params`` file that MXNet's ``load`` and Gluon's ``load_parameters`` read; crash-safe.

    With an array that has no axes or no elements the file is for MXNet's NumPy mode (``mx.npx.load``).

    Args:
        arrays: name to array of numbers or booleans.
        path: where to write.
        bfloat16: the names of uint16 arrays that hold the bits of bfloat16 numbers.

    Raises:
        TypeError: a value is not an array of numbers that MXNet has.
    """
    flags = {numpy.dtype(form): flag for flag, form in _DTYPES.items()}
    for name, array in arrays.items():
        if not isinstance(name, str) or not isinstance(array, numpy.ndarray) or array.dtype not in flags:
            raise TypeError(f"array {name!r} must be a numpy array of numbers that MXNet has, not {describe(array)}")
    # MXNet reads version 2 by default; only version 3 knows arrays without axes or elements
    version = _VERSION_2 if all(array.size and array.ndim for array in arrays.values()) else _VERSION_3
    with atomic_write(path) as stream:
        stream.write(struct.pack("<QQQ", MAGIC, 0, len(arrays)))
        for name, array in arrays.items():
            flag = _BFLOAT16 if name in bfloat16 else flags[array.dtype]
            stream.write(struct.pack(f"<Iii{array.ndim}q", version, 0, array.ndim, *array.shape))
            stream.write(struct.pack("<iii", 1, 0, flag))  # of the device cpu(0)
            stream.write(numpy.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
        stream.write(struct.pack("<Q", len(arrays)))
        for name in arrays:
            content = name.encode("utf-8")
            stream.write(struct.pack("<Q", len(content)) + content)


def _pair(names: list[str], arrays: list[numpy.ndarray]) -> dict[str, numpy.ndarray]:
    if not names:
        names = [str(position) for position in range(len(arrays))]
    if len(names) != len(arrays) or len(set(names)) != len(names):
        raise ValueError(f"it has {len(arrays)} arrays but {len(set(names))} different names")
    return dict(zip(names, arrays))


def _read_array(reader: _Reader) -> numpy.ndarray:
    """Read one dense array of any version."""
    (magic,) = reader.integers("I")
    if magic in (_VERSION_2, _VERSION_3):
        (storage,) = reader.integers("i")
        if storage != 0:
            kind = _STORAGE.get(storage, "strangely stored")
            raise ValueError(f"it holds a {kind} array; only dense ones can be read")
    elif magic != _VERSION_1 and magic > 32:  # before version 1 the first number was the number of axes
        raise ValueError(f"it holds an array of unknown version {magic:#x}")
    if magic in (_VERSION_1, _VERSION_2, _VERSION_3):
        (axes,) = reader.integers("i")
        extent_form = "q"
    else:
        axes, extent_form = magic, "I"
    if axes == -1 or (axes == 0 and magic != _VERSION_3):
        raise ValueError("it holds an array that was never given a value")
    if not 0 <= axes <= MOST_AXES:
        raise ValueError(f"it holds an array of {axes} axes")
    shape = reader.integers(f"{axes}{extent_form}") if axes else ()
    if any(extent < 0 for extent in shape):
        raise ValueError(f"it holds an array of shape {shape}")
    flag = reader.integers("iii")[2]
    if flag != _BFLOAT16 and flag not in _DTYPES:
        raise ValueError(f"it holds an array of unknown data type {flag}")
    dtype = numpy.dtype("<u2" if flag == _BFLOAT16 else _DTYPES[flag]).newbyteorder("<")
    values = numpy.frombuffer(reader.read(array_bytes(shape, dtype.itemsize)), dtype).reshape(shape)
    if flag == _BFLOAT16:
        return upcast(values)
    return values.astype(dtype.newbyteorder("="))
