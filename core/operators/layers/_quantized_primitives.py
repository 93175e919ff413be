"""The two primitives that say what is computed in 8 bits; core.kernels.layers.quantized says what they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32, int8
from core.kernels.layers import quantized
from core.tensor import Tensor, apply


def _quantize_dequantize(x: np.ndarray, *, scale: float, zero_point: int) -> np.ndarray:
    return quantized.dequantized(quantized.quantized(x, scale, zero_point), scale, zero_point)


def _check_grid(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    scale, zero_point, ((_, dtype),) = options["scale"], options["zero_point"], metas
    if dtype is not float32:
        raise OperatorTypeError(f"quantize_dequantize: x must be float32, not {dtype.name}")
    if type(scale) is not float or not 0 < scale < math.inf or not 0 < 1 / scale < math.inf:
        raise OperatorError(f"quantize_dequantize: the scale must be a number above 0, not {scale!r}")
    if type(zero_point) is not int or not 0 <= zero_point <= quantized.LARGEST:
        raise OperatorError(f"quantize_dequantize: the zero point must be an int from 0 to 255, not {zero_point!r}")


def _check_numbers(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (shape, dtype), (scales, scale_dtype) = metas
    axis = options["axis"]
    if dtype is not int8 or scale_dtype is not float32:
        raise OperatorTypeError(
            f"dequantize: numbers must be int8 and scales float32, not {dtype.name} and {scale_dtype.name}"
        )
    if type(axis) is not int or not 0 <= axis < len(shape) or tuple(scales) != (shape[axis],):
        raise OperatorError(
            f"dequantize: scales of shape {list(scales)} do not fit axis {axis!r} of numbers of shape {list(shape)}"
        )


_quantize_dequantize_primitive = HostOperator(
    "quantize_dequantize",
    _quantize_dequantize,
    check=_check_grid,
    infer=lambda metas, options: [metas[0]],
    differentiable=False,
)
_dequantize = HostOperator(
    "dequantize",
    quantized.dequantized_weight,
    check=_check_numbers,
    infer=lambda metas, options: [(metas[0][0], float32)],
    differentiable=False,
)


def quantize_dequantize(x: Tensor, scale: float, zero_point: int) -> Tensor:
    """Bring x to a grid of 256 values: number n stands for ``(n - zero_point) * scale``.

    Args:
        x: float32, any shape.
        scale: distance of two values.
        zero_point: the number of 0, from 0 to 255.

    Returns:
        The nearest values, float32, x's shape; the lowest for what is not a number. No gradient flows through it.
    """
    return apply(_quantize_dequantize_primitive, x, scale=scale, zero_point=zero_point)


def dequantize(numbers: Tensor, scales: Tensor, axis: int) -> Tensor:
    """Return what the numbers of a weight stand for.

    Args:
        numbers: int8, any shape.
        scales: float32, one for each place along an axis.
        axis: which one.

    Returns:
        Each number times its scale, float32. No gradient flows through it.
    """
    return apply(_dequantize, numbers, scales, axis=axis)
