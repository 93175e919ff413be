"""What the engine itself says of the shapes of operations that a file names.

Where operators are called by their public functions, these check what the engine does not; a file names the operators
themselves. The engine reads and writes past the end of arrays whose shapes do not fit together.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.jit.control_flow.operators import ControlFlowOperator
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.trace import Operation
from core.kernels.engine import graph
from core.kernels.engine.engine import MXNetError
from core.kernels.sizes.dimension import in_hypothesis

_NEVER_EMPTY = frozenset({"slice", "where", "where_same"})
"""What ends the process on tensors without elements; the public functions answer those themselves."""


def check_shapes(operations: Sequence[Operation]) -> None:
    """Make sure that the engine's inference gives the shapes and types that ours gave, of all operations.

    Raises:
        OperatorError: an operation's inputs do not fit together, or do not give its results.
    """
    for operation in operations:
        operator = operation.operator
        if isinstance(operator, ControlFlowOperator):
            for body in operator.subprograms.values():
                check_shapes(body.operations)
            continue
        shapes = [value.meta[0] for value in (*operation.inputs, *operation.outputs)]
        if operator.name in _NEVER_EMPTY and any(0 in shape for shape in shapes):
            raise OperatorError(f"{operator.name}: the engine does not compute it without elements, in {shapes}")
        if operator.handle is not None and operator.infer is not None and not operator.allocate:
            _check(operation)


def _check(operation: Operation) -> None:
    operator = operation.operator
    metas = [value.meta for value in operation.inputs]
    attributes = in_hypothesis(operation.attributes, 0)
    plan = dispatcher.plan_of(operator, metas, attributes)
    try:
        found = graph.infer(operator.name, plan.handle, metas, plan.attributes)[: len(operation.outputs)]
    except MXNetError as error:
        raise dispatcher.refusal(operator, metas, attributes, error) from None
    for (shape, dtype), value in zip(found, operation.outputs):
        if (shape, dtype) != value.meta:
            raise OperatorError(
                f"{operator.name}: the result is {dtype.name}{list(shape)}, not"
                f" {value.meta[1].name}{list(value.meta[0])}"
            )
