"""Numbers of 8 bits: what quantised programs mean, in NumPy.

An exported program says with two operators what is computed in 8 bits; both are float32 on the outside, so that every
other operator, every pass and every processor without such kernels runs the program too:

``quantize_dequantize`` (x; ``scale``, ``zero_point``)
    Activations: x is brought to a grid of 256 values, ``scale`` apart, of which number ``zero_point`` is 0. One scale
    for all of x. ``zero_point`` 0 is for what is never negative, 128 for what is symmetric; all others hold too.
``dequantize`` (numbers, scales; ``axis``)
    Weights: int8 numbers from -127 to 127 in the file, each times the float32 scale of its output channel along
    ``axis``.

A convolution, or a product by a fixed matrix, whose first input comes from the one and whose weight comes from the
other, is computed in whole numbers: a sum of products of unsigned and signed bytes, exact in 32 bits, times the product
of both scales, plus a float32 bias. What follows (sums, activations) is float32 in registers, and where its only
readers are ``quantize_dequantize`` of one grid, bytes are all that is written.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LARGEST = 255
"""The largest of the numbers that activations become; the smallest is 0."""

LARGEST_WEIGHT = 127
"""The largest magnitude of the numbers that weights become."""


def quantized(x: np.ndarray, scale: float, zero_point: int) -> np.ndarray:
    """Return the uint8 numbers of float32 values: ``clip(rint(x * (1 / scale)) + zero_point, 0, 255)``, halves to even.

    What is not a number becomes 0.
    """
    numbers = np.rint(x.astype(np.float32) * np.float32(1 / np.float64(scale))) + np.float32(zero_point)
    return np.nan_to_num(np.clip(numbers, 0, LARGEST), nan=0).astype(np.uint8)


def dequantized(numbers: np.ndarray, scale: float, zero_point: int) -> np.ndarray:
    """Return what uint8 numbers stand for: ``(number - zero_point) * scale``, float32."""
    return (numbers.astype(np.float32) - np.float32(zero_point)) * np.float32(scale)


def quantized_weight(weight: np.ndarray, scales: np.ndarray, axis: int = 0) -> np.ndarray:
    """Return the int8 numbers of a weight: ``clip(rint(weight / scale), -127, 127)`` with its channel's scale."""
    numbers = np.rint(weight / _along(scales, weight.ndim, axis))
    return np.clip(numbers, -LARGEST_WEIGHT, LARGEST_WEIGHT).astype(np.int8)


def dequantized_weight(numbers: np.ndarray, scales: np.ndarray, axis: int = 0) -> np.ndarray:
    """Return what int8 numbers stand for: each times its channel's scale, float32."""
    return numbers.astype(np.float32) * _along(scales.astype(np.float32), numbers.ndim, axis)


def product(numbers: np.ndarray, zero_point: int, weight: np.ndarray) -> np.ndarray:
    """Return the exact product (rows, outputs), int32, of bytes (rows, depth) less their zero point and an int8 weight.

    Args:
        numbers: (rows, depth), uint8.
        zero_point: of the numbers.
        weight: (outputs, depth), int8.
    """
    whole = weight.astype(np.int32)
    return numbers.astype(np.int32) @ whole.T - np.int32(zero_point) * whole.sum(1, dtype=np.int32)


def _along(scales: np.ndarray, axes: int, axis: int) -> np.ndarray:
    shape: Sequence[int] = [-1 if i == axis else 1 for i in range(axes)]
    return scales.reshape(shape)
