"""Rules that the operators' own tests reach only in float32 or to first order: both derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.kernels.dispatch.operator import REGISTRY
from core.tensor import Tensor, apply
from tests.core.gradient_check import check_gradients

X = np.random.default_rng(0).uniform(-2, 2, (2, 3))
IMAGES = np.random.default_rng(1).normal(size=(1, 1, 4, 4))

RULES: dict[str, tuple[Callable[..., Tensor], np.ndarray]] = {
    "adaptive_average_pooling_backward": (lambda x: F.adaptive_avg_pool2d(x, 3) ** 3, IMAGES),
    "affine": (lambda x: apply(REGISTRY["affine"], x, x, x[:, 0]), X),
    "assign": (lambda x: core.assign(x) ** 3, X),
    "average_pooling_backward": (lambda x: F.avg_pool2d(x, 2, stride=1) ** 3, IMAGES),
    "convolution_weight_gradient": (lambda w: _kernel_penalty(w), np.random.default_rng(2).normal(size=(1, 1, 2, 2))),
    "inner_products": (lambda x: apply(REGISTRY["inner_products"], x, x) ** 2, X),
    "linear": (lambda x: F.linear(x, core.transpose(x, [1, 0]), x[:, 0]) ** 2, X),
    "matrix_product": (lambda x: core.matmul(x, x, transpose_x=True) ** 2, X),
    "polygamma": (lambda x: core.polygamma(x + 3.0, 1), X),
    "where_same": (lambda x: core.where(_spread(x) > 0, _spread(x) ** 3, -_spread(x)).sum(0), X[:1, :2]),
}

SINGLE: dict[str, Callable[..., Tensor]] = {
    "clip": lambda x: core.clip(x, -1.0, 1.0) ** 3,
    "gelu": lambda x: F.gelu(x),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2) ** 3,
}
"""Primitives of float32 alone: float64 is composed of others, which the differences above hold."""


def _kernel_penalty(weight: Tensor) -> Tensor:
    """A kernel's own gradient as part of the loss: its derivative needs that of the weight's gradient."""
    image = core.to_tensor(IMAGES)
    (slope,) = core.grad((F.conv2d(image, weight) ** 3).sum(), weight, create_graph=True)
    return slope**2


def _spread(x: Tensor) -> Tensor:
    return x.expand([1 << 14, 2])


@pytest.mark.parametrize("name", RULES)
def test_both_derivatives(name: str) -> None:
    function, array = RULES[name]
    check_gradients(function, array, tolerance=1e-5 if name in ("where_same", "convolution_weight_gradient") else 1e-6)


@pytest.mark.parametrize("name", SINGLE)
def test_both_derivatives_of_float32_primitives_equal_those_composed_in_float64(name: str) -> None:
    found = []
    for dtype in ("float32", "float64"):
        x = core.to_tensor(X, dtype=dtype, stop_gradient=False)
        (first,) = core.grad(SINGLE[name](x).sum(), x, create_graph=True)
        (second,) = core.grad((first**2).sum(), x)
        found.append((first.numpy(), second.numpy()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-4, atol=1e-4)
