"""Reshaping what oneDNN keeps in blocks: volumes, and the gradients of what becomes an image or a volume."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.nn import functional as F

SOURCE = np.random.RandomState(0)


def gradients(function: Any, x: core.Tensor, layer: nn.Layer) -> list[np.ndarray]:
    """Return a function's result, and the gradients of its square's sum."""
    layer.clear_gradients()
    x.clear_gradient()
    result = function(x)
    (result**2).sum().backward()
    return [result.numpy(), x.grad.numpy(), layer.weight.grad.numpy()]


def compare(function: Any, x: core.Tensor, layer: nn.Layer) -> None:
    """Compare a compiled function with the uncompiled one."""
    x.stop_gradient = False
    for one, other in zip(gradients(core.jit.to_static(function), x, layer), gradients(function, x, layer)):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("axes", [2, 3])
def test_what_a_convolution_computed(axes: int) -> None:
    layer = (nn.Conv2D if axes == 2 else nn.Conv3D)(16, 16, 3, padding=1)
    x = core.to_tensor(SOURCE.rand(2, 16, *[4] * axes).astype(np.float32))

    def tokens(x: core.Tensor) -> core.Tensor:
        flat = layer(x).flatten(2).transpose([0, 2, 1])
        return F.layer_norm(flat, 16).transpose([0, 2, 1]).reshape(x.shape) + 1.0

    def pooled(x: core.Tensor) -> core.Tensor:
        return F.max_pool2d(F.relu(layer(x).reshape([2, 16, -1, 4])), 2)

    compare(tokens, x, layer)
    compare(pooled, x, layer)


@pytest.mark.parametrize("axes", [2, 3])
def test_what_a_convolution_is_given(axes: int) -> None:
    layer = (nn.Conv2D if axes == 2 else nn.Conv3D)(16, 16, 3, padding=1)
    shape = [2, 16, *[4] * axes]
    tokens = core.to_tensor(SOURCE.rand(2, 4**axes, 16).astype(np.float32))
    compare(lambda x: layer((x - x.mean(1, keepdim=True)).transpose([0, 2, 1]).reshape(shape)), tokens, layer)
    compare(lambda x: layer(F.softmax(x.reshape([2, 16, -1])).reshape(shape)), tokens, layer)


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("bias", [False, True])
def test_what_a_convolution_is_given_by_a_product(axes: int, bias: bool) -> None:
    """Products read gradients in any order, so their results are not copied: heads of attention are split like this."""
    layer = (nn.Conv2D if axes == 2 else nn.Conv3D)(16, 16, 3, padding=1)
    shape = [2, 16, *[4] * axes]
    for size, given in ((4**axes, [2, 16, 8]), (16 * 4**axes, [2, 8])):
        product = nn.Linear(8, size, bias_attr=None if bias else False)
        x = core.to_tensor(SOURCE.rand(*given).astype(np.float32))
        compare(lambda x, product=product: layer(product(x).reshape(shape)), x, layer)
        compare(lambda x, product=product: layer(F.relu(product(x).reshape(shape))), x, product)
