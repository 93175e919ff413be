"""How often something happens, as a config says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from core.train import ConfigError, Section, TrainOptions, load_config, save_config
from core.train.config.interval import Interval


class Experiment(Section):
    train: TrainOptions


def loaded(folder: Path, train: str, *overrides: str) -> TrainOptions:
    (folder / "run.yaml").write_text(f"train: {train}\n")
    return load_config(Experiment, folder / "run.yaml", overrides).train


def test_an_integer_counts_epochs_as_it_always_did(tmp_path: Path) -> None:
    options = loaded(tmp_path, "{epochs: 9, evaluate_every: 2, checkpoint_every: 10}")
    assert options.evaluate_every == Interval(epochs=2)
    assert options.checkpoint_every == Interval(epochs=10, minutes=10)
    assert options.log_every == Interval(epochs=1)
    usual = loaded(tmp_path, "{epochs: 9}")
    assert (usual.evaluate_every, usual.checkpoint_every) == (Interval(epochs=1), Interval(epochs=1, minutes=10))
    assert loaded(tmp_path, "{epochs: 9}", "train.evaluate_every.steps=7").evaluate_every == Interval(steps=7)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("checkpoint_every: 3", 3),
        ("checkpoint_every: {epochs: 3}", {"epochs": 3}),
        ("checkpoint_every: {epochs: 3, minutes: 10}", 3),
        ("checkpoint_every: {steps: 500, minutes: 2.5}", {"steps": 500, "minutes": 2.5}),
        ("evaluate_every: {epochs: 4}", 4),
        ("evaluate_every: {minutes: 30}", {"minutes": 30}),
        ("log_every: {steps: 100, epochs: null}", {"steps": 100}),
    ],
)
def test_intervals_are_saved_as_they_are_read(tmp_path: Path, written: str, kept: Any) -> None:
    options = loaded(tmp_path, f"{{epochs: 9, {written}}}")
    save_config(Experiment(train=options), tmp_path / "saved.yaml")
    assert load_config(Experiment, tmp_path / "saved.yaml").train == options
    assert yaml.safe_load((tmp_path / "saved.yaml").read_text())["train"][written.split(":")[0]] == kept


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("{compiled: true}", "run.yaml:1: train: give epochs, or steps, to say how long to train"),
        (
            "{epochs: 3, steps: 100}",
            "run.yaml:1: train: epochs (3) and steps (100) exclude each other; leave one out, or set it to null",
        ),
        ("{steps: 0}", "run.yaml:1: train.steps must be greater than 0, not 0"),
        (
            "{epochs: 3, evaluate_every: 0}",
            "run.yaml:1: train.evaluate_every: epochs must be a whole number from 1 to 1,000,000,000, not 0",
        ),
        (
            "{epochs: 3, evaluate_every: often}",
            "run.yaml:1: train.evaluate_every: must be a number of epochs, or keys of epochs, steps, minutes, as in "
            "{steps: 1000}, not 'often'",
        ),
        (
            "{epochs: 3, log_every: {step: 5}}",
            "run.yaml:1: train.log_every: unknown key 'step'; the nearest valid key is 'steps' "
            "(valid here: epochs, steps, minutes)",
        ),
        (
            "{epochs: 3, log_every: {steps: 2.5}}",
            "run.yaml:1: train.log_every: steps must be a whole number from 1 to 1,000,000,000, not 2.5",
        ),
        (
            "{epochs: 3, checkpoint_every: {minutes: -1}}",
            "run.yaml:1: train.checkpoint_every: minutes must be a number above 0 and up to 1,000,000,000, not -1",
        ),
        (
            "{epochs: 3, checkpoint_every: {}}",
            "run.yaml:1: train.checkpoint_every: an interval has at least one of the keys epochs, steps, minutes",
        ),
        (
            "{epochs: 3, checkpoint_every: true}",
            "run.yaml:1: train.checkpoint_every: must be a number of epochs, or keys of epochs, steps, minutes, as in "
            "{steps: 1000}, not True",
        ),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, train: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, train)
    assert str(caught.value).replace(f"{tmp_path}/", "") == message
