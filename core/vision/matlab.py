"""Reading Matlab files, which some data sets have beside their images."""

from __future__ import annotations

import os
import struct
import zlib
from typing import Any

from core.weights.limits import UnpackingLimit

_COMPRESSED = 15  # type of an element of a Matlab file of version 5


def read_matlab(path: str, owner: str) -> dict[str, Any]:
    """Return the arrays of a Matlab file, up to version 5, by name.

    Args:
        path: a local path.
        owner: what reads it, for the message.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no such file, or it unpacks to too much.
    """
    from scipy.io import loadmat  # takes a good part of a second to load

    _check_compressed(path, owner)
    try:
        content: dict[str, Any] = loadmat(path)
    except Exception as error:  # scipy's reader fails in many ways on a damaged file
        raise ValueError(f"{owner}: {path!r} is no Matlab file that can be read: {error}") from None
    return content


def _check_compressed(path: str, owner: str) -> None:
    """Check how much the compressed parts of a Matlab file unpack to, which scipy does not.

    Raises:
        ValueError: it is too much.
    """
    size = os.path.getsize(path)
    limit = UnpackingLimit(f"{owner}: {path!r}", lambda: size)
    count = 0
    with open(path, "rb") as stream:
        stream.seek(128)  # text and version
        while len(tag := stream.read(8)) == 8:
            kind, length = struct.unpack("<II", tag)
            part = stream.read(min(length, size))
            decompressor = zlib.decompressobj()
            while kind == _COMPRESSED and part and not decompressor.eof:
                try:
                    count += len(decompressor.decompress(part, 1 << 20))
                except zlib.error:
                    break  # scipy will say so
                part = decompressor.unconsumed_tail
                limit.check(count)
