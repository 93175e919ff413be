"""IDX files: arrays of bytes with a small header.

Format: Y. LeCun, C. Cortes, "The MNIST database of handwritten digits", http://yann.lecun.com/exdb/mnist.
"""

from __future__ import annotations

import gzip
import os
import zlib

import numpy as np


def read_idx(path: str) -> np.ndarray:
    """Read an IDX file of unsigned bytes.

    Args:
        path: the file, plain or gzipped.

    Returns:
        uint8, in the shape that the file states.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: it is not IDX, or its length does not fit its header.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no IDX file {path!r}")
    with open(path, "rb") as stream:
        data = stream.read()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error):
            raise ValueError(f"{path!r} is a broken gzip file; fetch it again") from None
    if len(data) < 4 or data[:3] != b"\x00\x00\x08" or len(data) < 4 + 4 * data[3]:
        raise ValueError(f"{path!r} is not an IDX file of unsigned bytes")
    shape = tuple(int(extent) for extent in np.frombuffer(data, dtype=">u4", count=data[3], offset=4))
    expected = int(np.prod(shape, dtype=np.int64))
    body = data[4 + 4 * data[3] :]
    if len(body) != expected:
        raise ValueError(f"{path!r} is truncated: its header promises {expected} bytes of data, {len(body)} are there")
    return np.frombuffer(body, dtype=np.uint8).reshape(shape)
