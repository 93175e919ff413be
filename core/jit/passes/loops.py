"""The pass that lays the matrices of loops out for custom kernels, once for all that a loop repeats.

A search multiplies the few rows of its beams by every matrix of a network for each token: the engine would cut each
matrix anew each time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from core.jit.exported.program import ExportedProgram, ProgramBody, ProgramInput, ProgramNode, size_names
from core.jit.passes.passes import free_name, is_random, with_nodes

Pass = Callable[[ExportedProgram], ExportedProgram]


def with_loops_changed(program: ExportedProgram, passes: Sequence[Pass]) -> ExportedProgram:
    """Apply passes to the bodies of a program's loops, to which the program's weights are weights.

    Args:
        program: Any.
        passes: What they make of a body's weights becomes a weight of the program.
    """
    if not any(node.operator == "loop" for node in program.nodes):
        return program
    weights = dict(program.weights)
    nodes = [_changed(node, dataclasses.replace(program, weights=weights), passes) for node in program.nodes]
    used = {name for node in nodes for name in (*node.inputs, *size_names(node.attributes))} | set(program.outputs)
    for guard in program.guards:
        used |= size_names((guard.first, guard.second))
    kept = {name: weight for name, weight in weights.items() if name in used}
    return dataclasses.replace(with_nodes(program, nodes), weights=kept)


def _changed(node: ProgramNode, program: ExportedProgram, passes: Sequence[Pass]) -> ProgramNode:
    """Return a loop with its body changed; new weights are added to the program's."""
    flow = node.control_flow
    if node.operator != "loop" or flow is None:
        return node
    body, count = flow.bodies["body"], flow.settings["variables"]
    outer = {entry.name: name for entry, name in zip(body.inputs[count:], node.inputs[count:])}
    if is_random(body.nodes):
        return node
    known = {inner: program.weights[name] for inner, name in outer.items() if name in program.weights}
    whole = dataclasses.replace(
        program,
        inputs=[entry for entry in body.inputs if entry.name not in known],
        weights=known,
        nodes=body.nodes,
        outputs=body.outputs,
        guards=body.guards,
        counted={inner: program.counted[name] for inner, name in outer.items() if name in program.counted},
    )
    for change in passes:
        whole = change(whole)
    if not set(whole.outputs) == set(body.outputs):
        return node
    bodies = {**flow.bodies, "body": ProgramBody(body.inputs, whole.nodes, whole.outputs, whole.guards)}
    inputs = list(node.inputs)
    for name in [name for name in whole.weights if name not in known]:
        weight = whole.weights[name]
        program.weights[free_name(name, program.weights)] = weight
        inputs.append(next(reversed(program.weights)))
        for kind, one in bodies.items():
            own = name if kind == "body" else free_name(name, [entry.name for entry in one.inputs], _names(one))
            entry = ProgramInput(own, weight.dtype, weight.array.shape)
            bodies[kind] = dataclasses.replace(one, inputs=[*one.inputs, entry])
    unread = [i for i in range(count, len(inputs)) if not any(_reads(one, i) for one in bodies.values())]
    for kind, one in bodies.items():
        left = [entry for i, entry in enumerate(one.inputs) if i not in unread]
        bodies[kind] = dataclasses.replace(one, inputs=left)
    inputs = [name for i, name in enumerate(inputs) if i not in unread]
    return dataclasses.replace(node, inputs=inputs, control_flow=dataclasses.replace(flow, bodies=bodies))


def _names(body: ProgramBody) -> set[str]:
    return {name for node in body.nodes for name in node.outputs}


def _reads(body: ProgramBody, place: int) -> bool:
    """Return whether a body reads one of its inputs."""
    name = body.inputs[place].name
    if name in body.outputs or any(name in node.inputs or name in size_names(node.attributes) for node in body.nodes):
        return True
    return any(name in size_names((guard.first, guard.second)) for guard in body.guards)
