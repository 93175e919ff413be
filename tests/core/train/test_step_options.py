"""Accumulated gradients, the moving average of weights, the profile, and what a run says at its start."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.train import Callback, Profile, RunFolder, Trainer, TrainingInterrupted, TrainOptions, read_metrics
from core.train.checkpoints.store import load_network
from core.train.logs.console import Console
from core.train.logs.profile import PARTS
from tests.core.train.regression import Regression, assert_same_weights, trainer_for, weights


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("size", "accumulate"), [(6, 2), (3, 4), (5, 3)])
def test_accumulated_batches_are_one_large_batch(tmp_path: Path, size: int, accumulate: int, compiled: bool) -> None:
    """With the same samples in the same order; 24 samples in steps of 15 leave a step of 5, as batches of 15 drop."""
    parts, whole = Regression(batch_size=size), Regression(batch_size=size * accumulate)
    runs = []
    for name, task, count in (("parts", parts, accumulate), ("whole", whole, 1)):
        loader = task.loader

        def in_order(split: str, loader: Any = loader, size: int = task.batch_size) -> Any:
            return core.io.DataLoader(loader(split).dataset, batch_size=size) if split == "train" else None

        task.loader = in_order  # type: ignore[method-assign]
        trainer_for(task, tmp_path / name, accumulate=count, compiled=compiled, epochs=2).fit()
        rows = read_metrics(tmp_path / name / "metrics.jsonl")
        runs.append([(row["step"], row["loss"], row["mean_error"]) for row in rows if row["split"] == "train"])
    for name, value in weights(parts.network).items():
        np.testing.assert_allclose(value, weights(whole.network)[name], rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(runs[0], runs[1], rtol=1e-5)


class Follow(Callback):
    """Follows the weights in numpy."""

    def __init__(self) -> None:
        self.average: dict[str, np.ndarray] = {}
        self.count = 0

    def on_train_begin(self, trainer: Trainer) -> None:
        self.average = {
            name: value.astype(np.float64) for name, value in weights(trainer.task.networks["model"]).items()
        }

    def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        decay = min(0.9, (1 + self.count) / (10 + self.count))
        self.count += 1
        for name, value in weights(trainer.task.networks["model"]).items():
            self.average[name] = decay * self.average[name] + (1 - decay) * value


def test_the_average_is_evaluated_kept_and_resumed(tmp_path: Path) -> None:
    follow = Follow()
    whole = Regression(dropout=0.5, splits=["train", "valid"])
    chosen = TrainOptions(epochs=3, ema=0.9, tensorboard=False)  # type: ignore[call-arg]
    folder = RunFolder.create(tmp_path / "whole")
    trainer = Trainer(whole, chosen, folder, 3, [follow], Console(quiet=True), lag=0)
    trainer.fit()
    last = folder.checkpoints / "step_00000012"
    saved = Regression()
    load_network(last, "model", saved.network)
    for name, value in weights(saved.network).items():
        np.testing.assert_allclose(value, follow.average[name], rtol=1e-5, atol=1e-6)
    evaluated = trainer.evaluate_split("valid").result()["loss"]
    rows = [row for row in read_metrics(folder.metrics) if row["split"] == "valid"]
    best = min(rows, key=lambda row: row["loss"])
    assert best["loss"] == evaluated
    trained = Regression()
    load_network(last, "model", trained.network, trained=True)
    assert not np.array_equal(weights(trained.network)["0.weight"], weights(saved.network)["0.weight"])

    class Stop(Callback):
        def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            if trainer.progress.step == 7:
                raise TrainingInterrupted("as if killed", 1)

    with pytest.raises(TrainingInterrupted):
        trainer_for(Regression(dropout=0.5), tmp_path / "run", [Stop()], epochs=3, ema=0.9).fit()
    again = Regression(dropout=0.5, splits=["train", "valid"])
    resumed = trainer_for(again, tmp_path / "run", resume=True, epochs=3, ema=0.9)
    resumed.resume()
    assert resumed.average is not None and resumed.average.updates == resumed.progress.step == 4
    resumed.fit()
    assert_same_weights(whole.network, again.network)


def test_without_a_valid_split_the_average_is_what_remains(tmp_path: Path) -> None:
    task = Regression(splits=["train"])
    trainer_for(task, tmp_path / "run", ema=0.5, epochs=2).fit()
    saved = Regression()
    load_network(tmp_path / "run" / "checkpoints" / "step_00000008", "model", saved.network)
    assert_same_weights(saved.network, task.network)


def test_the_profile_adds_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder.create(tmp_path / "run")
    chosen = TrainOptions(epochs=6, tensorboard=False)  # type: ignore[call-arg]
    trainer = Trainer(Regression(), chosen, folder, profile=True)
    trainer.fit()
    output = capsys.readouterr().out
    saved = json.loads(folder.profile.read_text())
    assert list(saved["parts"]) == list(PARTS)
    calls = {name: part["calls"] for name, part in saved["parts"].items()}
    assert calls == {"data": 30, "forward+backward": 24, "update": 24, "evaluation": 6, "checkpoint": 6}
    assert all(part["seconds"] > 0 for part in saved["parts"].values())
    operators = {row["name"]: row for row in saved["operators"]}
    assert saved["measured_steps"] == 10
    assert "_linalg_gemm2" in operators and not any("," in name for name in operators)
    assert "MXNET_EXEC_BULK_EXEC_TRAIN" not in os.environ
    assert all(row["seconds"] >= 0 for row in operators.values())
    lines = output.splitlines()
    assert any(line.startswith("part ") and line.endswith("share") for line in lines)
    assert any(line.startswith("operators of 10 steps") for line in lines)


def test_a_profile_of_a_short_run_has_no_operators() -> None:
    profile = Profile()
    with profile.part("data"):
        pass
    profile.step()
    profile.close()
    assert profile.operators == [] and len(profile.lines()) == 1 + len(PARTS)


def test_what_a_run_says_at_its_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder.create(tmp_path / "run")
    chosen = TrainOptions(epochs=2, accumulate=2, ema=0.99, tensorboard=False)  # type: ignore[call-arg]
    trainer = Trainer(Regression(rate=0.25, splits=["train"]), chosen, folder)
    trainer.fit()
    assert capsys.readouterr().out.splitlines()[:5] == [
        "fit: 33 trainable parameters, Momentum, learning rate 0.25",
        "batch size 12 (2 batches of 6)",
        f"2 epochs of 2 steps, compiled, {trainer.progress.threads} threads",
        "evaluating and keeping a moving average of the weights (decay 0.99), which lags behind them by a tenth of the "
        "steps taken, at most by 99",
        f"writing to {folder}",
    ]
