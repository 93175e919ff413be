"""Normalisation of each channel of each image against numpy in float64, and its gradients of first and second order."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.kernels.layers import instance_normalization as kernels
from core.operators.layers import _normalization_primitives as primitives

SHAPES = [(2, 3, 5, 7), (1, 33, 40), (3, 1, 1, 1), (2, 4, 2, 3, 5)]
EPSILON = 1e-5


def draw(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def reference(x, scale, shift, gradient):
    """Return the result, the statistics, and the gradients of (x, scale, shift)."""
    x, scale, gradient = (array.astype(np.float64) for array in (x, scale, gradient))
    axes, around = tuple(range(2, x.ndim)), (-1, *[1] * (x.ndim - 2))
    mean = x.mean(axes, keepdims=True)
    deviation = np.sqrt(x.var(axes, keepdims=True) + EPSILON)
    normal = (x - mean) / deviation
    scaled = gradient * scale.reshape(around)
    along = (scaled * normal).mean(axes, keepdims=True)
    grad_x = (scaled - scaled.mean(axes, keepdims=True) - normal * along) / deviation
    rest = (0, *axes)
    results = normal * scale.reshape(around) + shift.reshape(around), mean.squeeze(axes), deviation.squeeze(axes)
    return results, (grad_x, (gradient * normal).sum(rest), gradient.sum(rest))


def computed(x, scale, shift, gradient):
    channels = x.shape[:2]
    out = [np.full(shape, np.nan, np.float32) for shape in (x.shape, channels, channels)]
    kernels.normalize_images(x, scale, shift, epsilon=EPSILON, out=tuple(out))
    grads = [np.full(array.shape, np.nan, np.float32) for array in (x, scale, shift)]
    kernels.normalize_images_gradients(gradient, x, scale, out[1], out[2], out=tuple(grads))
    return out, grads


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_kernels(shape):
    x, gradient = draw(*shape) * 3 + 1, draw(*shape)[::-1].copy()
    scale, shift = draw(shape[1]) + 2, draw(shape[1])
    for found, expected in zip(computed(x, scale, shift, gradient), reference(x, scale, shift, gradient)):
        for one, other in zip(found, expected):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


def test_results_do_not_depend_on_the_number_of_threads():
    given = (draw(3, 5, 40, 40), draw(5), draw(5), draw(3, 5, 40, 40))
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = computed(*given)
    finally:
        numba.set_num_threads(before)
    for one, other in zip(alone, computed(*given)):
        for first, second in zip(one, other):
            np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_inside_a_program(shape):
    given = [draw(*shape) * 2, draw(shape[1]) + 2, draw(shape[1])]
    factor = draw(*shape)[::-1].copy()

    def loss(x, scale, shift):
        y = core.nn.functional.instance_norm(x, weight=scale, bias=shift, eps=EPSILON)
        return (y * core.to_tensor(factor)).sum()

    tensors = [core.to_tensor(array, stop_gradient=False) for array in given]
    program = core.jit.to_static(loss)
    value = program(*tensors)
    (compiled,) = next(iter(program.programs.values()))
    assert "instance_normalization" in [operation.operator.name for operation in compiled.operations]
    value.backward()
    (result, _, _), gradients = reference(*given, factor)
    assert float(value) == pytest.approx((result * factor).sum(), rel=1e-4, abs=1e-3)
    for tensor, expected in zip(tensors, gradients):
        np.testing.assert_allclose(tensor.grad.numpy(), expected, rtol=1e-4, atol=1e-4)


def test_second_order_gradients_inside_a_program():
    """A penalty on the gradient's length, against central differences of the first-order formula in float64."""
    x, scale, shift = draw(2, 3, 4, 4), draw(3) + 2, draw(3)
    weights = draw(2, 3, 4, 4)[::-1].copy()

    def penalty(x, scale, shift):
        y = core.nn.functional.instance_norm(x, weight=scale, bias=shift, eps=EPSILON)
        (gradient,) = core.grad([(y * y * core.to_tensor(weights)).sum()], [x], create_graph=True)
        return (gradient * gradient).sum()

    def expected(x, scale, shift):
        (y, _, _), _ = reference(x, scale, shift, x)
        return (reference(x, scale, shift, 2 * y * weights)[1][0] ** 2).sum()

    tensors = [core.to_tensor(array, stop_gradient=False) for array in (x, scale, shift)]
    value = core.jit.to_static(penalty)(*tensors)
    assert float(value) == pytest.approx(expected(x, scale, shift), rel=1e-4)
    value.backward()
    for place, tensor in enumerate(tensors):
        found = tensor.grad.numpy()
        for index in list(np.ndindex(found.shape))[:6]:
            differences = []
            for step in (1e-4, -1e-4):
                moved = [array.astype(np.float64) for array in (x, scale, shift)]
                moved[place][index] += step
                differences.append(expected(*moved))
            slope = (differences[0] - differences[1]) / 2e-4
            assert found[index] == pytest.approx(slope, rel=2e-3, abs=2e-3 * np.abs(found).max())


def test_groups_inside_a_program():
    x, factor = draw(2, 6, 4, 4), draw(2, 6, 4, 4)[::-1].copy()
    tensor = core.to_tensor(x, stop_gradient=False)
    program = core.jit.to_static(lambda x: (core.nn.functional.group_norm(x, 3) * core.to_tensor(factor)).sum())
    program(tensor).backward()
    ones, zeros = np.ones(3), np.zeros(3)
    expected = reference(x.reshape(2, 3, 2, 4, 4), ones, zeros, factor.reshape(2, 3, 2, 4, 4))[1][0]
    np.testing.assert_allclose(tensor.grad.numpy(), expected.reshape(x.shape), rtol=1e-4, atol=1e-5)


def test_shapes_that_do_not_fit_are_refused():
    x, scale = core.to_tensor(draw(2, 3, 4, 4)), core.to_tensor(draw(2))
    with pytest.raises(OperatorError, match=r"instance_norm: x \[2, 3, 4, 4\], scale \[2\], shift \[2\] do not fit"):
        primitives.instance_normalization(x, scale, scale, EPSILON)


@pytest.mark.parametrize("needed", [(True, False, False), (False, True, True), (False, False, True)])
def test_a_program_computes_the_gradients_that_are_needed(needed):
    given, factor = (draw(2, 4, 5, 5), draw(4) + 2, draw(4)), draw(2, 4, 5, 5)[::-1].copy()
    tensors = [core.to_tensor(array, stop_gradient=not wanted) for array, wanted in zip(given, needed)]
    normalize = core.jit.to_static(lambda x, w, b: core.nn.functional.instance_norm(x, weight=w, bias=b, eps=EPSILON))
    (normalize(*tensors) * core.to_tensor(factor)).sum().backward()
    for tensor, expected, wanted in zip(tensors, reference(*given, factor)[1], needed):
        if wanted:
            np.testing.assert_allclose(tensor.grad.numpy(), expected, rtol=1e-4, atol=1e-4)
        else:
            assert tensor.grad is None
