"""Programs that are trained, traced again with other operators in the place of some operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.operator import Operator
from core.kernels.dispatch.trace import Operation, Trace
from core.kernels.engine import engine


class Rebuilt(NamedTuple):
    """A program with other operators in the place of some operations.

    Attributes:
        trace: Where it was traced.
        outputs: Its results.
        drawn: What was drawn, in the order of the code.
        operator: The region, which programs know by its name alone; None where others take its place.
    """

    trace: Trace
    outputs: list[Value]
    drawn: list[Value]
    operator: Optional[Operator]


def can_rebuild(trace: Trace) -> bool:
    """Return whether a program may be differentiated, and custom kernels of the CPU serve it."""
    return trace.gradients and not trace.serving and not trace.symbolic and engine.on_cpu()


def rebuilt(
    trace: Trace, outputs: Sequence[Value], operations: Sequence[Operation], operator: Optional[Operator] = None
) -> Optional[Rebuilt]:
    """Trace a program again, or return None where that needs other values than its variables.

    Args:
        trace: A program that may be differentiated.
        outputs: Its results.
        operations: What computes these instead of the program's own operations, in order, on the same values.
        operator: The region among them.
    """
    again = Trace()
    with again:
        known = {id(value): again.input(value.meta, value.requires_grad) for value in trace.variables}
        for operation in operations:
            given = [known[id(value)] for value in operation.inputs]
            with dispatcher.gradient_mode(operation.gradients), dispatcher.precision_mode(None):
                results = operation.operator.replay(given, operation.attributes)
            known.update({id(value): result for value, result in zip(operation.outputs, results)})
    if again.captured:
        return None
    drawn = [known[id(value)] for o in trace.operations if o.operator.random for value in o.outputs]
    return Rebuilt(again, [known[id(value)] for value in outputs], drawn, operator)
