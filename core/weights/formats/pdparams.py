"""Paddle's ``.pdparams`` and ``.pdopt`` files: a pickled dictionary of arrays, read without running it."""
from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from typing import Any, BinaryIO, Union

import numpy

from core.weights.atomic import PathLike, atomic_write
from core.weights.formats.unpickler import load_plain
from core.weights.limits import array_bytes, arrays_allowance
from core.weights.messages import describe, shown

NAME_TABLE = "StructuredToParameterName@@"
"""The entry that maps structured names (``conv.weight``) to global ones (``conv2d_0.w_0``)."""

_BIG_PARAMETERS = "UnpackBigParamInfor@@"
SLICE_BYTES = 2**30 - 1
"""What Paddle puts into one slice."""
_FOREIGN = {
    b"PK\x03\x04": "it is a zip archive (a PyTorch checkpoint, perhaps); convert it to .pdparams or .safetensors",
    b"\x1f\x8b": "it is a gzip archive; unpack it first",
    b"<!DO": "it is a web page; the download was answered by a page instead of the file",
    b"<htm": "it is a web page; the download was answered by a page instead of the file",
}


def read_pickle(source: Union[PathLike, BinaryIO]) -> Any:
    """Read a file that Paddle's ``save`` wrote, without running any code of it.

    Args:
        source: a path, or a binary stream.

    Returns:
        The value as it is in the file: arrays, numbers, strings and plain containers. A tensor inside a nested
        container becomes the tuple ``(name, array)``; parameters that Paddle cut into slices are whole again.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, is not a pickle, asks for anything but arrays and plain containers, or makes
            more of its bytes than 1.1 times their number and 1 MB.
    """
    if isinstance(source, (str, os.PathLike)):
        require_file(source)
        with open(source, "rb") as stream:
            return _read(stream, repr(os.fspath(source)))
    return _read(source, "the stream")


def require_file(path: PathLike) -> None:
    """Check that a file to be read exists, and is a file.

    Raises:
        FileNotFoundError: it does not, or it is a directory.
        ValueError: it is a pipe or a device, which may never end.
    """
    if os.path.isdir(path):
        raise FileNotFoundError(f"cannot read {os.fspath(path)!r}: it is a directory; name the file inside it")
    if not os.path.exists(path):
        raise FileNotFoundError(f"cannot read {os.fspath(path)!r}: there is no such file")
    if not os.path.isfile(path):
        raise ValueError(f"cannot read {os.fspath(path)!r}: it is a pipe or a device; copy its content to a file first")


def _read(stream: BinaryIO, name: str) -> Any:
    start = stream.read(4)
    stream.seek(-len(start), os.SEEK_CUR)
    if not start:
        raise ValueError(f"cannot read {name}: it is empty; fetch or write it again")
    for mark, reason in _FOREIGN.items():
        if start.startswith(mark):
            raise ValueError(f"cannot read {name} as a Paddle file: {reason}")
    try:
        begin = stream.tell()
        value = load_plain(stream)
        return _join_slices(value, arrays_allowance(stream.tell() - begin))
    except pickle.UnpicklingError as error:
        reason = str(error)
        if "truncated" in reason or "too early" in reason:
            reason = "it is truncated, or not a Paddle file; fetch or write it again"
        else:
            reason += "; nothing in it was run"
        raise ValueError(f"cannot read {name}: {reason}") from None


def _join_slices(value: Any, allowed: int) -> Any:
    """Put together the parameters that Paddle cut into slices because they exceed 1 GiB (protocols 2 and 3).

    Args:
        value: what the file holds.
        allowed: how many bytes the whole parameters may have together.
    """
    if not isinstance(value, dict) or not isinstance(value.get(_BIG_PARAMETERS), dict):
        return value
    for name, description in value.pop(_BIG_PARAMETERS).items():
        try:
            parts = [value.pop(part) for part in description["slices"]]
            if not all(isinstance(part, numpy.ndarray) for part in parts):
                raise ValueError
            allowed -= sum(part.nbytes for part in parts)
            shape = tuple(description["OriginShape"])
            if allowed < 0 or array_bytes(shape, 1) != sum(part.size for part in parts):
                raise ValueError
            value[name] = numpy.concatenate(parts).reshape(shape)
        except (KeyError, TypeError, ValueError):
            raise pickle.UnpicklingError(f"the slices of parameter {shown(name)} do not fit together") from None
    return value


def read_pdparams(source: Union[PathLike, BinaryIO]) -> dict[str, numpy.ndarray]:
    """Read a ``.pdparams`` file as a flat dictionary of arrays.

    Args:
        source: a path, or a binary stream.

    Returns:
        Structured parameter name to array, bfloat16 as its bits in uint16; the name table is left out.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file cannot be read, or holds anything but named arrays.
    """
    value = read_pickle(source)
    name = repr(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else "the stream"
    if not isinstance(value, dict):
        raise ValueError(f"{name} holds a {type(value).__name__}, not a dictionary of parameters")
    arrays: dict[str, numpy.ndarray] = {}
    for key, part in value.items():
        if key == NAME_TABLE:
            continue
        if isinstance(part, tuple) and len(part) == 2 and isinstance(part[1], numpy.ndarray):
            part = part[1]
        if not isinstance(key, str) or not isinstance(part, numpy.ndarray):
            raise ValueError(
                f"{name} holds {type(part).__name__} under {shown(key)}; a file of parameters holds arrays alone "
                "(read it with core.load)"
            )
        arrays[key] = part
    return arrays


def write_pickle(value: Any, path: PathLike, protocol: int = 4) -> None:
    """Write plain values to a file that Paddle's ``load`` reads; crash-safe.

    Args:
        value: arrays, numbers, strings and plain containers.
        path: where to write.
        protocol: the pickle protocol, 2 to 4.

    Raises:
        ValueError: the protocol is not one of 2, 3 and 4.
    """
    check_protocol(protocol)
    value = cut_slices(value, protocol)
    with atomic_write(path) as stream:
        pickle.dump(value, stream, protocol=protocol)


def cut_slices(value: Any, protocol: int) -> Any:
    """Return a dictionary as protocols 2 and 3, which know no bytes beyond 4 GiB, can hold it: big arrays in slices.

    Args:
        value: what is to be pickled; anything but a dictionary stays as it is.
        protocol: the pickle protocol.
    """
    if protocol >= 4 or not isinstance(value, dict):
        return value
    whole, slices, table = {}, {}, {}
    for key, part in value.items():
        step = SLICE_BYTES // part.dtype.itemsize if isinstance(part, numpy.ndarray) else 0
        if not step or part.size <= step:
            whole[key] = part
            continue
        flat = part.reshape(-1)
        names = [f"{key}@@.{index}" for index in range(-(-flat.size // step))]
        slices.update({name: flat[index * step : (index + 1) * step] for index, name in enumerate(names)})
        table[key] = {"OriginShape": part.shape, "slices": names}
    return {**whole, **slices, _BIG_PARAMETERS: table} if table else value


def check_protocol(protocol: int) -> None:
    """Check a pickle protocol.

    Raises:
        ValueError: Paddle does not write this one.
    """
    if not isinstance(protocol, int) or isinstance(protocol, bool) or not 2 <= protocol <= 4:
        raise ValueError(f"protocol must be 2, 3 or 4, as in Paddle; got {protocol!r}")


def write_pdparams(arrays: Mapping[str, numpy.ndarray], path: PathLike, names: Mapping[str, str] = {}) -> None:
    """Write a ``.pdparams`` file that Paddle reads; crash-safe.

    Args:
        arrays: structured parameter name to array.
        path: where to write.
        names: structured name to global name, for the file's name table; where it is missing the structured name is
            taken.

    Raises:
        TypeError: a value is not a numpy array of plain numbers.
    """
    for key, array in arrays.items():
        if not isinstance(array, numpy.ndarray) or array.dtype.kind not in "biufc":
            raise TypeError(f"parameter {key!r} must be a numpy array of numbers, not {describe(array)}")
    table = {key: names.get(key, key) for key in arrays}
    write_pickle({**{key: numpy.asarray(array) for key, array in arrays.items()}, NAME_TABLE: table}, path)
