"""Images times a weight for each of their channels, which a custom kernel computes, against numpy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core

SHAPE = (2, 5, 31, 33)
IMAGES = np.random.default_rng(0).standard_normal(SHAPE).astype(np.float32)
WEIGHTS = np.random.default_rng(1).standard_normal((2, 5, 1, 1)).astype(np.float32)
FACTOR = np.random.default_rng(2).standard_normal(SHAPE).astype(np.float32)


def is_by_our_kernel(run: Any) -> bool:
    (programs,) = run.programs.values()
    assert [operation.operator.name for operation in programs[0].operations] == ["multiply"]
    return "multiply.numba" in programs[0].body.program.symbol.tojson()


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("needed", [(True, True), (True, False), (False, True)])
def test_values_and_gradients(compiled: bool, swapped: bool, needed: tuple[bool, bool]) -> None:
    images, weights = (core.to_tensor(a, stop_gradient=not need) for a, need in zip((IMAGES, WEIGHTS), needed))

    def product(images: core.Tensor, weights: core.Tensor) -> core.Tensor:
        return weights * images if swapped else images * weights

    run = core.jit.to_static(product) if compiled else product
    y = run(images, weights)
    (y * core.to_tensor(FACTOR)).sum().backward()
    if compiled:
        assert is_by_our_kernel(run)
    np.testing.assert_allclose(y.numpy(), IMAGES * WEIGHTS, rtol=1e-6)
    if needed[0]:
        np.testing.assert_allclose(images.grad.numpy(), FACTOR * WEIGHTS, rtol=1e-6)
    if needed[1]:
        expected = (FACTOR.astype(np.float64) * IMAGES).sum((2, 3), keepdims=True)
        np.testing.assert_allclose(weights.grad.numpy(), expected, rtol=1e-4, atol=1e-4)
    assert [tensor.grad is not None for tensor in (images, weights)] == list(needed)


def test_gradients_of_gradients() -> None:
    images, weights = (core.to_tensor(a, stop_gradient=False) for a in (IMAGES, WEIGHTS))
    of_images, of_weights = core.grad([(images * weights * images).sum()], [images, weights], create_graph=True)
    np.testing.assert_allclose(of_images.numpy(), 2 * IMAGES * WEIGHTS, rtol=1e-5, atol=1e-6)
    (second,) = core.grad([(of_weights * of_weights).sum()], [images])
    squares = (IMAGES.astype(np.float64) ** 2).sum((2, 3), keepdims=True)
    np.testing.assert_allclose(second.numpy(), 4 * squares * IMAGES, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (core.ones([2, 5, 3, 3]), core.ones([2, 5, 1, 1])),  # few
        (core.ones(list(SHAPE), "float64"), core.ones([2, 5, 1, 1], "float64")),
        (core.ones(list(SHAPE)), core.ones([1, 5, 1, 1])),
        (core.ones([2, 5000, 1, 1]), core.ones([2, 5000, 1, 1])),
    ],
    ids=["few", "float64", "shared", "same"],
)
def test_other_products_are_left_to_the_engine(first: core.Tensor, second: core.Tensor) -> None:
    run = core.jit.to_static(lambda x, y: x * y)
    np.testing.assert_array_equal(run(first, second).numpy(), np.ones(first.shape))
    assert not is_by_our_kernel(run)
