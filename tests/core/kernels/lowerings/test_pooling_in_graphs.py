"""The gradient of maximum pooling in a compiled program, whoever reads what it pools before the backward pass."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.nn import functional as F

SOURCE = np.random.default_rng(0)
IMAGE = SOURCE.standard_normal((1, 3, 16, 24)).astype("float32")
OF_MAPS, OF_POOLED = (SOURCE.standard_normal((1, 24, *size)).astype("float32") for size in ((16, 24), (8, 12)))


@pytest.fixture(scope="module")
def network() -> nn.Layer:
    core.seed(0)
    return nn.Sequential(nn.Conv2D(3, 24, 3, padding=1), nn.ReLU())


def gradient(maps: Callable[[Any], Any], pooled: Callable[[Any], Any], read: bool) -> np.ndarray:
    image = core.to_tensor(IMAGE, stop_gradient=False)
    first = maps(image)
    found = first if isinstance(first, tuple) else (first, pooled(first))
    if read:
        for one in found:
            one.numpy()
    core.add_n([(one * core.to_tensor(wanted)).sum() for one, wanted in zip(found, (OF_MAPS, OF_POOLED))]).backward()
    return image.grad.numpy()


def pool(x: Any) -> Any:
    return F.max_pool2d(x, 2, 2)


@pytest.mark.parametrize("read", [False, True])
def test_an_output_that_is_pooled_too(read: bool, network: nn.Layer) -> None:
    def both(image: Any) -> Any:
        maps = network(image)
        return maps, pool(maps)

    found = gradient(core.jit.to_static(both), pool, read)
    np.testing.assert_allclose(found, gradient(network, pool, False), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_an_input_that_is_pooled(compiled: bool, read: bool, network: nn.Layer) -> None:
    maps = core.jit.to_static(network.__call__) if compiled else network
    found = gradient(maps, core.jit.to_static(pool), read)
    np.testing.assert_allclose(found, gradient(network, pool, False), rtol=1e-5, atol=1e-5)
