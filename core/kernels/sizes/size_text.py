"""Sizes in messages: how arithmetic on them, an axis and a shape are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.kernels.dispatch import dispatcher

if TYPE_CHECKING:
    from core.kernels.dispatch.dispatcher import Value


def operation_text(sign: str, first: str, second: str) -> str:
    """Return one operation on sizes as Python writes it."""
    if sign == "scaled":
        return f"int({first})" if second == "1" else f"int({first} * {second})"
    if sign in ("min", "max"):
        return f"{sign}({first}, {second})"
    return f"{first} {'**' if sign == 'power' else sign} {second}"


def axis_name(value: Value, axis: int) -> str:
    """Return how to call the size of an axis: by the input that it comes from, where that is plain."""
    assert value.second is not None
    sizes = (value.meta[0][axis], value.second[0][axis])
    trace = dispatcher.state.trace
    while trace is not None:
        for variable, label in zip(trace.variables, trace.labels):
            pairs = list(zip(variable.meta[0], variable.second[0])) if variable.second is not None else []
            if variable is value or sizes in pairs:
                return f"{label}.shape[{axis if variable is value else pairs.index(sizes)}]"
        trace = trace.outer
    return f"the size of axis {axis} of a tensor of shape {shape_text(value)}"


def shape_text(value: Value) -> str:
    """Return a traced value's shape as text, with ? for unknown sizes."""
    if value.second is None:
        return str(list(value.meta[0]))
    pairs = zip(value.meta[0], value.second[0])
    return f"[{', '.join(str(first) if first == second else '?' for first, second in pairs)}]"
