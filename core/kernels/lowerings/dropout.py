"""Dropout: what is dropped is drawn as a key for a custom kernel, or as a mask by the engine.

What was drawn is kept where an operation is repeated, so that its form decides what computes the rest: a key stays one.
"""

from __future__ import annotations

import math

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.lowering import MIXED, Call, lowers
from core.kernels.dispatch.operator import Kernel, Operator
from core.kernels.dtypes import DType, bfloat16, float32, int32
from core.kernels.engine.custom_kernels import gradient_of_first, kernel

FEWEST_ELEMENTS = 2**12
"""Below it, calling our kernel costs more than the engine's mask and product."""

_drop = kernel("layers.dropout", "drop")
_DROP = Kernel(
    "drop_elements.numba",
    _drop,
    infer=lambda metas, options: metas[:1],
    gradients=gradient_of_first(lambda gradient, x, key, **options: _drop(gradient, key, **options)),
)


@Composition
def _key(shape: tuple[int, ...], p: float, dtype: DType) -> Value:
    return apply("randint", low=0, high=2**31 - 1, shape=(2,), dtype=int32)


_key.infer = lambda metas, options: [((2,), int32)]


@Composition
def _mask(shape: tuple[int, ...], p: float, dtype: DType) -> Value:
    """Return 1 / (1 - p) with probability 1 - p, else 0; drawn in float32 where bfloat16 is wanted."""
    if 0 in shape:
        return apply("full", shape=shape, value=1.0, dtype=dtype)
    if dtype is not bfloat16:
        return apply("dropout_mask", apply("full", shape=shape, value=1.0, dtype=dtype), p=p)
    mask = apply("dropout_mask", apply("full", shape=(math.prod(shape),), value=1.0, dtype=float32), p=p)
    return apply("reshape", apply("half_cast", mask, dtype=dtype), newshape=shape)


@lowers("dropout_draw")
def _draw(call: Call) -> Operator:
    many = math.prod(call.attributes["shape"]) >= FEWEST_ELEMENTS and call.attributes["dtype"] is float32
    return _key if many and call.is_for_numba and not call.context & MIXED else _mask


@Composition
def _masked(x: Value, mask: Value, p: float, scale: float) -> Value:
    """Multiply by a mask, which divides by 1 - p what is kept."""
    if scale == 1.0:
        mask = apply("multiply_scalar", mask, scalar=1.0 - p)
    return apply("multiply", x, mask)


@lowers("drop_elements")
def _drop_elements(call: Call) -> Operator:
    return _DROP if call.dtype(1) is int32 else _masked
