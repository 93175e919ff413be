"""Mixed precision of training: the config's key, Model.prepare, scaled gradients and how a run resumes with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.io import TensorDataset
from core.train.config.options import TrainOptions
from core.train.logs.console import Console
from core.train.logs.run_folder import RunFolder
from core.train.precision import MixedPrecision, precision_chosen, precision_named
from core.train.trainer import Trainer
from tests.core.train.regression import Regression, assert_same_weights, trainer_for, weights


@pytest.mark.bfloat16
def test_the_config_says_what_training_computes_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = {}
    lines: list[str] = []
    monkeypatch.setattr(Console, "line", lambda self, text: lines.append(text))
    for precision in ("float32", "bfloat16"):
        trainer = trainer_for(Regression(), tmp_path / precision, precision=precision)
        trainer.fit()
        results[precision] = weights(trainer.task.networks["model"])
        output = "mixed precision: products and convolutions of training in bfloat16"
        assert (output in lines) == (precision == "bfloat16")
    for name, exact in results["float32"].items():
        low = results["bfloat16"][name]
        assert low.dtype == exact.dtype == np.float32
        assert not np.array_equal(low, exact)
        np.testing.assert_allclose(low, exact, atol=0.05 * np.abs(exact).max())


@pytest.mark.bfloat16
def test_what_a_cpu_does_not_compute_in_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="precision: this device does not compute in float16: set it to bfloat16"):
        trainer_for(Regression(), tmp_path, precision="float16")
    monkeypatch.setattr("core.amp.support.instructions", frozenset)
    with pytest.raises(ValueError, match="precision: this device does not compute in bfloat16: set it to float32"):
        precision_named("bfloat16")
    assert precision_named("float32") is None


RECIPE = {"init_loss_scaling": 8.0, "incr_every_n_steps": 2, "decr_every_n_nan_or_inf": 2, "decr_ratio": 0.8}
"""ERNIE's way with other lengths: doubled after finite steps, times 0.8 after two that were not."""


def test_the_config_says_how_losses_are_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.train.precision.is_bfloat16_supported", lambda: True)
    options = TrainOptions.model_validate({"epochs": 1, "precision": "bfloat16", "loss_scaling": RECIPE})
    assert options.loss_scaling is not None
    chosen = precision_named("bfloat16", options.loss_scaling.model_dump())
    assert chosen is not None and precision_named("bfloat16").scaler() is None  # type: ignore[union-attr]  # supported
    found = chosen.scaler().state_dict()  # type: ignore[union-attr]  # as above
    expected = {"scale": 8.0, **RECIPE, "incr_ratio": 2.0, "use_dynamic_loss_scaling": True}
    assert {key: found[key] for key in found if not key.endswith("_count")} == {
        key: value for key, value in expected.items() if key != "init_loss_scaling"
    }
    with pytest.raises(ValueError, match="loss_scaling goes with precision bfloat16 or float16, not with float32"):
        TrainOptions.model_validate({"epochs": 1, "loss_scaling": {}})
    with pytest.raises(ValueError, match="decr_ratio\n  Input should be less than 1"):
        TrainOptions.model_validate({"epochs": 1, "precision": "bfloat16", "loss_scaling": {"decr_ratio": 1.5}})


@pytest.mark.bfloat16
def test_losses_are_scaled_as_the_config_says(tmp_path: Path) -> None:
    trainer = trainer_for(Regression(), tmp_path, epochs=1, precision="bfloat16", loss_scaling=RECIPE)
    trainer.fit()
    assert trainer.steps[0].scaler.state_dict()["scale"] == 8.0 * 2.0 ** (trainer.progress.step // 2) > 8.0


def scaled(path: Path, epochs: int, resume: bool = False) -> Trainer:
    scaling = {"init_loss_scaling": 4.0, "incr_every_n_steps": 5}
    if not resume:
        RunFolder.create(path).config.write_text("{}")
    chosen = MixedPrecision("bfloat16", scaling=scaling)
    options = TrainOptions(epochs=epochs, tensorboard=False)  # type: ignore[call-arg]
    return Trainer(Regression(), options, RunFolder(path), 3, (), Console(quiet=True), precision=chosen)


@pytest.mark.bfloat16
def test_a_resumed_run_goes_on_with_its_scaled_gradients(tmp_path: Path) -> None:
    whole = scaled(tmp_path / "whole", 4)
    whole.fit()
    part = scaled(tmp_path / "part", 4)
    part.options.epochs = 2
    part.fit()
    resumed = scaled(tmp_path / "part", 4, resume=True)
    assert resumed.resume()
    before = part.steps[0].scaler.state_dict()
    assert resumed.steps[0].scaler.state_dict() == before
    assert before["scale"] == 4.0 * 2.0 ** (part.progress.step // 5) > 4.0
    assert before["incr_count"] == part.progress.step % 5
    resumed.fit()
    assert resumed.steps[0].scaler.state_dict() == whole.steps[0].scaler.state_dict()
    assert_same_weights(resumed.task.networks["model"], whole.task.networks["model"])


def model_and_data() -> tuple[core.Model, TensorDataset]:
    core.seed(2)
    network = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    generator = np.random.default_rng(0)
    x = generator.standard_normal((64, 6)).astype("float32")
    return core.Model(network), TensorDataset([core.to_tensor(x), core.to_tensor(x[:, :3].argmax(1)[:, None])])


@pytest.mark.bfloat16
@pytest.mark.parametrize(
    "choices",
    ["O1", "O2", {"level": "O1", "init_loss_scaling": 128, "incr_every_n_steps": 3}, {"use_pure_fp16": True}],
    ids=["O1", "O2", "scaled", "pure"],
)
def test_a_prepared_model_trains_in_16_bits_as_in_float32(choices: Any) -> None:
    losses, accuracies, kinds = [], [], []
    for chosen in (None, choices):
        model, data = model_and_data()
        optimizer = core.optimizer.Adam(0.02, parameters=model.parameters())
        model.prepare(optimizer, nn.CrossEntropyLoss(), core.metric.Accuracy(), amp_configs=chosen)
        core.seed(0)
        model.fit(data, batch_size=16, epochs=8, verbose=0)
        answer = model.evaluate(data, batch_size=16, verbose=0)
        losses.append(answer["loss"][0])
        accuracies.append(answer["acc"])
        kinds.append({parameter.dtype.name for parameter in model.parameters()})
        first = model.train_batch([data[:16][0]], [data[:16][1]])
        assert np.isfinite(first[0][0])
    assert abs(losses[1] - losses[0]) < 0.05 and losses[1] != losses[0]
    assert abs(accuracies[1] - accuracies[0]) <= 3 / 64 and accuracies[1] > 0.9
    assert kinds == [{"float32"}, {"bfloat16" if choices in ("O2", {"use_pure_fp16": True}) else "float32"}]


@pytest.mark.bfloat16
def test_what_a_model_refuses() -> None:
    model, _ = model_and_data()
    assert precision_chosen("O0", "here") is precision_chosen(None, "here") is None
    with pytest.raises(ValueError, match="Model.prepare: the level of amp_configs is O0, O1 or O2, not 'O7'"):
        model.prepare(amp_configs="O7")
    with pytest.raises(ValueError, match="Model.prepare: amp_configs has the unknown key 'levle': it takes level, "):
        model.prepare(amp_configs={"levle": "O1"})
    with pytest.raises(TypeError, match="Model.prepare: amp_configs must be a level or a dict, not list"):
        model.prepare(amp_configs=["O1"])
    with pytest.raises(ValueError, match="GradScaler: incr_ratio must be above 1, not 0.5"):
        model.prepare(amp_configs={"incr_ratio": 0.5})
    with pytest.raises(ValueError, match="dtype is 'bfloat16' or 'float16', not 'int8'"):
        model.prepare(amp_configs={"dtype": "int8"})
