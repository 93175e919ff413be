"""A lock between processes, whose holder can be named and for which nobody waits without end."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

from core.weights.downloads.deadline import Deadline

_logger = logging.getLogger(__name__)

_POLL = 0.05
"""Seconds between two attempts to take a lock that another process holds."""


@contextlib.contextmanager
def lock(path: Path, purpose: str) -> Iterator[Callable[[int], None]]:
    """Hold an exclusive lock between processes; the system frees it when its holder dies.

    The file says which process holds it, and how many bytes that one is working on; the one who waits gives up when the
    deadline for so many bytes has passed.

    Args:
        path: the lock's file, which stays.
        purpose: what the holder does, such as "fetches FILE", for messages.

    Yields:
        A function that gets the number of bytes, once it is known.

    Raises:
        ConnectionError: another process holds the lock for too long; it is named.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        _acquire(descriptor, path, purpose)
    except BaseException:
        os.close(descriptor)
        raise
    try:
        holder = f"{os.getpid()} on {socket.gethostname()}"
        _write(descriptor, f"0 {holder}")
        yield lambda size: _write(descriptor, f"{size} {holder}")
    finally:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # a process forked meanwhile has the descriptor, too
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, purpose: str) -> None:
    deadline = Deadline()
    announced = False
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        said = re.fullmatch(r"(\d{1,18}) (\d+ on [\w.-]+)", os.pread(descriptor, 400, 0).decode("ascii", "replace"))
        deadline.size = int(said[1]) if said else 0
        name = f"process {said[2]}" if said else "another process"
        if said and not announced:
            _logger.info("waiting for %s that %s", name, purpose)
            announced = True
        if deadline.left() <= 0:
            raise ConnectionError(
                f"{name} {purpose} and has not ended within {deadline.seconds():g} s; end that process and try again "
                f"(it holds {path})"
            )
        time.sleep(_POLL)


def _write(descriptor: int, text: str) -> None:
    content = text.encode("ascii", "replace")
    os.pwrite(descriptor, content, 0)
    os.ftruncate(descriptor, len(content))
