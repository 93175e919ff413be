"""Evaluations, rows and checkpoints within epochs."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

from core.train import Callback, Trainer, TrainingInterrupted, read_metrics
from core.train.checkpoints.store import load_network, load_progress
from core.train.due import Due
from core.train.logs import console as console_module
from tests.core.train.regression import Regression, SquaredError, assert_same_weights
from tests.core.train.regression import trainer_for as compiled_trainer_for
from tests.core.train.test_trainer import Interrupt, links

TIMES = ("seconds", "samples_per_second", "training_seconds")


def trainer_for(task: Regression, path: Path, callbacks: Sequence[Callback] = (), **options: Any) -> Trainer:
    """Return a Trainer that compiles nothing, which would take longer than these runs."""
    return compiled_trainer_for(task, path, callbacks, **{"compiled": False, **options})


def rows(run: Path, split: Optional[str] = None) -> list[dict[str, Any]]:
    """Return a run's rows, less their times."""
    found = read_metrics(run / "metrics.jsonl")
    kept = [row for row in found if split in (None, row["split"])]
    return [{key: value for key, value in row.items() if key not in TIMES} for row in kept]


def places(run: Path, split: str) -> list[tuple[int, float]]:
    return [(row["step"], row["epoch"]) for row in rows(run, split)]


def noisy(**options: Any) -> Regression:
    return Regression(noise=0.3, dropout=0.5, **options)


class Judged(Regression):
    """Its evaluations are given, not computed."""

    def __init__(self, *scores: float, **options: Any) -> None:
        super().__init__(splits=["train", "valid"], **options)
        self.scores = iter(scores)

    def evaluator(self, split: str) -> SquaredError:
        evaluator, score = SquaredError(), next(self.scores)
        evaluator.result = lambda: {"loss": score}  # type: ignore[method-assign]
        return evaluator


def test_evaluations_and_checkpoints_within_epochs_leave_the_numbers_as_they_are(tmp_path: Path) -> None:
    usual, often = noisy(), noisy()
    trainer_for(usual, tmp_path / "usual", epochs=3).fit()
    every = {"evaluate_every": {"epochs": 1, "steps": 3}, "checkpoint_every": {"steps": 2, "epochs": 1}}
    trainer_for(often, tmp_path / "often", epochs=3, **every).fit()
    last = Path("checkpoints", "step_00000012")
    for file in sorted((tmp_path / "usual" / last).glob("*.safetensors")):
        assert file.read_bytes() == (tmp_path / "often" / last / file.name).read_bytes(), file.name
    assert rows(tmp_path / "usual", "train") == rows(tmp_path / "often", "train")
    assert places(tmp_path / "often", "valid") == [(3, 0.75), (4, 1), (6, 1.5), (8, 2), (9, 2.25), (12, 3)]
    at_ends = [row for row in rows(tmp_path / "often", "valid") if row["step"] % 4 == 0]
    assert rows(tmp_path / "usual", "valid") == at_ends


def test_training_by_steps_ends_within_an_epoch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events: list[str] = []

    class Watch(Callback):
        def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            events.append(f"epoch {trainer.progress.epoch}")

        def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
            events.append(f"evaluation {trainer.progress.step}")

        def on_train_end(self, trainer: Trainer) -> None:
            events.append("end")

    asked: list[tuple[int, float]] = []

    class Asked(Regression):
        def phases(self, steps_per_epoch: int, epochs: float) -> list[Any]:
            asked.append((steps_per_epoch, epochs))
            return super().phases(steps_per_epoch, epochs)  # type: ignore[arg-type]

    trainer = trainer_for(Asked(), tmp_path, [Watch()], epochs=None, steps=10)
    trainer.console.quiet = False
    outcome = trainer.fit()
    assert asked == [(4, 2.5)]
    assert events == ["epoch 1", "evaluation 4", "epoch 2", "evaluation 8", "evaluation 10", "end"]
    assert places(tmp_path, "train") == places(tmp_path, "valid") == [(4, 1), (8, 2), (10, 2.5)]
    progress = trainer.progress
    assert (progress.step, progress.epoch, progress.step_in_epoch) == (10, 2, 2)
    assert links(tmp_path)["newest"] == "step_00000010"
    assert (outcome.best_step, outcome.best_epoch) in {(4, 1), (8, 2), (10, 2.5)}
    assert json.loads((tmp_path / "results.json").read_text())["best_step"] == outcome.best_step
    output = capsys.readouterr().out
    assert "\n10 steps, 2.5 epochs of 4, operator by operator, " in output
    assert [line.split("  train")[0] for line in output.splitlines() if "  train " in line] == [
        "epoch 1/3", "epoch 2/3", "step 10/10",
    ]  # fmt: skip


def test_a_run_of_more_steps_continues_one_of_fewer_bit_for_bit(tmp_path: Path) -> None:
    class Constant(Regression):
        def phases(self, steps_per_epoch: int, epochs: float) -> list[Any]:
            phase = super().phases(1000, 1)[0]  # the rate of a longer run falls more slowly
            return [phase]

    whole, parts = Constant(noise=0.3, dropout=0.5), Constant(noise=0.3, dropout=0.5)
    trainer_for(whole, tmp_path / "whole", epochs=None, steps=15, ema=0.9).fit()
    trainer_for(Constant(noise=0.3, dropout=0.5), tmp_path / "parts", epochs=None, steps=10, ema=0.9).fit()
    trainer = trainer_for(parts, tmp_path / "parts", resume=True, epochs=None, steps=15, ema=0.9)
    assert trainer.resume()
    trainer.fit()
    assert_same_weights(whole.network, parts.network)
    last = Path("checkpoints", "step_00000015", "model.trained.safetensors")
    assert (tmp_path / "whole" / last).read_bytes() == (tmp_path / "parts" / last).read_bytes()
    again = trainer_for(Constant(), tmp_path / "parts", resume=True, epochs=None, steps=15, ema=0.9)
    assert again.resume()
    assert again.fit().results["valid"]["loss"] == trainer.evaluate_split("valid").result()["loss"]
    assert places(tmp_path / "parts", "test") == [(15, again.progress.best_epoch)]


@pytest.mark.parametrize("steps", [1, 3, 6])
def test_rows_hold_the_means_since_the_last_one(tmp_path: Path, steps: int) -> None:
    seen: list[dict[str, float]] = []

    class Watch(Callback):
        def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            seen.append(dict(values))

    trainer_for(Regression(), tmp_path, [Watch()], epochs=2, log_every={"steps": steps}).fit()
    ends = [*range(steps, 8, steps), 8]
    assert places(tmp_path, "train") == [(step, step / 4) for step in ends]
    for row, first, end in zip(rows(tmp_path, "train"), [0, *ends], ends):
        for name in ("loss", "mean_error"):
            assert row[name] == pytest.approx(np.mean([values[name] for values in seen[first:end]]), rel=1e-6)


def test_rows_of_several_epochs(tmp_path: Path) -> None:
    trainer_for(Regression(), tmp_path / "one", epochs=5).fit()
    trainer_for(Regression(), tmp_path / "two", epochs=5, log_every=2).fit()
    each = [row["loss"] for row in rows(tmp_path / "one", "train")]
    assert places(tmp_path / "two", "train") == [(8, 2), (16, 4), (20, 5)]
    found = [row["loss"] for row in rows(tmp_path / "two", "train")]
    assert found == pytest.approx([np.mean(each[:2]), np.mean(each[2:4]), each[4]], rel=1e-6)


def test_rows_by_steps_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"log_every": {"steps": 3}, "evaluate_every": {"steps": 5}, "epochs": None, "steps": 14}
    whole = noisy()
    trainer_for(whole, tmp_path / "whole", **chosen).fit()
    for steps in (2, 5, 9):
        parts, again = tmp_path / f"parts{steps}", noisy()
        with pytest.raises(TrainingInterrupted):
            trainer_for(noisy(), parts, [Interrupt(steps)], **chosen).fit()
        trainer = trainer_for(again, parts, resume=True, **chosen)
        assert trainer.resume()
        trainer.fit()
        assert_same_weights(whole.network, again.network)
        assert rows(tmp_path / "whole") == rows(parts), steps


def test_the_best_checkpoint_may_stand_within_an_epoch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = Judged(5.0, 1.0, 4.0, 6.0, 1.0)  # after 3, 6, 9, 12 steps, and at the end
    trainer = trainer_for(task, tmp_path, epochs=3, evaluate_every={"steps": 3}, keep_checkpoints=1)
    trainer.console.quiet = False
    outcome = trainer.fit()
    assert links(tmp_path) == {"best": "step_00000006", "newest": "step_00000012"}
    assert (outcome.best_step, outcome.best_epoch) == (6, 1.5)
    progress = load_progress(tmp_path / "checkpoints" / "best")
    assert (progress.step, progress.step_in_epoch, progress.best, progress.is_best) == (6, 2, 1.0, True)
    assert not load_progress(tmp_path / "checkpoints" / "newest").is_best
    fresh = Regression()
    load_network(tmp_path / "checkpoints" / "best", "model", fresh.network)
    assert_same_weights(fresh.network, task.network)
    output = capsys.readouterr().out
    assert "\nstep 6/12  train loss " in output and "  valid loss 1  best  [" in output


def test_early_stop_ends_within_an_epoch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen: dict[str, Any] = {"evaluate_every": {"steps": 3}, "early_stop": 2}
    trainer = trainer_for(Judged(2.0, 3.0, 4.0, 2.0), tmp_path, **chosen)
    trainer.console.quiet = False
    assert trainer.fit().best_step == 3
    assert trainer.progress.step == 9 and links(tmp_path) == {"best": "step_00000003", "newest": "step_00000009"}
    assert "stopped after step 9: no better loss in 2 evaluations" in capsys.readouterr().out
    assert places(tmp_path, "train") == [(4, 1), (8, 2), (9, 2.25)]
    again = trainer_for(Judged(2.0), tmp_path, resume=True, **chosen)
    assert again.resume()
    assert again.fit().best_step == 3 and again.progress.step == 9


class InterruptingEvaluation(Regression):
    """Ctrl-C comes in the middle of its n-th evaluation."""

    def __init__(self, number: int, **options: Any) -> None:
        super().__init__(dropout=0.5, **options)
        self.left = number

    def evaluator(self, split: str) -> SquaredError:
        self.left -= 1
        task = self

        class Interrupting(SquaredError):
            def update(self, outputs: Sequence[Any], batch: Sequence[Any]) -> None:
                super().update(outputs, batch)
                if task.left == 0:
                    os.kill(os.getpid(), signal.SIGINT)

        return Interrupting()


class CountEvaluations(Callback):
    begun = ended = 0

    def on_evaluate_begin(self, trainer: Trainer, split: str) -> None:
        self.begun += 1

    def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
        self.ended += 1

    def state_dict(self) -> dict[str, Any]:
        return {"counts": [self.begun, self.ended]}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        self.begun, self.ended = state["counts"]


@pytest.mark.parametrize(
    ("last", "interruptions"), [(10, ((1, 3), (2, 4), (3, 6), (6, 10))), (8, ((4, 8),))], ids=["within", "at the end"]
)
def test_an_interrupted_evaluation_is_made_anew(
    tmp_path: Path, last: int, interruptions: Sequence[tuple[int, int]]
) -> None:
    """Within epochs, at the end of one, and after the last step of all, be it the end of an epoch or not."""
    chosen: dict[str, Any] = {"epochs": None, "steps": last, "evaluate_every": {"epochs": 1, "steps": 3}}
    whole, newest = InterruptingEvaluation(0), Path("checkpoints", "newest")
    trainer_for(whole, tmp_path / "whole", [CountEvaluations()], **chosen).fit()
    for number, step in interruptions:
        parts, again, count = tmp_path / str(number), InterruptingEvaluation(0), CountEvaluations()
        message = f"interrupted after step {step}; saved .*step_{step:08d}; continue"
        with pytest.raises(TrainingInterrupted, match=message):
            trainer_for(InterruptingEvaluation(number), parts, [CountEvaluations()], **chosen).fit()
        trainer = trainer_for(again, parts, [count], resume=True, **chosen)
        assert trainer.resume()
        assert trainer.progress.step == step and count.begun == count.ended == number - 1
        trainer.fit()
        assert count.begun == count.ended == {10: 6, 8: 4}[last]
        assert_same_weights(whole.network, again.network)
        assert rows(tmp_path / "whole") == rows(parts)
        for file in sorted((tmp_path / "whole" / newest).glob("*.safetensors")):
            assert file.read_bytes() == (parts / newest / file.name).read_bytes(), file.name


@pytest.mark.parametrize("step", [3, 8])
def test_a_signal_at_a_step_with_an_evaluation_leaves_it_to_the_next_process(tmp_path: Path, step: int) -> None:
    """Within an epoch, and after the last step of all."""
    chosen: dict[str, Any] = {"epochs": None, "steps": 8, "evaluate_every": {"steps": 3}}
    trainer_for(noisy(), tmp_path / "whole", **chosen).fit()

    class AtStep(Callback):
        def on_step_begin(self, trainer: Trainer) -> None:
            if trainer.progress.step == step - 1:
                signal.raise_signal(signal.SIGTERM)

    with pytest.raises(TrainingInterrupted, match=f"interrupted after step {step}; saved"):
        trainer_for(noisy(), tmp_path / "parts", [AtStep()], **chosen).fit()
    assert step not in [row["step"] for row in rows(tmp_path / "parts")]
    trainer = trainer_for(noisy(), tmp_path / "parts", resume=True, **chosen)
    assert trainer.resume() and trainer.progress.evaluation_due
    trainer.fit()
    assert rows(tmp_path / "whole") == rows(tmp_path / "parts")


class Hands:
    """A clock that a test turns."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        patch.setattr(console_module.Clock, "seconds", property(lambda clock: self.now - clock.begun))
        patch.setattr(console_module.Clock, "__init__", lambda clock: self.start(clock))

    def start(self, clock: Any) -> None:
        clock.begun, clock.samples = self.now, 0


class Slow(Callback):
    """A step takes some minutes."""

    def __init__(self, hands: Hands, minutes: float) -> None:
        self.hands, self.minutes = hands, minutes
        self.saved: list[list[str]] = []

    def on_step_begin(self, trainer: Trainer) -> None:
        self.hands.now += 60 * self.minutes
        store = trainer.manager.store
        self.saved.append([] if store is None else [path.name[-2:] for path in store.all()])


def test_a_checkpoint_is_written_every_ten_minutes_of_an_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, timed = noisy(), noisy()
    trainer_for(usual, tmp_path / "usual", epochs=2, checkpoint_every=2).fit()
    slow = Slow(Hands(monkeypatch), 4.0)
    trainer_for(timed, tmp_path / "timed", [slow], epochs=2, checkpoint_every=2, keep_checkpoints=9).fit()
    assert slow.saved == [[], [], [], ["03"], ["03", "04"], ["03", "04"], ["03", "04"], ["03", "04", "07"]]
    assert_same_weights(usual.network, timed.network)
    assert rows(tmp_path / "usual") == rows(tmp_path / "timed")
    without = Slow(slow.hands, 4.0)
    splits = ["train"]
    trainer_for(Regression(splits=splits), tmp_path / "ends", [without], checkpoint_every={"epochs": 2}).fit()
    assert [saved for saved in without.saved if saved] == [["08"]] * 8


def test_evaluations_and_rows_by_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(Hands(monkeypatch), 4.0)
    chosen = {"evaluate_every": {"minutes": 10}, "log_every": {"minutes": 8}}
    trainer_for(Regression(), tmp_path, [slow], epochs=2, **chosen).fit()
    assert places(tmp_path, "valid") == [(3, 0.75), (6, 1.5), (8, 2)]
    assert [step for step, _ in places(tmp_path, "train")][-1] == 8 and len(places(tmp_path, "train")) > 2


def test_checkpoints_that_take_long_become_fewer_which_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = Due.done
    monkeypatch.setattr(Due, "done", lambda due, seconds, took=0.0: measured(due, seconds, 24.0 if took else 0.0))
    slow = Slow(Hands(monkeypatch), 4.0)
    trainer = trainer_for(Regression(splits=["train"]), tmp_path, [slow], epochs=1000, steps=None, keep_checkpoints=99,
                          checkpoint_every={"minutes": 10})  # fmt: skip
    trainer.options.epochs = 3
    trainer.console.quiet = False
    trainer.fit()
    assert slow.saved[-1] == ["03", "08"]  # after 10 minutes, then after 20
    assert [line for line in capsys.readouterr().out.splitlines() if "note" in line] == [
        "note: a checkpoint takes 24.0 s: it is done every 20 minutes instead of 10, "
        "to take no more than 2% of the time"
    ]


def test_a_checkpoint_of_an_earlier_version_is_continued_bit_for_bit(tmp_path: Path) -> None:
    """Its progress.json lacks what came later."""
    whole, again = noisy(), noisy()
    trainer_for(whole, tmp_path / "whole").fit()
    with pytest.raises(TrainingInterrupted):
        trainer_for(noisy(), tmp_path / "parts", [Interrupt(9)]).fit()
    for file in (tmp_path / "parts" / "checkpoints").glob("step_*/progress.json"):
        values = json.loads(file.read_text())
        best = values["best_step"]
        for name in ("best_step", "evaluated_step", "evaluation_due", "row_sums"):
            del values[name]
        file.write_text(json.dumps(values))
        assert load_progress(file.parent).best_step == best > 0
    os.remove(tmp_path / "parts" / "checkpoints" / "newest")
    trainer = trainer_for(again, tmp_path / "parts", resume=True)
    assert trainer.resume() and 9 <= trainer.progress.step < 12
    trainer.fit()
    assert_same_weights(whole.network, again.network)
    assert rows(tmp_path / "whole", "valid") == rows(tmp_path / "parts", "valid")
    assert links(tmp_path / "whole") == links(tmp_path / "parts")


def test_two_checkpoints_of_one_step(tmp_path: Path) -> None:
    """The later replaces the earlier, and the link to the best stays with it."""

    class Again(Callback):
        def on_step_begin(self, trainer: Trainer) -> None:
            if trainer.progress.step == 3:
                before = load_progress(tmp_path / "checkpoints" / "step_00000003")
                trainer.manager.save(dataclasses.replace(trainer.progress, seconds=before.seconds + 1.0))
                assert links(tmp_path) == {"best": "step_00000003", "newest": "step_00000003"}
                assert load_progress(tmp_path / "checkpoints" / "best").seconds == before.seconds + 1.0

    chosen: dict[str, Any] = {"evaluate_every": {"steps": 3}, "checkpoint_every": {"steps": 3}}
    trainer_for(Judged(1.0, 3.0, 1.0), tmp_path, [Again()], epochs=None, steps=6, **chosen).fit()
    found = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert found == ["best", "newest", "step_00000003", "step_00000006"]


def test_a_folder_that_was_deleted_is_said_within_an_epoch(tmp_path: Path) -> None:
    class Delete(Callback):
        def on_step_begin(self, trainer: Trainer) -> None:
            if trainer.progress.step == 2:
                shutil.rmtree(tmp_path / "run")

    with pytest.raises(OSError, match="was deleted during training, so nothing can be saved; train again"):
        trainer_for(Regression(), tmp_path / "run", [Delete()], checkpoint_every={"steps": 3}).fit()
