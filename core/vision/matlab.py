"""Reading Matlab files, which some data sets have beside their images.

scipy's reader, which is compiled, ends its process on some damaged files, so that it reads in a process of its own.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import zlib
from typing import Any

from core.weights.limits import UnpackingLimit

SECONDS = 300
"""A file that takes longer is given up."""

_PROGRAM = """
import pickle, sys
from scipy.io import loadmat
try:
    found = loadmat(sys.argv[1])
except Exception as error:
    found = f"{type(error).__name__}: {error}"
sys.stdout.buffer.write(pickle.dumps(found))
"""

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
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{owner}: no file {path!r}")
    _check_compressed(path, owner)
    command = [sys.executable, "-I", "-c", _PROGRAM, os.path.abspath(path)]
    reason: Any = "scipy's reader ended on it"
    try:
        ended = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        if ended.returncode == 0:
            reason = pickle.loads(ended.stdout)  # noqa: S301  # what our own program wrote
    except subprocess.TimeoutExpired:
        reason = f"it takes more than {SECONDS} seconds"
    if isinstance(reason, str):
        raise ValueError(f"{owner}: {path!r} is no Matlab file that can be read: {reason}")
    content: dict[str, Any] = reason
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
