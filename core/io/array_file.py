"""``.npy`` files for arrays that are larger than memory: one that grows row by row, and one that is read."""

from __future__ import annotations

import contextlib
import os
import struct
import tokenize
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from core.weights.atomic import PathLike, atomic_write

_HEADER = 128
"""Bytes before the numbers, enough for any shape: the number of rows is written there last."""


class ArrayFile:
    """Rows of an array, written as they come; :func:`array_file` opens one.

    Args:
        stream: a binary file that is at its beginning.
        row: the shape of a row.
        dtype: of the numbers.

    Attributes:
        count: rows so far.
    """

    def __init__(self, stream: BinaryIO, row: tuple[int, ...], dtype: np.dtype) -> None:
        self.stream = stream
        self.row = row
        self.dtype = dtype
        self.count = 0
        self._write_header()

    def append(self, rows: np.ndarray) -> None:
        """Write rows.

        Args:
            rows: (N, *row).

        Raises:
            ValueError: rows have another shape.
        """
        if rows.shape[1:] != self.row:
            raise ValueError(f"rows of shape {rows.shape[1:]} do not go with those of shape {self.row} before")
        self.stream.write(np.ascontiguousarray(rows, self.dtype).tobytes())
        self.count += len(rows)

    def finish(self) -> None:
        """Say at the beginning of the file how many rows there are."""
        self.stream.seek(0)
        self._write_header()

    def _write_header(self) -> None:
        """Write the header of NumPy's format 1.0: magic, length, a dict that blanks fill up."""
        descr = np.lib.format.dtype_to_descr(self.dtype)
        text = repr({"descr": descr, "fortran_order": False, "shape": (self.count, *self.row)})
        length = _HEADER - 10
        magic = np.lib.format.magic(1, 0)
        self.stream.write(magic + struct.pack("<H", length) + f"{text:<{length - 1}}\n".encode("latin-1"))


@contextlib.contextmanager
def array_file(path: PathLike, row: tuple[int, ...], dtype: str = "float32") -> Iterator[ArrayFile]:
    """Open a ``.npy`` file for rows; it appears under its name only when it is complete.

    Args:
        path: where the file shall be.
        row: the shape of a row.
        dtype: of the numbers.

    Yields:
        An :class:`ArrayFile`.

    Raises:
        IsADirectoryError: ``path`` is a directory.
    """
    with atomic_write(path) as stream:
        file = ArrayFile(stream, row, np.dtype(dtype))
        yield file
        file.finish()


def read_array(path: PathLike) -> np.ndarray:
    """Return the array of a ``.npy`` file; its numbers stay in the file until they are looked at.

    So a header that claims more than the file holds takes no memory.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it holds something else than an array of numbers, or less than its header says; names the file.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no .npy file {os.fspath(path)!r}")
    try:
        found: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
    except (EOFError, OSError, OverflowError, SyntaxError, TypeError, ValueError, tokenize.TokenError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{os.fspath(path)!r} is no .npy file of numbers: {reason}") from None
    return found
