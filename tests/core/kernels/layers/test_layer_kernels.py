"""Kernels of a Transformer's products, activations and layer normalisation against numpy in float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.kernels.engine.compiled import serial
from core.kernels.layers import affine, normalization
from core.kernels.numeric import smooth
from core.kernels.numeric.products import panels

RNG = np.random.default_rng(5)


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype("float32")


@serial
def _all(x: np.ndarray, results: np.ndarray) -> None:
    for i in range(x.size):
        results[0, i] = smooth.erf(x[i])
        results[1, i] = smooth.gelu(x[i])
        results[2, i] = smooth.gelu_slope(x[i])


def test_erf_and_gelu() -> None:
    x = np.concatenate([np.linspace(-6, 6, 4001), [0, 1e-30, -1e-6, 50, -50]]).astype("float32")
    results = np.empty((3, x.size), "float32")
    _all(x, results)
    exact = np.array([math.erf(value) for value in x])
    below = 0.5 * (1 + np.array([math.erf(value / 2**0.5) for value in x]))
    slope = below + x * np.exp(-0.5 * x.astype("float64") ** 2) / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(results[0], exact, rtol=0, atol=4e-7)
    np.testing.assert_allclose(results[1], x * below, rtol=3e-7, atol=1.5e-6)
    np.testing.assert_allclose(results[2], slope, rtol=0, atol=1e-6)
    _all(np.array([np.nan], "float32"), results[:, :1])
    assert np.isnan(results[:, 0]).all()


@pytest.mark.parametrize("activation", ["none", "relu", "gelu"])
@pytest.mark.parametrize("sizes", [((1,), 1, 1), ((3, 7), 30, 70), ((129,), 65, 64), ((260,), 8, 200), ((0,), 4, 4)])
def test_packed_affine(sizes: tuple[tuple[int, ...], int, int], activation: str) -> None:
    rows, depth, width = sizes
    x, matrix, bias = draw(*rows, depth), draw(depth, width), draw(width)
    out = np.full((*rows, width), np.nan, "float32")
    affine.packed_affine(x, panels(matrix), bias, activation=activation, out=out)
    expected = x.astype("float64") @ matrix + bias
    if activation == "relu":
        expected = np.maximum(expected, 0)
    if activation == "gelu":
        expected = expected * 0.5 * (1 + np.vectorize(math.erf, otypes=["float64"])(expected / 2**0.5))
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5 * depth**0.5)


def normalised(x: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
    x = x.astype("float64")
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + shift


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2, 40, 100), (0, 5)])
def test_rows_are_normalised(shape: tuple[int, ...]) -> None:
    x, y, scale, shift = draw(*shape) + 3, draw(*shape), draw(shape[-1]), draw(shape[-1])
    out = tuple([np.full(s, np.nan, "float32") for s in (shape, (*shape[:-1], 1), (*shape[:-1], 1))])
    normalization.normalize_rows(x, scale, shift, epsilon=1e-5, out=out)
    np.testing.assert_allclose(out[0], normalised(x, scale, shift), rtol=0, atol=2e-5)
    np.testing.assert_allclose(out[1][..., 0], x.mean(-1, dtype="float64"), rtol=1e-6)
    np.testing.assert_allclose(out[2][..., 0], np.sqrt(x.var(-1, dtype="float64") + 1e-5), rtol=2e-5)
    both = np.full(shape, np.nan, "float32"), np.full(shape, np.nan, "float32")
    normalization.add_and_normalize_rows(x, y, scale, shift, epsilon=1e-5, keep=True, out=both)
    np.testing.assert_allclose(both[0], normalised(x + y, scale, shift), rtol=0, atol=2e-5)
    np.testing.assert_array_equal(both[1], x + y)
    alone = np.full(shape, np.nan, "float32")
    normalization.add_and_normalize_rows(x, y, scale, shift, epsilon=1e-5, keep=False, out=alone)
    np.testing.assert_array_equal(alone, both[0])


@pytest.mark.parametrize("shape", [(1, 3), (3, 7), (5, 40, 100), (0, 5)])
def test_gradients_of_normalised_rows(shape: tuple[int, ...]) -> None:
    x, gradient, scale, shift = draw(*shape), draw(*shape), draw(shape[-1]), draw(shape[-1])
    out = tuple([np.full(s, np.nan, "float32") for s in (shape, (*shape[:-1], 1), (*shape[:-1], 1))])
    normalization.normalize_rows(x, scale, shift, epsilon=1e-5, out=out)
    found = tuple([np.full(s, np.nan, "float32") for s in (shape, shape[-1:], shape[-1:])])
    normalization.normalize_rows_gradients(gradient, x, scale, out[1], out[2], out=found)
    given = [array.astype("float64") for array in (x, scale, shift)]
    for place, (array, slopes) in enumerate(zip(given, found)):
        direction = RNG.standard_normal(array.shape)
        sums = []
        for step in (1e-5, -1e-5):
            moved = list(given)
            moved[place] = array + step * direction
            sums.append((normalised(*moved) * gradient).sum())
        expected = (sums[0] - sums[1]) / 2e-5
        assert (slopes * direction).sum() == pytest.approx(expected, rel=1e-4, abs=1e-4 * max(1, x.size) ** 0.5)


@pytest.mark.parametrize("compiled", [False, True])
def test_the_layer_uses_the_kernel_where_it_learns(compiled: bool) -> None:
    rows = core.to_tensor(draw(16, 64, 128), stop_gradient=False)
    layer = nn.LayerNorm(128)
    layer.weight.set_value(draw(128))
    gradient = draw(16, 64, 128)

    def loss(x: Any) -> Any:
        return (layer(x) * core.to_tensor(gradient)).sum()

    (core.jit.to_static(loss) if compiled else loss)(rows).backward()
    x, scale = rows.numpy().astype("float64"), layer.weight.numpy()
    centred = x - x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    normal, scaled = centred * inverse, gradient * scale
    expected = scaled - scaled.mean(-1, keepdims=True) - normal * (scaled * normal).mean(-1, keepdims=True)
    np.testing.assert_allclose(rows.grad.numpy(), expected * inverse, rtol=0, atol=1e-5)
    np.testing.assert_allclose(layer.weight.grad.numpy(), (gradient * normal).sum((0, 1)), rtol=0, atol=1e-3)
    np.testing.assert_allclose(layer.bias.grad.numpy(), gradient.sum((0, 1)), rtol=0, atol=1e-3)


def test_second_order_through_the_kernel() -> None:
    given = draw(8, 8192)
    answers = []
    for rows in (given, given[:1]):  # the second is too small for the kernel
        x = core.to_tensor(rows, stop_gradient=False)
        layer = nn.LayerNorm(8192)
        (first,) = core.grad((layer(x) ** 3.0).sum(), [x], create_graph=True)
        (second,) = core.grad((first * core.to_tensor(np.cos(rows))).sum(), [x])
        answers.append((first.numpy()[0], second.numpy()[0]))
    for mine, theirs in zip(*answers):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-4 * np.abs(theirs).max())
