"""Choices by a condition: of many elements by the engine's operator without broadcasting."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.composition import Composition, apply
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.lowering import Call, lowers
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import uint8

FEWEST_ELEMENTS = 2**14
"""From here on the operator without broadcasting pays, which takes a third of the time."""


@Composition
def _of_one_shape(condition: Value, x: Value, y: Value) -> Value:
    shape = condition.meta[0]
    pair = [value if value.meta[0] == shape else apply("broadcast_to", value, shape=shape) for value in (x, y)]
    return apply("where_same", apply("cast", condition, dtype=uint8), *pair)


@lowers("where")
def _where(call: Call) -> Optional[Operator]:
    shape = call.shape()
    broadcasts = any(_reaches_further(call.shape(index), shape) for index in (1, 2))
    return None if broadcasts or call.size() < FEWEST_ELEMENTS else _of_one_shape


def _reaches_further(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two shapes broadcast to more than the other one."""
    behind = other[len(other) - len(shape) :]
    return len(shape) > len(other) or any(size not in (1, have) for size, have in zip(shape, behind))
