"""Conditionals and loops on tensors: nodes with bodies of their own, which read what the graph around them holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np
import onnx
from onnx import TensorProto, helper

from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.trace import Operation
from core.kernels.dtypes import bool_
from core.kernels.sizes.dimension import symbolic_shape
from core.onnx.graph import ELEMENT_TYPES, Graph

Write = Callable[[Graph, Any], list[str]]
"""Adds the nodes of a program and returns the names of its outputs."""


def conditional(graph: Graph, operation: Operation, write: Write) -> list[str]:
    """Run one of two programs; where a branch has conditions, it says by one more result, a 0, that they hold."""
    condition, *read = [graph.values[id(value)] for value in operation.inputs]
    holds: list[Optional[str]] = []

    def branch(program: Any) -> onnx.GraphProto:
        def nodes() -> list[onnx.ValueInfoProto]:
            graph.values.update(zip([id(value) for value in program.variables], read))
            results = [graph.node("Identity", name) for name in write(graph, program)]
            holds.append(graph.conditions_hold())
            return _described(results, program.outputs)

        return graph.body([], nodes)

    branches = [branch(operation.operator.subprograms[name]) for name in ("true", "false")]  # type: ignore[attr-defined]  # only control flow comes here
    conditions = any(zero is not None for zero in holds)
    if conditions:
        for body, zero in zip(branches, holds):
            name = graph.fresh_name("holds")
            body.node.append(helper.make_node("Identity", [zero or graph.constant(np.int64(0))], [name], name=name))
            body.output.append(helper.make_tensor_value_info(name, TensorProto.INT64, []))
    results = graph.node_of_many(
        "If",
        _truth(graph, condition, operation.inputs[0]),
        outputs=len(operation.outputs) + conditions,
        then_branch=branches[0],
        else_branch=branches[1],
    )
    if conditions:
        graph.conditions.append(results.pop())
    return results


def loop(graph: Graph, operation: Operation, write: Write) -> list[str]:
    """Renew variables by a program while another one says so."""
    operator: Any = operation.operator
    count = operator.settings["variables"]
    names = [graph.values[id(value)] for value in operation.inputs]
    start, read = names[:count], names[count:]
    condition, body = operator.subprograms["condition"], operator.subprograms["body"]

    def holds(variables: Sequence[str]) -> str:
        graph.values.update(zip([id(value) for value in condition.variables], [*variables, *read]))
        return _truth(graph, write(graph, condition)[0], condition.outputs[0])

    before = [graph.fresh_name("before") for _ in start]
    iteration, previous = graph.fresh_name("iteration"), graph.fresh_name("holds")
    inputs = [
        helper.make_tensor_value_info(iteration, TensorProto.INT64, []),
        helper.make_tensor_value_info(previous, TensorProto.BOOL, []),
        *_described(before, body.variables[:count]),
    ]

    def nodes() -> list[onnx.ValueInfoProto]:
        graph.values.update(zip([id(value) for value in body.variables], [*before, *read]))
        after = write(graph, body)
        again = holds(after)
        zero = graph.conditions_hold()
        if zero is not None:
            after = [graph.node("Gather", graph.unsqueeze(name, 0), zero, axis=0) for name in after]
        after = [graph.node("Identity", name) for name in after]
        return [helper.make_tensor_value_info(again, TensorProto.BOOL, []), *_described(after, body.outputs)]

    first = holds(start)
    return graph.node_of_many("Loop", None, first, *start, outputs=count, body=graph.body(inputs, nodes))


def assertion(graph: Graph, operation: Operation, write: Write) -> list[str]:
    """Let the model fail where the first input is false; the node's name gives the line of the assertion."""
    condition = operation.inputs[0]
    holds = _truth(graph, graph.values[id(condition)], condition)
    graph.require(graph.node("Not", holds), f"assertion at {operation.operator.settings['line']}")  # type: ignore[attr-defined]  # only an assertion comes here
    return []


def _truth(graph: Graph, name: str, value: Value) -> str:
    """Return a tensor of one element as a 0-D truth value."""
    mask = name if value.meta[1] is bool_ else graph.cast(name, bool_)
    return graph.node("Reshape", mask, graph.integers())


def _described(names: Sequence[str], values: Sequence[Value]) -> list[onnx.ValueInfoProto]:
    return [
        helper.make_tensor_value_info(
            name,
            ELEMENT_TYPES[value.meta[1].name],
            [size if isinstance(size, int) else None for size in symbolic_shape(value)],
        )
        for name, value in zip(names, values)
    ]


CONVERTERS: dict[str, Callable[[Graph, Operation, Write], list[str]]] = {
    "conditional": conditional,
    "loop": loop,
    "assert": assertion,
}
"""Kind of control-flow operator to the function that adds its nodes and returns the names of its results."""
