"""Layers are differentiable twice: gradients of gradients against finite differences in float64."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import core
from core import nn
from tests.core.gradient_check import check_gradients

RNG = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    core.set_default_dtype("float64")
    core.seed(4)
    yield
    core.set_default_dtype("float32")


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_recurrent(kind: str) -> None:
    layer = getattr(nn, kind)(2, 2, direction="bidirect")
    lengths = core.to_tensor([1, 2])
    check_gradients(lambda x: layer(x, sequence_length=lengths)[0], RNG.standard_normal((2, 2, 2)))


def test_attention() -> None:
    layer = nn.MultiHeadAttention(4, 2)
    check_gradients(lambda q, k: layer(q, k, k), RNG.standard_normal((1, 2, 4)), RNG.standard_normal((1, 3, 4)))


@pytest.mark.parametrize(
    "build",
    [
        lambda: nn.BatchNorm2D(2),
        lambda: nn.GroupNorm(1, 2),
        lambda: nn.InstanceNorm2D(2),
        lambda: nn.LayerNorm([2, 2]),
        lambda: nn.utils.spectral_norm(nn.Conv2D(2, 1, 2)).eval(),
        lambda: nn.utils.weight_norm(nn.Conv2DTranspose(2, 1, 2)),
    ],
    ids=["batch", "group", "instance", "layer", "spectral", "weight"],
)
def test_normalisation(build) -> None:
    check_gradients(build(), RNG.standard_normal((2, 2, 2, 2)))


def test_gradient_penalty_reaches_the_weights() -> None:
    layer = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    x = core.to_tensor(RNG.standard_normal((5, 3)), stop_gradient=False)

    def penalty() -> core.Tensor:
        (gradient,) = core.grad(layer(x).sum(), x, create_graph=True)
        return ((gradient * gradient).sum(axis=1).sqrt() - 1).square().mean()

    penalty().backward()
    weight = layer[0].weight
    found, values = weight.grad.numpy(), weight.numpy()
    for index in ((0, 0), (2, 3)):
        sides = []
        for step in (1e-6, -1e-6):
            moved = values.copy()
            moved[index] += step
            weight.set_value(moved)
            sides.append(penalty().item())
        weight.set_value(values)
        assert found[index] == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-6, abs=1e-9)
