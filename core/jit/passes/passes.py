"""Passes that leave things out of an exported program, and what all passes share.

Each pass takes a program and returns another one; the names of values that both have mean the same.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Optional, TypeVar, Union

import numpy as np

from core.jit.exported.program import (
    CountedWeight,
    ExportedProgram,
    ProgramBody,
    ProgramNode,
    ProgramWeight,
    size_names,
)
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.dtypes import DType, int8
from core.kernels.engine import engine

Program = TypeVar("Program", ExportedProgram, ProgramBody)
_SWISHES = {("sigmoid",): "swish", ("hard_sigmoid", 1.0 / 6.0, 0.5): "hard_swish"}
IDENTITIES = frozenset({"assign", "detach"})
MAXIMUM_MADE = 2**16  # a constant made of nothing is kept as an operation above this many elements
MAXIMUM_FOLDED = 2**24  # bytes that are computed ahead, or twice the weights'
GROWTH = 10  # a kernel of one pixel that is padded to 3 x 3 is nine times as large


def without_unneeded(program: ExportedProgram) -> ExportedProgram:
    """Drop the operations and weights that no result and no guard depends on."""
    needed = {*program.outputs}
    for guard in program.guards:
        needed |= size_names((guard.first, guard.second))
    kept = []
    for node in reversed(program.nodes):
        if needed.intersection(node.outputs) or acts(node):
            kept.append(node)
            needed.update(node.inputs, size_names(node.attributes))
    nodes = kept[::-1]
    weights = {name: weight for name, weight in program.weights.items() if name in needed}
    return dataclasses.replace(with_nodes(program, nodes), weights=weights)


def acts(node: ProgramNode) -> bool:
    """Return whether an operation does more than compute: it prints, or makes sure of something."""
    if node.control_flow is None:
        return False
    bodies = node.control_flow.bodies.values()
    return node.operator in ("print", "assert") or any(acts(inner) for body in bodies for inner in body.nodes)


def is_random(nodes: Iterable[ProgramNode]) -> bool:
    """Return whether one of some operations, or of those inside them, draws random numbers."""
    for node in nodes:
        if node.control_flow is None:
            if REGISTRY[node.operator].random:
                return True
        elif any(is_random(body.nodes) for body in node.control_flow.bodies.values()):
            return True
    return False


def without_identities(program: ExportedProgram) -> ExportedProgram:
    """Let the readers of a copy read the original, except where the copy is a result of the program."""
    original: dict[str, str] = {}
    nodes = []
    for node in program.nodes:
        node = dataclasses.replace(node, inputs=[original.get(name, name) for name in node.inputs])
        output = node.outputs[0] if node.outputs else ""
        if node.operator in IDENTITIES and output not in program.outputs and not _measured(program, output):
            original[output] = node.inputs[0]
        else:
            nodes.append(node)
    return with_nodes(program, nodes)


def _measured(program: ExportedProgram, name: str) -> bool:
    """Return whether the program asks for a value's sizes."""
    return any(name in size_names(node.attributes) for node in program.nodes) or any(
        name in size_names((guard.first, guard.second)) for guard in program.guards
    )


def with_counted_weights_noted(program: ExportedProgram) -> ExportedProgram:
    """Remember which weights are numbers of 8 bits; they become float32 weights when constants are folded."""
    counted = dict(program.counted)
    for node in program.nodes:
        if node.operator == "dequantize" and all(name in program.weights for name in node.inputs):
            numbers, scales = (program.weights[name].array for name in node.inputs)
            counted[node.outputs[0]] = CountedWeight(numbers, scales, node.attributes["axis"])
    return dataclasses.replace(program, counted=counted)


def with_constants_folded(program: ExportedProgram) -> ExportedProgram:
    """Compute now what depends on nothing but weights."""
    weights = dict(program.weights)
    values: dict[str, Value] = {}
    nodes = []

    def value_of(name: str) -> Value:
        if name not in values:
            values[name] = dispatcher.constant(engine.from_numpy(weights[name].array, weights[name].dtype))
        return values[name]

    room = max(MAXIMUM_FOLDED, 2 * sum(_bytes_as_float32(weight) for weight in weights.values()))
    with dispatcher.gradient_mode(False):
        for node in program.nodes:
            size = _fixed_bytes(node, weights)
            if size is None or size > room or not set(node.outputs).isdisjoint(program.outputs):
                nodes.append(node)
                continue
            room -= size
            results = REGISTRY[node.operator].replay([value_of(name) for name in node.inputs], node.attributes)
            for name, result in zip(node.outputs, results):
                values[name] = result
                weights[name] = constant(engine.to_numpy(result.array, *result.meta), result.meta[1])
    return dataclasses.replace(with_nodes(program, nodes), weights=weights)


def _bytes_as_float32(weight: ProgramWeight) -> int:
    """Return how large a weight is, in float32 where it is whole numbers of 8 bits."""
    return weight.array.size * 4 if weight.dtype is int8 else weight.array.nbytes


def _fixed_bytes(node: ProgramNode, weights: Mapping[str, ProgramWeight]) -> Optional[int]:
    """Return how large the results are of what depends on nothing but weights; None for what is not computed now."""
    fixed = all(name in weights for name in node.inputs) and not size_names(node.attributes)
    if not fixed or node.control_flow is not None or is_random([node]):
        return None
    room = max(MAXIMUM_MADE, GROWTH * sum(weights[name].array.size for name in node.inputs))
    elements = size = 0
    for shape, dtype in node.metas:
        known = [length for length in shape if length is not None]
        if len(known) != len(shape):
            return None
        elements += math.prod(known)
        size += math.prod(known) * dtype.size
    return size if elements <= room else None


def with_swishes(program: ExportedProgram) -> ExportedProgram:
    """Write ``x * sigmoid(x)`` and ``x * hard_sigmoid(x)`` as the one operator that they are."""
    return with_nodes(program, joined_swishes(program.nodes, uses_of(program)))


def joined_swishes(nodes: Sequence[ProgramNode], uses: Mapping[str, int]) -> list[ProgramNode]:
    """Return some operations with ``x * sigmoid(x)`` and ``x * hard_sigmoid(x)`` as one operator each."""
    gates: dict[str, tuple[ProgramNode, str]] = {}
    joined: list[ProgramNode] = []
    dropped: set[int] = set()
    for node in nodes:
        swish = _SWISHES.get((node.operator, *node.attributes.values()))
        if swish is not None and uses.get(node.outputs[0]) == 1:
            gates[node.outputs[0]] = node, swish
        if node.operator == "multiply":
            for x, name in (node.inputs, node.inputs[::-1]):
                gate, swish = gates.get(name, (None, ""))
                if gate is not None and gate.inputs[0] == x and gate.gradients == node.gradients:
                    dropped.add(id(gate))
                    node = dataclasses.replace(node, operator=swish, attributes={}, inputs=[x])
                    break
        joined.append(node)
    return [node for node in joined if id(node) not in dropped]


def uses_of(program: Union[ExportedProgram, ProgramBody]) -> Counter[str]:
    """Return how often each value is read; a question for its sizes counts twice, because it must stay."""
    uses: Counter[str] = Counter(program.outputs)
    for node in program.nodes:
        uses.update(node.inputs)
        uses.update([*size_names(node.attributes)] * 2)
    for guard in program.guards:
        uses.update([*size_names((guard.first, guard.second))] * 2)
    return uses


def with_nodes(program: Program, nodes: Sequence[ProgramNode]) -> Program:
    """Return the program or body with other nodes; each guard moves to behind the values whose sizes it compares."""
    made_at = {name: i + 1 for i, node in enumerate(nodes) for name in node.outputs}
    guards = [
        dataclasses.replace(
            guard, position=max([made_at.get(n, 0) for n in size_names((guard.first, guard.second))], default=0)
        )
        for guard in program.guards
    ]
    return dataclasses.replace(program, nodes=list(nodes), guards=guards)


def free_name(wanted: str, *taken: Iterable[str]) -> str:
    """Return a name that is not taken: the wanted one, or the same with a number."""
    for number in itertools.count(1):
        name = wanted if number == 1 else f"{wanted} {number}"
        if not any(name in names for names in taken):
            return name
    raise AssertionError("unreachable: itertools.count has no end")


def constant(array: np.ndarray, dtype: DType) -> ProgramWeight:
    """Return a weight that no layer owns."""
    return ProgramWeight(array, dtype, "constant", False)
