"""Reshapes, joints, slices, sums and products of few elements, by NumPy: most move no element at all."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.lowering import IMAGE_AXES, Call, lowers_small
from core.kernels.dispatch.operator import NumpyKernel, Operator
from core.kernels.dtypes import float32, float64
from core.kernels.engine.host_array import is_kept
from core.kernels.lowerings.small_elementwise import FLOATS, NUMBERS, SILENT

LARGEST_SHARE = 4
"""How many times a part's memory a view of it may keep."""
MOST_MULTIPLICATIONS = 2**17
"""Of a product of matrices: below what NumPy's library gives to threads of its own."""


@lowers_small("full")
def _full(call: Call) -> Optional[Operator]:
    shape, value, dtype = (call.attributes[name] for name in ("shape", "value", "dtype"))
    if not is_kept(math.prod(shape), dtype) or dtype not in FLOATS:
        return None
    with np.errstate(all="ignore"):
        number = np.asarray(value, dtype.numpy)
    return NumpyKernel(lambda: np.full(shape, number))


@lowers_small("reshape")
def _reshape(call: Call) -> Optional[Operator]:
    shape = call.attributes["newshape"]
    return None if len(shape) >= IMAGE_AXES else NumpyKernel(lambda x: x.reshape(shape), is_view=True)


@lowers_small("transpose")
def _transpose(call: Call) -> Operator:
    axes = call.attributes["axes"]
    return NumpyKernel(lambda x: x.transpose(axes), is_view=True)


@lowers_small("concat")
def _concat(call: Call) -> Optional[Operator]:
    axis = call.attributes["axis"]
    if not is_kept(sum([call.size(i) for i in range(len(call.metas))]), call.dtype()):
        return None
    return NumpyKernel(lambda *parts: np.concatenate(parts, axis))


@lowers_small("stack")
def _stack(call: Call) -> Optional[Operator]:
    axis = call.attributes["axis"]
    if not is_kept(sum([call.size(i) for i in range(len(call.metas))]), call.dtype()):
        return None
    return NumpyKernel(lambda *parts: np.stack(parts, axis))


@lowers_small("split", "split_equally")
def _split(call: Call) -> Operator:
    axis, places, start = call.attributes["axis"], [], 0
    for size in call.attributes["sizes"]:
        places.append((*[slice(None)] * axis, slice(start, start + size)))
        start += size
    if len(places) > LARGEST_SHARE:
        return NumpyKernel(lambda x: tuple([x[place].copy() for place in places]))
    return NumpyKernel(lambda x: tuple([x[place] for place in places]), is_view=True)


def _place(call: Call) -> tuple[slice, ...]:
    places = []
    for start, count, step in call.attributes["ranges"]:
        end = start + count * step
        places.append(slice(start, None if end < 0 else end, step))
    return tuple(places)


@lowers_small("slice")
def _slice(call: Call) -> Operator:
    place = _place(call)
    if math.prod([count for _, count, _ in call.attributes["ranges"]]) * LARGEST_SHARE < call.size():
        return NumpyKernel(lambda x: x[place].copy())
    return NumpyKernel(lambda x: x[place], is_view=True)


@lowers_small("slice_backward")
def _slice_backward(call: Call) -> Optional[Operator]:
    place, shape = _place(call), call.attributes["shape"]
    if not is_kept(math.prod(shape), call.dtype()):
        return None

    def compute(gradient: np.ndarray) -> np.ndarray:
        result = np.zeros(shape, gradient.dtype)
        result[place] = gradient
        return result

    return NumpyKernel(compute)


@lowers_small("sum")
def _sum(call: Call) -> Optional[Operator]:
    if call.dtype() not in NUMBERS:
        return None
    axis, keepdims = call.attributes["axis"], call.attributes["keepdims"]
    dtype, wide = call.dtype().numpy, np.dtype(np.float64) if call.dtype() is float32 else call.dtype().numpy

    def total(x: np.ndarray) -> np.ndarray:
        # reductions take no setting of their own, and np.errstate costs as much as the sum; the engine needs NumPy 1
        before = np.geterrobj()  # noqa: NPY201
        np.seterrobj(SILENT)  # noqa: NPY201
        try:
            return np.asarray(np.add.reduce(x, axis, wide, keepdims=keepdims)).astype(dtype, copy=False)
        finally:
            np.seterrobj(before)  # noqa: NPY201

    return NumpyKernel(total)


def _multiply(x: np.ndarray, y: np.ndarray) -> Any:
    return np.matmul(x, y, extobj=SILENT)


def _fits(call: Call, first: int) -> bool:
    (x, dtype), (y, _) = call.metas[first : first + 2]
    if len(x) != 2 or dtype not in (float32, float64):
        return False
    inner = x[0 if call.attributes["transpose_a"] else 1]
    rows, columns = math.prod(x) // inner, math.prod(y) // inner
    return is_kept(rows * columns, dtype) and rows * inner * columns <= MOST_MULTIPLICATIONS


@lowers_small("matrix_product")
def _matrix_product(call: Call) -> Optional[Operator]:
    if not _fits(call, 0):
        return None
    transpose_a, transpose_b = call.attributes["transpose_a"], call.attributes["transpose_b"]
    return NumpyKernel(lambda x, y: _multiply(x.T if transpose_a else x, y.T if transpose_b else y))


@lowers_small("matrix_product_backward")
def _matrix_product_backward(call: Call) -> Optional[Operator]:
    if len(call.metas) > 3 or not _fits(call, 1):
        return None
    transpose_a, transpose_b = call.attributes["transpose_a"], call.attributes["transpose_b"]

    def compute(gradient: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
        dx = _multiply(gradient, y if transpose_b else y.T)
        dy = _multiply(x if transpose_a else x.T, gradient)
        return dx.T if transpose_a else dx, dy.T if transpose_b else dy

    return NumpyKernel(compute)
