"""Programs of the exported format's first version, written with the operators of today.

Version 1 held the kernels that a call had reached: a swish as two operators, or as a custom kernel, a product as the
engine's kernel that took it. Version 2 holds what is computed; which kernels do is decided where a program is loaded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from core.jit.exported.program import ProgramControlFlow, ProgramNode
from core.jit.passes.passes import Program, joined_swishes, uses_of, with_nodes

RENAMED = {"opening": "sigmoid", "row_normalization": "layer_normalization", "weighed_channels": "multiply"}
"""Custom kernels that were in programs, and the operators that they computed."""


def with_names_of_today(nodes: Sequence[ProgramNode]) -> list[ProgramNode]:
    """Return operations, unchecked as a file gives them, with the names of declared operators."""
    return [_renamed(node) for node in nodes]


def _renamed(node: ProgramNode) -> ProgramNode:
    if node.control_flow is not None:
        bodies = {
            name: dataclasses.replace(body, nodes=with_names_of_today(body.nodes))
            for name, body in node.control_flow.bodies.items()
        }
        return dataclasses.replace(node, control_flow=ProgramControlFlow(bodies, node.control_flow.settings))
    if node.operator == "gated" and type(node.attributes.get("hard")) is bool:
        operator = "hard_swish" if node.attributes["hard"] else "swish"
        others = {key: value for key, value in node.attributes.items() if key != "hard"}
        return dataclasses.replace(node, operator=operator, attributes=others)
    return dataclasses.replace(node, operator=RENAMED.get(node.operator, node.operator))


def with_operators_of_today(program: Program) -> Program:
    """Return a program or body, checked and with declared operators, whose swishes are one operator each."""
    nodes = []
    for node in joined_swishes(program.nodes, uses_of(program)):
        if node.control_flow is not None:
            bodies = {name: with_operators_of_today(body) for name, body in node.control_flow.bodies.items()}
            node = dataclasses.replace(node, control_flow=ProgramControlFlow(bodies, node.control_flow.settings))
        nodes.append(node)
    return with_nodes(program, nodes)
