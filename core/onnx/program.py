"""Operations of a program as nodes, in the model itself or in the body of a conditional or loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import ConstantOperator
from core.kernels.dispatch.trace import Operation
from core.kernels.dtypes import bfloat16, float64, int64
from core.kernels.sizes.dimension import Dimension, Guard, contains_dimension, symbolic_shape
from core.onnx import control_flow
from core.onnx.graph import Graph, Operand, is_float
from core.onnx.table import CONVERTERS, reason_for
from core.tensor import Tensor


class Program(Protocol):
    """What a trace recorded, be it a whole layer or one branch of it."""

    operations: Sequence[Operation]
    outputs: Sequence[Value]
    guards: Sequence[Guard]


def write_program(graph: Graph, program: Program) -> list[str]:
    """Add the nodes of a program whose inputs are in the graph, and return the names of its outputs."""
    for operation in needed_operations(program.operations, program.outputs, program.guards):
        _add_operation(graph, operation)
    for text, guard in {f"condition {guard.text} is {guard.outcome}": guard for guard in program.guards}.items():
        _add_guard(graph, text, guard)
    return [graph.values[id(value)] for value in program.outputs]


def holding(graph: Graph, names: Sequence[str]) -> list[str]:
    """Return tensors as they are, but so that they exist only where the conditions of this graph or body hold."""
    zero = graph.conditions_hold()
    if zero is None:
        return list(names)
    return [graph.node("Gather", graph.unsqueeze(name, 0), zero, axis=0) for name in names]


def _add_operation(graph: Graph, operation: Operation) -> None:
    operator = operation.operator
    if _is_constant(operation):
        results: Any = graph.constant(operator.function(**operation.attributes))  # type: ignore[attr-defined]  # a constant is computed by a host operator
    elif operator.is_control_flow:
        results = control_flow.CONVERTERS[operator.name](graph, operation, write_program)
    else:
        operands = [Operand(graph.values[id(value)], Tensor(value).shape, value.meta[1]) for value in operation.inputs]
        results = CONVERTERS[operator.name](graph, *operands, **operation.attributes)
    if not isinstance(results, list):
        results = [results]
    for value, result in zip(operation.outputs, results):
        graph.values[id(value)] = result.name if isinstance(result, Operand) else result
    for value, axis, size in sizes_in_doubt(operation):
        here = graph.node("Gather", graph.node("Shape", graph.values[id(value)]), np.int64(axis), axis=0)
        differs = graph.node("Not", graph.node("Equal", here, np.int64(size)))
        graph.require(differs, f"condition axis {axis} of the result of {operator.name} has size {size}")


def _is_constant(operation: Operation) -> bool:
    """Whether an operation makes a tensor from numbers alone: it is stored."""
    return isinstance(operation.operator, ConstantOperator) and not contains_dimension(operation.attributes)


def _add_guard(graph: Graph, text: str, guard: Guard) -> None:
    """Let the model fail, under a telling name, at sizes for which the program was not traced."""
    operator, negated = _COMPARISONS[guard.sign]
    dtype = float64 if is_float(guard.first) or is_float(guard.second) else int64
    result = graph.node(operator, graph.scalar(guard.first, dtype), graph.scalar(guard.second, dtype))
    graph.require(result if negated == guard.outcome else graph.node("Not", result), text)


_COMPARISONS = {
    "==": ("Equal", False),
    "!=": ("Equal", True),
    "<": ("Less", False),
    "<=": ("LessOrEqual", False),
    ">": ("Greater", False),
    ">=": ("GreaterOrEqual", False),
}
"""The operator of each comparison, and whether its result is turned round."""


# what is needed, and what is refused --------------------------------------------------------------------------------


def needed_operations(
    operations: Sequence[Operation], outputs: Iterable[Value], guards: Sequence[Guard]
) -> list[Operation]:
    """Return, in order, the operations that the outputs and guards depend on, and those that act."""
    needed = {id(value) for value in outputs}
    needed.update(id(value) for guard in guards for value, _ in leaves((guard.first, guard.second)))
    kept = []
    for operation in reversed(operations):
        acts = operation.operator.is_control_flow and not operation.outputs or sizes_in_doubt(operation)
        if acts or any(id(value) in needed for value in operation.outputs):
            for part in _with_inner(operation):
                needed.update(id(value) for value in part.inputs)
                needed.update(id(value) for value, _ in leaves(part.attributes))
            kept.append(operation)
    return kept[::-1]


def sizes_in_doubt(operation: Operation) -> list[tuple[Value, int, int]]:
    """Find sizes that the trace took for fixed, as they were the same under both hypotheses, but that may change.

    Returns:
        ``(result, axis, size)`` of each.
    """
    name, attributes = operation.operator.name, operation.attributes
    unknown = _dimensions(attributes)
    if not unknown and name not in _WINDOWS:
        return []
    same = {dimension.sizes[0] for dimension in unknown if dimension.sizes[0] == dimension.sizes[1]}
    found = []
    for value in operation.outputs:
        for axis, size in enumerate(symbolic_shape(value)):
            if isinstance(size, Dimension):
                continue
            if name in _WINDOWS:
                doubt = axis > 1 and isinstance(symbolic_shape(operation.inputs[0])[axis], Dimension)
            else:
                cut = name == "slice" and bool(_dimensions(attributes["ranges"][axis]))
                doubt = cut or size in same or isinstance(operation.operator, ConstantOperator)
            if doubt:
                found.append((value, axis, size))
    return found


_WINDOWS = {"convolution", "maximum_pooling", "average_pooling", "maximum_positions"}


def _dimensions(item: Any) -> list[Dimension]:
    """Return the Dimensions anywhere in nested attributes."""
    if isinstance(item, Dimension):
        return [item]
    parts = item.values() if isinstance(item, dict) else item if isinstance(item, (tuple, list)) else ()
    return [dimension for part in parts for dimension in _dimensions(part)]


def leaves(item: Any) -> list[tuple[Value, int]]:
    """Return the ``(value, axis)`` pairs whose sizes stand anywhere in nested attributes."""
    return [leaf for dimension in _dimensions(item) for leaf in dimension.leaves()]


def _with_inner(operation: Operation) -> Iterator[Operation]:
    """Give an operation, and those inside it where it is a conditional or loop."""
    yield operation
    if operation.operator.is_control_flow:
        for program in operation.operator.subprograms.values():  # type: ignore[attr-defined]  # control flow has it
            for part in needed_operations(program.operations, program.outputs, program.guards):
                yield from _with_inner(part)


def refuse(operations: Sequence[Operation], outputs: Iterable[Value], guards: Sequence[Guard]) -> None:
    """Refuse what ONNX cannot express, all at once.

    Raises:
        OperatorError: operators have no form in ONNX.
        OperatorTypeError: bfloat16 is computed with.
    """
    needed = [part for operation in needed_operations(operations, outputs, guards) for part in _with_inner(operation)]
    reasons: dict[str, list[str]] = {}
    for name in sorted({operation.operator.name for operation in needed if not _is_constant(operation)}):
        if name not in CONVERTERS and name not in control_flow.CONVERTERS:
            reasons.setdefault(reason_for(name), []).append(name.partition("#")[0])
    if reasons:
        listed = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
        raise OperatorError(f"onnx.export: ONNX cannot express {listed}")
    for operation in needed:
        if any(value.meta[1] is bfloat16 for value in (*operation.inputs, *operation.outputs)):
            raise OperatorTypeError(
                f"onnx.export: {operation.operator.name} computes in bfloat16, for which runtimes of ONNX have no"
                " kernels: convert the layer with layer.float() first"
            )
