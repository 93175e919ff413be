"""The pass that hands convolutional networks to custom kernels with channels last.

The engine's convolutions keep blocks of channels, its other operators know the plain order alone; where activations
that it cannot fuse, or factors of whole channels, are between convolutions, half of the time goes into reordering.
From the first convolution on, as far as every operator is known (:mod:`core.jit.passes.channels_last_layers`), the
network becomes one operator. It is taken over when all convolutions are among those, and the engine would lose by its
reordering: where swishes, which it does not fuse, follow most convolutions; where channels are shifted between the
frames of clips, which a convolution's product reads from where they are; or where at least one goes along rows,
depthwise or in small groups, and none but the first is dense and wider than 1 x 1: of those the engine's are as fast.
In mixed precision it always gains where the processor multiplies bfloat16, but for matrix registers; so do programs in
8 bits. In float32 it gains, too, where a fifth of the multiplications is saved by computing convolutions of 3 x 3 in
tiles, even if the engine is left with half of the convolutions, such as those of a detector's regions.
"""

from __future__ import annotations

import dataclasses

from core.jit.exported.program import ExportedProgram, ProgramNode, size_names
from core.jit.passes.channels_last_forms import choose_bytes, choose_halves, gains_by_bytes, gains_by_halves
from core.jit.passes.channels_last_layers import Layers
from core.jit.passes.passes import constant, free_name, with_nodes
from core.kernels.channels_last.table import UNREAD
from core.kernels.dtypes import float32
from core.kernels.engine import engine
from core.operators._channels_last_network import channels_last


def with_channels_last(program: ExportedProgram) -> ExportedProgram:
    """Apply the pass to a program that gains by it; leave others as they are."""
    if not engine.device_text().startswith("cpu") or any(node.control_flow is not None for node in program.nodes):
        return program
    convolutions = [node for node in program.nodes if node.operator == "convolution"]
    if not convolutions:
        return program
    layers = Layers(program)
    inside: set[int] = set()
    behind: set[str] = set()  # what depends on the network
    for node in program.nodes:
        if behind.isdisjoint(node.inputs) and layers.take(node):
            inside.add(id(node))
        elif not behind.isdisjoint(node.inputs) or layers.has(node.inputs):
            behind.update(node.outputs)
    outside = sum(id(node) not in inside for node in convolutions)
    if outside:
        is_narrow = bool(layers.halves or layers.counted)
        gains = layers.saves_multiplications and 2 * outside <= len(convolutions) and not is_narrow
    else:
        gains = layers.saves_multiplications or layers.spares_reordering
        gains = gains or gains_by_halves(layers.steps) or gains_by_bytes(layers.steps)
    if not gains:
        return program
    return _replaced(program, layers, inside)


def _replaced(program: ExportedProgram, layers: Layers, inside: set[int]) -> ExportedProgram:
    """Put the network in the place of its nodes: behind what it does not depend on, before what depends on it."""
    made = {name: meta for node in program.nodes if id(node) in inside for name, meta in zip(node.outputs, node.metas)}
    others = [node for node in program.nodes if id(node) not in inside]
    asked = {name for guard in program.guards for name in size_names((guard.first, guard.second))}
    asked |= {name for node in others for name in size_names(node.attributes)}
    read = {name for node in others for name in node.inputs} | {*program.outputs}
    wanted = [name for name in made if name in read or name in asked]
    forms = [layers.form(name) if name in read or name in layers.turned else UNREAD for name in wanted]
    able = [(layers.has_size if form == UNREAD else layers.can_give)(name) for name, form in zip(wanted, forms)]
    if not all(able):
        return program
    choose = choose_halves if gains_by_halves(layers.steps) else choose_bytes
    choose(layers.steps, [layers.step_of(name) for name in wanted])
    network, packed = layers.network(wanted, forms)
    weights = dict(program.weights)
    name = free_name("channels last", weights)
    weights[name] = constant(packed, float32)
    node = ProgramNode(
        channels_last.name, {"network": network.name}, [layers.input, name], wanted, [made[name] for name in wanted]
    )
    after = {*wanted}
    before: list[ProgramNode] = []
    behind: list[ProgramNode] = []
    for other in others:
        depends = not after.isdisjoint(other.inputs) or not after.isdisjoint(size_names(other.attributes))
        (behind if depends else before).append(other)
        if depends:
            after.update(other.outputs)
    nodes = [*before, node, *behind]
    used = {name for node in nodes for name in node.inputs} | {*program.outputs}
    kept = {name: weight for name, weight in weights.items() if name in used}
    networks = {**program.networks, network.name: network}
    return dataclasses.replace(with_nodes(program, nodes), weights=kept, networks=networks)
