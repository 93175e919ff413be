"""From a traced program to an ONNX model: every noted-down operation becomes nodes, every parameter a stored tensor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import onnx
from onnx import helper

from core.jit.tracing.symbolic import SymbolicProgram
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.sizes.dimension import Dimension, symbolic_shape
from core.onnx.graph import ELEMENT_TYPES, Graph
from core.onnx.program import holding, needed_operations, refuse, write_program
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
    refuse(program.operations, program.outputs, program.guards)
    graph = Graph(opset_version)
    inputs = program.variables[: len(input_names)]
    for name, value in zip(input_names, inputs):
        graph.values[id(value)] = graph.fresh_name(name)
    final_names = [graph.fresh_name(name) for name in output_names]
    _store_captured(graph, program, parameter_names, len(inputs))
    results = holding(graph, write_program(graph, program))
    for name, result in zip(final_names, results):
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


def _store_captured(graph: Graph, program: SymbolicProgram, names: dict[int, str], number_of_inputs: int) -> None:
    """Add parameters, buffers and constants that the outputs depend on."""
    operations = needed_operations(program.operations, program.outputs, program.guards)
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


def _value_info(name: str, value: Value, known: dict[Any, str]) -> onnx.ValueInfoProto:
    """Describe an input or output; an unknown size has the name of the input's that is the same, if there is one."""
    sizes = [known.get(size.sizes) if isinstance(size, Dimension) else size for size in symbolic_shape(value)]
    return helper.make_tensor_value_info(name, ELEMENT_TYPES[value.meta[1].name], sizes)


def _input_infos(names: Sequence[str], values: Sequence[Value]) -> tuple[list[onnx.ValueInfoProto], dict[Any, str]]:
    """Describe the inputs; also return what unknown sizes are called, by their numbers under the trace's hypotheses.

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
