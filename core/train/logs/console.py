"""What a run shows while it runs: one progress bar over all steps, and one line per epoch."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

from tqdm import tqdm

from core.train.logs.time_left import TimeLeft

PATIENCE = 1.0
"""Seconds after which a first step is said to be compiling."""
COMPILING = "compiling (first step)…"
LINE_SECONDS = 10.0
"""How often a log that is no terminal gets a line."""


class Console:
    """A bar with loss, rate and remaining time on standard error, and lines on standard output.

    Where standard error is no terminal, the bar is a line of its own now and then.

    Args:
        quiet: show nothing.
        clock: returns seconds, for the time left.
    """

    def __init__(self, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self.quiet = quiet
        self._clock = clock
        self._bar: Optional[_Bar] = None
        self._time_left: Optional[TimeLeft] = None
        self._steps_left = self._pauses_left = 0
        self._began = False

    def open(self, total: int, done: int, pauses: int) -> None:
        """Show the bar.

        Args:
            total: how many steps the run has.
            done: how many of them are made.
            pauses: how often it will stop between steps, at ends of epochs and to evaluate.
        """
        self._time_left = TimeLeft(self._clock)
        self._steps_left, self._pauses_left, self._began = total - done, pauses, False
        if not self.quiet:
            self._bar = _Bar(total, done) if sys.stderr.isatty() else _Log(total, done)

    @contextlib.contextmanager
    def making_step(self) -> Iterator[None]:
        """Within the block one step is made. A first one that takes long is said to be compiling."""
        first, self._began = not self._began, True
        with self._bar.compiling() if first and self._bar is not None else contextlib.nullcontext():
            yield
        self._steps_left -= 1
        if self._time_left is not None:
            self._time_left.step()
        self._show_time_left()

    def end_pause(self, foreseen: bool = True) -> None:
        """Note that what is between two steps was done: the end of an epoch, an evaluation, a checkpoint.

        Args:
            foreseen: whether it is one of those that :meth:`open` was given.
        """
        self._pauses_left -= foreseen
        if self._time_left is not None:
            (self._time_left.between if foreseen else self._time_left.skip)()
        self._show_time_left()

    def step(self, epoch: int, epochs: Optional[int], values: Mapping[str, float], rate: float) -> None:
        """Advance the bar by one step.

        Args:
            epoch: the current epoch, from 1.
            epochs: how many there are; None: not known.
            values: numbers to show.
            rate: samples per second.
        """
        if self._bar is not None:
            whole = "" if epochs is None else f"/{epochs}"
            self._bar.set_description_str(f"epoch {epoch}{whole}", refresh=False)
            shown = [f"{name} {value:.4g}" for name, value in values.items()]
            self._bar.set_postfix_str(", ".join([*shown, f"{rate:.0f} samples/s"]), refresh=False)
            self._bar.update(1)

    def line(self, text: str = "") -> None:
        """Print a line above the bar."""
        if not self.quiet:
            write = print if isinstance(self._bar, _Log) else tqdm.write  # a bar makes way, and comes back
            write(text, file=sys.stdout)
            sys.stdout.flush()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    @property
    def seconds_left(self) -> Optional[float]:
        """How long the rest of the run takes; None: not known yet."""
        left = self._time_left
        return None if left is None else left.seconds(self._steps_left, max(self._pauses_left, 0))

    def _show_time_left(self) -> None:
        if self._bar is not None:
            self._bar.left = self.seconds_left


class _Bar(tqdm):
    """A bar in a terminal, whose time left is given to it.

    Args:
        total: how many steps there are; None: not known.
        done: how many of them are made.
        **options: of tqdm.
    """

    left: Optional[float] = None
    """Seconds; None: not known yet."""

    def __init__(self, total: Optional[int], done: int, **options: Any) -> None:
        form = "{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{left}{postfix}]"
        given = {"mininterval": 0.2, **_size(), **options}
        super().__init__(total=total, initial=done, bar_format=form, **given)

    @property
    def format_dict(self) -> dict[str, Any]:
        """What the bar is written with."""
        return {**super().format_dict, "left": "?" if self.left is None else self.format_interval(self.left)}

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Say within the block, once it takes long, that something is being compiled."""
        done = threading.Event()
        teller = threading.Thread(target=self._announce_compiling, args=[done], daemon=True)
        teller.start()
        try:
            yield
        finally:
            done.set()
            teller.join()

    def _announce_compiling(self, done: threading.Event) -> None:
        while not done.wait(PATIENCE):
            self.set_description_str(COMPILING)  # which shows how much time has passed, too
        if self.desc == COMPILING:
            self.set_description_str()


def _size() -> dict[str, Any]:
    """Return tqdm's options for the terminal's size; one that says it has no columns would show nothing."""
    with contextlib.suppress(OSError):  # no terminal
        if os.get_terminal_size(sys.stderr.fileno()).columns == 0:
            return {"ncols": 80, "nrows": 24}
    return {"dynamic_ncols": True}


class _Log(_Bar):
    """The same for a file: whole lines, none of which is written over."""

    def __init__(self, total: Optional[int], done: int) -> None:
        super().__init__(total, done, mininterval=LINE_SECONDS, miniters=1, delay=LINE_SECONDS, leave=False)

    def display(self, msg: Optional[str] = None, pos: Optional[int] = None) -> bool:
        """Write a line."""
        if msg is None:
            print(str(self), file=self.fp, flush=True)
        return False

    def clear(self, nolock: bool = False) -> None:
        """Leave what is in the file."""

    def _announce_compiling(self, done: threading.Event) -> None:
        if not done.wait(PATIENCE):
            print(COMPILING, file=self.fp, flush=True)


class Clock:
    """Seconds and samples since it was started, for a rate."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.samples = 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start

    @property
    def rate(self) -> float:
        """Samples per second."""
        return self.samples / max(self.seconds, 1e-9)
