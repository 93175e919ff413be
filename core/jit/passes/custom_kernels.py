"""The pass that hands the products, activations and normalisations of a Transformer to custom kernels.

In programs with attention the matrices are laid out once as the kernels read them, activations are computed where a
product's sums still are in the processor's cache, and sums of two branches are normalised while they are formed.
Such a program is run operator by operator: a custom operator inside the engine's graph costs more than some of these.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

import numpy as np

from core.jit.exported.program import ExportedProgram, ProgramNode, ProgramWeight
from core.jit.passes.channels_last_forms import can_halve
from core.jit.passes.narrow_values import with_narrow_values
from core.jit.passes.passes import constant, free_name, is_random, uses_of, with_nodes, without_unneeded
from core.kernels.dtypes import float32
from core.kernels.engine import engine
from core.operators import _fused_operators
from core.operators._channels_last_network import channels_last

OWN = frozenset(
    {
        _fused_operators.packed_affine.name,
        _fused_operators.narrow_affine.name,
        _fused_operators.narrow_attention.name,
        _fused_operators.add_and_normalize.name,
        channels_last.name,
    }
)
_ACTIVATIONS = ("gelu", "relu")
_SMALLEST_MATRIX = 2**14


def with_custom_kernels(program: ExportedProgram) -> ExportedProgram:
    """Apply the pass to a program with attention; leave others as they are."""
    attends = any(node.operator == "attention" for node in program.nodes)
    if not attends or is_random(program.nodes) or not engine.device_text().startswith("cpu"):
        return program
    return with_rows_packed(program)


def with_rows_packed(program: ExportedProgram) -> ExportedProgram:
    """Let custom kernels compute products by fixed matrices, and normalised sums."""
    return with_narrow_values(_with_sums_normalized(_with_products_packed(program)))


def is_for_custom_kernels(program: ExportedProgram) -> bool:
    """Return whether a program has been through the pass."""
    return any(node.operator in OWN for node in program.nodes)


def gains_by_upcast(program: ExportedProgram) -> bool:
    """Return whether custom kernels compute what was 16-bit, though the program is written in float32."""
    return any(node.operator in (_fused_operators.narrow_affine.name, channels_last.name) for node in program.nodes)


def _with_products_packed(program: ExportedProgram) -> ExportedProgram:
    """Lay fixed matrices out for our kernel, and join activations to their products."""
    from core.kernels.numeric.products import panels  # numba loads with the first use

    weights = dict(program.weights)
    uses = uses_of(program)
    readers = {name: node for node in program.nodes for name in node.inputs}
    makers = {name: node for node in program.nodes for name in node.outputs}
    packed_names: dict[str, str] = {}
    replaced: dict[int, Optional[ProgramNode]] = {}
    for node in program.nodes:
        if node.operator not in ("affine", "inner_products") or any(name not in weights for name in node.inputs[1:]):
            continue
        matrix = weights[node.inputs[1]]
        if node.inputs[0] in weights or matrix.dtype is not float32 or matrix.array.size < _SMALLEST_MATRIX:
            continue
        bias = node.inputs[2] if len(node.inputs) > 2 else free_name(f"{node.inputs[1]} no bias", weights)
        if bias not in weights:
            weights[bias] = constant(np.zeros(len(matrix.array), np.float32), float32)
        product = _narrow_product(program, node, bias, weights, makers)
        if product is None:
            if node.inputs[1] not in packed_names:
                name = packed_names[node.inputs[1]] = free_name(f"{node.inputs[1]} packed", weights)
                weights[name] = constant(panels(np.ascontiguousarray(matrix.array).T), float32)
            given = [node.inputs[0], packed_names[node.inputs[1]], bias]
            operator = _fused_operators.packed_affine.name
            product = dataclasses.replace(node, operator=operator, attributes={}, inputs=given)
        activation = "none"
        last = node.outputs[0]
        following = [_only_reader(last, program, uses, readers)]
        if following[0] is not None and following[0].operator == "reshape":
            following.append(_only_reader(following[0].outputs[0], program, uses, readers))
        final = following[-1]
        if final is not None and final.operator in _ACTIVATIONS:
            activation = final.operator
            replaced[id(final)] = None
        attributes = {**product.attributes, "activation": activation}
        replaced[id(node)] = dataclasses.replace(product, attributes=attributes)
        if final is not None and activation != "none":  # whatever was before the activation now gives its result
            before = following[0] if len(following) > 1 else node
            assert before is not None
            replaced[id(before)] = dataclasses.replace(
                replaced.get(id(before)) or before, outputs=final.outputs, metas=final.metas
            )
    nodes = [replaced.get(id(node), node) for node in program.nodes]
    kept = without_unneeded(with_nodes(program, [node for node in nodes if node is not None]))
    used = {name for node in kept.nodes for name in node.inputs} | set(kept.outputs)
    return dataclasses.replace(kept, weights={name: weight for name, weight in weights.items() if name in used})


def _narrow_product(
    program: ExportedProgram,
    node: ProgramNode,
    bias: str,
    weights: dict[str, ProgramWeight],
    makers: dict[str, ProgramNode],
) -> Optional[ProgramNode]:
    """Return a product in 16 or 8 bits, where the program allows one; its weights are added."""
    from core.kernels.channels_last.forms import BFLOAT16, BYTES  # numba loads with the first use
    from core.kernels.layers.narrow.affine import can_multiply, narrow_panels

    source, matrix = node.inputs[0], weights[node.inputs[1]].array
    counted, rounded = program.counted.get(node.inputs[1]), makers.get(source)
    options: dict[str, Any] = {"form": BFLOAT16, "scale": 1.0, "zero_point": 0}
    if not can_multiply(matrix.shape[1]):
        return None
    if counted is not None and counted.axis == 0 and rounded is not None and rounded.operator == "quantize_dequantize":
        options = {"form": BYTES, **rounded.attributes}
        cut = narrow_panels(counted.numbers, weights[bias].array, BYTES, options["zero_point"])
        factors, source = counted.scales * np.float32(options["scale"]), rounded.inputs[0]
    elif node.outputs[0] in program.halves and can_halve():
        cut, factors = narrow_panels(matrix, weights[bias].array, BFLOAT16), np.ones(len(matrix), np.float32)
    else:
        return None
    names = [free_name(f"{node.inputs[1]} {what}", weights) for what in ("in panels", "scales")]
    weights.update(zip(names, (constant(array, float32) for array in (cut, factors))))
    operator = _fused_operators.narrow_affine.name
    return dataclasses.replace(node, operator=operator, attributes=options, inputs=[source, names[0], bias, names[1]])


def _only_reader(
    name: str, program: ExportedProgram, uses: dict[str, int], readers: dict[str, ProgramNode]
) -> Optional[ProgramNode]:
    return readers.get(name) if uses[name] == 1 and name not in program.outputs else None


def _with_sums_normalized(program: ExportedProgram) -> ExportedProgram:
    """Join a sum of two equal shapes and the layer normalisation that reads it."""
    uses = uses_of(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    shapes = {entry.name: (entry.shape, entry.dtype) for entry in program.inputs}
    shapes.update({name: (weight.array.shape, weight.dtype) for name, weight in program.weights.items()})
    shapes.update({name: meta for node in program.nodes for name, meta in zip(node.outputs, node.metas)})
    replaced: dict[int, Optional[ProgramNode]] = {}
    for node in program.nodes:
        if node.operator != "layer_normalization" or any(uses[name] for name in node.outputs[1:]):
            continue
        adding = makers.get(node.inputs[0])
        fixed = all(name in program.weights for name in node.inputs[1:])
        if adding is None or adding.operator != "add" or not fixed or id(adding) in replaced:
            continue
        metas = [shapes[name] for name in (*adding.inputs, adding.outputs[0])]
        if any(meta != metas[0] for meta in metas) or metas[0][1] is not float32:
            continue
        keep = uses[adding.outputs[0]] > 1
        replaced[id(node)] = None
        replaced[id(adding)] = dataclasses.replace(
            node,
            operator=_fused_operators.add_and_normalize.name,
            attributes={**node.attributes, "keep": keep},
            inputs=[*adding.inputs, *node.inputs[1:]],
            outputs=[node.outputs[0], *adding.outputs] if keep else node.outputs[:1],
            metas=[node.metas[0], *adding.metas] if keep else node.metas[:1],
        )
    nodes = [replaced.get(id(node), node) for node in program.nodes]
    return with_nodes(program, [node for node in nodes if node is not None])
