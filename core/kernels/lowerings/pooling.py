"""Adaptive averages: of one small region by the engine's operator that reads images as convolutions leave them."""

from __future__ import annotations

from typing import Optional

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
