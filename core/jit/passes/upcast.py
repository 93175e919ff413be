"""A mixed-precision program written in float32, for kernels that decide themselves what is rounded to 16 bits.

The engine computes depthwise and finely grouped convolutions in bfloat16 at a fraction of its speed in float32, and has
no kernels for what is between them; its fusion loses a digit, so that each activation and sum is a pass of its own.
Mixed precision allows bfloat16, for speed. Custom kernels multiply in 16 bits and add up, activate and normalise in
float32, where the processor has instructions for that; elsewhere float32 throughout is both faster and more exact for
mobile networks. Results keep their types.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Optional

from core.jit.exported.program import ExportedProgram, ProgramNode
from core.jit.passes.channels_last_forms import can_halve
from core.jit.passes.passes import uses_of, with_nodes
from core.kernels.dtypes import bfloat16, float32
from core.kernels.engine import matrix_extensions


def may_gain_by_upcast(program: ExportedProgram) -> bool:
    """Return whether custom kernels may be faster than the engine's in 16 bits."""
    if all(node.operator != "half_cast" for node in program.nodes):
        return False
    convolutions = [node for node in program.nodes if node.operator == "convolution"]
    attends = any(node.operator == "attention" for node in program.nodes)
    if (convolutions or attends) and can_halve():
        return True
    groups = any(node.attributes.get("groups", 1) > 1 for node in convolutions)
    return groups and not (matrix_extensions.used and _in_whole_blocks(convolutions))


def _in_whole_blocks(convolutions: Sequence[ProgramNode]) -> bool:
    """Return whether all images that convolutions make have whole blocks of 16 channels, for matrix registers."""
    return all((node.metas[0][0][1] or 0) % 16 == 0 for node in convolutions)


def upcast(program: ExportedProgram) -> Optional[ExportedProgram]:
    """Return the program without casts between float32 and bfloat16, except those of results.

    Returns:
        The program, whose ``halves`` are the values that were 16-bit; None where it has no such casts, or something in
        it is bfloat16 for other reasons.
    """
    given = [entry.dtype for entry in program.inputs] + [weight.dtype for weight in program.weights.values()]
    others = [node for node in program.nodes if node.operator != "half_cast"]
    if len(others) == len(program.nodes) or bfloat16 in given:
        return None
    if any(node.control_flow is not None or _names_bfloat16(node.attributes) for node in others):
        return None
    sources: dict[str, str] = {}
    nodes: list[ProgramNode] = []
    for node in program.nodes:
        inputs = [sources.get(name, name) for name in node.inputs]
        if node.operator == "half_cast":
            sources[node.outputs[0]] = inputs[0]
            continue
        metas = [(shape, float32 if dtype is bfloat16 else dtype) for shape, dtype in node.metas]
        for name, (_, dtype) in zip(node.outputs, node.metas):
            if name in program.outputs and dtype is bfloat16:
                sources[name] = f"{name} in float32"
        outputs = [sources.get(name, name) for name in node.outputs]
        nodes.append(dataclasses.replace(node, inputs=inputs, outputs=outputs, metas=metas))
    made = {name: meta for node in program.nodes for name, meta in zip(node.outputs, node.metas)}
    for name in dict.fromkeys(program.outputs):
        if name in sources:
            shape, dtype = made[name]
            nodes.append(ProgramNode("half_cast", {"dtype": dtype}, [sources[name]], [name], [(shape, dtype)]))
    halves = {sources.get(name, name) for name, (_, dtype) in made.items() if dtype is bfloat16}
    return _with_hard_sigmoids(dataclasses.replace(with_nodes(program, nodes), halves=frozenset(halves)))


def _names_bfloat16(item: Any) -> bool:
    if isinstance(item, dict):
        return any(_names_bfloat16(part) for part in item.values())
    if isinstance(item, tuple):
        return any(_names_bfloat16(part) for part in item)
    return item is bfloat16


def _with_hard_sigmoids(program: ExportedProgram) -> ExportedProgram:
    """Write ``clip(x * slope + offset, 0, 1)`` as the operator that it is in float32."""
    uses = uses_of(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    replaced: dict[int, ProgramNode] = {}

    def before(node: Optional[ProgramNode], operator: str) -> Optional[ProgramNode]:
        maker = None if node is None else makers.get(node.inputs[0])
        fits = maker is not None and maker.operator == operator and uses[maker.outputs[0]] == 1
        return maker if fits else None

    for node in program.nodes:
        if node.operator == "clip" and (node.attributes["a_min"], node.attributes["a_max"]) == (0.0, 1.0):
            adding = before(node, "add_scalar")
            product = before(adding, "multiply_scalar")
            if adding is not None and product is not None:
                options = {"slope": product.attributes["scalar"], "offset": adding.attributes["scalar"]}
                replaced[id(node)] = dataclasses.replace(
                    node, operator="hard_sigmoid", attributes=options, inputs=product.inputs
                )
    return with_nodes(program, [replaced.get(id(node), node) for node in program.nodes])
