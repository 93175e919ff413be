"""Crash-safe writing: a file is either the old one or the whole new one, never a half of either."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Union

PathLike = Union[str, "os.PathLike[str]"]


def synchronise_directory(directory: PathLike) -> None:
    """Flush a directory entry to disk, so that a rename inside it survives a power cut.

    Args:
        directory: an existing directory.
    """
    descriptor = os.open(os.fspath(directory), os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def atomic_path(path: PathLike) -> Iterator[str]:
    """Offer a temporary name in the directory of ``path``; what is written there appears as ``path`` when complete.

    When the block ends without an error the file is synchronised and renamed over ``path``. When it raises, the
    temporary file is removed and ``path`` is as before.

    Args:
        path: where the file shall be; missing parent directories are made, a symbolic link is followed.

    Yields:
        The temporary file's name; the file exists and is empty.

    Raises:
        IsADirectoryError: ``path`` is a directory.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {os.fspath(path)!r}: it is a directory; give the name of a file")
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_current_umask()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent)
    except OSError as error:  # of a name that nobody gave
        error.filename = os.fspath(path)
        raise
    os.close(descriptor)
    try:
        yield temporary
        os.chmod(temporary, mode)
        with open(temporary, "rb") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    synchronise_directory(target.parent)


@contextlib.contextmanager
def atomic_write(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when it is complete; see :func:`atomic_path`.

    Args:
        path: where the file shall be.

    Yields:
        A binary file object.

    Raises:
        IsADirectoryError: ``path`` is a directory.
    """
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        yield stream


def _current_umask() -> int:
    """Return the process's umask, which can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
