"""Batch normalisation of rows under a mask against NumPy in float64, and its gradients of first and second order."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.layers import batch_normalization as kernels
from core.operators.layers.normalization import masked_batch_norm

EPSILON = 1e-5
SHAPES = [(2, 3, 5), (300, 33), (20, 1100), (7, 40, 6)]  # several blocks of rows, several strips of columns


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mask_of(shape: tuple[int, ...]) -> np.ndarray:
    """Return a mask with both numbers, and with a whole block of rows that do not count."""
    mask = (np.random.default_rng(1).random(shape[:-1]) < 0.7).astype(np.float32)
    mask.reshape(-1)[: mask.size // 4] = 0
    mask.reshape(-1)[-1] = 1
    return mask


def reference(x, mask, scale, shift, gradient):  # type: ignore[no-untyped-def]
    """Return the result, the statistics, and the gradients of (x, scale, shift)."""
    x, scale, gradient = (array.astype(np.float64) for array in (x, scale, gradient))
    counts = mask.astype(bool)
    mean, variance = x[counts].mean(0), x[counts].var(0)
    inverse = 1 / np.sqrt(variance + EPSILON)
    normal, rows = (x - mean) * inverse, tuple(range(x.ndim - 1))
    total, along = gradient.sum(rows), (gradient * normal).sum(rows)
    of_x = (gradient - mask[..., None] / counts.sum() * (total + normal * along)) * inverse * scale
    return (normal * scale + shift, mean, inverse), (of_x, along, total)


def computed(x, mask, scale, shift, gradient):  # type: ignore[no-untyped-def]
    out = [np.full(shape, np.nan, np.float32) for shape in (x.shape, scale.shape, scale.shape)]
    kernels.normalize_batch(x, mask, scale, shift, epsilon=EPSILON, out=tuple(out))
    grads = [np.full(array.shape, np.nan, np.float32) for array in (x, scale, shift)]
    kernels.normalize_batch_gradients(gradient, x, mask, scale, *out[1:], out=tuple(grads))
    return out, grads


def given(shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return x, the mask, scale, shift and a gradient."""
    n = shape[-1]
    return [draw(*shape) * 3 + 20, mask_of(shape), draw(n) + 2, draw(n, seed=2), draw(*shape, seed=3)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_kernels(shape: tuple[int, ...]) -> None:
    arrays = given(shape)
    for found, expected in zip(computed(*arrays), reference(*arrays)):
        for one, other in zip(found, expected):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=2e-5 * np.abs(other).max())


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    arrays = given((300, 33))
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = computed(*arrays)
    finally:
        numba.set_num_threads(before)
    for one, other in zip(alone, computed(*arrays)):
        for first, second in zip(one, other):
            np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])  # of the kernel, and of products
def test_the_operator_and_its_gradients(compiled: bool, dtype: str) -> None:
    *arrays, factor = given((4, 30, 6))
    tensors = [core.to_tensor(array.astype(dtype), stop_gradient=place == 1) for place, array in enumerate(arrays)]
    running = [core.to_tensor(draw(6).astype(dtype)), core.to_tensor(draw(6, seed=4).astype(dtype) + 2)]
    before = [one.numpy() for one in running]

    def loss(x, mask, scale, shift):  # type: ignore[no-untyped-def]
        return (masked_batch_norm(x, mask, *running, scale, shift, 0.8) * core.to_tensor(factor.astype(dtype))).sum()

    value = (core.jit.to_static(loss) if compiled else loss)(*tensors)
    value.backward()
    (result, mean, inverse), gradients = reference(*arrays, factor)
    assert float(value) == pytest.approx((result * factor).sum(), rel=1e-4)
    for place, expected in zip((0, 2, 3), gradients):
        np.testing.assert_allclose(tensors[place].grad.numpy(), expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(running[0].numpy(), 0.8 * before[0] + 0.2 * mean, rtol=1e-4)
    np.testing.assert_allclose(running[1].numpy(), 0.8 * before[1] + 0.2 * (inverse**-2 - EPSILON), rtol=1e-4)


@pytest.mark.parametrize("compiled", [False, True])
def test_second_order_gradients(compiled: bool) -> None:
    """The slope of a penalty on the gradient's length, against central differences in float64."""
    x, mask, scale, shift, weights = given((3, 4, 2))
    x -= 20

    def penalty(x):  # type: ignore[no-untyped-def]
        constants = (mask, np.zeros(2, np.float32), np.ones(2, np.float32), scale, shift)
        y = masked_batch_norm(x, *map(core.to_tensor, constants))
        (gradient,) = core.grad([(y * y * core.to_tensor(weights)).sum()], [x], create_graph=True)
        return (gradient * gradient).sum()

    def expected(x: np.ndarray) -> float:
        (y, _, _), _ = reference(x, mask, scale, shift, x)
        return float((reference(x, mask, scale, shift, 2 * y * weights)[1][0] ** 2).sum())

    tensor = core.to_tensor(x, stop_gradient=False)
    value = (core.jit.to_static(penalty) if compiled else penalty)(tensor)
    assert float(value) == pytest.approx(expected(x), rel=1e-3)
    value.backward()
    found = tensor.grad.numpy()
    for index in list(np.ndindex(found.shape))[::5]:
        moved = [x.astype(np.float64), x.astype(np.float64)]
        moved[0][index] += 1e-4
        moved[1][index] -= 1e-4
        slope = (expected(moved[0]) - expected(moved[1])) / 2e-4
        assert found[index] == pytest.approx(slope, rel=5e-3, abs=2e-3 * np.abs(found).max())


def test_what_does_not_fit_is_refused() -> None:
    x, mask, scale, shift, _ = (core.to_tensor(array) for array in given((2, 3, 5)))
    with pytest.raises(OperatorError, match=r"masked_batch_norm: x \[2, 3, 5\], mask \[2\], scale \[5\] and"):
        masked_batch_norm(x, mask[:, 0], scale, shift, scale, shift)
    with pytest.raises(OperatorError, match=r"masked_batch_norm: weight must have shape \[5\], got \[4\]"):
        masked_batch_norm(x, mask, scale, shift, scale[:4], shift)
    with pytest.raises(OperatorTypeError, match=r"masked_batch_norm: weight must be float64 for this input"):
        masked_batch_norm(x.astype("float64"), mask, scale.astype("float64"), shift.astype("float64"), scale, shift)
