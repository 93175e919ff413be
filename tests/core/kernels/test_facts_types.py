"""Facts about the engine's element types, each fenced by the test named after it."""

from __future__ import annotations

import numpy as np
import pytest

import core


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2, 1), (2, 1, 0), (2, 0, 1)], ids=str)
def test_the_engines_transpose_moves_four_bytes_for_each_bfloat16(order: tuple[int, ...]) -> None:
    values = np.arange(24.0, dtype="float32").reshape(2, 3, 4)
    turned = core.to_tensor(values).astype("bfloat16").transpose(order)
    assert turned.dtype == "bfloat16"
    np.testing.assert_array_equal(turned.astype("float32").numpy(), values.transpose(order))


@pytest.mark.parametrize("transpose_y", [False, True])
@pytest.mark.parametrize("shape", [(5, 7), (2, 5, 7)], ids=str)
def test_a_product_of_bfloat16_matrices_and_its_gradients(shape: tuple[int, ...], transpose_y: bool) -> None:
    x = np.random.default_rng(0).integers(-4, 5, shape).astype("float32")
    y = np.random.default_rng(1).integers(-4, 5, (*shape[:-2], 7, 3)).astype("float32")
    given = y.swapaxes(-1, -2) if transpose_y else y
    left = core.to_tensor(x, dtype="bfloat16", stop_gradient=False)
    right = core.to_tensor(given, dtype="bfloat16", stop_gradient=False)
    product = core.matmul(left, right, transpose_y=transpose_y)
    np.testing.assert_array_equal(product.astype("float32").numpy(), x @ y)
    product.backward()
    np.testing.assert_array_equal(left.grad.astype("float32").numpy(), np.ones((*shape[:-1], 3)) @ y.swapaxes(-1, -2))
    expected = (x.swapaxes(-1, -2) @ np.ones((*shape[:-1], 3))).swapaxes(-1, -2 if transpose_y else -1)
    np.testing.assert_array_equal(right.grad.astype("float32").numpy(), expected)
