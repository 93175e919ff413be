"""Convolutions whose channels fill no whole blocks of 16, against sums over windows in numpy."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import operators as ops
from core.kernels.layers import convolution_blocks
from core.kernels.lowerings import convolution as lowering
from core.operators.layers import _convolution_primitives as primitives


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch):
    monkeypatch.setattr(convolution_blocks, "FEWEST_PRODUCTS", 0)
    monkeypatch.setattr(lowering, "FEWEST_PRODUCTS", 0)


def windows(x, kernel, stride, pad):
    """Return (N, C, positions, positions, kernel, kernel)."""
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    return np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride]


def reference(x, weight, gradient, stride, pad):
    """Return a convolution, and the gradients of its input and weight."""
    kernel = weight.shape[-1]
    seen = windows(x, kernel, stride, pad)
    result = np.einsum("ncijkl,ockl->noij", seen, weight)
    grad_weight = np.einsum("ncijkl,noij->ockl", seen, gradient)
    padded = np.zeros((*x.shape[:2], x.shape[2] + 2 * pad, x.shape[3] + 2 * pad))
    for k in range(kernel):
        for m in range(kernel):
            part = np.einsum("noij,oc->ncij", gradient, weight[:, :, k, m])
            padded[:, :, k : k + stride * part.shape[2] : stride, m : m + stride * part.shape[3] : stride] += part
    return result, padded[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]], grad_weight


CASES = [(16, 37, 10, 4, 2, 1), (32, 20, 8, 3, 1, 1), (16, 3, 9, 5, 1, 0), (3, 37, 10, 4, 2, 1), (5, 16, 6, 4, 2, 1)]
"""Channels received and returned, height and width, kernel, stride, padding."""


def numbers(case):
    received, returned, size, kernel, stride, pad = case
    generator = np.random.default_rng(0)
    positions = (size + 2 * pad - kernel) // stride + 1
    shapes = [(2, received, size, size), (returned, received, kernel, kernel), (2, returned, positions, positions)]
    return [generator.standard_normal(shape).astype(np.float32) for shape in shapes]


def close(found, expected):
    assert found.shape == list(expected.shape)
    assert np.abs(found.numpy() - expected).max() <= 2e-6 * np.abs(expected).max()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_three_primitives(case):
    x, weight, gradient = numbers(case)
    stride, pad = case[4:]
    window = {"stride": (stride, stride), "pad": (pad, pad), "dilate": (1, 1), "groups": 1}
    given = [core.to_tensor(array) for array in (x, weight, gradient)]
    result, grad_x, grad_weight = reference(x, weight, gradient, stride, pad)
    close(primitives.convolve(given[0], given[1], None, **window), result)
    close(primitives.convolution_input_gradient(given[2], given[1], x.shape[2:], **window), grad_x)
    close(primitives.convolution_weight_gradient(given[2], given[0], weight.shape, **window), grad_weight)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_layers_and_their_gradients(case, compiled):
    x, weight, gradient = numbers(case)
    stride, pad = case[4:]
    bias = np.linspace(-1, 1, weight.shape[0]).astype(np.float32)
    result, grad_x, grad_weight = reference(x, weight, gradient, stride, pad)

    def both(x, weight, bias, gradient):
        there = ops.conv2d(x, weight, bias, stride, pad)
        back = ops.conv2d_transpose(gradient, weight, ops.ones([weight.shape[1]]), stride, pad, output_size=x.shape[2:])
        return there, back

    given = [core.to_tensor(array, stop_gradient=False) for array in (x, weight, bias, gradient)]
    there, back = (core.jit.to_static(both) if compiled else both)(*given)
    close(there, result + bias[:, None, None])
    close(back, grad_x + 1)
    ((there * core.to_tensor(gradient)).sum() + (back * core.to_tensor(x)).sum()).backward()
    close(given[0].grad, grad_x)
    close(given[1].grad, 2 * grad_weight)
    close(given[2].grad, gradient.sum((0, 2, 3), dtype=np.float64))
    close(given[3].grad, result)


def test_the_gradient_of_a_bias_of_a_transposed_convolution():
    x, weight, gradient = numbers(CASES[0])
    bias = core.to_tensor(np.linspace(-1, 1, 16).astype(np.float32), stop_gradient=False)

    def spread(y, weight, bias):
        return ops.conv2d_transpose(y, weight, bias, 2, 1)

    result = core.jit.to_static(spread)(core.to_tensor(gradient), core.to_tensor(weight), bias)
    close(result, reference(x, weight, gradient, 2, 1)[1] + bias.numpy()[:, None, None])
    (result * core.to_tensor(x)).sum().backward()
    close(bias.grad, x.sum((0, 2, 3), dtype=np.float64))


@pytest.mark.parametrize("fixed", [True, False])
def test_a_transposed_convolution_of_fixed_weights_needs_no_bridge(fixed):
    x, weight, gradient = (core.to_tensor(array) for array in numbers((16, 32, 8, 4, 2, 1)))
    factor = core.to_tensor(np.float32(2), stop_gradient=False)
    weight.stop_gradient = fixed

    def scaled(y, x, weight):
        with core.no_grad():
            spread = ops.conv2d_transpose(y, weight, None, 2, 1)
        return (spread * x).sum() * factor + (weight * weight).sum()

    program = core.jit.to_static(scaled)
    value = program(gradient, x, weight)
    product = (reference(x.numpy(), weight.numpy(), gradient.numpy(), 2, 1)[1] * x.numpy()).sum()
    assert float(value) == pytest.approx(2 * product + (weight.numpy() ** 2).sum(), rel=1e-5)
    (compiled,) = next(iter(program.programs.values()))
    assert ('"Deconvolution"' in compiled.body.program.symbol.tojson()) is fixed
    value.backward()
    assert float(factor.grad) == pytest.approx(product, rel=1e-5)
    if not fixed:
        close(weight.grad, 2 * weight.numpy())
