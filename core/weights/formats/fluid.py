"""Weights of Paddle's static programs (Fluid 1.x, and inference models of 2.x): files of tensors in one binary layout.

Where each variable has a file of its own, the file's name is the variable's (a slash in it makes a folder); folders
and tar archives of such files are read. Where all share one file (``params``, ``NAME.pdiparams``) they are in the
order of their sorted names, which are in the program beside it (``__model__``, ``NAME.pdmodel``) or are given by the
caller.

A tensor is, in little-endian numbers: a 32-bit version (0); the 64-bit count of levels of its sequence table, and for
each level its 64-bit length in bytes and the bytes; a 32-bit version (0); the 32-bit length of a message in protocol
buffers with the type of element (field 1) and the extents (field 2); the elements.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Callable, Optional

import numpy

from core.weights.archives import archive_members, is_tar
from core.weights.atomic import PathLike
from core.weights.compressed import ArchiveError
from core.weights.formats.fluid_program import fields, persistable_names
from core.weights.formats.pdparams import require_file
from core.weights.limits import MOST_AXES, array_bytes
from core.weights.messages import shown

START = bytes(4)
"""A tensor's first bytes: version 0."""

_TYPES = {0: "?", 1: "<i2", 2: "<i4", 3: "<i8", 4: "<f2", 5: "<f4", 6: "<f8", 19: "<u8", 20: "u1", 21: "i1", 22: "<u2"}
_BFLOAT16 = 22
_LEVELS, _DESCRIPTION = 32, 1024  # more than any file has
_PROGRAMS = ("__model__", "model")


def is_fluid(path: PathLike) -> bool:
    """Tell whether a path is a folder, a tar archive or a file of tensors in this layout."""
    if os.path.isdir(path):
        return True
    with open(path, "rb") as stream:
        start = stream.read(16)
    return (len(start) == 16 and start[:4] == START and start[5:12] == bytes(7)) or is_tar(path)


def read_fluid(
    path: PathLike, names: Optional[Sequence[str]] = None, maximum_bytes: Optional[int] = None
) -> tuple[dict[str, numpy.ndarray], set[str]]:
    """Read the variables of a folder, of a tar archive, or of one file that holds them all.

    Args:
        path: a folder of one file for each variable, a tar archive of such a folder, or a file of several tensors.
        names: for a file of several tensors that has no program beside it: the names, in any order.
        maximum_bytes: how many bytes an archive may unpack to; None: 2 GB or 200 times its size, whichever is more.

    Returns:
        Variable name to array, and the names of the uint16 arrays that hold the bits of bfloat16.

    Raises:
        FileNotFoundError: there is no such file, or the folder is empty.
        ValueError: a file is truncated or is not of this layout, or the names are not known or not as many as the
            tensors.
    """
    if os.path.isdir(path):
        return _from_folder(Path(path))
    require_file(path)
    if is_tar(path):
        return _from_archive(path, maximum_bytes)
    with open(path, "rb") as stream:
        tensors = list(_tensors(stream, os.path.getsize(path), repr(os.fspath(path))))
    names = _names_beside(Path(path)) or names
    if names is None and len(tensors) == 1:
        names = [Path(path).name]
    if names is None:
        raise ValueError(
            f"{os.fspath(path)!r} holds {len(tensors)} tensors without names: put the program that they belong to"
            " beside it (__model__, or the .pdmodel of the same name)"
        )
    if len(names) != len(tensors):
        raise ValueError(f"{os.fspath(path)!r} holds {len(tensors)} tensors, but there are {len(names)} names for them")
    return _collected(zip(sorted(names), tensors))


def _from_folder(folder: Path) -> tuple[dict[str, numpy.ndarray], set[str]]:
    found: dict[str, tuple[numpy.ndarray, bool]] = {}
    for file in sorted(entry for entry in folder.rglob("*") if entry.is_file()):
        with open(file, "rb") as stream:
            if stream.read(4) != START:  # a program, or what an archiver left
                continue
            stream.seek(0)
            name = file.relative_to(folder).as_posix()
            found[name] = _only(list(_tensors(stream, file.stat().st_size, repr(str(file)))), repr(str(file)))
    if not found:
        raise FileNotFoundError(f"the folder {str(folder)!r} has no file of a variable in it")
    return _collected(_below_the_common_folder(found).items())


def _from_archive(path: PathLike, maximum_bytes: Optional[int]) -> tuple[dict[str, numpy.ndarray], set[str]]:
    found: dict[str, tuple[numpy.ndarray, bool]] = {}
    try:
        for member in archive_members(path, maximum_bytes):
            name = f"{shown(member.name)} in {os.fspath(path)!r}"
            stream = member.open()
            if stream.read(4) == START:
                found[member.name] = _only(list(_tensors(stream, member.size, name, START)), name)
    except (ArchiveError, OSError) as error:
        raise ValueError(f"cannot read {os.fspath(path)!r}: the archive is damaged ({error}); fetch it again") from None
    if not found:
        raise ValueError(f"the archive {os.fspath(path)!r} has no file of a variable in it")
    return _collected(_below_the_common_folder(found).items())


def _below_the_common_folder(found: dict[str, tuple[numpy.ndarray, bool]]) -> dict[str, tuple[numpy.ndarray, bool]]:
    """Return the variables under their names: their paths, without the folders that all of them lie in."""
    parts = {path: PurePosixPath(path).parts for path in found}
    common = len(os.path.commonprefix([path[:-1] for path in parts.values()]))
    return {"/".join(parts[path][common:]): tensor for path, tensor in found.items()}


def _only(tensors: list[tuple[numpy.ndarray, bool]], name: str) -> tuple[numpy.ndarray, bool]:
    if len(tensors) != 1:
        raise ValueError(f"{name} holds {len(tensors)} tensors; in a folder of variables each has a file of its own")
    return tensors[0]


def _collected(items: Iterable[tuple[str, tuple[numpy.ndarray, bool]]]) -> tuple[dict[str, numpy.ndarray], set[str]]:
    arrays, halves = {}, set()
    for name, (array, half) in items:
        arrays[name] = array
        if half:
            halves.add(name)
    return arrays, halves


def _names_beside(path: Path) -> Optional[list[str]]:
    """Return the names in the program that a file of tensors belongs to; None where there is none."""
    for program in (path.with_suffix(".pdmodel"), *(path.with_name(name) for name in _PROGRAMS)):
        if program != path and program.is_file():
            return persistable_names(program)
    return None


def _tensors(
    stream: BinaryIO, size: int, name: str, start: bytes = b""
) -> Iterator[tuple[numpy.ndarray, bool]]:
    """Yield each tensor, and whether its numbers are the bits of bfloat16; ``start`` has been read already."""

    def read(count: int) -> bytes:
        nonlocal size, start
        if count > size:
            raise ValueError("it is truncated")
        size -= count
        before, start = start[:count], start[count:]
        return before + stream.read(count - len(before)) if before else stream.read(count)

    try:
        while size:
            version, levels = struct.unpack("<IQ", read(12))
            if version != 0 or levels > _LEVELS:
                raise ValueError("it does not begin as a tensor does")
            for _ in range(levels):
                read(struct.unpack("<Q", read(8))[0])
            version, length = struct.unpack("<Ii", read(8))
            if version != 0 or not 0 < length <= _DESCRIPTION:
                raise ValueError("a tensor in it has no description")
            yield _elements(read, read(length))
    except (ValueError, struct.error) as error:
        raise ValueError(f"cannot read {name} as tensors of Paddle: {error}; fetch or write it again") from None


def _elements(read: Callable[[int], bytes], description: bytes) -> tuple[numpy.ndarray, bool]:
    kind, shape = -1, []
    for number, value in fields(description):
        if not isinstance(value, int):
            raise ValueError("the description of a tensor is damaged")
        if number == 1:
            kind = value
        elif number == 2:
            shape.append(value)
    if kind not in _TYPES:
        raise ValueError(f"it holds a tensor of unknown type {kind}")
    if len(shape) > MOST_AXES or any(extent < 0 for extent in shape):
        raise ValueError(f"it holds a tensor of shape {shown(shape)}")
    dtype = numpy.dtype(_TYPES[kind])
    content = read(array_bytes(shape, dtype.itemsize))
    array = numpy.frombuffer(content, dtype).reshape(shape)
    return array.astype(dtype.newbyteorder("=")), kind == _BFLOAT16
