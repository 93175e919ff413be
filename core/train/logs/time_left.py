"""How long the rest of a run takes, judged by the steps that compiled nothing."""

from __future__ import annotations

import collections
import time
from typing import Callable, Optional

from core.kernels.engine.compilations import compilations

REMEMBERED = 200
"""Older steps count less and less, as a machine that others use is not always as fast."""
_RECENT = 20


class TimeLeft:
    """Estimates the seconds that are left from what was done so far.

    The first step is left out, and so is every later one in which something was compiled: a phase that runs for the
    first time, an input of a new shape. Where most steps compile, as for inputs that never have the same shape twice,
    they count. The pauses between steps (ends of epochs, evaluations) are counted apart; the first of them that
    compiles is left out.

    Args:
        clock: returns seconds.
        compiled: returns how much has been compiled so far.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, compiled: Callable[[], int] = compilations) -> None:
        self._clock = clock
        self._compiled = compiled
        self._last = clock(), compiled()
        self._step = _Mean()
        self._between = _Mean()
        self._recent: collections.deque[bool] = collections.deque(maxlen=_RECENT)
        self._began = False
        self._compiled_between = False

    def step(self) -> None:
        """Note that a step was made since the last call."""
        seconds, compiled = self._since_last()
        self._recent.append(compiled)
        usual = len(self._recent) == _RECENT and sum(self._recent) > _RECENT // 2
        if self._began and (usual or not compiled):
            self._step.add(seconds)
        self._began = True

    def between(self) -> None:
        """Note that everything that is between two steps was done since the last call."""
        seconds, compiled = self._since_last()
        if self._compiled_between or not compiled:
            self._between.add(seconds)
        self._compiled_between |= compiled

    def skip(self) -> None:
        """Leave out what was done since the last call."""
        self._since_last()

    def seconds(self, steps: int, pauses: int) -> Optional[float]:
        """Return the estimate; None before there is anything to judge by.

        Args:
            steps: how many are left.
            pauses: how many pauses between steps are left.
        """
        if steps and not self._step.count:
            return None
        return steps * self._step.value + pauses * self._between.value

    def _since_last(self) -> tuple[float, bool]:
        """Return the time since the last call, and whether something was compiled meanwhile."""
        (since, before), self._last = self._last, (self._clock(), self._compiled())
        now, compiled = self._last
        return now - since, compiled != before


class _Mean:
    """A mean in which the numbers that were added last count most."""

    def __init__(self) -> None:
        self.value = 0.0
        self.count = 0

    def add(self, value: float) -> None:
        self.count = min(self.count + 1, REMEMBERED)
        self.value += (value - self.value) / self.count
