"""Passes that make several operations of an exported program one, for inference only, and the list of all passes.

What the engine's own fusion would do wrong is kept from it here too.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Optional

import numpy as np

from core.jit.exported.program import ExportedProgram, ProgramNode, ProgramWeight
from core.jit.passes.channels_last import with_channels_last
from core.jit.passes.custom_kernels import gains_by_upcast, with_custom_kernels, with_rows_packed
from core.jit.passes.loops import with_loops_changed
from core.jit.passes.passes import (
    constant,
    free_name,
    uses_of,
    with_constants_folded,
    with_counted_weights_noted,
    with_nodes,
    with_swishes,
    without_identities,
    without_unneeded,
)
from core.jit.passes.upcast import may_gain_by_upcast, upcast
from core.kernels.dtypes import DType, bfloat16, float32, float64
from core.kernels.engine import engine

ANCHORS = frozenset({"convolution", "affine", "inner_products"})
"""What the engine fuses others into."""

_FOLDED = (float32, float64, bfloat16)


def optimized(program: ExportedProgram, may_upcast: bool = True) -> ExportedProgram:
    """Return the program with all passes applied: constants and batch normalisation folded, nothing unneeded left.

    Args:
        program: any.
        may_upcast: whether what it computes in 16 bits may be computed in float32, where custom kernels then serve.
    """
    if may_upcast and may_gain_by_upcast(program):
        wide = upcast(program)
        made = None if wide is None else _with_all_passes(wide)
        if made is not None and gains_by_upcast(made):
            return made
    return _with_all_passes(program)


def _with_all_passes(program: ExportedProgram) -> ExportedProgram:
    for change in (
        without_identities,
        with_swishes,
        with_counted_weights_noted,
        with_constants_folded,
        with_products_fused,
        with_batch_normalization_folded,
        with_bounded_activations,
        with_changing_products_kept_apart,
        without_unneeded,
        with_channels_last,
        with_branches_kept_apart,
        with_custom_kernels,
        with_loops_packed,
    ):
        program = change(program)
    return program


def with_loops_packed(program: ExportedProgram) -> ExportedProgram:
    """Let custom kernels multiply by the matrices of loops, on the CPU."""
    if not engine.device_text().startswith("cpu"):
        return program
    return with_loops_changed(program, (without_identities, with_products_fused, without_unneeded, with_rows_packed))


def with_batch_normalization_folded(program: ExportedProgram) -> ExportedProgram:
    """Multiply frozen batch normalisation into the weights of the convolution or product before it.

    A convolution or product with weight w and bias b, normalised, is one with weight w * f and bias
    (b - mean) * f + shift, where f = scale / sqrt(variance + epsilon).
    """
    weights = dict(program.weights)
    uses = uses_of(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    counted = dict(program.counted)
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
        if channel is None or not all(name in weights and weights[name].dtype in _FOLDED for name in fixed):
            continue
        if maker.metas[0][1] is not node.metas[0][1]:
            continue
        scale, shift, mean, variance = [_numbers(weights[name]).astype(np.float64) for name in node.inputs[1:]]
        weight = weights[maker.inputs[1]]
        bias = _numbers(weights[maker.inputs[2]]) if len(maker.inputs) > 2 else np.zeros(len(weight.array))
        factor = scale / np.sqrt(variance + node.attributes["epsilon"])
        if weight.array.ndim < 2 or not np.isfinite(factor).all():
            continue
        around = (-1, *[1] * (weight.array.ndim - 1))
        new_weight = _numbers(weight) * factor.reshape(around)
        new_bias = (bias - mean) * factor + shift
        names = [free_name(f"{name} folded", weights, makers) for name in (maker.inputs[1], node.inputs[2])]
        known = counted.get(maker.inputs[1])
        if known is not None and known.axis == 0:
            counted[names[0]] = dataclasses.replace(known, scales=(known.scales * factor).astype(np.float32))
        weights[names[0]] = _rounded(new_weight, weight.dtype)
        weights[names[1]] = _rounded(new_bias, weight.dtype)
        operator = "affine" if maker.operator == "inner_products" else maker.operator
        folded[id(maker)] = dataclasses.replace(
            maker, operator=operator, inputs=[maker.inputs[0], *names], outputs=node.outputs, metas=node.metas
        )
        dropped.add(id(node))
    nodes = [folded.get(id(node), node) for node in program.nodes if id(node) not in dropped]
    return dataclasses.replace(with_nodes(program, nodes), weights=weights, counted=counted)


def _numbers(weight: ProgramWeight) -> np.ndarray:
    """Return a weight's values; those of bfloat16 are kept as bits."""
    return engine.bfloat16_bits_to_float32(weight.array) if weight.dtype is bfloat16 else weight.array


def _rounded(numbers: np.ndarray, dtype: DType) -> ProgramWeight:
    """Return values as a weight of a type."""
    if dtype is bfloat16:
        return constant(engine.float32_to_bfloat16_bits(numbers.astype(np.float32)), dtype)
    return constant(numbers.astype(dtype.numpy), dtype)


def with_products_fused(program: ExportedProgram) -> ExportedProgram:
    """Turn products with a fixed matrix, and bias, into the operators that take it as oneDNN's kernel expects it.

    A row may be added to a product without bias, behind a reshape that leaves the last axis alone too.
    """
    weights = dict(program.weights)
    uses = uses_of(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    readers = {name: node for node in program.nodes for name in node.inputs}
    transposed: dict[str, str] = {}
    counted = dict(program.counted)
    replaced: dict[int, ProgramNode] = {}
    dropped: set[int] = set()

    def only_reader(node: ProgramNode) -> Optional[ProgramNode]:
        (name,) = node.outputs
        return readers.get(name) if uses[name] == 1 and name not in program.outputs else None

    for node in program.nodes:
        if not _is_product(node, weights):
            continue
        product = node
        if node.operator == "matrix_product" and node.attributes["transpose_b"]:
            product = dataclasses.replace(node, operator="inner_products", attributes={})
        elif node.operator != "inner_products":
            matrix = node.inputs[1]
            if matrix not in transposed:
                transposed[matrix] = free_name(f"{matrix} transposed", weights, makers)
                array = np.ascontiguousarray(weights[matrix].array.T)
                weights[transposed[matrix]] = constant(array, weights[matrix].dtype)
                if matrix in counted:
                    counted[transposed[matrix]] = counted[matrix].transposed
            operator = "affine" if node.operator == "linear" else "inner_products"
            given = [node.inputs[0], transposed[matrix], *node.inputs[2:]]
            product = dataclasses.replace(node, operator=operator, attributes={}, inputs=given)
        replaced[id(node)] = product
        reshape = only_reader(node)
        if reshape is not None and not (reshape.operator == "reshape" and _last_size(reshape) == _last_size(node)):
            reshape = None
        last = reshape or node
        adding = only_reader(last) if product.operator == "inner_products" else None
        row = _added_row(adding, last.outputs[0], weights)
        if adding is None or row is None or weights[row].array.shape != weights[product.inputs[1]].array.shape[:1]:
            continue
        dropped.add(id(adding))
        fused = dataclasses.replace(product, operator="affine", inputs=[*product.inputs, row])
        if reshape is None:
            fused = dataclasses.replace(fused, outputs=adding.outputs, metas=adding.metas)
        else:
            replaced[id(reshape)] = dataclasses.replace(reshape, outputs=adding.outputs, metas=adding.metas)
            biased = free_name(f"{node.outputs[0]} biased", weights, makers)
            fused = dataclasses.replace(fused, outputs=[biased])
            replaced[id(reshape)].inputs = [biased]
        replaced[id(node)] = fused
    nodes = [replaced.get(id(node), node) for node in program.nodes if id(node) not in dropped]
    return dataclasses.replace(with_nodes(program, nodes), weights=weights, counted=counted)


def _last_size(node: ProgramNode) -> Optional[int]:
    shape = node.metas[0][0]
    return shape[-1] if shape else None


def _added_row(node: Optional[ProgramNode], name: str, weights: dict[str, ProgramWeight]) -> Optional[str]:
    """Return which weight a node adds to the value of this name, if it does that and the weight is a float32 row."""
    if node is None or node.operator != "add":
        return None
    others = [other for other in node.inputs if other != name]
    if len(others) != 1 or others[0] not in weights:
        return None
    weight = weights[others[0]]
    return others[0] if weight.dtype is float32 and weight.array.ndim == 1 else None


def _is_product(node: ProgramNode, weights: dict[str, ProgramWeight]) -> bool:
    """Return whether a node multiplies something computed by a fixed matrix in float32 or bfloat16."""
    if node.operator == "matrix_product":
        plain = not node.attributes["transpose_a"]
    else:
        plain = node.operator in ("inner_products", "linear")
    if not plain or node.inputs[0] in weights or any(name not in weights for name in node.inputs[1:]):
        return False
    weight = weights[node.inputs[1]]
    return weight.dtype in (float32, bfloat16) and weight.array.ndim == 2


def with_bounded_activations(program: ExportedProgram) -> ExportedProgram:
    """Turn ``minimum(relu(x), 6)`` into one operator, which the engine fuses into a convolution."""
    uses = uses_of(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    replaced: dict[int, ProgramNode] = {}
    dropped: set[int] = set()
    for node in program.nodes:
        bound = node.attributes.get("scalar")
        if node.operator != "minimum_scalar" or not isinstance(bound, (int, float)) or not 0 < bound < math.inf:
            continue
        maker = makers.get(node.inputs[0])
        if maker is not None and maker.operator == "relu" and uses[node.inputs[0]] == 1:
            dropped.add(id(maker))
            attributes = {"a_min": 0.0, "a_max": float(bound)}
            replaced[id(node)] = dataclasses.replace(
                node, operator="clip", attributes=attributes, inputs=list(maker.inputs)
            )
    return with_nodes(program, [replaced.get(id(node), node) for node in program.nodes if id(node) not in dropped])


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
    return with_nodes(program, nodes)


def is_fusable(program: ExportedProgram) -> bool:
    """Return whether the engine may fuse.

    It keeps the weights that a fused operator had in its first run; in bfloat16 it loses a digit.
    """
    anchored = all(
        name in program.weights and program.weights[name].dtype is not bfloat16
        for node in program.nodes
        if node.operator in ANCHORS
        for name in node.inputs[1:]
    )
    changing = ("linear", "matrix_product")  # which oneDNN computes in bfloat16 alone
    return anchored and not any(n.operator in changing and n.metas[0][1] is bfloat16 for n in program.nodes)


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
            copy = ProgramNode("detach", {}, [name], [free_name(f"{name} result", makers, program.weights)], [])
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
        branches = "broadcast_to" in reading or ("add" in reading and len(reading) > 1)  # the first may change nothing
        if node.operator == "convolution" and branches:
            inner = free_name(f"{result} computed", makers, program.weights)
            nodes[-1] = dataclasses.replace(node, outputs=[inner])
            nodes.append(ProgramNode("detach", {}, [inner], [result], node.metas))
    return dataclasses.replace(with_nodes(program, [*nodes, *copies]), outputs=outputs)
