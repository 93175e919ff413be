"""IDX files: arrays of bytes with a small header.

Format: Y. LeCun, C. Cortes, "The MNIST database of handwritten digits", http://yann.lecun.com/exdb/mnist.
"""

from __future__ import annotations

import os
import struct
from typing import Optional

import numpy as np

from core.weights.compressed import ArchiveError, LimitedStream, file_limit, open_limited
from core.weights.limits import MOST_AXES, array_bytes


def read_idx(path: str, maximum_bytes: Optional[int] = None) -> np.ndarray:
    """Read an IDX file of unsigned bytes.

    Args:
        path: the file, plain or gzipped.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.

    Returns:
        uint8, in the shape that the file states.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: it is not IDX, its length does not fit its header, or it unpacks to too much.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no IDX file {path!r}")
    try:
        with open_limited(path, maximum_bytes) as stream:
            shape = _shape(path, stream)
            expected = array_bytes(shape, 1)
            if stream.is_compressed:
                file_limit(path, maximum_bytes).check(expected)
            content = np.empty(expected if stream.is_compressed else min(expected, os.path.getsize(path)), np.uint8)
            received = stream.readinto(content.data)
            while block := stream.read(1 << 20):
                received += len(block)
    except ArchiveError:
        raise ValueError(f"{path!r} is a broken gzip file; fetch it again") from None
    if received != expected:
        raise ValueError(f"{path!r} is truncated: its header promises {expected} bytes of data, {received} are there")
    return content.reshape(shape)


def _shape(path: str, stream: LimitedStream) -> tuple[int, ...]:
    """Read the header."""
    start = stream.read(4)
    if len(start) == 4 and start[:3] == b"\x00\x00\x08" and start[3] <= MOST_AXES:
        extents = stream.read(4 * start[3])
        if len(extents) == 4 * start[3]:
            return struct.unpack(f">{start[3]}I", extents)
    raise ValueError(f"{path!r} is not an IDX file of unsigned bytes")
