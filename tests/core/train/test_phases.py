"""Tasks of several phases: what one hands to the next, what rests meanwhile, what is averaged and kept."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import core
from core import nn
from core.io import DataLoader
from core.train import Callback, Evaluator, Phase, Task, Trainer, TrainingInterrupted, read_metrics
from core.train.checkpoints.store import load_network, load_progress
from core.weights.formats.safetensors_file import read_safetensors
from tests.core.train.regression import Points, assert_same_weights, trainer_for, weights

RATE = 0.05


class Delay(Callback):
    """Gives the images of the step before, the first ones at first."""

    def __init__(self) -> None:
        self.kept: Optional[np.ndarray] = None

    def exchange(self, images: np.ndarray) -> np.ndarray:
        given = images if self.kept is None else self.kept
        self.kept = images
        return given

    def state_dict(self) -> dict[str, Any]:
        return {} if self.kept is None else {"kept": self.kept, "shape": list(self.kept.shape)}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        assert list(state["kept"].shape) == state["shape"]
        self.kept = state["kept"]


class TwoPlayers(Task):
    """A linear generator that a linear critic judges, first on its images, then on those of the step before."""

    averaged = ("generator",)

    def __init__(self, batch_size: int = 6, names: Sequence[str] = ("made",)) -> None:
        core.seed(5)
        self.generator, self.critic = nn.Linear(2, 2, bias_attr=False), nn.Linear(2, 1, bias_attr=False)
        self.networks = {"generator": self.generator, "critic": self.critic}
        self.batch_size, self.names = batch_size, names
        self.delay = Delay()
        self.gradients: list[tuple[bool, bool]] = []

    def callbacks(self) -> list[Callback]:
        return [self.delay]

    def loader(self, split: str) -> Optional[DataLoader]:
        return DataLoader(Points(24), batch_size=self.batch_size, seed=1) if split == "train" else None

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        phases = []
        for name, network, loss in (
            ("generator", self.generator, self.generator_loss),
            ("critic", self.critic, self.critic_loss),
        ):
            optimizer = core.optimizer.SGD(RATE, parameters=network.parameters())
            phases.append(Phase(name, loss, network.parameters(), optimizer))
        phases[0].provides, phases[1].prepare = self.names, self.prepare
        return phases

    def generator_loss(self, inputs: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        made = self.generator(inputs)
        self.gradients.append((self.generator.weight.stop_gradient, self.critic.weight.stop_gradient))
        distance = ((made.sum(axis=1, keepdim=True) - targets) ** 2).mean()
        return distance - self.critic(made).mean(), {"distance": distance, "made": made}

    def prepare(self, fields: Sequence[Any], given: Mapping[str, Any]) -> Sequence[Any]:
        assert given["made"].stop_gradient
        return [fields[0], core.to_tensor(self.delay.exchange(given["made"].numpy()))]

    def critic_loss(self, inputs: Any, made: Any) -> tuple[Any, Mapping[str, Any]]:
        self.gradients.append((self.generator.weight.stop_gradient, self.critic.weight.stop_gradient))
        weight = self.critic.weight
        return self.critic(made).mean() - self.critic(inputs).mean() + (weight * weight).sum(), {}

    def predict(self, inputs: Any, targets: Any) -> Sequence[Any]:
        raise NotImplementedError

    def evaluator(self, split: str) -> Evaluator:
        raise NotImplementedError


def by_hand(task: TwoPlayers, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the generator's and the critic's weights after steps over one epoch's batches, in float64."""
    generator, critic = (network.weight.numpy().astype(np.float64) for network in task.networks.values())
    points, kept = Points(24), None
    for step in range(steps):
        numbers = range(task.batch_size * step, task.batch_size * (step + 1))
        inputs = np.stack([points[number][0] for number in numbers]).astype(np.float64)
        targets = np.stack([points[number][1] for number in numbers]).astype(np.float64)
        made, count = inputs @ generator, len(inputs)
        away = 2 * (made.sum(axis=1, keepdims=True) - targets) / count
        generator = generator - RATE * inputs.T @ (away @ np.ones((1, 2)) - critic.T / count)
        old, kept = made if kept is None else kept, made
        critic = critic - RATE * (old.mean(axis=0) - inputs.mean(axis=0) + 2 * critic[:, 0])[:, None]
    return generator, critic


@pytest.mark.parametrize("compiled", [True, False])
def test_phases_are_those_computed_by_hand(tmp_path: Path, compiled: bool) -> None:
    task = TwoPlayers()
    expected = by_hand(task, 4)
    trainer_for(task, tmp_path / "run", epochs=1, compiled=compiled).fit()
    np.testing.assert_allclose(task.generator.weight.numpy(), expected[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(task.critic.weight.numpy(), expected[1], rtol=1e-5, atol=1e-6)


def test_parameters_of_other_phases_are_constants(tmp_path: Path) -> None:
    task = TwoPlayers()
    trainer_for(task, tmp_path / "run", epochs=1, compiled=False).fit()
    assert task.gradients == [(False, True), (True, False)] * 4
    assert not task.generator.weight.stop_gradient and not task.critic.weight.stop_gradient


@pytest.mark.parametrize("resting", [0, 1])
def test_the_bar_counts_steps_in_which_a_phase_rests(tmp_path: Path, resting: int) -> None:
    class Halves(TwoPlayers):
        def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
            phases = super().phases(steps_per_epoch, epochs)
            phases[0].provides, phases[1].prepare = (), None
            phases[0].loss = lambda inputs, targets: (self.generator(inputs).mean(), {})
            phases[1].loss = lambda inputs, targets: (self.critic(inputs).mean(), {})
            phases[resting].period = 2
            return phases

    shown: list[Mapping[str, float]] = []
    trainer = trainer_for(Halves(), tmp_path / "run", epochs=1)
    trainer.console.step = lambda epoch, epochs, values, rate: shown.append(values)  # type: ignore[method-assign]
    trainer.fit()
    assert len(shown) == 4
    assert all(set(values) >= {"generator_loss", "critic_loss"} for values in shown)


def test_what_is_given_is_no_number_to_log_and_belongs_to_its_batch(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    class Watch(Callback):
        def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
            seen.append(sorted(values))

    task = TwoPlayers(batch_size=3)
    trainer_for(task, tmp_path / "run", [Watch()], epochs=1, accumulate=2).fit()
    assert seen == [["generator_distance", "generator_loss"], ["critic_loss"]] * 4
    assert task.delay.kept is not None and task.delay.kept.shape == (3, 2)
    (row,) = read_metrics(tmp_path / "run" / "metrics.jsonl")
    rates = {name: value for name, value in row.items() if name.endswith("learning_rate")}
    assert rates == pytest.approx({"generator_learning_rate": RATE, "critic_learning_rate": RATE})


def test_a_name_that_the_loss_does_not_return(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="phase 'generator' is to give 'image', but its loss returns only loss, dis"):
        trainer_for(TwoPlayers(names=["image"]), tmp_path / "run").fit()


class Stop(Callback):
    def on_step_begin(self, trainer: Trainer) -> None:
        if trainer.progress.step == 5:
            signal.raise_signal(signal.SIGINT)


def test_arrays_of_callbacks_resume_bit_for_bit(tmp_path: Path) -> None:
    whole, parts = TwoPlayers(), TwoPlayers()
    trainer_for(whole, tmp_path / "whole", ema=0.9).fit()
    with pytest.raises(TrainingInterrupted):
        trainer_for(TwoPlayers(), tmp_path / "parts", [Stop()], ema=0.9).fit()
    first = tmp_path / "parts" / "checkpoints" / "step_00000006"
    assert load_progress(first).callbacks["0:Delay"]["kept"].shape == (6, 2)
    trainer = trainer_for(parts, tmp_path / "parts", resume=True, ema=0.9)
    assert trainer.resume()
    trainer.fit()
    last = Path("checkpoints", "step_00000016")
    for file in sorted((tmp_path / "whole" / last).glob("*.safetensors")):
        one, two = read_safetensors(file), read_safetensors(tmp_path / "parts" / last / file.name)
        assert one.keys() == two.keys()
        for key in one:
            np.testing.assert_array_equal(one[key], two[key], err_msg=f"{file.name}: {key}")


def test_only_the_networks_asked_for_are_averaged(tmp_path: Path) -> None:
    task = TwoPlayers()
    trainer_for(task, tmp_path / "run", ema=0.9).fit()
    last = tmp_path / "run" / "checkpoints" / "step_00000016"
    assert {file.name for file in last.glob("*.safetensors")} == {
        "callbacks.safetensors", "critic.safetensors", "critic.optimizer.safetensors", "generator.safetensors",
        "generator.optimizer.safetensors", "generator.trained.safetensors",
    }  # fmt: skip
    saved = TwoPlayers()
    for name, network in saved.networks.items():
        load_network(last, name, network)
        assert_same_weights(network, task.networks[name])
    load_network(last, "generator", saved.generator, trained=True)
    assert not np.array_equal(weights(saved.generator)["weight"], weights(task.generator)["weight"])
