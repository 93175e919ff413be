"""Gradients of gradients in float64, whichever part is compiled: eager, the critic, the step around it, or both."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from tests.sampling import sampled

RNG = np.random.default_rng(5)
IMAGES = RNG.standard_normal((3, 2, 6, 6))
SEQUENCE = RNG.standard_normal((2, 4, 3))


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    core.set_default_dtype("float64")
    core.seed(6)
    yield
    core.set_default_dtype("float32")


def last_state(kind: type[nn.Layer]) -> Callable[[], nn.Layer]:
    class Last(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = kind(3, 4)
            self.head = nn.Linear(4, 1)

        def forward(self, x: core.Tensor) -> core.Tensor:
            return self.head(self.inner(x)[0][:, -1])

    return Last


class Attends(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(3, 1, 5, dropout=0.2, activation="gelu")
        self.head = nn.Linear(3, 1)

    def forward(self, x: core.Tensor) -> core.Tensor:
        return self.head(self.encoder(x).mean(1))


CRITICS: dict[str, tuple[Callable[[], nn.Layer], np.ndarray]] = {
    "batch norm": (
        lambda: nn.Sequential(
            nn.Conv2D(2, 3, 3, padding=1), nn.BatchNorm2D(3), nn.Tanh(), nn.Flatten(), nn.Linear(108, 1)
        ),
        IMAGES,
    ),
    "transposed convolution": (
        lambda: nn.Sequential(
            nn.Conv2DTranspose(2, 3, 3, stride=2),
            nn.LeakyReLU(0.2),
            nn.Conv2D(3, 2, 3, stride=2),
            nn.Softplus(),
            nn.Conv2DTranspose(2, 1, 2, groups=1),
            nn.Flatten(),
            nn.Linear(49, 1),
        ),
        IMAGES,
    ),
    "other norms and pooling": (
        lambda: nn.Sequential(
            nn.Conv2D(2, 4, 3),
            nn.GroupNorm(2, 4),
            nn.Swish(),
            nn.AvgPool2D(2),
            nn.InstanceNorm2D(4),
            nn.MaxPool2D(2),
            nn.Flatten(),
            nn.LayerNorm(4),
            nn.Linear(4, 1),
        ),
        IMAGES,
    ),
    "dropout": (
        lambda: nn.Sequential(nn.Flatten(), nn.Linear(72, 8), nn.Dropout(0.4), nn.Sigmoid(), nn.Linear(8, 1)),
        IMAGES,
    ),
    "LSTM": (last_state(nn.LSTM), SEQUENCE),
    "GRU": (last_state(nn.GRU), SEQUENCE),
    "attention": (Attends, SEQUENCE),
}


def penalty_step(critic: Callable[..., core.Tensor]) -> Callable[..., core.Tensor]:
    def step(real: core.Tensor, fake: core.Tensor, share: core.Tensor) -> core.Tensor:
        mixed = share * real + (1.0 - share) * fake
        mixed.stop_gradient = False
        (gradient,) = core.grad(critic(mixed).sum(), mixed, create_graph=True)
        norms = gradient.flatten(1).square().sum(1).sqrt()
        return critic(fake).mean() - critic(real).mean() + 10.0 * (norms - 1.0).square().mean()

    return step


def outcome(
    layer: nn.Layer, values: np.ndarray, make: Callable[..., Callable[..., core.Tensor]], inner: bool, outer: bool
) -> dict[str, np.ndarray]:
    """Return two losses, the gradients that they accumulate, and the statistics afterwards."""
    model = copy.deepcopy(layer)
    step = make(to_static(model) if inner else model)
    step = to_static(step) if outer else step
    generator = np.random.default_rng(9)
    real = core.to_tensor(values)
    fake = core.to_tensor(generator.standard_normal(values.shape), stop_gradient=False)
    share = core.to_tensor(generator.uniform(0, 1, (len(values), *[1] * (values.ndim - 1))))
    found = {}
    core.seed(11)
    for number in range(2):
        loss = step(real, fake, share)
        loss.backward()
        found[f"loss {number}"] = loss.numpy()
    found["gradient of fake"] = fake.grad.numpy()
    for key, parameter in model.named_parameters():
        found[key] = parameter.numpy() if parameter.stop_gradient else parameter.grad.numpy()
    return found


def assert_same(got: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert set(got) == set(expected)
    for key, values in expected.items():
        np.testing.assert_allclose(got[key], values, rtol=0, atol=1e-9 * max(1.0, np.abs(values).max()), err_msg=key)


WAYS = pytest.mark.parametrize(("inner", "outer"), [(True, False), (False, True), (True, True)])


@pytest.mark.parametrize(
    ("name", "inner", "outer"),
    sampled([(name, *way) for name in CRITICS for way in ((True, True), (True, False), (False, True))], 5),
)
def test_gradient_penalty(name: str, inner: bool, outer: bool) -> None:
    build, values = CRITICS[name]
    layer = build()
    eager = outcome(layer, values, penalty_step, False, False)
    assert_same(outcome(layer, values, penalty_step, inner, outer), eager)


@pytest.mark.parametrize("name", ["batch norm", "transposed convolution", "LSTM", "attention"])
def test_the_eager_penalty_against_finite_differences(name: str) -> None:
    build, values = CRITICS[name]
    layer = build()
    loss_of = penalty_step(layer)
    generator = np.random.default_rng(9)
    real, fake = core.to_tensor(values), core.to_tensor(generator.standard_normal(values.shape))
    share = core.to_tensor(generator.uniform(0, 1, (len(values), *[1] * (values.ndim - 1))))

    def loss() -> core.Tensor:
        core.seed(11)
        return loss_of(real, fake, share)

    loss().backward()
    for key, parameter in layer.named_parameters():
        if parameter.stop_gradient:
            continue
        start, direction = parameter.numpy(), generator.standard_normal(parameter.shape)
        sides = []
        for sign in (1, -1):
            parameter.set_value(start + sign * 1e-6 * direction)
            sides.append(loss().item())
        parameter.set_value(start)
        expected = (sides[0] - sides[1]) / 2e-6
        assert (parameter.grad.numpy() * direction).sum() == pytest.approx(expected, rel=1e-5, abs=1e-6), key


@WAYS
def test_a_critic_called_twice_inside_one_penalty(inner: bool, outer: bool) -> None:
    build, values = CRITICS["batch norm"]
    layer = build()

    def make(critic: Callable[..., core.Tensor]) -> Callable[..., core.Tensor]:
        def step(real: core.Tensor, fake: core.Tensor, share: core.Tensor) -> core.Tensor:
            scores = critic(fake) * critic(fake * share + real)
            (gradient,) = core.grad(scores.sum(), fake, create_graph=True)
            return gradient.square().sum() + scores.mean()

        return step

    eager = outcome(layer, values, make, False, False)
    assert_same(outcome(layer, values, make, inner, outer), eager)


@WAYS
def test_three_orders(inner: bool, outer: bool) -> None:
    weight = core.to_tensor([0.3, -0.2, 0.5], stop_gradient=False)

    def energy(x: core.Tensor) -> core.Tensor:
        return ((x * weight).tanh() * x.exp()).sum()

    def run(inner: bool, outer: bool) -> list[np.ndarray]:
        function = to_static(energy) if inner else energy

        def third(x: core.Tensor) -> core.Tensor:
            (first,) = core.grad(function(x), x, create_graph=True)
            (second,) = core.grad(first.sin().sum(), x, create_graph=True)
            return (second * second).sum()

        x = core.to_tensor([0.1, 0.7, -0.4], stop_gradient=False)
        weight.clear_gradient(set_to_zero=False)
        loss = (to_static(third) if outer else third)(x)
        loss.backward()
        return [loss.numpy(), x.grad.numpy(), weight.grad.numpy()]

    for got, expected in zip(run(inner, outer), run(False, False)):
        np.testing.assert_allclose(got, expected, rtol=1e-10)


@WAYS
def test_a_slope_of_the_third_order_by_hand(inner: bool, outer: bool) -> None:
    cube = to_static(lambda x: (x**4).sum()) if inner else lambda x: (x**4).sum()

    def curvature(x: core.Tensor) -> core.Tensor:
        (first,) = core.grad(cube(x), x, create_graph=True)
        (second,) = core.grad(first.sum(), x, create_graph=True)
        return second.sum()

    x = core.to_tensor([1.0, 2.0, -3.0], stop_gradient=False)
    (to_static(curvature) if outer else curvature)(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), 24 * x.numpy(), rtol=1e-12)


@WAYS
def test_a_gradient_taken_under_no_grad_is_a_constant(inner: bool, outer: bool) -> None:
    weight = core.to_tensor([2.0, 3.0], stop_gradient=False)
    square = to_static(lambda x: (x * x * weight).sum()) if inner else lambda x: (x * x * weight).sum()

    def function(x: core.Tensor) -> core.Tensor:
        score = square(x)
        with core.no_grad():
            (slope,) = core.grad(score, x, retain_graph=True)
        assert slope.stop_gradient
        return (slope * x).sum()

    x = core.to_tensor([1.0, -1.0], stop_gradient=False)
    (to_static(function) if outer else function)(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy() * weight.numpy())
    assert weight.grad is None


@WAYS
def test_gradients_are_not_recorded_where_nobody_asked(inner: bool, outer: bool) -> None:
    square = to_static(lambda x: (x * x).sum()) if inner else lambda x: (x * x).sum()
    function = lambda x: core.grad(square(x), x)[0]  # noqa: E731
    x = core.to_tensor([1.0, -1.0], stop_gradient=False)
    slope = (to_static(function) if outer else function)(x)
    assert slope.stop_gradient and slope.tolist() == [2, -2]
