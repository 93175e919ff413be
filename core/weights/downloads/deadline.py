"""The time that a download may take altogether."""

from __future__ import annotations

import time

GRACE = 60.0
"""Seconds that any download may take."""
PACE = 50_000
"""Bytes a second: a download may take longer by its size at this pace."""


class Deadline:
    """A point in time: GRACE seconds from now, and one second more for every PACE bytes.

    Attributes:
        size: how many bytes there are to bring, or that have come, where their number is not known.
    """

    def __init__(self) -> None:
        self.size = 0
        self._began = time.monotonic()

    def seconds(self) -> float:
        """Return how long it may take altogether."""
        return GRACE + self.size / PACE

    def left(self) -> float:
        """Return how many seconds are left; not positive when it has passed."""
        return self._began + self.seconds() - time.monotonic()
