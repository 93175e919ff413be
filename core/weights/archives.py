"""Archives, read within limits: tar, compressed or not, and zip, recognised by their first bytes.

A few kilobytes may unpack to gigabytes. What comes out is counted while it is read, and so are the entries; a member's
announced size counts before any of it is read, as the holes of a sparse file need no bytes at all.
"""

from __future__ import annotations

import contextlib
import io
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, Callable, Optional, Union

from core.weights.atomic import PathLike
from core.weights.compressed import BLOCK, ArchiveError, LimitedStream, damage, file_limit, open_limited
from core.weights.limits import UnpackingLimit

_LONGEST_HEADER = 1 << 18  # of one member of a tar file, with all that belongs to its header


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
        with damage():
            stream = self._opened()
        left = self.size if stream is not None else 0
        while left and stream is not None:
            with damage():
                block = stream.read(min(left, BLOCK))
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
        with damage():
            stream = self._opened()
        return io.BytesIO() if stream is None else io.BufferedReader(_Content(stream), BLOCK)


class _Content(io.RawIOBase):
    """The content of a member, whose damage is an ArchiveError."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with damage():
            content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


def is_tar(path: PathLike) -> bool:
    """Tell whether a file is a tar archive, compressed or not, by its first block."""
    try:
        with open_limited(path) as stream, damage():
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
    with damage():
        archive = tarfile.open(fileobj=stream, mode="r:")
    is_empty = archive.firstmember is None  # type: ignore[attr-defined]  # typeshed leaves the attribute out
    while True:
        stream.header_left = _LONGEST_HEADER
        with damage():
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
        with damage():
            archive = stack.enter_context(zipfile.ZipFile(path))
        check_zip(archive, path, maximum_bytes)
        for entry in archive.infolist():
            kind = "directory" if entry.is_dir() else "file"
            if stat.S_ISLNK(entry.external_attr >> 16):
                kind = "other"
            size = entry.file_size if kind == "file" else 0
            yield Member(entry.filename, size, kind, lambda entry=entry: archive.open(entry))  # type: ignore[misc]  # mypy infers no type for the default


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


