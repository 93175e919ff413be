"""What is wrong with the results of an exported program, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Callable, Optional

import numpy as np

from core.jit.exported.rounding import STEPS, TOLERANCE, distance_between, gap_between, steps_between

Measure = Callable[[int, np.ndarray, np.ndarray], str]
"""Says by how much a result, given its number, is off from what it should be; nothing where that is rounding."""


def difference(
    got: Sequence[np.ndarray],
    wanted: Sequence[np.ndarray],
    whose: str,
    measure: Measure,
    chosen: Collection[int] = (),
) -> str:
    """Return what is wrong with some results, or nothing.

    Args:
        got: The results.
        wanted: What they should be.
        whose: Whose those are.
        measure: How they are compared.
        chosen: Numbers of results that are not compared, as how many are found is a choice, too.
    """
    if len(got) != len(wanted):
        return f"{len(got)} results, but {whose} are {len(wanted)}"
    for i, (ours, theirs) in enumerate(zip(got, wanted)):
        if i in chosen:
            continue
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return f"result {i} is {ours.dtype}{list(ours.shape)}, but {whose} is {theirs.dtype}{list(theirs.shape)}"
        distance = measure(i, ours, theirs)
        if distance:
            return f"result {i} differs from {whose} by {distance}"
    return ""


def within(
    tolerance: Mapping[str, float] = TOLERANCE,
    explains: Optional[Callable[[int, float], bool]] = None,
    chosen: Collection[int] = (),
) -> Measure:
    """Return a measure of distances relative to the largest element.

    Args:
        tolerance: By what share of that each type may be off.
        explains: Which gaps of float32 are rounding.
        chosen: Numbers of results of which form and type alone are compared.
    """

    def measure(i: int, ours: np.ndarray, theirs: np.ndarray) -> str:
        if i in chosen:
            return ""
        if explains is not None and ours.dtype == np.float32:
            gap = gap_between(ours, theirs)
            wrong = gap > 0 and not explains(i, gap)
        else:
            wrong = distance_between(ours, theirs) > tolerance.get(ours.dtype.name, 0.0)
        return f"{distance_between(ours, theirs, 0.0):.2g} of its largest element" if wrong else ""

    return measure


def in_steps(i: int, ours: np.ndarray, theirs: np.ndarray) -> str:
    """Measure a result in 8 bits, or what is chosen by in 16."""
    distance = steps_between(ours, theirs)
    return f"{distance:.2g} of its size" if distance > STEPS else ""
