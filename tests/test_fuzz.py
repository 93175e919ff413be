"""The mutator is deterministic and its bounds hold."""

from __future__ import annotations

import os
import resource
import time

import pytest

from tests.fuzz import TooSlow, bounds, cases, mutated, outcome

SEEDS = [bytes(range(200)), b"another file " * 30, b""]


def test_a_number_gives_one_file():
    first = [mutated(number, SEEDS) for number in range(300)]
    assert first == [mutated(number, SEEDS) for number in range(300)]
    assert sum(data != SEEDS[number % 3] for number, data in enumerate(first)) > 180
    assert len(set(first)) > 180


def test_the_environment_multiplies_the_cases(monkeypatch):
    monkeypatch.delenv("CORE_FUZZ", raising=False)
    assert list(cases(3)) == [0, 1, 2]
    monkeypatch.setenv("CORE_FUZZ", "4")
    assert len(cases(3)) == 12


def test_bounds_of_time_and_memory():
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(TooSlow, match="still reading after 0.05 s"), bounds(seconds=0.05):
        time.sleep(5)
    with pytest.raises(MemoryError), bounds(megabytes=64):
        bytearray(64 << 30)  # more than freed memory that the process keeps
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_outcome_wants_one_line_that_names_the_file():
    def fail(message: str) -> None:
        raise ValueError(message)

    assert outcome(lambda: 3, ValueError) == (3, None)
    assert outcome(lambda: fail("'x' is bad"), ValueError, name="'x'") == (None, "'x' is bad")
    for message, complaint in (("a\nb", "not one line"), ("bad", "'x' is not named"), ("x" * 3000, "3000 characters")):
        with pytest.raises(AssertionError, match=complaint):
            outcome(lambda message=message: fail(message), ValueError, name="'x'")
    with pytest.raises(OSError):
        outcome(lambda: os.stat("/none/none"), ValueError)
