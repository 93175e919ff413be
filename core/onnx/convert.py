"""From a traced program to an ONNX model: every noted-down operation becomes nodes, every parameter a stored tensor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Optional

import onnx
from onnx import helper

from core.jit.symbolic import SymbolicProgram
from core.kernels.dimension import Dimension, Guard, contains_dimension, symbolic_shape
from core.kernels.door import Value
from core.kernels.dtypes import bfloat16, float64, int64
from core.kernels.errors import OperatorError, OperatorTypeError
from core.kernels.operator import ConstantOperator
from core.kernels.trace import Operation
from core.onnx.graph import ELEMENT_TYPES, Graph, Operand, is_float
from core.onnx.table import CONVERTERS, OTHER, REFUSED
from core.tensor import Tensor

MAXIMUM_BYTES = 2**31 - 2**20
"""How large a file the format can be; a little is left for the nodes."""


def convert(
    program: SymbolicProgram,
    input_names: Sequence[str],
    output_names: Sequence[str],
    parameter_names: dict[int, str],
    opset_version: int,
) -> onnx.ModelProto:
    """Write a traced program as an ONNX model.

    Args:
        program: What was traced.
        input_names: A name for each input.
        output_names: A name for each output.
        parameter_names: The name of each parameter and buffer, by the ``id`` of its tensor.
        opset_version: Version of ONNX's operators.

    Returns:
        The model.

    Raises:
        OperatorError: an operation has no form in ONNX, or the parameters are too large for the format.
        OperatorTypeError: an element type has none.
    """
    conditions = [leaf[0] for guard in program.guards for leaf in leaves((guard.first, guard.second))]
    operations = needed_operations(program.operations, [*program.outputs, *conditions])
    refuse(operations)
    graph = Graph(opset_version)
    inputs = program.variables[: len(input_names)]
    for name, value in zip(input_names, inputs):
        graph.values[id(value)] = graph.fresh_name(name)
    final_names = [graph.fresh_name(name) for name in output_names]
    _store_captured(graph, program, operations, parameter_names, len(inputs))
    for operation in operations:
        _add_operation(graph, operation)
    holds = _conditions(graph, program.guards)
    for name, value in zip(final_names, program.outputs):
        result = graph.values[id(value)]
        if holds is not None:
            result = graph.node("Gather", graph.unsqueeze(result, 0), holds, axis=0)
        graph.nodes.append(helper.make_node("Identity", [result], [name], name=name))
    graph.prune(final_names)
    input_infos, known = _input_infos(input_names, inputs)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "core",
            input_infos,
            [_value_info(name, value, known) for name, value in zip(final_names, program.outputs)],
            list(graph.initializers.values()),
        ),
        opset_imports=[helper.make_opsetid("", opset_version)],
        producer_name="core",
    )
    model.ir_version = helper.find_min_ir_version_for(model.opset_import)
    return model


def needed_operations(operations: Sequence[Operation], outputs: Iterable[Value]) -> list[Operation]:
    """Return the operations that the outputs depend on, in order."""
    needed = {id(value) for value in outputs}
    kept = []
    for operation in reversed(operations):
        if any(id(value) in needed for value in operation.outputs):
            needed.update(id(value) for value in operation.inputs)
            needed.update(id(value) for value, _ in leaves(operation.attributes))
            kept.append(operation)
    return kept[::-1]


def leaves(item: Any) -> list[tuple[Value, int]]:
    """Return the ``(value, axis)`` pairs whose sizes stand anywhere in nested attributes."""
    if isinstance(item, Dimension):
        return item.leaves()
    parts = item.values() if isinstance(item, dict) else item if isinstance(item, (tuple, list)) else ()
    return [leaf for part in parts for leaf in leaves(part)]


def refuse(operations: Sequence[Operation]) -> None:
    """Refuse what ONNX cannot express, all at once.

    Raises:
        OperatorError: operators have no form in ONNX.
        OperatorTypeError: bfloat16 is computed with.
    """
    reasons: dict[str, list[str]] = {}
    for name in sorted({operation.operator.name for operation in operations if not _is_constant(operation)}):
        if name not in CONVERTERS:
            reasons.setdefault(REFUSED.get(name, OTHER), []).append(name)
    if reasons:
        listed = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
        raise OperatorError(f"onnx.export: ONNX cannot express {listed}")
    for operation in operations:
        if any(value.meta[1] is bfloat16 for value in (*operation.inputs, *operation.outputs)):
            raise OperatorTypeError(
                f"onnx.export: {operation.operator.name} computes in bfloat16, for which runtimes of ONNX have no"
                " kernels: convert the layer with layer.float() first"
            )


def _store_captured(
    graph: Graph,
    program: SymbolicProgram,
    operations: Sequence[Operation],
    names: dict[int, str],
    number_of_inputs: int,
) -> None:
    """Add parameters, buffers and constants that some operation reads, or that are themselves an output."""
    used = {id(value) for operation in operations for value in operation.inputs}
    used.update(id(value) for value in program.outputs)
    total = 0
    captured = zip(program.variables[number_of_inputs:], program.captured_values(), program.captured)
    for variable, value, (_, owner) in captured:
        if id(variable) in used:
            array = Tensor(value).numpy()
            total += array.nbytes
            graph.values[id(variable)] = graph.initializer(names.get(id(owner), "constant"), array)
    if total > MAXIMUM_BYTES:
        raise OperatorError(
            f"onnx.export: the parameters take {total / 2**30:.1f} GiB; a file of this format holds less than 2: use"
            " jit.save"
        )


def _is_constant(operation: Operation) -> bool:
    """Whether an operation makes a tensor from numbers alone: it is stored."""
    return isinstance(operation.operator, ConstantOperator) and not contains_dimension(operation.attributes)


def _add_operation(graph: Graph, operation: Operation) -> None:
    if _is_constant(operation):
        array = operation.operator.function(**operation.attributes)  # type: ignore[attr-defined]
        graph.values[id(operation.outputs[0])] = graph.constant(array)
        return
    operands = [Operand(graph.values[id(value)], Tensor(value).shape, value.meta[1]) for value in operation.inputs]
    results = CONVERTERS[operation.operator.name](graph, *operands, **operation.attributes)
    if not isinstance(results, list):
        results = [results]
    for value, result in zip(operation.outputs, results):
        graph.values[id(value)] = result.name if isinstance(result, Operand) else result


def _conditions(graph: Graph, guards: Sequence[Guard]) -> Optional[str]:
    """Add what the program decided about unknown sizes, as nodes that fail, under a telling name, where it is not so.

    ONNX has no assertion; but taking element 1 of a single 0 is an error, and taking element 0 is 0.

    Returns:
        The name of a 0 that exists only where all conditions hold; None without conditions.
    """
    total: Optional[str] = None
    for text, guard in {f"condition {guard.text} is {guard.outcome}": guard for guard in guards}.items():
        operator, negated = _COMPARISONS[guard.sign]
        dtype = float64 if is_float(guard.first) or is_float(guard.second) else int64
        result = graph.node(operator, graph.scalar(guard.first, dtype), graph.scalar(guard.second, dtype))
        fails = result if negated == guard.outcome else graph.node("Not", result)
        zero = graph.node("Gather", graph.integers(0), graph.cast(fails, int64), axis=0)
        graph.nodes[-1].name = graph.fresh_name(text)
        total = zero if total is None else graph.node("Add", total, zero)
    return total


_COMPARISONS = {
    "==": ("Equal", False),
    "!=": ("Equal", True),
    "<": ("Less", False),
    "<=": ("LessOrEqual", False),
    ">": ("Greater", False),
    ">=": ("GreaterOrEqual", False),
}
"""The operator of each comparison, and whether its result is turned round."""


def _value_info(name: str, value: Value, known: dict[Any, str]) -> onnx.ValueInfoProto:
    """Describe an input or output; an unknown size has the name of the input's that is the same, if there is one."""
    sizes = [known.get(size.sizes) if isinstance(size, Dimension) else size for size in symbolic_shape(value)]
    return helper.make_tensor_value_info(name, ELEMENT_TYPES[value.meta[1].name], sizes)


def _input_infos(names: Sequence[str], values: Sequence[Value]) -> tuple[list[onnx.ValueInfoProto], dict[Any, str]]:
    """Describe the inputs; also return what unknown sizes are called, by their numbers in the two worlds of the trace.

    Axes that have the same two numbers are not taken for the same: each has a name of its own.
    """
    infos, called = [], Counter[Any]()
    known: dict[Any, str] = {}
    for name, value in zip(names, values):
        own = {}
        for axis, size in enumerate(symbolic_shape(value)):
            if isinstance(size, Dimension):
                own[axis] = f"{name}_axis_{axis}"
                called[size.sizes] += 1
                known[size.sizes] = own[axis]
        sizes = [own.get(axis, size) for axis, size in enumerate(value.meta[0])]
        infos.append(helper.make_tensor_value_info(name, ELEMENT_TYPES[value.meta[1].name], sizes))
    return infos, {sizes: name for sizes, name in known.items() if called[sizes] == 1}
