"""Spans of a program that its author names."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any, NamedTuple, Optional


class Span(NamedTuple):
    """A part of a program.

    Attributes:
        name: its name.
        start: when it began, in seconds since 1970.
        seconds: how long it took.
        thread: the number of its thread.
    """

    name: str
    start: float
    seconds: float
    thread: int


spans: list[Optional[list[Span]]] = [None]
"""Where spans are noted: the list of the profiler that measures just now, or None."""


class RecordEvent:
    """Names a part of a program, which then is in the profile. A ``with`` block, or ``begin`` and ``end``.

    Args:
        name: its name.
        event_type: accepted for Paddle's signature.

    Example:
        >>> with core.profiler.RecordEvent("augmentation"):
        ...     batch = augment(batch)
    """

    def __init__(self, name: str, event_type: Any = None) -> None:
        self.name = name
        self._start: Optional[float] = None

    def begin(self) -> None:
        """Begin the part."""
        self._start = time.time()

    def end(self) -> None:
        """End the part; it is noted if a profiler measures."""
        if self._start is not None and spans[0] is not None:
            spans[0].append(Span(self.name, self._start, time.time() - self._start, threading.get_ident()))
        self._start = None

    def __enter__(self) -> RecordEvent:
        self.begin()
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.end()
