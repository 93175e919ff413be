"""DCGAN's and WGAN's steps: losses by numpy from the networks' scores, updates by finite differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.train import load_config
from core.train.step import PhaseStep
from PaddleGAN.config import TASKS, GANConfig
from tests.PaddleGAN.small_runs import CONFIGS, DCGAN, WGAN

COUNT = 5


@pytest.fixture
def double() -> Iterator[None]:
    core.set_default_dtype("float64")
    yield
    core.set_default_dtype("float32")


def task_for(config: str, *changes: str) -> Any:
    """Return a task in float64 whose noise is always the same, and whose optimizers go down the gradient by 0.1."""
    descent = [f"{player}.optimizer={{name: SGD}}" for player in ("generator", "discriminator")]
    rates = [f"{player}.schedule.learning_rate=0.1" for player in ("generator", "discriminator")]
    loaded = load_config(GANConfig, CONFIGS / f"{config}.yaml", [*descent, *rates, *changes])
    core.seed(3)
    task = TASKS.build(loaded.task, config=loaded)
    source = np.random.RandomState(7)
    for network in task.networks.values():
        for parameter in network.parameters():  # larger than at the start, where nothing tells images apart
            if not parameter.stop_gradient:
                parameter.set_value(source.randn(*parameter.shape) * 0.3)
    noise = core.to_tensor(np.random.RandomState(1).randn(COUNT, task.noise_size))
    task.draw = lambda like: noise
    task.noise_drawn = noise
    return task


def images(size: int) -> Any:
    return core.to_tensor(np.tanh(np.random.RandomState(2).randn(COUNT, 1, size, size)))


def softplus(values: np.ndarray) -> np.ndarray:
    return np.logaddexp(0, values)


def vanilla(task: Any, batch: Any) -> tuple[float, float]:
    """Return the losses of the discriminator and of the generator, by numpy."""
    made = task.generator(task.noise_drawn)
    real, fake = task.discriminator(batch).numpy(), task.discriminator(made).numpy()
    return softplus(-real).mean() + softplus(fake).mean(), softplus(-fake).mean()


def wasserstein(task: Any, batch: Any) -> tuple[float, float]:
    made = task.generator(task.noise_drawn)
    real, fake = task.discriminator(batch).numpy(), task.discriminator(made).numpy()
    return fake.mean() - real.mean(), -fake.mean()


def slopes(parameters: Sequence[Any], loss: Callable[[], float], step: float = 1e-6) -> list[tuple[Any, Any, float]]:
    """Return for an element of each parameter: the parameter, the element, and the slope of the loss there."""
    found = []
    with core.no_grad():
        for parameter in parameters:
            values = parameter.numpy().copy()
            place = np.unravel_index(values.size // 2, values.shape)
            ends = []
            for sign in (1, -1):
                moved = values.copy()
                moved[place] += sign * step
                parameter.set_value(moved)
                ends.append(loss())
            parameter.set_value(values)
            found.append((parameter, place, (ends[0] - ends[1]) / (2 * step)))
    return found


@pytest.mark.parametrize("compiled", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    ("config", "changes", "size", "losses"),
    [
        ("fashion_mnist_dcgan", DCGAN, 28, vanilla),
        ("fashion_mnist_wgan_gp", (*WGAN, "task.penalty=null", "task.clip=10.0"), 32, wasserstein),
    ],
)
def test_a_step_goes_down_both_slopes(
    config: str, changes: tuple[str, ...], size: int, losses: Any, compiled: bool, double: None
) -> None:
    task, batch = task_for(config, *changes), images(size)
    phases = task.phases(steps_per_epoch=5, epochs=1)
    for number, (phase, player) in enumerate(zip(phases, ("discriminator", "generator"))):
        others = phases[1 - number].parameters
        expected = slopes(phase.parameters, lambda number=number: losses(task, batch)[number])
        before = [parameter.numpy()[place] for parameter, place, _ in expected]
        still = [parameter.numpy().copy() for parameter in others]
        value = losses(task, batch)[number]
        result = PhaseStep(phase, compiled, constants=others)(0, [[batch, core.zeros([COUNT], "int64")]])
        assert result.read()["loss"] == pytest.approx(value, rel=1e-9)
        assert len(expected) == sum(not one.stop_gradient for one in task.networks[player].parameters())
        for (parameter, place, slope), start in zip(expected, before):
            moved = parameter.numpy()[place] - start
            assert moved == pytest.approx(-0.1 * slope, rel=1e-4, abs=1e-9), parameter.name
        for parameter, values in zip(others, still):
            np.testing.assert_array_equal(parameter.numpy(), values)


def test_the_penalty_is_that_of_the_slope_of_a_linear_critic(double: None) -> None:
    task = task_for("fashion_mnist_wgan_gp", *WGAN)
    weight = core.to_tensor(np.random.RandomState(4).randn(1, 1, 32, 32) * 0.05)
    task.discriminator = lambda pictures: (pictures * weight).sum(axis=[1, 2, 3])
    batch = images(32)
    loss, values = task.critic_loss(batch)
    made = task.generator(task.noise_drawn).numpy()
    distance = ((batch.numpy() - made) * weight.numpy()).sum(axis=(1, 2, 3)).mean()
    penalty = (np.linalg.norm(weight.numpy()) - 1) ** 2
    assert float(values["distance"]) == pytest.approx(distance)
    assert float(values["penalty"]) == pytest.approx(penalty)
    assert float(loss) == pytest.approx(10 * penalty - distance)


def test_weights_are_clipped_before_they_judge(double: None) -> None:
    task, batch = task_for("fashion_mnist_wgan_gp", *WGAN, "task.penalty=null", "task.clip=0.1"), images(32)
    unbounded = [parameter.numpy().copy() for parameter in task.discriminator.parameters()]
    phases = task.phases(steps_per_epoch=5, epochs=1)
    result = PhaseStep(phases[0], True, constants=phases[1].parameters)(0, [[batch]])
    after = [parameter.numpy().copy() for parameter in task.discriminator.parameters()]
    for parameter, values in zip(task.discriminator.parameters(), unbounded):
        parameter.set_value(values.clip(-0.1, 0.1))
    assert result.read()["loss"] == pytest.approx(wasserstein(task, batch)[0], rel=1e-9)
    for parameter, values in zip(task.discriminator.parameters(), after):
        parameter.set_value(values)
    PhaseStep(phases[1], True, constants=phases[0].parameters)(0, [[batch]])
    for parameter, values in zip(task.discriminator.parameters(), after):
        np.testing.assert_array_equal(parameter.numpy(), values.clip(-0.1, 0.1))


def test_the_generator_moves_at_every_second_step(tmp_path: Path) -> None:
    loaded = load_config(GANConfig, CONFIGS / "fashion_mnist_wgan_gp.yaml", [*WGAN, "task.critic_steps=2"])
    task = TASKS.build(loaded.task, config=loaded)
    critic, generator = task.phases(steps_per_epoch=5, epochs=2)
    assert (critic.name, critic.period, generator.name, generator.period) == ("critic", 1, "generator", 2)


@pytest.mark.parametrize(("mode", "expected"), [("lsgan", 0), ("hinge", 1), ("logistic", 2)])
def test_other_losses(mode: str, expected: int, double: None) -> None:
    task, batch = task_for("fashion_mnist_dcgan", *DCGAN, f"task.gan_mode={mode}"), images(28)
    made = task.generator(task.noise_drawn)
    real, fake = task.discriminator(batch).numpy(), task.discriminator(made).numpy()
    critic, generator = [
        (((real - 1) ** 2).mean() + (fake**2).mean(), ((fake - 1) ** 2).mean()),
        (np.maximum(1 - real, 0).mean() + np.maximum(1 + fake, 0).mean(), -fake.mean()),
        (softplus(-real).mean() + softplus(fake).mean(), softplus(-fake).mean()),
    ][expected]
    loss, values = task.discriminator_loss(batch)
    assert float(loss) == pytest.approx(critic) and float(values["fake"]) == pytest.approx(fake.mean())
    assert float(task.generator_loss(batch)[0]) == pytest.approx(generator)


def test_smoothed_labels(double: None) -> None:
    task, batch = task_for("fashion_mnist_dcgan", *DCGAN, "task.real_label=0.9"), images(28)
    real, fake = task.discriminator(batch).numpy(), task.discriminator(task.generator(task.noise_drawn)).numpy()
    expected = (0.9 * softplus(-real) + 0.1 * softplus(real)).mean() + softplus(fake).mean()
    assert float(task.discriminator_loss(batch)[0]) == pytest.approx(expected)
    assert float(task.generator_loss(batch)[0]) == pytest.approx(softplus(-fake).mean())
