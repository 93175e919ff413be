"""Processes take turns: what one of them compiles is not compiled by another one that needs it meanwhile.

Each compiled form has a byte of one file in the folder of its cache, and who compiles it holds the lock of that byte:
a POSIX record lock, which ends with its process. Others wait, but not for ever; then, or where there are no locks, two
processes may do the same work.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

LONGEST_WAIT = 60.0
"""Seconds; threads of two processes may wait for each other."""
_PAUSE = 0.02
_files: dict[Path, int] = {}


class _Turn(threading.local):
    depth = 0
    held: Optional[tuple[int, int]] = None


_turn = _Turn()


@contextlib.contextmanager
def outermost() -> Iterator[None]:
    """Give back what :func:`wait_for` took when the outermost of several ``with`` blocks of this thread ends."""
    _turn.depth += 1
    try:
        yield
    finally:
        _turn.depth -= 1
        if not _turn.depth and _turn.held is not None:
            descriptor, place = _turn.held
            _turn.held = None
            with contextlib.suppress(OSError):  # a file system that lost its locks has given it back
                fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)


def wait_for(folder: Path, place: int) -> bool:
    """Wait until no other process compiles a form, and keep others from it until :func:`outermost` ends.

    Args:
        folder: Of the cache.
        place: The form's number, below 2**62.

    Returns:
        Whether another process was busy with it, so that it may now be in the cache. False where this thread has a
        turn already, as for what a kernel calls, or is outside of :func:`outermost`.
    """
    if _turn.held is not None or not _turn.depth:
        return False
    waited, end = False, time.monotonic() + LONGEST_WAIT
    try:
        descriptor = _descriptor(folder)
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except (BlockingIOError, PermissionError):
                waited = True
                if time.monotonic() > end:
                    return True
                time.sleep(_PAUSE)
            else:
                _turn.held = descriptor, place
                return waited
    except OSError:  # nothing may be written, or the file system has no locks
        return waited


def _descriptor(folder: Path) -> int:
    if folder not in _files:
        folder.mkdir(parents=True, exist_ok=True)
        _files[folder] = os.open(folder / "compiling.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    return _files[folder]
