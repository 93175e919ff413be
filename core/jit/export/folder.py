"""Writing a folder that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.jit.exported.file import is_exported
from core.jit.exported.paths import PathLike


@contextlib.contextmanager
def new_folder(path: PathLike) -> Iterator[Path]:
    """Offer a temporary folder beside ``path``; it gets the name ``path`` when the block ends without an error.

    Args:
        path: Where the folder shall be. Missing parents are made. An earlier export or an empty folder is replaced.

    Yields:
        The temporary folder.

    Raises:
        FileExistsError: there is something else at ``path``.
    """
    target = Path(os.path.abspath(path))
    _check_replaceable(target, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent))
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        for file in temporary.iterdir():
            file.chmod(0o666 & ~_umask())
            _synchronise(file)
        _synchronise(temporary)
        _check_replaceable(target, path)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{target.name[:64]}.", suffix=".old", dir=target.parent))
            os.rename(target, old / "export")
            os.rename(temporary, target)
            shutil.rmtree(old)
        else:
            os.rename(temporary, target)
        _synchronise(target.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


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
