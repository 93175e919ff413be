"""What a run shows while it runs: one progress bar over all steps, and one line per epoch."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Optional

from tqdm import tqdm


class Console:
    """A bar with loss, rate and remaining time on standard error, and lines on standard output.

    Args:
        quiet: show nothing.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self._bar: Optional[tqdm] = None

    def open(self, total: int, done: int) -> None:
        """Show the bar: ``done`` of ``total`` steps are made."""
        interval = 0.2 if sys.stderr.isatty() else 10.0  # a log file gets a line now and then
        self._bar = tqdm(
            total=total,
            initial=done,
            disable=self.quiet,
            unit="step",
            dynamic_ncols=True,
            mininterval=interval,
            bar_format="{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]",
        )

    def step(self, epoch: int, epochs: int, values: Mapping[str, float], rate: float) -> None:
        """Advance the bar by one step.

        Args:
            epoch: the current epoch, from 1.
            epochs: how many there are.
            values: numbers to show.
            rate: samples per second.
        """
        if self._bar is not None and not self.quiet:
            self._bar.set_description_str(f"epoch {epoch}/{epochs}", refresh=False)
            shown = [f"{name} {value:.4g}" for name, value in values.items()]
            self._bar.set_postfix_str(", ".join([*shown, f"{rate:.0f} samples/s"]), refresh=False)
            self._bar.update(1)

    def line(self, text: str = "") -> None:
        """Print a line above the bar."""
        if not self.quiet:
            tqdm.write(text, file=sys.stdout)
            sys.stdout.flush()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


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
