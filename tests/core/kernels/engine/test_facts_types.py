"""Facts about the engine's element types, each fenced by the test named after it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import core


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2, 1), (2, 1, 0), (2, 0, 1)], ids=str)
def test_the_engines_transpose_moves_four_bytes_for_each_bfloat16(order: tuple[int, ...]) -> None:
    values = np.arange(24.0, dtype="float32").reshape(2, 3, 4)
    turned = core.to_tensor(values).astype("bfloat16").transpose(order)
    assert turned.dtype == "bfloat16"
    np.testing.assert_array_equal(turned.astype("float32").numpy(), values.transpose(order))


@pytest.mark.bfloat16
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


@pytest.mark.parametrize(
    "function",
    [lambda x: x / 3.0, lambda x: 3.0 / x, lambda x: x / (x + 1), core.sqrt, core.rsqrt, core.log, core.atan],
    ids=["by number", "of number", "tensors", "sqrt", "rsqrt", "log", "atan"],
)
def test_the_engine_cannot_divide_bfloat16(function: Callable[[core.Tensor], core.Tensor]) -> None:
    found = []
    for dtype in ("bfloat16", "float32"):
        x = core.to_tensor([[1.0, 2.0, 4.0]], dtype=dtype, stop_gradient=False)
        y = function(x)
        assert y.dtype == dtype
        y.backward()
        found.append((y.astype("float32").numpy(), x.grad.astype("float32").numpy()))
    np.testing.assert_allclose(found[0], found[1], rtol=0.01)


def test_a_quotient_of_bfloat16_and_float32_is_float32() -> None:
    half = core.to_tensor([1.0], dtype="bfloat16")
    assert (half / core.ones([1])).dtype == "float32"
    assert (half / core.ones([1], "int64")).dtype == "bfloat16"


def test_a_host_operator_sees_the_numbers_of_bfloat16_and_not_the_bits() -> None:
    weights = core.to_tensor([0.5, 1.5, 2.0], dtype="bfloat16")
    counts = core.bincount(core.to_tensor([0, 1, 1]), weights=weights)
    np.testing.assert_array_equal(counts.astype("float32").numpy(), [0.5, 3.5])
