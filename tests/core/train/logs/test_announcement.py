"""What a run says before it begins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core import nn
from core.io import DataLoader, Dataset
from core.optimizer import SGD
from core.optimizer.lr import LinearWarmup
from core.train.config.group_schedules import GroupSchedules
from core.train.config.options import TrainOptions
from core.train.logs.announcement import announcement
from core.train.task import Phase


class Samples(Dataset):
    def __init__(self, count: int) -> None:
        self.count = count

    def __getitem__(self, index: int) -> int:
        return index

    def __len__(self) -> int:
        return self.count


@pytest.mark.parametrize(("count", "expected_text"), [(1, []), (2, ["batch size 1"])])
def test_a_set_of_one_sample_such_as_a_whole_graph_has_no_batch_size(count: int, expected_text: list[str]) -> None:
    trainer: Any = SimpleNamespace(
        options=TrainOptions(epochs=1), phases=[], loader=DataLoader(Samples(count), batch_size=1), steps_per_epoch=1,
        progress=SimpleNamespace(threads=2), precision=None, average=None, folder=None,
    )  # fmt: skip
    assert [line for line in announcement(trainer) if line.startswith("batch size")] == expected_text


def lines_of(count: int, options: TrainOptions, schedule: Any = None, period: int = 1) -> list[str]:
    optimizer = SGD(0.1, parameters=[nn.Linear(1, 1).weight])
    phase: Any = Phase("train", lambda: None, [], optimizer, schedule, period)  # type: ignore[arg-type,return-value]
    trainer: Any = SimpleNamespace(
        options=options, phases=[phase], loader=DataLoader(Samples(count), batch_size=2),
        steps_per_epoch=-(-count // 2 // options.accumulate), progress=SimpleNamespace(threads=2), precision=None,
        average=None, folder=None,
    )  # fmt: skip
    return [line for line in announcement(trainer) if line.startswith("warning: ")]


def test_a_step_of_more_batches_than_an_epoch_has_is_told() -> None:
    assert lines_of(8, TrainOptions(epochs=1, accumulate=4)) == []
    assert lines_of(6, TrainOptions(epochs=1, accumulate=4)) == [
        "warning: train.accumulate is 4, but an epoch has 3 batches, and a step takes no more: lower it, or the batch "
        "size"
    ]
    assert "an epoch has 1 batch, and" in lines_of(2, TrainOptions(epochs=1, accumulate=4))[0]


def test_a_warm_up_that_is_longer_than_the_training_is_told() -> None:
    warmup = LinearWarmup(0.1, warmup_steps=8, start_lr=0.0, end_lr=0.1)
    for schedule in (warmup, GroupSchedules(warmup, {})):
        assert lines_of(8, TrainOptions(epochs=2), schedule) == []
        assert lines_of(8, TrainOptions(epochs=1), schedule) == [
            "warning: train: the warm-up takes 8 steps, but training has 4, so the learning rate does not get where "
            "the schedule begins: shorten the warm-up, or train longer"
        ]
        assert "8 steps, but training has 4, so" in lines_of(8, TrainOptions(epochs=2), schedule, period=2)[0]
