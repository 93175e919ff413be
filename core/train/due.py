"""When something that happens every so often is due: pure arithmetic on epochs, steps and seconds of training."""

from __future__ import annotations

import math
from typing import Optional

from core.train.config.interval import Interval

SHARE = 0.02
"""Of the training time: the most that checkpoints by minutes, and pictures of the learning curve, may take."""


class Due:
    """Says when something is due.

    Steps and epochs are counted from the beginning of the run, so that a resumed run does the same as an undisturbed
    one. Minutes are counted since it last happened in this process, or since the process began.

    Args:
        interval: how often.
        seconds: training seconds spent before this process.
        limited: whether the minutes become more where it takes more than :data:`SHARE` of them.
    """

    def __init__(self, interval: Interval, seconds: float = 0.0, limited: bool = False) -> None:
        self._epochs = interval.epochs
        self._steps = interval.steps
        self._least = math.inf if interval.minutes is None else 60 * interval.minutes
        self._limited = limited
        self._since = seconds
        self._announced = False
        self.wait = self._least
        """Seconds between two times, as far as they follow from minutes."""

    def by_steps(self, step: int) -> bool:
        """Return whether it is due because of the steps.

        Args:
            step: how many are made.
        """
        return self._steps is not None and step % self._steps == 0

    def after_step(self, step: int, seconds: float) -> bool:
        """Return whether it is due within an epoch.

        Args:
            step: how many steps are made.
            seconds: training seconds spent.
        """
        return self.by_steps(step) or seconds - self._since >= self.wait

    def after_epoch(self, epoch: int, step: int, seconds: float) -> bool:
        """Return whether it is due at the end of an epoch.

        Args:
            epoch: how many epochs are made.
            step: how many steps are made.
            seconds: training seconds spent.
        """
        return (self._epochs is not None and epoch % self._epochs == 0) or self.after_step(step, seconds)

    def done(self, seconds: float, took: float = 0.0) -> Optional[str]:
        """Note that it happened.

        Args:
            seconds: training seconds spent.
            took: how many seconds it took.

        Returns:
            Where it is done less often from now on, a note about that; given once.
        """
        self._since = seconds
        if not self._limited:
            return None
        self.wait = max(self._least, took / SHARE)
        if self.wait == self._least or self._announced:
            return None
        self._announced = True
        return (
            f"takes {took:.1f} s: it is done every {self.wait / 60:.3g} minutes instead of {self._least / 60:.3g}, "
            f"to take no more than {SHARE:.0%} of the time"
        )
