"""Products of images and a weight for each of their channels, by a custom kernel.

The engine's gradient of a product that broadcasts makes one as large as the images, and then adds it up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value, invoke
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Kernel, Operator
from core.kernels.engine.custom_kernels import kernel

FEWEST_ELEMENTS = 2**13
"""Below it, calling our kernel costs more than the engine's product."""

_gradients = kernel("layers.channel_scale", "scale_channels_gradients")


def _into(
    gradients: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
) -> None:
    _gradients(gradients[0], *inputs, out=tuple(out))


_WEIGH = Kernel(
    "multiply.numba",
    kernel("layers.channel_scale", "scale_channels"),
    infer=lambda metas, options: metas[:1],
    gradients=_into,
)


def _row_sums(first: np.ndarray, second: np.ndarray, *, shape: Any, out: np.ndarray) -> None:
    _gradients(first, second, out, out=(None, out))


_GRADIENT = Kernel(
    "multiply_gradient.numba",
    _row_sums,
    infer=lambda metas, options: [(options["shape"], metas[0][1])],
    differentiable=False,
)


@Composition
def _swapped(weights: Value, images: Value) -> Value:
    return invoke(_WEIGH, [images, weights], {})[0]


def _weighs(call: Call, images: int) -> bool:
    shape, weights = call.shape(images), call.shape(1 - images)
    fits = len(shape) == 4 and weights == (*shape[:2], 1, 1) and weights != shape
    return fits and call.size(images) >= FEWEST_ELEMENTS


@lowers("multiply")
def _multiply(call: Call) -> Optional[Operator]:
    if not call.is_for_numba:
        return None
    return _WEIGH if _weighs(call, 0) else _swapped if _weighs(call, 1) else None


@Composition
def _product_and_sum(first: Value, second: Value, shape: tuple[int, ...]) -> Value:
    product = apply("multiply", first, second)
    missing = len(product.meta[0]) - len(shape)
    axes = tuple([i for i, size in enumerate(product.meta[0]) if i < missing or size != shape[i - missing]])
    total = apply("sum", product, axis=axes, keepdims=True)
    return apply("reshape", total, newshape=shape) if missing else total


@lowers("multiply_gradient")
def _multiply_gradient(call: Call) -> Optional[Operator]:
    images, shape = call.shape(), call.attributes["shape"]
    channels = len(images) == 4 and images == call.shape(1) and shape == (*images[:2], 1, 1)
    return _GRADIENT if channels and call.is_for_numba and call.size() >= FEWEST_ELEMENTS else _product_and_sum
