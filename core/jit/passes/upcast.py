"""A mixed-precision program computed in float32 throughout, where custom kernels do that faster than bfloat16 goes.

The engine computes depthwise and finely grouped convolutions in bfloat16 at a fraction of its speed in float32, and has
no kernels for what is between them. Mixed precision allows bfloat16, for speed; where float32 is both faster and
more exact, a frozen program takes that. Results keep their types.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Optional

from core.jit.exported.program import ExportedProgram, ProgramNode
from core.jit.passes.fusion import optimized
from core.jit.passes.passes import uses_of, with_nodes
from core.kernels.dtypes import bfloat16, float32
from core.kernels.engine import matrix_extensions
from core.operators._channels_last_network import channels_last


def optimized_in_mixed_precision(program: ExportedProgram) -> ExportedProgram:
    """Return the program with all passes applied, in float32 if it can then run with channels last and gains by it."""
    convolutions = [node for node in program.nodes if node.operator == "convolution"]
    groups = any(node.attributes.get("groups", 1) > 1 for node in convolutions)
    if groups and not (matrix_extensions.used and _in_whole_blocks(convolutions)):
        wide = upcast(program)
        made = None if wide is None else optimized(wide)
        if made is not None and any(node.operator == channels_last.name for node in made.nodes):
            return made
    return optimized(program)


def _in_whole_blocks(convolutions: Sequence[ProgramNode]) -> bool:
    """Return whether all images that convolutions make have whole blocks of 16 channels, for matrix registers."""
    return all((node.metas[0][0][1] or 0) % 16 == 0 for node in convolutions)


def upcast(program: ExportedProgram) -> Optional[ExportedProgram]:
    """Return the program without casts between float32 and bfloat16, except those of results.

    Returns:
        The program; None where it has no such casts, or something in it is bfloat16 for other reasons.
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
    return _with_hard_sigmoids(with_nodes(program, nodes))


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
