"""Repeating noted-down operations on other values: in another trace, or eagerly and recorded."""

from __future__ import annotations

from collections.abc import Sequence

from core.kernels import door
from core.kernels.door import Value
from core.kernels.trace import Operation


def repeat(
    variables: Sequence[Value], operations: Sequence[Operation], outputs: Sequence[Value], inputs: Sequence[Value]
) -> list[Value]:
    """Return what the outputs become where the variables are the given inputs.

    Args:
        variables: The inputs of the traced program.
        operations: What it does.
        outputs: Its results.
        inputs: One value for each variable.
    """
    known = {id(variable): value for variable, value in zip(variables, inputs)}
    for operation in operations:
        with door.gradient_mode(door.state.gradients and operation.gradients):
            results = operation.operator.replay([known[id(value)] for value in operation.inputs], operation.attributes)
        known.update(zip([id(value) for value in operation.outputs], results))
    return [known[id(value)] for value in outputs]
