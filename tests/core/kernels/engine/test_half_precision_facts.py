"""16-bit floats through network functions: where the engine has no kernel, or one that fails late, float32 serves."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.nn import functional as F
from core.tensor import Tensor


def ones(like: Tensor, *shape: int) -> Tensor:
    """Return a parameter of ones in the input's type."""
    return core.ones(list(shape)).astype(like.dtype)


FUNCTIONS: dict[str, Callable[[Tensor], Any]] = {
    "conv1d": lambda x: F.conv1d(x[0], ones(x, 2, 6, 3) * 0.1),
    "conv2d": lambda x: F.conv2d(x, ones(x, 2, 4, 3, 3) * 0.1, padding=1),
    "conv2d_transpose": lambda x: F.conv2d_transpose(x, ones(x, 4, 2, 3, 3) * 0.1),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 2),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 4),
    "max_unpool2d": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2),
    "batch_norm": lambda x: F.batch_norm(x, core.zeros([4]), core.ones([4]), training=True) * x.detach(),
    "batch_norm_frozen": lambda x: F.batch_norm(x, core.zeros([4]), core.ones([4])),
    "instance_norm": lambda x: F.instance_norm(x) * x.detach(),
    "layer_norm": lambda x: F.layer_norm(x, 6) * x.detach(),
    "local_response_norm": lambda x: F.local_response_norm(x, 3),
    "normalize": lambda x: F.normalize(x),
    "linear": lambda x: F.linear(x, ones(x, 6, 4) * 0.1, ones(x, 4)),
    "relu": F.relu,
    "gelu": F.gelu,
    "sigmoid": F.sigmoid,
    "tanh": F.tanh,
    "softmax": lambda x: F.softmax(x) * x.detach(),
    "softplus": F.softplus,
    "cross_entropy": lambda x: F.cross_entropy(x.reshape([2, -1]), core.to_tensor([0, 1])),
    "bce_logits": lambda x: F.binary_cross_entropy_with_logits(x, x.detach() * 0.5),
}


@pytest.mark.bfloat16
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_those_of_float32_rounded(name: str, dtype: str) -> None:
    function = FUNCTIONS[name]
    values = np.random.default_rng(0).uniform(0.1, 0.9, (2, 4, 6, 6)).astype("float32")
    half = core.to_tensor(values).astype(dtype).detach()
    full = half.astype("float32").detach()
    results = []
    for x in (half, full):
        x.stop_gradient = False
        y = function(x)
        assert y.dtype == x.dtype
        y.astype("float32").sum().backward()
        assert x.grad.dtype == x.dtype
        results.append((y.astype("float32").numpy(), x.grad.astype("float32").numpy()))
    tolerance = 4e-3 if dtype == "float16" else 3e-2
    for rounded, exact in zip(*results):
        np.testing.assert_allclose(rounded, exact, rtol=tolerance, atol=tolerance * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_dropout_keeps_the_type(dtype: str) -> None:
    y = F.dropout(core.ones([100]).astype(dtype), 0.5)
    assert y.dtype == dtype
    assert set(np.unique(y.astype("float32").numpy())) == {0.0, 2.0}
