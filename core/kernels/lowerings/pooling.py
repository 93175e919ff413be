"""Pooling by the engine's operators: of one small region, and with a gradient of what others may read."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import float32

LARGEST_POOLED = 14 * 14
"""Over more, the gradient of pooling in a program is many times slower."""

_OF_ALL = Operator(
    "adaptive_average_pooling",
    "Pooling",
    attributes=lambda metas, options: {"pool_type": "avg", "global_pool": True, "kernel": (1, 1)},
    register=False,
)


@lowers("adaptive_average_pooling")
def _adaptive_average_pooling(call: Call) -> Optional[Operator]:
    height, width = call.shape()[2:]
    is_one = call.attributes["output_size"] == (1, 1) and call.dtype() is float32
    return _OF_ALL if is_one and height * width <= LARGEST_POOLED else None


@Composition
def _of_a_copy(x: Value, **window: Any) -> Value:
    return apply("maximum_pooling", apply("assign", x), **window)


@lowers("maximum_pooling")
def _maximum_pooling(call: Call) -> Optional[Operator]:
    """In a graph the gradient expects its input as it was in memory, which reading it from outside changes."""
    return _of_a_copy if not call.eager and call.is_given(0) and call.needs(0) else None
