"""Training on streams whose length nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

from core.drawing import curves
from core.train import Callback, Trainer, TrainingInterrupted, read_metrics
from tests.core.train.regression import assert_same_weights, trainer_for
from tests.core.train.streams import StreamRegression
from tests.core.train.test_recorder import places, rows
from tests.core.train.test_trainer import Interrupt, links

CHOSEN: dict[str, Any] = {"epochs": None, "steps": 11, "compiled": False}


def stream(count: Optional[int], **options: Any) -> StreamRegression:
    return StreamRegression(count, dropout=0.5, batch_size=4, **options)


class First(Callback):
    """Remembers each step's first input."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        self.seen.append(values["mean_error"])


def test_a_stream_without_end_is_trained_by_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = stream(None)
    trainer = trainer_for(task, tmp_path, evaluate_every={"steps": 4}, log_every={"steps": 3}, **CHOSEN)
    trainer.console.quiet = False
    outcome = trainer.fit()
    assert task.asked == [(11, 1)] and trainer.steps_per_epoch is None
    assert [step for step, _ in places(tmp_path, "valid")] == [4, 8, 11]
    assert [step for step, _ in places(tmp_path, "train")] == [3, 6, 9, 11]
    assert (trainer.progress.epoch, trainer.progress.step_in_epoch, trainer.progress.step) == (0, 11, 11)
    assert outcome.best_step in (4, 8, 11) and outcome.best_epoch == 0
    assert links(tmp_path)["newest"] == "step_00000011"
    output = capsys.readouterr().out
    assert "\n11 steps of a stream, operator by operator, " in output
    assert [line.split("  train")[0] for line in output.splitlines() if "  train " in line] == [
        "step 4/11", "step 8/11", "step 11/11",
    ]  # fmt: skip
    assert curves._axis(read_metrics(tmp_path / "metrics.jsonl")) == "step"


def test_a_stream_that_ends_begins_anew_with_the_next_epochs_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = First()
    task = stream(18)  # four batches of 4, and one of 2
    trainer = trainer_for(task, tmp_path, [first], **CHOSEN)
    trainer.console.quiet = False
    trainer.fit()
    assert (trainer.progress.epoch, trainer.progress.step_in_epoch) == (2, 1)
    assert places(tmp_path, "train") == places(tmp_path, "valid") == [(5, 1), (10, 2), (11, 2)]
    assert len(set(np.round(first.seen, 6))) == 11
    output = capsys.readouterr().out
    assert [line.split("  train")[0] for line in output.splitlines() if "  train " in line] == [
        "epoch 1", "epoch 2", "step 11/11",
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "every"), [(None, {"steps": 3}), (18, {"epochs": 1, "steps": 5}), (16, 1)])
def test_an_interrupted_stream_continues_bit_for_bit(tmp_path: Path, count: Optional[int], every: Any) -> None:
    chosen = {**CHOSEN, "evaluate_every": every, "accumulate": 2}
    whole = stream(count)
    trainer_for(whole, tmp_path / "whole", **chosen).fit()
    for steps in (2, 4, 7):
        parts, again = tmp_path / f"parts{steps}", stream(count)
        with pytest.raises(TrainingInterrupted):
            trainer_for(stream(count), parts, [Interrupt(steps)], **chosen).fit()
        trainer = trainer_for(again, parts, resume=True, **chosen)
        assert trainer.resume()
        trainer.fit()
        assert_same_weights(whole.network, again.network)
        assert rows(tmp_path / "whole") == rows(parts), steps


@pytest.mark.exhaustive
def test_a_stream_is_read_alike_by_workers(tmp_path: Path) -> None:
    one, two = stream(18), stream(18, num_workers=1)
    for name, task in (("one", one), ("two", two)):
        trainer_for(task, tmp_path / name, **{**CHOSEN, "steps": 7}).fit()
    assert_same_weights(one.network, two.network)


def test_an_evaluation_at_the_unforeseen_end_of_a_stream_is_made_once(tmp_path: Path) -> None:
    trainer_for(stream(20), tmp_path, evaluate_every={"epochs": 1, "steps": 5}, **CHOSEN).fit()
    assert places(tmp_path, "valid") == [(5, 0), (10, 1), (11, 2)]
    assert places(tmp_path, "train") == [(5, 1), (10, 2), (11, 2)]


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError) as caught:
        trainer_for(stream(None), tmp_path / "epochs", epochs=3)
    assert str(caught.value) == (
        "the train split is a stream, whose length is not known: give train.steps instead of train.epochs"
    )
    with pytest.raises(ValueError) as caught:
        trainer_for(stream(0), tmp_path / "empty", **CHOSEN).fit()
    assert str(caught.value) == (
        "there is nothing to train on: the train split gave no batch in epoch 1"
    )


def test_a_stream_stops_where_it_is_asked_to(tmp_path: Path) -> None:
    class Enough(Callback):
        def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            if trainer.progress.step == 4:
                trainer.stop("enough")

    trainer = trainer_for(stream(None), tmp_path, [Enough()], **CHOSEN)
    trainer.fit()
    assert trainer.progress.step == 4 and links(tmp_path) == dict.fromkeys(("best", "newest"), "step_00000004")
