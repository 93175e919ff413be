"""Normalisation whose feature maps are reshaped, between convolutions: a program's gradients are the eager ones.

Taken to the engine's batch normalisation, such a program wrote beside its memory and killed the process.
"""

from __future__ import annotations

from typing import Callable

import numpy as np
import pytest

import core
from core import nn


@pytest.mark.parametrize(
    "normalization",
    [
        lambda: nn.InstanceNorm2D(16),
        lambda: nn.InstanceNorm2D(16, weight_attr=False, bias_attr=False),
        lambda: nn.GroupNorm(4, 16),
    ],
)
def test_gradients_between_convolutions(normalization: Callable[[], nn.Layer]) -> None:
    core.seed(3)
    network = nn.Sequential(nn.Conv2D(3, 16, 3), normalization(), nn.ReLU(), nn.Conv2D(16, 8, 3, stride=2))
    images = core.randn([4, 3, 12, 12])

    def gradients(function: Callable[[core.Tensor], core.Tensor]) -> list[np.ndarray]:
        function(images).backward()
        found = [parameter.grad.numpy() for parameter in network.parameters()]
        for parameter in network.parameters():
            parameter.clear_gradient()
        return found

    def loss(x: core.Tensor) -> core.Tensor:
        return (network(x) ** 2).mean()

    wanted, program = gradients(loss), core.jit.to_static(loss)
    for _ in range(3):
        for found, expected in zip(gradients(program), wanted):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
