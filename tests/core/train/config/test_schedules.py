"""The learning rates of a config's schedules, step by step, against their formulas."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from core.train.config.schedules import SCHEDULES
from core.train.config.table import Component


def rates(name: str, count: int, steps_per_epoch: int = 10, epochs: float = 10, **arguments: Any) -> list[float]:
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


def test_a_cosine_longer_than_the_training() -> None:
    expected = [0.2 * (step + 1) / 11 for step in range(10)]
    expected += [0.1 * (1 + math.cos(math.pi * step / 110)) for step in range(90)]
    assert rates("Cosine", 100, learning_rate=0.2, warmup_epochs=1, decay_epochs=12) == pytest.approx(expected)
    with pytest.raises(ValueError, match="^decay_epochs 9 must not be less than the 10 epochs of training$"):
        rates("Cosine", 1, learning_rate=0.2, decay_epochs=9)


def test_a_cosine_that_begins_again() -> None:
    found = rates("CosineRestarts", 100, learning_rate=0.2, periods=[1, 3], restart_weights=[1.0, 0.5])
    expected = [0.1 * (1 + math.cos(math.pi * step / 25)) for step in range(25)]
    expected += [0.05 * (1 + math.cos(math.pi * step / 75)) for step in range(75)]
    assert found == pytest.approx(expected)
    found = rates("CosineRestarts", 101, learning_rate=0.2, periods=[2, 2], end_learning_rate=0.02)
    assert found[50] == pytest.approx(0.2) and found[100] == pytest.approx(0.02)
    assert found[25] == pytest.approx(0.02 + 0.09)
    with pytest.raises(ValueError, match=r"^restart_weights \[1.0\] must be as many as periods \[1.0, 1.0\], and one"):
        rates("CosineRestarts", 1, learning_rate=0.2, periods=[1.0, 1.0], restart_weights=[1.0])


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


@pytest.mark.parametrize("name", ["Constant", "Cosine", "Linear", "Polynomial", "Exponential", "Piecewise"])
def test_a_warm_up_may_be_a_share_of_the_steps(name: str) -> None:
    arguments: dict[str, Any] = {"learning_rate": 0.4}
    if name in ("Exponential", "Piecewise"):
        arguments.update(factor=0.5, decay_epochs=2.0 if name == "Exponential" else [3, 4.5])
    found = rates(name, 50, steps_per_epoch=7, epochs=5.5, warmup_share=0.2, **arguments)
    assert found[:8] == pytest.approx([0.4 * (step + 1) / 9 for step in range(8)])  # a fifth of 38.5 steps
    assert found == rates(name, 50, steps_per_epoch=7, epochs=5.5, warmup_epochs=1.1, **arguments)
    with pytest.raises(ValueError, match=r"^give warmup_epochs \(1.0\) or warmup_share \(0.1\), not both$"):
        rates(name, 1, warmup_epochs=1.0, warmup_share=0.1, **arguments)


def test_a_line_that_begins_at_the_first_step_is_lower_where_the_warm_up_ends() -> None:
    found = rates("Linear", 101, learning_rate=0.2, warmup_share=0.1, from_first_step=True)
    expected = [0.2 * (step + 1) / 11 for step in range(10)] + [0.2 * (1 - step / 100) for step in range(10, 101)]
    assert found == pytest.approx(expected, abs=1e-12)
    both = rates("Linear", 101, learning_rate=0.2, warmup_epochs=1, flat_epochs=4, from_first_step=True)
    assert both[10:] == pytest.approx([0.2] * 30 + [0.2 * (1 - step / 60) for step in range(61)])


def test_exponential() -> None:
    arguments = {"learning_rate": 0.1, "factor": 0.97, "decay_epochs": 2.4}
    assert rates("Exponential", 60, **arguments) == pytest.approx([0.1 * 0.97 ** (step / 24) for step in range(60)])
    jumps = rates("Exponential", 60, **arguments, by_epoch=True)
    assert jumps == pytest.approx([0.1 * 0.97 ** (step // 24) for step in range(60)])


def test_jumps_of_several_factors() -> None:
    arguments: dict[str, Any] = {"learning_rate": 0.1, "decay_epochs": [1, 2], "factors": [0.5, 0.2]}
    assert rates("Piecewise", 30, **arguments) == pytest.approx([0.1] * 10 + [0.05] * 10 + [0.01] * 10)
    with pytest.raises(ValueError, match=r"factors \[0.5\] must be as many as decay_epochs \[1, 2\]"):
        rates("Piecewise", 1, **{**arguments, "factors": [0.5]})


LENGTHS: dict[str, dict[str, Any]] = {
    "Constant": {},
    "Cosine": {"warmup_epochs": 1.0},
    "Linear": {"flat_epochs": 1},
    "Polynomial": {"power": 2.0},
    "Exponential": {"factor": 0.5, "decay_epochs": 1.5},
    "Piecewise": {"decay_epochs": [1, 2.0]},
}


@pytest.mark.parametrize("name", LENGTHS)
def test_a_training_that_ends_within_an_epoch(name: str) -> None:
    found = rates(name, 8, steps_per_epoch=3, epochs=7 / 3, learning_rate=0.1, **LENGTHS[name])
    whole = rates(name, 8, steps_per_epoch=7, epochs=1, learning_rate=0.1, **scaled(LENGTHS[name], 3 / 7))
    assert found == pytest.approx(whole)
    if name in ("Cosine", "Linear", "Polynomial"):
        assert found[7] == pytest.approx(0.0, abs=1e-12) and found[6] > 1e-4


def scaled(arguments: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return a schedule's arguments with epochs of another length."""
    scaled = {key: np.multiply(value, factor).tolist() for key, value in arguments.items() if key.endswith("epochs")}
    return {**arguments, **scaled}


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "Constant": ({"learning_rate": 0}, "Constant: learning_rate must be greater than 0, not 0"),
    "Cosine": ({"warmup_epochs": -1}, "Cosine: warmup_epochs must be greater than or equal to 0, not -1"),
    "Linear": ({"end_learning_rate": -0.1}, "Linear: end_learning_rate must be greater than or equal to 0, not -0.1"),
    "Polynomial": ({"power": 0}, "Polynomial: power must be greater than 0, not 0"),
    "Exponential": ({"factor": -2, "decay_epochs": 1}, "Exponential: factor must be greater than 0, not -2"),
    "Linear with a share": ({"warmup_share": 1}, "Linear: warmup_share must be less than 1, not 1"),
    "Piecewise": ({"decay_epochs": [2], "factor": 0}, "Piecewise: factor must be greater than 0, not 0"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_numbers_out_of_range_are_refused_before_anything_is_built(name: str) -> None:
    arguments, message = MISTAKES[name]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        SCHEDULES.check(Component.model_validate({"name": name.split()[0], "learning_rate": 0.1, **arguments}))


def test_a_span_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="Exponential: decay_epochs must be greater than 0, not 0"):
        rates("Exponential", 1, learning_rate=0.1, factor=0.9, decay_epochs=0)
