"""Writing a folder that is whole or not there."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from core.jit.exported.file import is_exported
from core.jit.exported.paths import PathLike


@contextlib.contextmanager
def new_folder(path: PathLike) -> Iterator[Path]:
    """Offer a temporary folder beside ``path``; it gets the name ``path`` when the block ends without an error.

    Args:
        path: Where the folder shall be. Missing parents are made. An earlier export or an empty folder is replaced.

    Yields:
        The temporary folder, which is locked: what an earlier process that was killed left is not, and is removed.

    Raises:
        FileExistsError: there is something else at ``path``.
    """
    target = Path(os.path.abspath(path))
    _check_replaceable(target, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(target)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent))
    lock = _locked(temporary)
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        for file in temporary.iterdir():
            file.chmod(0o666 & ~_umask())
            _synchronise(file)
        _synchronise(temporary)
        _check_replaceable(target, path)
        if target.exists():
            _replace(target, temporary)
        else:
            os.rename(temporary, target)
        _synchronise(target.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _replace(target: Path, temporary: Path) -> None:
    """Put a new export in the place of the earlier one, which stays where that fails."""
    old = Path(tempfile.mkdtemp(prefix=f".{target.name[:64]}.", suffix=".old", dir=target.parent))
    earlier = old / "export"
    try:
        os.rename(target, earlier)
        os.rename(temporary, target)
    finally:
        if earlier.exists() and not target.exists():
            os.rename(earlier, target)
        shutil.rmtree(old, ignore_errors=True)


def _locked(folder: Path) -> Optional[int]:
    """Return a descriptor that locks a folder until it is closed; None: another process does, or nothing can."""
    descriptor = None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor


def _remove_leftovers(target: Path) -> None:
    """Remove the folders of exports that were killed; of one that was just being replaced only where there is another.

    An empty folder stays, as it may be of a process that has not locked it yet.
    """
    beginning = glob.escape(f".{target.name[:64]}.")
    for leftover in target.parent.glob(f"{beginning}????????.tmp"):
        lock = _locked(leftover)
        if lock is not None:
            if any(leftover.iterdir()):
                shutil.rmtree(leftover, ignore_errors=True)
            os.close(lock)
    for leftover in target.parent.glob(f"{beginning}????????.old"):
        if (leftover / "export").is_dir() and target.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)


def _check_replaceable(target: Path, path: PathLike) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise FileExistsError(f"{os.fspath(path)!r} is a file or link: give the name of a new folder")
    if target.is_dir() and any(target.iterdir()) and not is_exported(target):
        raise FileExistsError(f"{os.fspath(path)!r} is a folder with other things in it: give the name of a new folder")


def _synchronise(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
