"""Layers of core.incubate.nn against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import nn
from core.incubate.nn import FusedLinear

X = np.random.default_rng(0).standard_normal((2, 3, 4)).astype("float32")


@pytest.mark.parametrize("transposed", [False, True])
def test_fused_linear_is_a_product_and_a_shift(transposed: bool) -> None:
    layer = FusedLinear(4, 5, transpose_weight=transposed)
    assert isinstance(layer, nn.Layer) and layer.weight.shape == ([5, 4] if transposed else [4, 5])
    weight = layer.weight.numpy().T if transposed else layer.weight.numpy()
    layer.bias.set_value(np.arange(5, dtype="float32"))
    x = core.to_tensor(X, stop_gradient=False)
    out = layer(x)
    np.testing.assert_allclose(out.numpy(), X @ weight + np.arange(5), rtol=1e-5, atol=1e-5)
    out.sum().backward()
    expected = np.repeat(X.reshape(-1, 4).sum(0)[:, None], 5, axis=1)
    np.testing.assert_allclose(layer.weight.grad.numpy(), expected.T if transposed else expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(layer.bias.grad.numpy(), np.full(5, 6.0))


def test_fused_linear_without_shift() -> None:
    layer = FusedLinear(4, 5, bias_attr=False)
    assert layer.bias is None and list(layer.state_dict()) == ["weight"]
    np.testing.assert_allclose(layer(core.to_tensor(X)).numpy(), X @ layer.weight.numpy(), rtol=1e-5, atol=1e-5)
