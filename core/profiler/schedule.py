"""Which steps of a run are measured."""

from __future__ import annotations

import enum
from typing import Callable


class ProfilerState(enum.Enum):
    """What the profiler does in a step."""

    CLOSED = 0
    """Nothing."""
    READY = 1
    """Nothing yet; measuring begins soon."""
    RECORD = 2
    """It measures."""
    RECORD_AND_RETURN = 3
    """It measures, and hands over what it has at the step's end."""


class ProfilerTarget(enum.Enum):
    """What is measured."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


def make_scheduler(
    *, closed: int, ready: int, record: int, repeat: int = 0, skip_first: int = 0
) -> Callable[[int], ProfilerState]:
    """Return a function from a step's number to what the profiler does in it: rounds of waiting and measuring.

    Args:
        closed: how many steps of a round nothing is done in.
        ready: how many steps come before measuring.
        record: how many steps are measured, at least 1.
        repeat: how many rounds there are; 0 for no end.
        skip_first: how many steps come before the first round.

    Raises:
        ValueError: a number is negative, or ``record`` is 0.
    """
    if min(closed, ready, repeat, skip_first) < 0 or record < 1:
        raise ValueError(
            f"make_scheduler: closed={closed}, ready={ready}, record={record}, repeat={repeat},"
            f" skip_first={skip_first}: no number may be negative, and record must be at least 1"
        )
    length = closed + ready + record

    def state(step: int) -> ProfilerState:
        position = step - skip_first
        if position < 0 or (repeat and position >= repeat * length):
            return ProfilerState.CLOSED
        position %= length
        if position < closed:
            return ProfilerState.CLOSED
        if position < closed + ready:
            return ProfilerState.READY
        return ProfilerState.RECORD if position < length - 1 else ProfilerState.RECORD_AND_RETURN

    return state
