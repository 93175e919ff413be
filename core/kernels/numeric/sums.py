"""Sums as matrix products with ones, and those of many rows in a custom kernel.

The engine's own sum takes 4.5 ns an element (numpy: 0.3) and answers NaN where infinity comes first. A product with
ones is ten to forty times as fast, and right; one row of ones on the left keeps OpenBLAS waiting for memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Plan
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import DType
from core.kernels.engine import engine
from core.kernels.engine.engine import Array, Attributes

Step = tuple[int, int, int]

LONGEST_RUN = 4096
MANY_ROWS, MANY_ELEMENTS = 256, 1 << 16
"""From here on our kernel adds up rows, four to nine times as fast as a product."""

MAXIMUM_CACHED_ONES = 64
MAXIMUM_CACHED_SIZE = 1 << 16

_PRODUCT = engine.operator_handle("_linalg_gemm2")
_FULL = engine.operator_handle("_npi_full")
_NO_ATTRIBUTES = Attributes({})


def steps(shape: Sequence[int], axes: Sequence[int]) -> list[Step]:
    """Return how to sum over axes: each step sums the middle of three axes ``(before, summed, after)``.

    Args:
        shape: Shape of the tensor, without a size of 0.
        axes: Axes to sum over, counted from the front.
    """
    groups: list[list[int]] = []
    for axis, size in enumerate(shape):
        is_summed = int(axis in axes)
        if size == 1:
            continue
        if groups and groups[-1][1] == is_summed:
            groups[-1][0] *= size
        else:
            groups.append([size, is_summed])
    result: list[Step] = []
    while any(is_summed for _, is_summed in groups):
        last = max(i for i, (_, is_summed) in enumerate(groups) if is_summed)
        if groups[0][1] and last != len(groups) - 1:
            last = 0  # the front is one product; a middle is a batch of small ones
        before = _product(groups[:last])
        after = _product(groups[last + 1 :])
        size = groups.pop(last)[0]
        if 0 < last < len(groups):
            groups[last - 1][0] *= groups.pop(last)[0]
        if after == 1 and size > LONGEST_RUN:
            part = _divisor(size)
            if part > 1:
                result.append((before * (size // part), part, 1))
                size //= part
        result.append((before, size, after))
    return result


def _product(groups: Sequence[Sequence[int]]) -> int:
    result = 1
    for size, _ in groups:
        result *= size
    return result


def _divisor(size: int) -> int:
    """Return the largest divisor of a long run that is at most 1024, or 1; shorter runs add up more exactly."""
    return next((part for part in range(1024, 31, -1) if size % part == 0), 1)


def factors(step: Step) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """Return the shapes of the data and of the ones to multiply in a step, and whether the ones are on the left."""
    before, size, after = step
    if after == 1:
        return (before, size), (size, 1), False
    if before == 1:
        return (size, after), (1, size), True
    return (before, size, after), (before, 1, size), True


class SumOfViews(Operator):
    """The sum over axes of floating-point numbers: eagerly they are multiplied by ones on views of their memory."""

    _ones: dict[tuple[tuple[int, ...], DType], Array] = {}

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Compute on engine arrays."""
        array = arrays[0]
        shape, dtype = plan.given[0]
        for step in steps(shape, attributes["axis"]):
            before, rows, width = step
            if before == 1 < width and rows >= MANY_ROWS and rows * width >= MANY_ELEMENTS and engine.on_cpu():
                array = _sum_of_rows(array, (rows, width), dtype)
                continue
            data, ones, on_left = factors(step)
            pair = [engine.reshaped(array, data), self.ones(ones, dtype)]
            array = engine.invoke(_PRODUCT, pair[::-1] if on_left else pair, _NO_ATTRIBUTES)[0]
        assert plan.metas is not None
        return [engine.reshaped(array, plan.metas[0][0])], None

    def ones(self, shape: tuple[int, ...], dtype: DType) -> Array:
        """Return ones of a shape, kept for the next call when they are small."""
        found = self._ones.get((shape, dtype))
        if found is None:
            found = engine.invoke(_FULL, [], Attributes({"shape": shape, "value": 1.0, "dtype": dtype}))[0]
            if _product([(size, 1) for size in shape]) <= MAXIMUM_CACHED_SIZE:
                if len(self._ones) >= MAXIMUM_CACHED_ONES:
                    self._ones.clear()
                self._ones[(shape, dtype)] = found
        return found


def _sum_of_rows(array: Array, shape: tuple[int, int], dtype: DType) -> Array:
    from core.kernels.numeric.matrix_rows import sum_of_rows  # numba loads with the first use

    total = engine.empty(shape[1:], dtype)
    with engine.engine_lock:
        sum_of_rows(engine.view(array, shape, dtype), engine.view(total, shape[1:], dtype))
    return total
