"""How long a training is, in steps and epochs."""

from __future__ import annotations

from typing import Optional

import pytest

from core.train import Progress
from core.train.config.interval import Interval
from core.train.config.length import TrainingLength
from core.train.config.schedules import SCHEDULES
from core.train.config.table import Component


@pytest.mark.parametrize(
    ("length", "steps", "epochs", "schedules", "expected_text"),
    [
        (TrainingLength(4, epochs=3), 12, 3, (4, 3), "3 epochs of 4 steps"),
        (TrainingLength(4, steps=12), 12, 3, (4, 3), "12 steps, 3 epochs of 4"),
        (TrainingLength(4, steps=10), 10, 3, (4, 2.5), "10 steps, 2.5 epochs of 4"),
        (TrainingLength(469, steps=90_000), 90_000, 192, (469, 90_000 / 469), "90000 steps, 191.9 epochs of 469"),
        (TrainingLength(None, steps=70), 70, None, (70, 1), "70 steps of a stream"),
    ],
)
def test_lengths(
    length: TrainingLength, steps: int, epochs: Optional[int], schedules: tuple[int, float], expected_text: str
) -> None:
    assert (length.total_steps, length.total_epochs, length.for_schedules, str(length)) == (
        steps, epochs, schedules, expected_text,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["Cosine", "Linear", "Polynomial"])
@pytest.mark.parametrize(("size", "steps"), [(469, 9_000), (7, 100), (None, 100)])
def test_a_schedule_ends_with_the_last_step(name: str, size: Optional[int], steps: int) -> None:
    per_epoch, epochs = TrainingLength(size, steps=steps).for_schedules
    schedule = SCHEDULES.build(Component(name=name, learning_rate=1.0), steps_per_epoch=per_epoch, epochs=epochs)
    rates = []
    for _ in range(steps + 1):
        rates.append(schedule())
        schedule.step()
    assert rates[0] == 1.0 and rates[-1] == pytest.approx(0.0, abs=1e-12) and rates[-2] > 1e-9
    assert rates[steps // 2] == pytest.approx(0.5, abs=1e-6)


def test_a_stream_needs_steps() -> None:
    with pytest.raises(ValueError) as caught:
        TrainingLength(None, epochs=3)
    assert str(caught.value) == (
        "the train split is a stream, whose length is not known: give train.steps instead of train.epochs"
    )


def test_the_epochs_that_are_made() -> None:
    length = TrainingLength(4, steps=10)
    assert length.epoch(Progress(epoch=1, step_in_epoch=2, step=6)) == 1.5
    assert length.epoch(Progress(epoch=1, step_in_epoch=2, step=6), 5) == 1.25
    assert length.epoch(Progress(epoch=2, step_in_epoch=0, step=8)) == 2
    assert length.epoch(Progress(epoch=1, step_in_epoch=4, step=8)) == 2
    assert TrainingLength(None, steps=9).epoch(Progress(epoch=2, step_in_epoch=3, step=8)) == 2
    assert length.is_over(Progress(epoch=2, step_in_epoch=2, step=10)) and not length.is_over(Progress(step=9))
    assert TrainingLength(4, epochs=2).is_over(Progress(epoch=2)) and not TrainingLength(4, epochs=2).is_over(
        Progress(epoch=1, step_in_epoch=4, step=8)
    )


@pytest.mark.parametrize(
    ("length", "evaluations", "progress", "left"),
    [
        (TrainingLength(4, epochs=3), Interval(epochs=1), Progress(), 3),
        (TrainingLength(4, epochs=3), Interval(epochs=1), Progress(epoch=2, step=9, step_in_epoch=1), 1),
        (TrainingLength(4, epochs=3), Interval(steps=3), Progress(), 3 + 4 - 1),  # after 3, 4, 6, 8, 9, 12
        (TrainingLength(4, steps=10), Interval(steps=3), Progress(), 3 + 3),  # after 3, 4, 6, 8, 9, 10
        (TrainingLength(4, steps=10), Interval(steps=5), Progress(epoch=1, step=5, step_in_epoch=1), 2),  # after 8, 10
        (TrainingLength(None, steps=10), Interval(steps=4), Progress(), 2 + 1),
        (TrainingLength(None, steps=10), Interval(steps=5), Progress(), 2),
        (TrainingLength(None, steps=10), Interval(minutes=4), Progress(), 1),
        (TrainingLength(4, steps=10), Interval(steps=3), Progress(epoch=2, step=10, step_in_epoch=2), 1),
    ],
)
def test_pauses_are_foreseen(length: TrainingLength, evaluations: Interval, progress: Progress, left: int) -> None:
    assert length.pauses_left(progress, evaluations) == left
