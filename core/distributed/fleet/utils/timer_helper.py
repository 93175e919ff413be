"""Stop watches with names."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Optional

from core.kernels.engine.engine import wait_all

_timers: list[Timers] = []


class Timer:
    """A stop watch; it waits for the computations under way when it is started and stopped.

    Args:
        name: its name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._seconds = 0.0
        self._since: Optional[float] = None

    def start(self) -> None:
        """Start it.

        Raises:
            RuntimeError: it runs already.
        """
        if self._since is not None:
            raise RuntimeError(f"the timer {self.name!r} has already started")
        wait_all()
        self._since = time.perf_counter()

    def stop(self) -> None:
        """Stop it.

        Raises:
            RuntimeError: it does not run.
        """
        if self._since is None:
            raise RuntimeError(f"the timer {self.name!r} is not started")
        wait_all()
        self._seconds += time.perf_counter() - self._since
        self._since = None

    def reset(self) -> None:
        """Stop it and count from zero."""
        self._seconds, self._since = 0.0, None

    def elapsed(self, reset: bool = True) -> float:
        """Return the seconds that it has run.

        Args:
            reset: count from zero afterwards; a timer that runs goes on running.
        """
        running = self._since is not None
        if running:
            self.stop()
        seconds = self._seconds
        if reset:
            self.reset()
        if running:
            self.start()
        return seconds


class Timers:
    """Stop watches by name; calling it gives one."""

    def __init__(self) -> None:
        self.timers: dict[str, Timer] = {}

    def __call__(self, name: str) -> Timer:
        """Return the timer of a name, a new one the first time.

        Args:
            name: the name.
        """
        return self.timers.setdefault(name, Timer(name))

    def log(self, names: Sequence[str], normalizer: float = 1.0, reset: bool = True) -> None:
        """Print the milliseconds of several timers.

        Args:
            names: the timers.
            normalizer: what the times are divided by.
            reset: count from zero afterwards.

        Raises:
            ValueError: the normalizer is not positive.
        """
        if normalizer <= 0:
            raise ValueError(f"Timers.log: normalizer must be positive, not {normalizer}")
        times = [f"{name}: {self.timers[name].elapsed(reset) * 1000 / normalizer:.2f}" for name in names]
        print(" | ".join(["time (ms)", *times]), flush=True)


def is_timer_initialized() -> bool:
    """Return whether :func:`set_timers` has been called."""
    return bool(_timers)


def set_timers() -> None:
    """Make the timers that :func:`get_timers` returns.

    Raises:
        AssertionError: they are made already; programs catch it.
    """
    if _timers:
        raise AssertionError("set_timers: the timers are made already")
    _timers.append(Timers())


def get_timers() -> Timers:
    """Return the timers that :func:`set_timers` made.

    Raises:
        AssertionError: there are none; programs catch it.
    """
    if not _timers:
        raise AssertionError("get_timers: call set_timers() first")
    return _timers[0]
