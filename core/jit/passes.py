"""What makes an exported program faster without changing what it computes: for inference only.

Each pass takes a program and returns another one; the names of values that both have mean the same.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Optional

import numpy as np

from core.jit.exported import ExportedProgram, ProgramNode, ProgramWeight, size_names
from core.kernels import door, engine
from core.kernels.door import Value
from core.kernels.dtypes import float32, float64
from core.kernels.operator import REGISTRY

IDENTITIES = frozenset({"assign", "detach"})
ANCHORS = frozenset({"convolution", "affine", "inner_products"})
MAXIMUM_MADE = 2**16  # a constant made of nothing is kept as an operation above this many elements


def optimized(program: ExportedProgram) -> ExportedProgram:
    """Return the program with all passes applied: constants and batch normalisation folded, nothing unneeded left."""
    for change in (
        without_identities,
        with_constants_folded,
        with_batch_normalization_folded,
        with_products_fused,
        with_changing_products_kept_apart,
        without_unneeded,
        with_branches_kept_apart,
    ):
        program = change(program)
    return program


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
    return dataclasses.replace(_with_nodes(program, nodes), weights=weights)


def acts(node: ProgramNode) -> bool:
    """Return whether an operation does more than compute: it prints, or makes sure of something."""
    if node.region is None:
        return False
    return node.operator in ("print", "assert") or any(acts(n) for b in node.region.bodies.values() for n in b.nodes)


def is_random(nodes: Iterable[ProgramNode]) -> bool:
    """Return whether one of some operations, or of those inside them, draws random numbers."""
    for node in nodes:
        if node.region is None:
            if REGISTRY[node.operator].random:
                return True
        elif any(is_random(body.nodes) for body in node.region.bodies.values()):
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
    return _with_nodes(program, nodes)


def _measured(program: ExportedProgram, name: str) -> bool:
    """Return whether the program asks for a value's sizes."""
    return any(name in size_names(node.attributes) for node in program.nodes) or any(
        name in size_names((guard.first, guard.second)) for guard in program.guards
    )


def with_constants_folded(program: ExportedProgram) -> ExportedProgram:
    """Compute now what depends on nothing but weights."""
    weights = dict(program.weights)
    values: dict[str, Value] = {}
    nodes = []

    def value_of(name: str) -> Value:
        if name not in values:
            values[name] = door.constant(engine.from_numpy(weights[name].array, weights[name].dtype))
        return values[name]

    with door.gradient_mode(False):
        for node in program.nodes:
            fixed = all(name in weights for name in node.inputs) and not size_names(node.attributes)
            if (
                not fixed
                or node.region is not None
                or is_random([node])
                or not set(node.outputs).isdisjoint(program.outputs)
            ):
                nodes.append(node)
                continue
            results = REGISTRY[node.operator].replay([value_of(name) for name in node.inputs], node.attributes)
            room = max(MAXIMUM_MADE, 2 * sum(weights[name].array.size for name in node.inputs))
            if sum(math.prod(result.meta[0]) for result in results) > room:
                nodes.append(node)
                continue
            for name, result in zip(node.outputs, results):
                values[name] = result
                weights[name] = _constant(np.array(engine.view(result.array, *result.meta)), result.meta[1])
    return dataclasses.replace(_with_nodes(program, nodes), weights=weights)


def with_batch_normalization_folded(program: ExportedProgram) -> ExportedProgram:
    """Multiply frozen batch normalisation into the weights of the convolution or product before it.

    A convolution or product with weight w and bias b, normalised, is one with weight w * f and bias
    (b - mean) * f + shift, where f = scale / sqrt(variance + epsilon).
    """
    weights = dict(program.weights)
    uses = _uses(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    folded: dict[int, ProgramNode] = {}
    dropped: set[int] = set()
    for node in program.nodes:
        if node.operator != "frozen_normalization" or node.attributes.get("axis") != 1:
            continue
        source = node.inputs[0]
        maker = makers.get(source)
        if maker is None or id(maker) in folded or uses[source] != 1 or source in program.outputs:
            continue
        channel = {"convolution": 0, "affine": 0, "inner_products": 0}.get(maker.operator)
        fixed = [*maker.inputs[1:], *node.inputs[1:]]
        if channel is None or not all(name in weights and weights[name].dtype in (float32, float64) for name in fixed):
            continue
        scale, shift, mean, variance = [weights[name].array.astype(np.float64) for name in node.inputs[1:]]
        weight = weights[maker.inputs[1]]
        bias = weights[maker.inputs[2]].array if len(maker.inputs) > 2 else np.zeros(len(weight.array))
        factor = scale / np.sqrt(variance + node.attributes["epsilon"])
        if weight.array.ndim < 2 or not np.isfinite(factor).all():
            continue
        around = (-1, *[1] * (weight.array.ndim - 1))
        new_weight = (weight.array * factor.reshape(around)).astype(weight.array.dtype)
        new_bias = ((bias - mean) * factor + shift).astype(weight.array.dtype)
        names = [_free_name(f"{name} folded", weights, makers) for name in (maker.inputs[1], node.inputs[2])]
        weights[names[0]] = _constant(new_weight, weight.dtype)
        weights[names[1]] = _constant(new_bias, weight.dtype)
        operator = "affine" if maker.operator == "inner_products" else maker.operator
        folded[id(maker)] = dataclasses.replace(
            maker, operator=operator, inputs=[maker.inputs[0], *names], outputs=node.outputs, metas=node.metas
        )
        dropped.add(id(node))
    nodes = [folded.get(id(node), node) for node in program.nodes if id(node) not in dropped]
    return dataclasses.replace(_with_nodes(program, nodes), weights=weights)


def with_products_fused(program: ExportedProgram) -> ExportedProgram:
    """Turn ``x @ w + b`` with a fixed matrix and row into one operator that keeps the matrix as the kernel wants it."""
    weights = dict(program.weights)
    uses = _uses(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    transposed: dict[str, str] = {}
    replaced: dict[int, ProgramNode] = {}
    dropped: set[int] = set()
    for node in program.nodes:
        if not _is_product(node, weights):
            continue
        matrix = node.inputs[1]
        if node.operator == "matrix_product":
            if matrix not in transposed:
                transposed[matrix] = _free_name(f"{matrix} transposed", weights, makers)
                array = np.ascontiguousarray(weights[matrix].array.T)
                weights[transposed[matrix]] = _constant(array, weights[matrix].dtype)
            node_now = dataclasses.replace(
                node, operator="inner_products", attributes={}, inputs=[node.inputs[0], transposed[matrix]]
            )
        else:
            node_now = node
        replaced[id(node)] = node_now
        (result,) = node.outputs
        reader = _only_reader(program, result) if uses[result] == 1 and result not in program.outputs else None
        if reader is not None and reader.operator == "add":
            (row,) = [name for name in reader.inputs if name != result] or [result]
            if row in weights and weights[row].array.shape == weights[node_now.inputs[1]].array.shape[:1]:
                if weights[row].dtype is float32:
                    dropped.add(id(reader))
                    inputs = [*node_now.inputs, row]
                    replaced[id(node)] = dataclasses.replace(
                        node_now, operator="affine", inputs=inputs, outputs=reader.outputs, metas=reader.metas
                    )
    nodes = [replaced.get(id(node), node) for node in program.nodes if id(node) not in dropped]
    return dataclasses.replace(_with_nodes(program, nodes), weights=weights)


def with_changing_products_kept_apart(program: ExportedProgram) -> ExportedProgram:
    """Let another operator multiply by what is no constant: fused, the engine would keep the first call's matrix."""
    ranks = {entry.name: len(entry.shape) for entry in program.inputs}
    ranks.update({name: weight.array.ndim for name, weight in program.weights.items()})
    nodes = []
    for node in program.nodes:
        ranks.update({name: len(shape) for name, (shape, _) in zip(node.outputs, node.metas)})
        changing = node.operator == "inner_products" and node.inputs[1] not in program.weights
        if changing and all(ranks[name] == 2 for name in node.inputs) and node.metas[0][1] in (float32, float64):
            attributes = {"transpose_a": False, "transpose_b": True}
            node = dataclasses.replace(node, operator="matrix_product", attributes=attributes)
        nodes.append(node)
    return _with_nodes(program, nodes)


def is_fusable(program: ExportedProgram) -> bool:
    """Return whether the engine may fuse: it keeps the weights that a fused operator had in its first run."""
    return all(
        name in program.weights for node in program.nodes if node.operator in ANCHORS for name in node.inputs[1:]
    )


def with_branches_kept_apart(program: ExportedProgram) -> ExportedProgram:
    """Put copies where the engine's fusion would go wrong.

    It overlooks that a value inside a fused chain is a result of the program; and where the result of a convolution is
    added to something and read by another element-wise operation too, it takes one for the other. It stops at a copy.
    """
    makers = {name: node for node in program.nodes for name in node.outputs}
    readers: dict[str, list[ProgramNode]] = {}
    for node in program.nodes:
        for name in node.inputs:
            readers.setdefault(name, []).append(node)
    outputs = []
    copies = []
    for name in program.outputs:
        if name in makers and name in readers:
            copy = ProgramNode("detach", {}, [name], [_free_name(f"{name} result", makers, program.weights)], [])
            maker = makers[name]
            copy.metas = [maker.metas[list(maker.outputs).index(name)]]
            makers[copy.outputs[0]] = copy
            readers[name] = [*readers[name], copy]
            copies.append(copy)
            name = copy.outputs[0]
        outputs.append(name)
    nodes = []
    for node in program.nodes:
        nodes.append(node)
        result = node.outputs[0] if node.outputs else ""
        reading = [reader.operator for reader in readers.get(result, []) if reader.operator not in ANCHORS]
        if node.operator == "convolution" and "add" in reading and len(reading) > 1:
            inner = _free_name(f"{result} computed", makers, program.weights)
            nodes[-1] = dataclasses.replace(node, outputs=[inner])
            nodes.append(ProgramNode("detach", {}, [inner], [result], node.metas))
    return dataclasses.replace(_with_nodes(program, [*nodes, *copies]), outputs=outputs)


def _is_product(node: ProgramNode, weights: dict[str, ProgramWeight]) -> bool:
    """Return whether a node multiplies something computed by a fixed matrix in float32."""
    if node.operator == "matrix_product":
        plain = not node.attributes["transpose_a"] and not node.attributes["transpose_b"]
    else:
        plain = node.operator == "inner_products"
    if not plain or node.inputs[0] in weights or node.inputs[1] not in weights:
        return False
    weight = weights[node.inputs[1]]
    return weight.dtype is float32 and weight.array.ndim == 2


def _only_reader(program: ExportedProgram, name: str) -> Optional[ProgramNode]:
    return next((node for node in program.nodes if name in node.inputs), None)


def _uses(program: ExportedProgram) -> Counter[str]:
    """Return how often each value is read; a question for its sizes counts twice, because it must stay."""
    uses: Counter[str] = Counter(program.outputs)
    for node in program.nodes:
        uses.update(node.inputs)
        uses.update([*size_names(node.attributes)] * 2)
    for guard in program.guards:
        uses.update([*size_names((guard.first, guard.second))] * 2)
    return uses


def _with_nodes(program: ExportedProgram, nodes: Sequence[ProgramNode]) -> ExportedProgram:
    """Return the program with other nodes; each guard moves to behind the values whose sizes it compares."""
    made_at = {name: i + 1 for i, node in enumerate(nodes) for name in node.outputs}
    guards = [
        dataclasses.replace(
            guard, position=max([made_at.get(n, 0) for n in size_names((guard.first, guard.second))], default=0)
        )
        for guard in program.guards
    ]
    return dataclasses.replace(program, nodes=list(nodes), guards=guards)


def _free_name(wanted: str, *taken: Iterable[str]) -> str:
    for number in itertools.count(1):
        name = wanted if number == 1 else f"{wanted} {number}"
        if not any(name in names for names in taken):
            return name
    raise AssertionError("itertools.count ends never")


def _constant(array: np.ndarray, dtype: object) -> ProgramWeight:
    return ProgramWeight(array, dtype, "constant", False)  # type: ignore[arg-type]


__all__ = ["optimized", "without_unneeded"]
