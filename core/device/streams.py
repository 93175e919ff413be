"""Streams and events. The engine orders operations by what they read and write, so that a stream orders nothing."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any, Optional

from core.kernels.engine import engine
from core.kernels.place import check_place, current_place


class Event:
    """A moment in the work of the device.

    Args:
        device: the current device.
        enable_timing: whether :meth:`elapsed_time` may be asked; then :meth:`record` waits for the work before it.
        blocking: accepted for Paddle's signature.
        interprocess: accepted likewise, if it is False.

    Raises:
        RuntimeError: the device is not the current one.
        NotImplementedError: other processes are to see the event.
    """

    def __init__(
        self, device: Any = None, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        if device is not None:
            check_place(device)
        if interprocess:
            raise NotImplementedError("Event: interprocess=True is not built: events are seen by one process")
        self.enable_timing = enable_timing
        self._moment: Optional[float] = None

    def record(self, stream: Optional[Stream] = None) -> None:
        """Note the moment when the operations up to now are done.

        Args:
            stream: accepted for Paddle's signature.
        """
        if self.enable_timing:
            engine.wait_all()
        self._moment = time.perf_counter()

    def query(self) -> bool:
        """Return whether the operations before the event are done; waits for them."""
        engine.wait_all()
        return True

    def synchronize(self) -> None:
        """Wait until the operations before the event are done."""
        engine.wait_all()

    def elapsed_time(self, end_event: Event) -> float:
        """Return the time from this event to another, in milliseconds.

        Args:
            end_event: the later event.

        Raises:
            RuntimeError: one of them was not made with ``enable_timing=True``, or not recorded.
        """
        if not (self.enable_timing and end_event.enable_timing) or self._moment is None or end_event._moment is None:
            raise RuntimeError("elapsed_time: make both events with enable_timing=True, and record() them")
        return 1e3 * (end_event._moment - self._moment)


class Stream:
    """A sequence of operations on the device.

    Args:
        device: the current device.
        priority: accepted for Paddle's signature.
        stream_base: accepted likewise.

    Raises:
        RuntimeError: the device is not the current one.
    """

    def __init__(self, device: Any = None, priority: int = 2, stream_base: Any = None) -> None:
        if device is not None and not isinstance(device, int):
            check_place(device)
        self.device = current_place()

    def wait_event(self, event: Event) -> None:
        """Let later operations wait for an event; they wait for whatever they read.

        Args:
            event: the event.
        """

    def wait_stream(self, stream: Stream) -> None:
        """Let later operations wait for another stream; they wait for whatever they read.

        Args:
            stream: the other stream.
        """

    def record_event(self, event: Optional[Event] = None) -> Event:
        """Record an event.

        Args:
            event: the event; a new one when it is None.

        Returns:
            The event.
        """
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """Return whether the operations are done; waits for them."""
        engine.wait_all()
        return True

    def synchronize(self) -> None:
        """Wait until the operations are done."""
        engine.wait_all()


_current: list[Stream] = [Stream()]


def current_stream(device: Any = None) -> Stream:
    """Return the stream that operations go to.

    Args:
        device: the current device.
    """
    return _current[0]


def set_stream(stream: Stream) -> Stream:
    """Let operations go to another stream.

    Args:
        stream: the stream.

    Returns:
        The stream until now.
    """
    previous, _current[0] = _current[0], stream
    return previous


@contextlib.contextmanager
def stream_guard(stream: Optional[Stream] = None) -> Iterator[None]:
    """Let operations go to another stream within the block.

    Args:
        stream: the stream; the current one when it is None.
    """
    previous = set_stream(current_stream() if stream is None else stream)
    try:
        yield
    finally:
        set_stream(previous)
