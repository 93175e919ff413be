"""The pass that lets residual sums of trained networks be shifted where they are made: TSM.

A sum of two branches, its ReLU, and the temporal shift of that become one custom operator, which writes both results,
and whose backward pass adds the gradients of both up. The shift of a value knows the plain order of channels alone,
other operators keep oneDNN's blocks: by itself it has its input and its gradient put in order, and what is added to
that brought to one order. It serves first gradients, as regions do (:mod:`core.jit.passes.regions`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Optional

from core.jit.passes.rebuilding import Rebuilt, can_rebuild, rebuilt
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.trace import Operation, Trace
from core.kernels.dtypes import float32
from core.kernels.lowerings.temporal_shift import JOINED_SHIFT


def with_joined_shifts(trace: Trace, outputs: Sequence[Value]) -> Optional[Rebuilt]:
    """Return a program with such operators in the place of its operations, or None where there are none to join.

    Args:
        trace: A program that may be differentiated.
        outputs: Its results.
    """
    joined = _joined(trace.operations, outputs) if can_rebuild(trace) else {}
    if not joined:
        return None
    left_out = {id(operation) for parts in joined.values() for operation in parts}
    operations: list[Operation] = []
    for operation in trace.operations:
        if id(operation) in joined:
            added, shift = joined[id(operation)]
            options = {name: shift.attributes[name] for name in ("frames", "ends", "reverse")}
            results = [operation.outputs[0], shift.outputs[0]]
            operations.append(Operation(JOINED_SHIFT, options, added.inputs, results, gradients=True))
        elif id(operation) not in left_out:
            operations.append(operation)
    return rebuilt(trace, outputs, operations)


def _joined(operations: Sequence[Operation], outputs: Sequence[Value]) -> dict[int, tuple[Operation, Operation]]:
    """Return the sum and the shift that are joined to each ReLU, by its ``id``."""
    made = {id(value): operation for operation in operations for value in operation.outputs}
    readers: dict[int, int] = defaultdict(int)
    for value in [value for operation in operations for value in operation.inputs] + list(outputs):
        readers[id(value)] += 1
    found: dict[int, tuple[Operation, Operation]] = {}
    for shift in operations:
        if shift.operator.name != "temporal_shift" or shift.attributes["axis"] != 1:
            continue
        relu = made.get(id(shift.inputs[0]))
        added = made.get(id(relu.inputs[0])) if relu is not None and relu.operator.name == "relu" else None
        if relu is None or added is None or added.operator.name != "add" or id(relu) in found:
            continue
        first, second = (value.meta for value in added.inputs)
        alone = readers[id(added.outputs[0])] == 1
        recorded = all(operation.gradients for operation in (added, relu, shift))
        if alone and recorded and first == second and first[1] is float32 and 0 not in first[0]:
            found[id(relu)] = added, shift
    return found
