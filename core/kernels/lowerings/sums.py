"""Sums over axes as products with ones, and additions in programs, whose gradients are such sums."""

from __future__ import annotations

import math
from typing import Optional

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import float32
from core.kernels.numeric.sums import SumOfViews, factors, steps

_OF_VIEWS = SumOfViews("sum", "_np_sum", register=False)


@Composition
def _by_products(x: Value, axis: tuple[int, ...], keepdims: bool) -> Value:
    """Spell the sum out for a graph, which knows only the engine's operators."""
    shape, dtype = x.meta
    total = x
    for step in steps(shape, axis):
        data, sizes, on_left = factors(step)
        rows = _reshaped(total, data)
        ones = apply("full", shape=sizes, value=1.0, dtype=dtype)
        pair = (ones, rows) if on_left else (rows, ones)
        total = apply("matrix_product", *pair, transpose_a=False, transpose_b=False)
    kept = [1 if i in axis else size for i, size in enumerate(shape) if keepdims or i not in axis]
    return _reshaped(total, tuple(kept))


@lowers("sum")
def _sum(call: Call) -> Optional[Operator]:
    if not call.dtype().is_floating or call.dtype().size < 4:
        return None
    if call.eager:
        return _OF_VIEWS if steps(call.shape(), call.attributes["axis"]) else None
    return _by_products


def _reshaped(value: Value, shape: tuple[int, ...]) -> Value:
    return value if value.meta[0] == shape else apply("reshape", value, newshape=shape)


@Composition
def _with_first_repeated(few: Value, many: Value) -> Value:
    return apply("add", _repeated(few, many), many)


@Composition
def _with_second_repeated(many: Value, few: Value) -> Value:
    return apply("add", many, _repeated(few, many))


def _repeated(few: Value, many: Value) -> Value:
    """Return a row, or a number for each channel, in the shape of all rows or images, by a product with ones."""
    shape = many.meta[0]
    size = math.prod(few.meta[0])
    if len(few.meta[0]) == 1:
        rows, columns = (math.prod(shape) // size, 1), (1, size)
        pair = (_ones(rows), _reshaped(few, columns))
    else:
        row = apply("broadcast_to", _reshaped(few, (size,)), shape=shape[:2])
        pair = (_reshaped(row, (math.prod(shape[:2]), 1)), _ones((1, math.prod(shape[2:]))))
    product = apply("matrix_product", *pair, transpose_a=False, transpose_b=False)
    return _reshaped(product, shape)


def _ones(shape: tuple[int, ...]) -> Value:
    return apply("full", shape=shape, value=1.0, dtype=float32)


@Composition
def _of_nothing(x: Value, y: Value) -> Value:
    """The engine sums no gradients up to what is in the memory."""
    shape = max(x.meta[0], y.meta[0], key=len)
    return apply("constant_result", x, y, shape=shape, number=0.0, dtype=x.meta[1])


@lowers("add")
def _add(call: Call) -> Optional[Operator]:
    """Choose for a program that learns: there the gradient of a sum that broadcasts takes two to eight times as long.

    Eagerly the gradient is a custom sum, so that repeating anything would cost.
    """
    if call.eager or not call.learns or call.dtype() is not float32:
        return None
    for few, chosen in ((0, _with_first_repeated), (1, _with_second_repeated)):
        if call.needs(few) and _is_repeated(call.shape(few), call.shape(1 - few)):
            return _of_nothing if 0 in call.shape(1 - few) else chosen
    return None


def _is_repeated(few: tuple[int, ...], many: tuple[int, ...]) -> bool:
    """Return whether a shape is that of one row of others, or of one number for each channel of images."""
    is_row = len(few) == 1 < len(many) and few == many[-1:]
    return is_row or (1 < len(few) == len(many) - 1 and few == (many[1], *[1] * (len(many) - 2)))
