"""What every sampler checks of its arguments, and where its random numbers come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.io import randomness


def whole_number(value: Any, least: int, owner: str, name: str) -> int:
    """Return a whole number as an int.

    Raises:
        ValueError: it is none, or below ``least``.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{owner}: {name} must be a whole number, {least} or more, not {value!r}")
    return int(value)


def fan_outs(samples: Any, owner: str) -> list[int]:
    """Return how many neighbours are drawn at each hop.

    Raises:
        ValueError: it is no list of whole numbers; -1 stands for all neighbours.
    """
    if not isinstance(samples, (Sequence, np.ndarray)) or isinstance(samples, str) or len(samples) == 0:
        raise ValueError(f"{owner}: samples must list how many neighbours are drawn at each hop, not {samples!r}")
    return [whole_number(size, -1, owner, f"samples[{hop}]") for hop, size in enumerate(samples)]


def draw_seed(seed: Optional[int], owner: str) -> int:
    """Return the seed of some draws.

    Args:
        seed: What the caller gave. None: one is drawn; within a seeded loader it follows from the loader's seed, the
            epoch and the batch, otherwise from numpy's global generator.
        owner: Who draws, for the message.

    Raises:
        ValueError: the seed is negative or no whole number.
    """
    return randomness.integer(0, 2**62) if seed is None else whole_number(seed, 0, owner, "seed")
