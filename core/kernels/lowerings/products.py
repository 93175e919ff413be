"""Products of matrices: by oneDNN's product of rows by rows, where that repays the transposes that it needs.

It uses AVX-512 where the engine's other kernel, OpenBLAS's, uses AVX2, and takes a bias along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.lowering import NOTED, PLAIN_LAYOUT, Call, lowers
from core.kernels.dispatch.operator import REGISTRY, Operator
from core.kernels.dtypes import bfloat16, float16, float32
from core.kernels.engine import engine

MOVED_PER_SECOND = 0.7e9
"""Numbers that a transpose moves."""
FLOPS_SAVED_PER_SECOND = 1.2e11
"""Multiplications that OpenBLAS would take a second longer for."""
TRANSPOSE_SECONDS = 2e-5
"""What the call of a transpose costs."""


def _repays(multiplications: int, moved: int) -> bool:
    return multiplications / FLOPS_SAVED_PER_SECOND > moved / MOVED_PER_SECOND + TRANSPOSE_SECONDS


def _is_fixed_by_type(call: Call, first: int) -> Optional[bool]:
    """Return whether oneDNN multiplies, where the type, or who runs the program, decides that."""
    dtype = call.dtype(first)
    if dtype is bfloat16:
        return True
    if dtype is float16:  # CPUs multiply it in float32
        return not engine.on_cpu()
    # A predictor's engine fuses oneDNN's products with their neighbours and keeps the matrix of the first call. Fixed
    # matrices are given to it by a pass.
    return None if dtype is float32 and not call.serving else False


def _is_by_rows(call: Call, first: int = 0) -> bool:
    """Return whether oneDNN multiplies two inputs, the first of which is given."""
    (x, _), (y, _) = call.metas[first : first + 2]
    if len(x) != 2 or 0 in (*x, *y):
        return False
    fixed = _is_fixed_by_type(call, first)
    if fixed is not None:
        return fixed
    transpose_a, transpose_b = call.attributes["transpose_a"], call.attributes["transpose_b"]
    columns = y[0 if transpose_b else 1]
    rows, inner = x[::-1] if transpose_a else x
    if 1 in (rows, inner, columns) and not (transpose_b and not transpose_a):
        return False  # numbers are fetched no faster
    moved = (math.prod(x) if transpose_a else 0) + (0 if transpose_b else math.prod(y))
    return not moved or _repays(rows * inner * columns, moved)


def _transposed(x: Value) -> Value:
    return apply("transpose", x, axes=(1, 0))


def _rows(x: Value, y: Value, transpose_a: bool, transpose_b: bool) -> list[Value]:
    return [_transposed(x) if transpose_a else x, y if transpose_b else _transposed(y)]


def _product_by_rows(
    x: Value, y: Value, transpose_a: bool, transpose_b: bool
) -> tuple[Value, Sequence[Value]]:
    rows = _rows(x, y, transpose_a, transpose_b)
    return apply("inner_products", *rows), rows


_BY_ROWS = Composition(_product_by_rows, keeps=True)


@Composition
def _backward_by_rows(
    gradient: Value, x: Value, y: Value, *kept: Value, transpose_a: bool, transpose_b: bool
) -> Sequence[Value]:
    rows = kept or _rows(x, y, transpose_a, transpose_b)
    dx, dy = dispatcher.invoke(REGISTRY["inner_products_backward"], [gradient, *rows], {})
    return [_transposed(dx) if transpose_a else dx, dy if transpose_b else _transposed(dy)]


def _product(x: Value, y: Value, transpose_a: bool = False, transpose_b: bool = False) -> Value:
    return apply("matrix_product", x, y, transpose_a=transpose_a, transpose_b=transpose_b)


@Composition
def _backward_by_products(
    gradient: Value, x: Value, y: Value, transpose_a: bool, transpose_b: bool
) -> Sequence[Value]:
    return [
        _product(y, gradient, transpose_b, True) if transpose_a else _product(gradient, y, False, not transpose_b),
        _product(gradient, x, True, transpose_a) if transpose_b else _product(x, gradient, not transpose_a, False),
    ]


@Composition
def _in_float32(x: Value, y: Value, transpose_a: bool, transpose_b: bool) -> Sequence[Value]:
    options = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return dispatcher.in_float32(REGISTRY["matrix_product"], [x, y], options)


@lowers("matrix_product")
def _matrix_product(call: Call) -> Optional[Operator]:
    if _is_by_rows(call):
        plain = call.attributes["transpose_b"] and not call.attributes["transpose_a"]
        return REGISTRY["inner_products"] if plain else _BY_ROWS
    return _in_float32 if call.dtype().size == 2 else None


@lowers("matrix_product_backward")
def _matrix_product_backward(call: Call) -> Operator:
    return _backward_by_rows if len(call.metas) > 3 or _is_by_rows(call, 1) else _backward_by_products


def _is_affine(call: Call, first: int = 0) -> bool:
    """Return whether oneDNN computes a product with a bias; the weight, which follows x, is transposed for it."""
    fixed = _is_fixed_by_type(call, first)
    if fixed is not None:
        return fixed
    return _repays(call.size(first) * call.shape(first + 1)[1], call.size(first + 1))


def _linear_by_rows(x: Value, weight: Value, bias: Value) -> tuple[Value, Sequence[Value]]:
    rows = _transposed(weight)
    return apply("affine", x, rows, bias), [rows]


_AFFINE = Composition(_linear_by_rows, keeps=True)
NOTED[_AFFINE.name] = PLAIN_LAYOUT


@Composition
def _linear_backward_by_rows(gradient: Value, x: Value, weight: Value, *kept: Value) -> Sequence[Value]:
    rows = kept[0] if kept else _transposed(weight)
    dx, dw, bias = dispatcher.invoke(REGISTRY["affine_backward"], [gradient, x, rows], {})
    return [dx, _transposed(dw), bias]


def _as_matrix(x: Value) -> Value:
    shape = x.meta[0]
    return x if len(shape) == 2 else apply("reshape", x, newshape=(math.prod(shape[:-1]), shape[-1]))


@Composition
def _linear_by_parts(x: Value, weight: Value, bias: Value) -> Value:
    shape = (*x.meta[0][:-1], weight.meta[0][1])
    product = _product(_as_matrix(x), weight)
    return apply("add", product if len(shape) == 2 else apply("reshape", product, newshape=shape), bias)


@Composition
def _linear_backward_by_parts(gradient: Value, x: Value, weight: Value) -> Sequence[Value]:
    rows = _as_matrix(gradient)
    dx, dw = dispatcher.invoke(
        REGISTRY["matrix_product_backward"], [rows, _as_matrix(x), weight], {"transpose_a": False, "transpose_b": False}
    )
    dx = dx if len(x.meta[0]) == 2 else apply("reshape", dx, newshape=x.meta[0])
    return [dx, dw, apply("sum", rows, axis=(0,), keepdims=False)]


@Composition
def _linear_in_float32(x: Value, weight: Value, bias: Value) -> Sequence[Value]:
    return dispatcher.in_float32(REGISTRY["linear"], [x, weight, bias], {})


@Composition
def _linear_backward_in_float32(gradient: Value, x: Value, weight: Value) -> Sequence[Value]:
    return dispatcher.in_float32(REGISTRY["linear_backward"], [gradient, x, weight], {})


@lowers("linear")
def _linear(call: Call) -> Operator:
    if _is_affine(call):
        return _AFFINE
    return _linear_in_float32 if call.dtype().size == 2 else _linear_by_parts


@lowers("linear_backward")
def _linear_backward(call: Call) -> Operator:
    if len(call.metas) > 3 or _is_affine(call, 1):
        return _linear_backward_by_rows
    return _linear_backward_in_float32 if call.dtype(1).size == 2 else _linear_backward_by_parts
