"""Archives and compressed files, read within limits: tar and zip, gzip, bzip2 and xz, told by their first bytes.

A few kilobytes may unpack to gigabytes. What comes out is counted while it is read, and so are the entries; a member's
announced size counts before any of it is read, as the holes of a sparse file need no bytes at all.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, Callable, Optional, Union

from core.weights.atomic import PathLike
from core.weights.limits import LimitError, UnpackingLimit
from core.weights.messages import one_line

_DECOMPRESSORS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_BLOCK = 1 << 20
_LONGEST_HEADER = 1 << 18  # of one member of a tar file, with all that belongs to its header
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, IndexError),
    *(NotImplementedError, RuntimeError, OverflowError, ValueError),
)


class ArchiveError(ValueError):
    """An archive or compressed file is damaged."""


@contextlib.contextmanager
def _damage() -> Iterator[None]:
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
        source = raw if hasattr(raw, "peek") else io.BufferedReader(raw)  # type: ignore[type-var,arg-type]
        with _damage():
            start = source.peek(8)  # type: ignore[union-attr]
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
            with _damage():
                piece = self._stream.read(_BLOCK if size < 0 else min(size, _BLOCK))
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
            content = self.read(min(len(view) - filled, _BLOCK))
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
            with _damage():
                self._stream.seek(offset - self._position, os.SEEK_CUR)
            self._position = offset
        left, self.header_left = self.header_left, None
        while self._position < offset and self.read(min(offset - self._position, _BLOCK)):
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
        while stream.is_compressed and stream.read(_BLOCK):
            pass
    with open_limited(path, maximum_bytes) as stream:
        return stream.read()


def file_limit(path: PathLike, maximum_bytes: Optional[int]) -> UnpackingLimit:
    """Return the limit of what may come out of a file."""
    size = os.path.getsize(path)
    return UnpackingLimit(repr(os.fspath(path)), lambda: size, maximum_bytes)


class Member:
    """One entry of an archive, to be read before the next one is asked for.

    Attributes:
        name: its path in the archive.
        size: how many bytes it has.
        kind: "file", "directory" or "other": a link or a device.
        offset: where in the archive its bytes are, as they are; None where they are compressed or have holes.
    """

    def __init__(
        self,
        name: str,
        size: int,
        kind: str,
        opened: Callable[[], Optional[IO[bytes]]],
        offset: Optional[int] = None,
    ) -> None:
        self.name = name
        self.size = size
        self.kind = kind
        self.offset = offset
        self._opened = opened

    def blocks(self) -> Iterator[bytes]:
        """Yield its content.

        Raises:
            ArchiveError: the archive is damaged or cut off.
        """
        with _damage():
            stream = self._opened()
        left = self.size if stream is not None else 0
        while left and stream is not None:
            with _damage():
                block = stream.read(min(left, _BLOCK))
            if not block:
                raise ArchiveError(f"its member {self.name[:100]!r} is cut off")
            left -= len(block)
            yield block

    def read(self) -> bytes:
        """Return its content.

        Raises:
            ArchiveError: the archive is damaged or cut off.
        """
        return b"".join(self.blocks())

    def open(self) -> BinaryIO:
        """Return its content as a stream.

        Raises:
            ArchiveError: the archive is damaged; while reading, too.
        """
        with _damage():
            stream = self._opened()
        return io.BytesIO() if stream is None else io.BufferedReader(_Content(stream), _BLOCK)


class _Content(io.RawIOBase):
    """The content of a member, whose damage is an ArchiveError."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _damage():
            content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


def is_tar(path: PathLike) -> bool:
    """Tell whether a file is a tar archive, compressed or not, by its first block."""
    try:
        with open_limited(path) as stream, _damage():
            return bool(tarfile.TarInfo.frombuf(stream.read(512), tarfile.ENCODING, "surrogateescape"))
    except (ArchiveError, OSError):
        return False


def tar_members(raw: Union[IO[bytes], io.RawIOBase], limit: UnpackingLimit) -> Iterator[Member]:
    """Yield the members of a tar archive, compressed or not, which is read from front to back.

    Args:
        raw: the archive, a stream.
        limit: counts its members and what comes out.

    Raises:
        ArchiveError: the archive is damaged.
        LimitError: there is more than the limit allows.
    """
    stream = LimitedStream(raw, limit)
    stream.header_left = _LONGEST_HEADER
    with _damage():
        archive = tarfile.open(fileobj=stream, mode="r:")  # type: ignore[call-overload]
    is_empty = archive.firstmember is None  # type: ignore[attr-defined]
    while True:
        stream.header_left = _LONGEST_HEADER
        with _damage():
            member = None if is_empty else archive.next()
        stream.header_left = None
        if member is None:
            if stream.last.strip(b"\0"):  # where tarfile sees the end of the archive
                raise ArchiveError("the header of a member is damaged")
            return
        if member.size < 0:
            raise ArchiveError("a member has a negative size")
        limit.take(member.size)
        archive.members = []  # type: ignore[attr-defined]  # of a million, each takes a kilobyte
        kind = "file" if member.isreg() else "directory" if member.isdir() else "other"
        size = member.size if kind == "file" else 0
        offset = None if stream.is_compressed or member.issparse() else member.offset_data
        yield Member(member.name, size, kind, _opener(archive, member), offset)


def _opener(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], Optional[IO[bytes]]]:
    return lambda: archive.extractfile(member) if member.isreg() else None


def check_zip(archive: zipfile.ZipFile, path: PathLike, maximum_bytes: Optional[int] = None) -> None:
    """Check what an open zip archive announces, beyond which zipfile reads nothing.

    Args:
        archive: the archive.
        path: its path.
        maximum_bytes: as of :func:`zip_members`.

    Raises:
        LimitError: it announces more than that, or more than 1,000,000 entries.
    """
    limit = file_limit(path, maximum_bytes)
    for entry in archive.infolist():
        limit.take(entry.file_size)


def zip_members(path: PathLike, maximum_bytes: Optional[int] = None) -> Iterator[Member]:
    """Yield the members of a zip archive.

    Args:
        path: the archive.
        maximum_bytes: how many bytes may come out; None: 2 GB or 200 times the file's size, whichever is more.

    Raises:
        ArchiveError: the archive is damaged.
        LimitError: it announces more than that, or more than 1,000,000 entries.
    """
    with contextlib.ExitStack() as stack:
        with _damage():
            archive = stack.enter_context(zipfile.ZipFile(path))
        check_zip(archive, path, maximum_bytes)
        for entry in archive.infolist():
            kind = "directory" if entry.is_dir() else "file"
            if stat.S_ISLNK(entry.external_attr >> 16):
                kind = "other"
            size = entry.file_size if kind == "file" else 0
            yield Member(entry.filename, size, kind, lambda entry=entry: archive.open(entry))  # type: ignore[misc]


def archive_members(path: PathLike, maximum_bytes: Optional[int] = None) -> Iterator[Member]:
    """Yield the members of a zip or tar archive; a tar archive may be compressed by gzip, bzip2 or xz.

    Args:
        path: the archive.
        maximum_bytes: as of :func:`zip_members`.

    Raises:
        ArchiveError: the archive is damaged.
        LimitError: more comes out, or it holds more than 1,000,000 entries.
    """
    with open(path, "rb") as raw:
        if raw.peek(4).startswith((b"PK\x03\x04", b"PK\x05\x06")):
            yield from zip_members(path, maximum_bytes)
        else:
            yield from tar_members(raw, file_limit(path, maximum_bytes))


