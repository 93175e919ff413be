"""How often this process has compiled something: a program for the engine, or a kernel."""

from __future__ import annotations

import threading


class _Counter:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.value = 0


_counter = _Counter()


def note_compilation() -> None:
    """Count a program or kernel that is being compiled, or loaded from disk."""
    with _counter.lock:
        _counter.value += 1


def compilations() -> int:
    """Return how many programs and kernels this process has compiled, or loaded from disk."""
    return _counter.value
