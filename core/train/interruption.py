"""Ctrl-C and a polite kill: finish the step, save, leave."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Optional


class TrainingInterrupted(Exception):
    """A signal ended training after a checkpoint was saved.

    Attributes:
        exit_code: what the process should exit with: 130 after Ctrl-C, 143 after SIGTERM.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Interruption:
    """Within its block the first SIGINT or SIGTERM is remembered instead of raised; the second Ctrl-C is raised.

    Outside the main thread, where Python allows no handlers, it does nothing.
    """

    def __init__(self) -> None:
        self.signal: Optional[int] = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._remember)
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @property
    def exit_code(self) -> int:
        """The shell's code for a process that a signal ended."""
        return 128 + (self.signal or 0)

    def _remember(self, number: int, frame: Optional[FrameType]) -> None:
        if self.signal is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = number


class Terminated(SystemExit):
    """A polite kill came where there is nothing to finish."""


@contextlib.contextmanager
def leaving_in_order() -> Iterator[None]:
    """Within the block the first SIGTERM raises :class:`Terminated`, so that half-written files go; the second kills.

    It does nothing outside the main thread, and where the program handles the signal itself.
    """
    own = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL

    def leave(number: int, frame: Optional[FrameType]) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise Terminated(128 + number)

    if own:
        signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        if own:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
