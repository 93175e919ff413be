"""The primitives of 8 bits: values by hand, what they refuse, and that programs hold them."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.operators.layers._quantized_primitives import dequantize, quantize_dequantize


def test_a_grid_of_256_values() -> None:
    x = core.to_tensor(np.float32([-1, -0.13, 0.12, 0.125, 0.375, 40, np.nan, np.inf, -np.inf]))
    np.testing.assert_array_equal(
        quantize_dequantize(x, 0.25, 2).numpy(), [-0.5, -0.25, 0, 0, 0.5, 40, -0.5, 63.25, -0.5]
    )
    assert quantize_dequantize(core.zeros([0, 3]), 0.25, 2).shape == [0, 3]
    assert quantize_dequantize(core.to_tensor(np.float32(0.6)), 0.5, 0).shape == []


def test_numbers_times_scales_along_an_axis() -> None:
    numbers = core.to_tensor(np.int8([[1, -2, 3], [-128, 127, 0]]))
    scales = np.float32([0.5, 2, 1])
    np.testing.assert_array_equal(dequantize(numbers, core.to_tensor(scales), 1).numpy(), numbers.numpy() * scales)
    by_row = dequantize(numbers, core.to_tensor(scales[:2]), 0).numpy()
    np.testing.assert_array_equal(by_row, numbers.numpy() * scales[:2, None])


def test_they_are_part_of_programs_without_gradients() -> None:
    x = core.to_tensor(np.float32([0.3, 1.9]), stop_gradient=False)
    compiled = core.jit.to_static(lambda x: quantize_dequantize(x, 0.25, 0) * x)
    result = compiled(x)
    np.testing.assert_allclose(result.numpy(), [0.25 * 0.3, 2 * 1.9])
    result.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.25, 2])


@pytest.mark.parametrize(
    ("scale", "zero_point", "message"),
    [
        (0.0, 0, "the scale must be a number above 0, not 0.0"),
        (float("nan"), 0, "the scale must be a number above 0, not nan"),
        (float("inf"), 0, "the scale must be a number above 0, not inf"),
        (5e-324, 0, "the scale must be a number above 0, not 5e-324"),
        ("1", 0, "the scale must be a number above 0, not '1'"),
        (1.0, 256, "the zero point must be an int from 0 to 255, not 256"),
        (1.0, True, "the zero point must be an int from 0 to 255, not True"),
    ],
)
def test_grids_that_are_none_are_refused(scale, zero_point, message: str) -> None:
    with pytest.raises(OperatorError, match=f"quantize_dequantize: {message}"):
        quantize_dequantize(core.ones([2]), scale, zero_point)


def test_what_does_not_fit_is_refused() -> None:
    numbers, scales = core.to_tensor(np.int8([[1, 2, 3]])), core.ones([3])
    with pytest.raises(OperatorTypeError, match="quantize_dequantize: x must be float32, not float64"):
        quantize_dequantize(core.ones([2], "float64"), 1.0, 0)
    with pytest.raises(OperatorTypeError, match="numbers must be int8 and scales float32, not float32 and float32"):
        dequantize(scales, scales, 0)
    for axis in (0, 2, -1, True, None):
        with pytest.raises(OperatorError, match="scales of shape .3. do not fit axis .* of numbers of shape .1, 3."):
            dequantize(numbers, scales, axis)
