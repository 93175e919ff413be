"""Files compressed by gzip, bzip2 or xz, recognised by their first bytes and read within limits."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, Callable, Optional, Union

from core.weights.atomic import PathLike
from core.weights.limits import LimitError, UnpackingLimit
from core.weights.messages import one_line

_DECOMPRESSORS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
BLOCK = 1 << 20
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, IndexError),
    *(NotImplementedError, RuntimeError, OverflowError, ValueError),
)


class ArchiveError(ValueError):
    """An archive or compressed file is damaged."""


@contextlib.contextmanager
def damage() -> Iterator[None]:
    """Turn whatever the libraries raise for a damaged file into an ArchiveError."""
    try:
        yield
    except (ArchiveError, LimitError):
        raise
    except _DAMAGE as error:
        raise ArchiveError(one_line(error) or type(error).__name__) from None


class LimitedStream(io.RawIOBase):
    """A stream of what a compressed file holds, counted against a limit; of any other file it is a stream as it is.

    It can be read once, from front to back; :meth:`seek` goes forward.

    Args:
        raw: the file, a stream.
        limit: counts what comes out.

    Attributes:
        is_compressed: whether it is unpacked.
        header_left: how many bytes may still be read; None: any number.
        last: what was read last.

    Raises:
        ArchiveError: while reading, the file is damaged.
        LimitError: while reading, more comes out than the limit allows.
    """

    def __init__(self, raw: Union[IO[bytes], io.RawIOBase], limit: UnpackingLimit) -> None:
        super().__init__()
        self.header_left: Optional[int] = None
        self.last = b""
        self._position = 0
        self._limit = limit
        source = raw if hasattr(raw, "peek") else io.BufferedReader(raw)  # type: ignore[type-var]  # a raw stream is one that has no peek
        with damage():
            start = source.peek(8)
        opener = next((opener for mark, opener in _DECOMPRESSORS.items() if start.startswith(mark)), None)
        self._stream: Any = source if opener is None else opener(source)
        self.is_compressed = opener is not None

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` bytes, fewer only at the end; all that is left if it is negative."""
        if self.header_left is not None:
            if not 0 <= size <= self.header_left:
                raise ArchiveError("the header of a member is too long")
            self.header_left -= size
        pieces = []
        while size:
            with damage():
                piece = self._stream.read(BLOCK if size < 0 else min(size, BLOCK))
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
            self._position += len(piece)
            if self.is_compressed:
                self._limit.check(self._position)
        self.last = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        return self.last

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return how many bytes came, fewer than it holds only at the end."""
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(view):
            content = self.read(min(len(view) - filled, BLOCK))
            if not content:
                break
            view[filled : filled + len(content)] = content
            filled += len(content)
        return filled

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go forward to a position."""
        if whence != os.SEEK_SET or offset < self._position:
            raise ArchiveError("its members overlap")
        if not self.is_compressed and self._stream.seekable():
            with damage():
                self._stream.seek(offset - self._position, os.SEEK_CUR)
            self._position = offset
        left, self.header_left = self.header_left, None
        while self._position < offset and self.read(min(offset - self._position, BLOCK)):
            pass
        self.header_left = left
        return self._position

    def tell(self) -> int:
        """Return the position."""
        return self._position


@contextlib.contextmanager
def open_limited(path: PathLike, maximum_bytes: Optional[int] = None) -> Iterator[LimitedStream]:
    """Open a file, unpacked if it is compressed by gzip, bzip2 or xz.

    Args:
        path: the file.
        maximum_bytes: how many bytes may come out; None: 2 GB or 200 times the file's size, whichever is more.

    Yields:
        The stream.

    Raises:
        ArchiveError: while reading, the file is damaged.
        LimitError: while reading, more comes out.
    """
    with open(path, "rb") as raw:
        yield LimitedStream(raw, file_limit(path, maximum_bytes))


def read_limited(path: PathLike, maximum_bytes: Optional[int] = None) -> bytes:
    """Return what a file holds, unpacked if it is compressed; what would be too much is never in memory.

    Args:
        path: the file.
        maximum_bytes: as of :func:`open_limited`.

    Raises:
        ArchiveError: the file is damaged.
        LimitError: more comes out.
    """
    with open_limited(path, maximum_bytes) as stream:
        while stream.is_compressed and stream.read(BLOCK):
            pass
    with open_limited(path, maximum_bytes) as stream:
        return stream.read()


def file_limit(path: PathLike, maximum_bytes: Optional[int]) -> UnpackingLimit:
    """Return the limit of what may come out of a file."""
    size = os.path.getsize(path)
    return UnpackingLimit(repr(os.fspath(path)), lambda: size, maximum_bytes)
