"""What the default run takes of a grid of cases: a sample that holds every name; ``-m exhaustive`` runs the rest.

The default run does not even collect the rest, which would take it a quarter of its time before the first test.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Callable

import pytest

collects_all = True
"""Whether the cases that are left out are collected, to be chosen by their mark; tests/conftest.py says it."""


def first_of(case: Any) -> Any:
    """Return the first part of a case, or the case itself if it has no parts."""
    return case[0] if isinstance(case, tuple) else case


def is_drawn(case: Any, share: int, turn: int = 0) -> bool:
    """Return whether a case is one of the about 1/share that the default run draws, on every machine the same.

    Args:
        case: Any.
        share: One in so many is drawn.
        turn: Which of the share's parts, so that several checks of the same cases draw different ones.
    """
    return zlib.crc32(text_of(case).encode()) % share == turn


def text_of(case: Any) -> str:
    """Return a case as a text that is the same in every process.

    Raises:
        ValueError: the text would hold an object's address.
    """
    if isinstance(case, tuple):
        return f"({', '.join(text_of(part) for part in case)})"
    text = getattr(case, "__qualname__", None) or repr(case)
    if " at 0x" in text:
        raise ValueError(f"{text} is no parameter to sample by: its text changes from process to process")
    return text


def sampled(
    cases: Iterable[Any], share: int = 3, group: Callable[[Any], Any] = first_of, turn: int = 0
) -> list[Any]:
    """Mark as exhaustive what the default run leaves out of a grid.

    Args:
        cases: Tuples of parameters, or single ones.
        share: Of the cases that no group needs, one in so many stays.
        group: What a case is an example of; the first case of each group stays.
        turn: Of :func:`is_drawn`.

    Returns:
        Parameters for ``pytest.mark.parametrize``.
    """
    found, seen = [], set()
    for case in cases:
        name = group(case)
        marks = () if name not in seen or is_drawn(case, share, turn) else (pytest.mark.exhaustive,)
        seen.add(name)
        if marks and not collects_all:
            continue
        found.append(pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks))
    return found
