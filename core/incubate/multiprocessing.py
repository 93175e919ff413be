"""Python's multiprocessing, for tensors (paddle.incubate.multiprocessing): they travel between processes as copies.

Processes are spawned unless another way is asked for by name: the engine's threads do not survive a fork.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing.context import BaseContext
from typing import Any, Optional

_spawn = multiprocessing.get_context("spawn")


def get_context(method: Optional[str] = None) -> BaseContext:
    """Return what makes processes, queues and locks.

    Args:
        method: ``spawn``, ``forkserver`` or ``fork``; spawn when it is None.

    Raises:
        ValueError: there is no such way.
    """
    return _spawn if method is None else multiprocessing.get_context(method)


def __getattr__(name: str) -> Any:
    if name.startswith("_") or not hasattr(_spawn, name):
        raise AttributeError(f"core.incubate.multiprocessing has no attribute {name!r}")
    return getattr(_spawn, name)
