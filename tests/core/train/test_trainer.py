"""The loop, on a small regression whose answers are known."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import core
from core import nn
from core.io import DataLoader
from core.train import (
    Callback,
    CheckpointStore,
    NonFiniteLossError,
    Phase,
    Progress,
    RunFolder,
    Trainer,
    TrainingInterrupted,
    read_metrics,
)
from core.train.checkpoints.store import load_network, load_progress
from tests.core.train.regression import (
    TRUE_WEIGHT,
    Points,
    Regression,
    SquaredError,
    assert_same_weights,
    trainer_for,
    weights,
)


class Interrupt(Callback):
    """Presses Ctrl-C once, after a given number of steps."""

    def __init__(self, steps: int, number: int = signal.SIGINT) -> None:
        self.steps = steps
        self.number = number

    def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        self.steps -= 1
        if self.steps == 0:
            os.kill(os.getpid(), self.number)


@pytest.mark.usefixtures("with_curve")
def test_training_learns_and_writes_one_folder(tmp_path: Path) -> None:
    outcome = trainer_for(Regression(), tmp_path / "run", epochs=30, tensorboard=True).fit()
    folder = RunFolder(tmp_path / "run")
    rows = read_metrics(folder.metrics)
    train = [row for row in rows if row["split"] == "train"]
    assert [row["step"] for row in train] == list(range(4, 121, 4))
    valid = [row["loss"] for row in rows if row["split"] == "valid"]
    assert min(valid) == outcome.results["valid"]["loss"] == outcome.results["test"]["loss"] < 0.3 * valid[0]
    assert {"loss", "mean_error", "learning_rate", "samples_per_second", "seconds"} <= set(train[0])
    assert train[0]["learning_rate"] == pytest.approx(0.1, rel=0.01) and train[-1]["learning_rate"] < 0.001
    results = json.loads(folder.results.read_text())
    assert results["results"] == outcome.results and results["best_epoch"] == outcome.best_epoch
    assert folder.curve.stat().st_size > 5000 and any(folder.tensorboard.iterdir())


def test_one_step_is_the_textbook_update(tmp_path: Path) -> None:
    class Line(Regression):
        def __init__(self) -> None:
            super().__init__(splits=["train"])
            self.network = nn.Linear(2, 1)
            self.networks = {"model": self.network}

        def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
            optimizer = core.optimizer.SGD(0.5, parameters=self.network.parameters())
            return [Phase("fit", self.loss, self.network.parameters(), optimizer)]

        def loader(self, split: str) -> Optional[DataLoader]:
            return DataLoader(Points(4), batch_size=4) if split == "train" else None

    task = Line()
    before = weights(task.network)
    trainer_for(task, tmp_path / "run", epochs=1).fit()
    inputs = Points(4).inputs
    error = inputs @ before["weight"] + before["bias"] - inputs @ TRUE_WEIGHT
    after = weights(task.network)
    np.testing.assert_allclose(after["weight"], before["weight"] - 0.5 * 2 * inputs.T @ error / 4, rtol=1e-5)
    np.testing.assert_allclose(after["bias"], before["bias"] - 0.5 * 2 * error.mean(axis=0), rtol=1e-5)


def test_compiled_and_eager_agree(tmp_path: Path) -> None:
    tasks = []
    for compiled in (True, False):
        task = Regression(noise=0.1)
        trainer_for(task, tmp_path / str(compiled), compiled=compiled).fit()
        tasks.append(weights(task.network))
    for name in tasks[0]:
        np.testing.assert_allclose(tasks[0][name], tasks[1][name], rtol=1e-4, atol=1e-5)


class Branching(Regression):
    """Large errors count twice, which Python's own control flow says; in the network, too."""

    class Doubling(core.nn.Layer):
        def forward(self, x: Any) -> Any:
            if x.abs().max() > 1.0:
                x = x * 2.0
            return x

    def __init__(self) -> None:
        super().__init__(rate=0.01)
        self.network = core.nn.Sequential(self.network, self.Doubling())
        self.networks = {"model": self.network}

    def loss(self, inputs: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        distance = ((self.network(inputs) - targets) ** 2).mean()
        if distance > 1.0:
            distance = distance * 2.0
        return distance, {"doubled": core.cast(distance > 2.0, "float32")}


def test_a_loss_and_a_network_may_branch_on_tensors(tmp_path: Path) -> None:
    tasks, doubled = [], []
    for compiled in (True, False):
        tasks.append(Branching())
        trainer_for(tasks[-1], tmp_path / str(compiled), compiled=compiled).fit()
        rows = read_metrics(tmp_path / str(compiled) / "metrics.jsonl")
        doubled.append([row["doubled"] for row in rows if "doubled" in row])
    assert doubled[0] == doubled[1] and 0 < np.mean(doubled[0]) < 1
    for (name, one), two in zip(weights(tasks[0].network).items(), weights(tasks[1].network).values()):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("steps", [2, 5, 8, 11])
def test_an_interrupted_run_continues_to_the_same_weights(tmp_path: Path, steps: int) -> None:
    """Mid-epoch and at an epoch's end; shuffling, augmentation and dropout included."""
    whole = Regression(noise=0.3, dropout=0.5)
    trainer_for(whole, tmp_path / "whole").fit()
    first = Regression(noise=0.3, dropout=0.5)
    with pytest.raises(TrainingInterrupted, match=r"saved .*step_0.*; continue with --resume") as left:
        trainer_for(first, tmp_path / "parts", [Interrupt(steps)]).fit()
    assert left.value.exit_code == 130
    second = Regression(noise=0.3, dropout=0.5)
    trainer = trainer_for(second, tmp_path / "parts", resume=True)
    assert trainer.resume()
    assert trainer.progress.step >= steps
    trainer.fit()
    assert_same_weights(whole.network, second.network)
    assert_same_rows(tmp_path / "whole", tmp_path / "parts")


def assert_same_rows(first: Path, second: Path) -> None:
    """Evaluations are equal; training rows are too, but for the epoch that was cut, whose means miss a part."""
    rows = [
        [row for row in read_metrics(path / "metrics.jsonl") if row["split"] != "train"] for path in (first, second)
    ]
    assert rows[0] == rows[1]


def test_sigterm_saves_too(tmp_path: Path) -> None:
    with pytest.raises(TrainingInterrupted) as left:
        trainer_for(Regression(), tmp_path / "run", [Interrupt(3, signal.SIGTERM)]).fit()
    assert left.value.exit_code == 143
    assert CheckpointStore(tmp_path / "run" / "checkpoints").newest() is not None


def test_resume_before_the_first_checkpoint_starts_anew(tmp_path: Path) -> None:
    whole, again = Regression(), Regression()
    trainer_for(whole, tmp_path / "whole").fit()
    RunFolder.create(tmp_path / "empty").config.write_text("{}")
    trainer = trainer_for(again, tmp_path / "empty", resume=True)
    assert not trainer.resume()
    trainer.fit()
    assert_same_weights(whole.network, again.network)


def test_seed_decides(tmp_path: Path) -> None:
    runs = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        task = Regression(dropout=0.5)
        trainer_for(task, tmp_path / name, seed=seed).fit()
        runs.append(np.concatenate([value.ravel() for value in weights(task.network).values()]))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


@pytest.mark.parametrize("compiled", [True, False])
def test_a_loss_that_is_not_finite_names_step_rate_and_checkpoint(tmp_path: Path, compiled: bool) -> None:
    class Exploding(Regression):
        def loader(self, split: str) -> Optional[DataLoader]:
            loader = super().loader(split)
            if split == "train" and loader is not None:
                loader.dataset.inputs[3] *= np.float32(1e30)  # type: ignore[attr-defined]
            return loader

    with pytest.raises(NonFiniteLossError) as caught:
        trainer_for(Exploding(splits=["train"]), tmp_path / "run", compiled=compiled).fit()
    message = str(caught.value)
    assert "the loss of phase 'fit' is " in message and "learning rate 0." in message and " at step " in message
    assert "no checkpoint was saved before; lower the learning rate" in message

    class LaterExploding(Callback):
        def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            if trainer.progress.epoch == 2:
                trainer.loader.dataset.inputs[:] = np.float32(1e30)  # type: ignore[attr-defined]

    with pytest.raises(NonFiniteLossError, match=r"at step 8 .*last good checkpoint is .*step_00000008"):
        trainer_for(Regression(splits=["train"]), tmp_path / "later", [LaterExploding()], compiled=compiled).fit()


def links(run: Path) -> dict[str, str]:
    """Return where the links among a run's checkpoints point to."""
    folder = run / "checkpoints"
    found = {path.name: os.readlink(path) for path in folder.iterdir() if path.is_symlink()}
    assert all((folder / target / "model.safetensors").is_file() for target in found.values())
    return found


@pytest.mark.parametrize("ema", [None, 0.5])
def test_without_a_validation_split_the_newest_checkpoint_is_the_best(tmp_path: Path, ema: Optional[float]) -> None:
    seen: list[dict[str, str]] = []

    class Look(Callback):
        def on_epoch_begin(self, trainer: Trainer) -> None:
            if trainer.progress.epoch:
                seen.append(links(tmp_path))

    task = Regression(splits=["train"])
    trainer_for(task, tmp_path, [Look()], epochs=4, keep_checkpoints=1, ema=ema).fit()
    assert seen == [dict.fromkeys(("best", "newest"), f"step_{4 * epoch:08d}") for epoch in (1, 2, 3)]
    assert links(tmp_path) == {"best": "step_00000016", "newest": "step_00000016"}
    folder = RunFolder(tmp_path)
    best = folder.find_checkpoint("best")
    fresh = Regression()
    load_network(best, "model", fresh.network)
    assert_same_weights(fresh.network, task.network)
    with pytest.raises(FileNotFoundError) as caught:
        folder.find_checkpoint("step_4")
    assert str(caught.value) == (
        f"'{tmp_path}' holds no checkpoint 'step_4'; there are best, newest, step_00000016"
    )


def test_the_best_checkpoint_outlives_the_pruning_of_older_ones(tmp_path: Path) -> None:
    class Worse(Regression):
        """The second evaluation is the best."""

        def evaluator(self, split: str) -> SquaredError:
            evaluator = SquaredError()
            evaluations.append(split)
            evaluator.result = lambda: {"loss": abs(2.0 - len(evaluations))}  # type: ignore[method-assign]
            return evaluator

    evaluations: list[str] = []
    trainer_for(Worse(splits=["train", "valid"]), tmp_path, epochs=5, keep_checkpoints=1).fit()
    assert links(tmp_path) == {"best": "step_00000008", "newest": "step_00000020"}
    assert sorted(path.name for path in (tmp_path / "checkpoints").glob("step_*")) == ["step_00000008", "step_00000020"]


def test_newest_and_best_are_kept(tmp_path: Path) -> None:
    class Judged(Regression):
        """Its evaluations are given, not computed."""

        scores = iter([5.0, 1.0, 3.0, 2.0, 4.0, 6.0, 0.0])

        def evaluator(self, split: str) -> SquaredError:
            evaluator = SquaredError()
            evaluator.result = lambda: {"loss": score}  # type: ignore[method-assign]
            score = next(self.scores)
            return evaluator

    task = Judged(splits=["train", "valid"])
    outcome = trainer_for(task, tmp_path / "run", epochs=6, keep_checkpoints=2).fit()
    store = CheckpointStore(tmp_path / "run" / "checkpoints")
    assert [path.name for path in store.all()] == ["step_00000008", "step_00000020", "step_00000024"]
    best = store.best()
    assert best is not None and best.name == "step_00000008" and outcome.best_epoch == 2
    progress = load_progress(best)
    assert (progress.epoch, progress.best, progress.step) == (2, 1.0, 8)
    fresh = Judged(splits=["train"])
    load_network(best, "model", fresh.network)
    assert_same_weights(fresh.network, task.network)  # the best weights are those that were tested


def test_early_stop(tmp_path: Path) -> None:
    trainer = trainer_for(Regression(rate=0.0), tmp_path / "run", epochs=9, early_stop=2)
    trainer.fit()
    assert trainer.progress.epoch == 3


def test_two_phases_with_a_period(tmp_path: Path) -> None:
    class Pair(Regression):
        """Two weights, each with a phase; the second moves at every other step."""

        def __init__(self) -> None:
            super().__init__(splits=["train"])
            self.networks = {"one": nn.Linear(2, 1), "two": nn.Linear(2, 1)}

        def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
            found = []
            for name, period in (("one", 1), ("two", 2)):
                parameters = self.networks[name].parameters()
                optimizer = core.optimizer.SGD(0.1, parameters=parameters)
                found.append(Phase(name, self.loss_of(name), parameters, optimizer, period=period))
            return found

        def loss_of(self, name: str) -> Any:
            def loss(inputs: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
                shared = self.networks["one"](inputs) + self.networks["two"](inputs)
                return self.networks[name](inputs).mean() + 0 * shared.mean(), {}

            return loss

        def loader(self, split: str) -> Optional[DataLoader]:
            return DataLoader(Points(4), batch_size=1) if split == "train" else None

    task = Pair()
    biases = {name: float(network.bias.numpy()[0]) for name, network in task.networks.items()}
    trainer_for(task, tmp_path / "run", epochs=1).fit()
    moved = {name: float(network.bias.numpy()[0]) - biases[name] for name, network in task.networks.items()}
    assert moved["one"] == pytest.approx(-0.4, rel=1e-4) and moved["two"] == pytest.approx(-0.2, rel=1e-4)
    row = read_metrics(tmp_path / "run" / "metrics.jsonl")[0]
    assert {"one_loss", "two_loss"} <= set(row)
    with pytest.raises(ValueError, match="phase 'x': period must be a positive integer, not 0"):
        Phase("x", task.loss, [], None, period=0)


def test_mistakes_are_named(tmp_path: Path) -> None:
    class Tiny(Regression):
        def loader(self, split: str) -> Optional[DataLoader]:
            return DataLoader(Points(4), batch_size=6, drop_last=True)

    with pytest.raises(ValueError, match="no full batch, .*; lower its batch_size, or set drop_last: false"):
        trainer_for(Tiny(), tmp_path / "tiny")

    class Misnamed(Regression):
        monitor = "accuracy"

    with pytest.raises(KeyError, match="the task monitors 'accuracy', but its evaluator gives only loss"):
        trainer_for(Misnamed(), tmp_path / "misnamed").fit()


def test_checkpoints_are_whole_and_checked(tmp_path: Path) -> None:
    (tmp_path / ".step_00000001.abc.tmp").mkdir()
    (tmp_path / ".step_00000001.abc.tmp" / "model.safetensors").write_bytes(b"half")
    store = CheckpointStore(tmp_path)
    store.clean()
    assert list(tmp_path.iterdir()) == [] and store.newest() is None and store.best() is None
    network = nn.Linear(2, 3)
    saved = store.save(Progress(step=7, epoch=1, best=0.5, best_step=7), {"model": network}, {})
    assert store.newest() == saved and store.best() == saved
    assert load_progress(saved) == Progress(step=7, epoch=1, best=0.5, best_step=7)
    copy = nn.Linear(2, 3)
    load_network(saved, "model", copy)
    assert_same_weights(network, copy)
    with pytest.raises(ValueError, match=r"'weight' has shape \[2, 3\], the network needs \[2, 4\]"):
        load_network(saved, "model", nn.Linear(2, 4))
    with pytest.raises(ValueError, match="it has the unknown entry 'bias' \\(1 such entries\\)"):
        load_network(saved, "model", nn.Linear(2, 3, bias_attr=False))
    with pytest.raises(FileNotFoundError, match="no weights file .*other.safetensors"):
        load_network(saved, "other", network)
    text = (saved / "progress.json").read_text()
    (saved / "progress.json").write_text(text.replace('"format": 2', '"format": 9'))
    with pytest.raises(ValueError, match="has format 9; this version reads format 2"):
        load_progress(saved)
    with pytest.raises(FileNotFoundError, match="is not a checkpoint: it has no progress.json"):
        load_progress(tmp_path)


@pytest.mark.parametrize("compiled", [True, False])
def test_running_statistics_move_once_per_step(tmp_path: Path, compiled: bool) -> None:
    class Normed(Regression):
        def __init__(self) -> None:
            super().__init__(splits=["train", "valid"])
            self.network = nn.Sequential(nn.BatchNorm1D(2), nn.Linear(2, 1))
            self.networks = {"model": self.network}

        def loader(self, split: str) -> Optional[DataLoader]:
            return DataLoader(Points(6), batch_size=6)

    task = Normed()
    trainer_for(task, tmp_path / "run", epochs=2, compiled=compiled).fit()
    mean, variance = Points(6).inputs.mean(axis=0), Points(6).inputs.var(axis=0)
    state = weights(task.network)
    np.testing.assert_allclose(state["0._mean"], mean * (1 - 0.9**2), rtol=1e-5)
    np.testing.assert_allclose(state["0._variance"], 0.9**2 + variance * (1 - 0.9**2), rtol=1e-5)
