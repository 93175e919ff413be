"""An archive's content as files on disk: whole or not at all, and known by the digest of the archive it came from."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Callable, Optional

from core.weights.archives import Member, archive_members
from core.weights.atomic import PathLike, atomic_write, synchronise_directory
from core.weights.compressed import ArchiveError
from core.weights.downloads.transfer import digest_of
from core.weights.locks import lock
from core.weights.messages import shown

Placing = Callable[[str], Optional[str]]


def unpack(
    archive: PathLike,
    place: Placing = lambda name: name,
    folder: Optional[PathLike] = None,
    maximum_bytes: Optional[int] = None,
) -> Path:
    """Unpack an archive beside itself, unless that has been done; return its one file or directory.

    It is unpacked into a temporary directory, which is renamed when it is whole; a record beside it keeps the digest of
    the archive. What was unpacked from an archive of another content is replaced. Files get the usual rights: modes,
    owners and times of the archive are left out, and it may hold no links or devices.

    Args:
        archive: a zip or tar file; a tar file may be compressed by gzip, bzip2 or xz.
        place: gives the path at which a member shall lie, in place of its own; None leaves it out.
        folder: where the content shall be; None: under its own name beside the archive if it is one file or directory,
            otherwise in a directory of the archive's name.
        maximum_bytes: how many bytes may come out; None: 2 GB or 200 times the archive's size, whichever is more.

    Returns:
        The path of the content.

    Raises:
        ValueError: the archive is damaged or empty, holds links or paths that lead elsewhere, unpacks to too much, or
            there is something else where its content shall be.
        ConnectionError: another process has been unpacking it for too long; it is named.
        OSError: the disk is full or the directory cannot be written.
    """
    source = Path(os.path.abspath(archive))
    digest = str(digest_of(source).hexdigest())
    if _known(source, digest, folder) is None:
        _unpack_anew(source, digest, place, folder, maximum_bytes)
    result = _known(source, digest, folder)
    assert result is not None
    return result


def _record(source: Path) -> Path:
    """Return the file that keeps the digest of the archive and where its content is."""
    return source.with_name(f".{source.name}.unpacked")


def _recorded(source: Path) -> tuple[str, Optional[Path]]:
    """Return the digest of the archive that was unpacked last, and where its content is."""
    record = _record(source)
    digest, _, name = record.read_text("utf-8", "surrogateescape").partition(" ") if record.is_file() else ("", "", "")
    return digest, Path(os.path.abspath(source.parent / name)) if name else None


def _known(source: Path, digest: str, folder: Optional[PathLike]) -> Optional[Path]:
    """Return where the content is, if it has been unpacked."""
    known, result = _recorded(source)
    if known != digest or result is None or not result.exists():
        return None
    return result if folder is None or result == Path(os.path.abspath(folder)) else None


def _unpack_anew(
    source: Path, digest: str, place: Placing, folder: Optional[PathLike], maximum_bytes: Optional[int]
) -> None:
    with lock(source.with_name(f".{source.name}.lock"), f"unpacks {source}") as announce:
        announce(source.stat().st_size)
        for left in source.parent.glob(f".{_escaped(source.name)}.unpacking.*"):  # by a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        if _known(source, digest, folder) is not None:  # another process has just done it
            return
        with _temporary(source) as temporary:
            _extract(source, temporary / "new", place, maximum_bytes)
            content, result = _content(source, temporary / "new", folder)
            _rename(content, result, temporary / "old", is_ours=_recorded(source)[1] == result)
            with atomic_write(_record(source)) as stream:
                stream.write(f"{digest} {os.path.relpath(result, source.parent)}".encode("utf-8", "surrogateescape"))


def _escaped(name: str) -> str:
    """Return a name as a pattern that matches itself alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


@contextlib.contextmanager
def _temporary(source: Path) -> Iterator[Path]:
    temporary = Path(tempfile.mkdtemp(prefix=f".{source.name}.unpacking.", dir=source.parent))
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _extract(source: Path, target: Path, place: Placing, maximum_bytes: Optional[int]) -> None:
    """Write the members of an archive into a new directory."""
    target.mkdir()
    try:
        for member in archive_members(source, maximum_bytes):
            name = place(member.name)
            if name is not None:
                _write(source, target, _relative(source, name), member)
    except ArchiveError as error:
        raise ArchiveError(f"{source} is a damaged archive ({error}): delete it and try again") from None
    except (FileExistsError, IsADirectoryError, NotADirectoryError):
        raise ValueError(f"{source} holds a file and a directory of one name; it was not unpacked") from None


def _write(source: Path, target: Path, relative: PurePosixPath, member: Member) -> None:
    if member.kind == "other":
        raise ValueError(f"{source} holds a link or device {shown(member.name)}; it was not unpacked")
    path = target / relative
    if member.kind == "directory":
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as stream:
        for block in member.blocks():
            stream.write(block)


def _relative(source: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise ValueError(f"{source} would unpack {shown(name)} outside its directory; it was not unpacked")
    return path


def _content(source: Path, unpacked: Path, folder: Optional[PathLike]) -> tuple[Path, Path]:
    """Return what is to be renamed, and to what."""
    entries = sorted(unpacked.iterdir())
    if not entries:
        raise ValueError(f"{source} is empty: nothing was unpacked")
    if folder is not None:
        return unpacked, Path(os.path.abspath(folder))
    own = source.with_name(source.name.partition(".")[0] or "content")
    if len(entries) == 1 and not entries[0].name.startswith(f".{source.name}.") and entries[0].name != source.name:
        return entries[0], source.with_name(entries[0].name)
    return unpacked, own


def _rename(content: Path, result: Path, old: Path, is_ours: bool) -> None:
    """Put the content in its place; what was unpacked before gives way, anything else only if it is the same."""
    if os.path.lexists(result):
        if not is_ours:
            if _same(content, result):
                return
            raise ValueError(
                f"{result} is there already and is not what the archive holds; move it away, then it is unpacked"
            )
        os.rename(result, old)
    os.rename(content, result)
    synchronise_directory(result.parent)


def _same(content: Path, found: Path) -> bool:
    """Return whether all files of the content are found, with the same bytes."""
    for file in [content] if content.is_file() else content.rglob("*"):
        other = found / file.relative_to(content) if file != content else found
        if file.is_dir() != other.is_dir() or not other.exists():
            return False
        if file.is_file() and digest_of(file).digest() != digest_of(other).digest():
            return False
    return True
