"""The learning rates of a config's schedules, step by step, against their formulas."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core.train.schedules import SCHEDULES
from core.train.table import Component


def rates(name: str, count: int, steps_per_epoch: int = 10, epochs: int = 10, **arguments: Any) -> list[float]:
    component = SCHEDULES.check(Component(name=name, **arguments))
    schedule = SCHEDULES.build(component, steps_per_epoch=steps_per_epoch, epochs=epochs)
    found = []
    for _ in range(count):
        found.append(schedule())
        schedule.step()
    return found


def test_cosine_by_step_and_by_epoch() -> None:
    expected = [0.05 * (1 + math.cos(math.pi * step / 100)) for step in range(100)]
    assert rates("Cosine", 100, learning_rate=0.1) == pytest.approx(expected, abs=1e-12)
    expected = [0.05 * (1 + math.cos(math.pi * (step // 10) / 10)) for step in range(100)]
    assert rates("Cosine", 100, learning_rate=0.1, by_epoch=True) == pytest.approx(expected, abs=1e-12)


def test_cosine_after_a_warm_up_ends_at_its_end() -> None:
    found = rates("Cosine", 101, learning_rate=0.4, warmup_epochs=2, end_learning_rate=0.01, by_epoch=True)
    assert found[:20] == pytest.approx([0.4 * (step + 1) / 21 for step in range(20)])
    assert found[20:30] == pytest.approx([0.4] * 10)
    expected = 0.01 + 0.39 * (1 + math.cos(math.pi / 8)) / 2
    assert found[30:40] == pytest.approx([expected] * 10)
    assert found[100] == pytest.approx(0.01)


def test_linear_and_polynomial() -> None:
    assert rates("Linear", 100, learning_rate=0.1) == pytest.approx([0.1 * (1 - step / 100) for step in range(100)])
    found = rates("Polynomial", 80, learning_rate=0.1, power=0.9, end_learning_rate=0.001, warmup_epochs=2)[20:]
    assert found == pytest.approx([0.001 + 0.099 * (1 - step / 80) ** 0.9 for step in range(60)])


def test_a_line_after_flat_epochs() -> None:
    found = rates("Linear", 101, learning_rate=0.2, flat_epochs=6, end_learning_rate=0.02)
    assert found == pytest.approx([0.2] * 60 + [0.2 - 0.18 * step / 40 for step in range(41)])
    found = rates("Linear", 101, learning_rate=0.2, warmup_epochs=1, flat_epochs=4)
    assert found[10:] == pytest.approx([0.2] * 40 + [0.2 * (1 - step / 50) for step in range(51)])
    assert rates("Linear", 100, learning_rate=0.2, flat_epochs=12) == pytest.approx([0.2] * 100)


def test_exponential() -> None:
    arguments = {"learning_rate": 0.1, "factor": 0.97, "decay_epochs": 2.4}
    assert rates("Exponential", 60, **arguments) == pytest.approx([0.1 * 0.97 ** (step / 24) for step in range(60)])
    jumps = rates("Exponential", 60, **arguments, by_epoch=True)
    assert jumps == pytest.approx([0.1 * 0.97 ** (step // 24) for step in range(60)])


def test_a_span_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="Exponential: decay_epochs must be greater than 0, not 0"):
        rates("Exponential", 1, learning_rate=0.1, factor=0.9, decay_epochs=0)
