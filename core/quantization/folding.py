"""Batch normalisation becomes a part of the layer before it, so that what runs in 8 bits ends with what it feeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import nn
from core.jit.export.save import program_of
from core.jit.exported.program import ExportedProgram, ProgramNode
from core.jit.passes.passes import uses_of, without_identities
from core.quantization.places import listed_places, places_of

AXES: dict[type[nn.Layer], tuple[int, int]] = {nn.Conv2D: (0, 4), nn.Linear: (1, 2)}
"""Layers that take batch normalisation in, their weights' axes that count outputs, and the axes of what they give."""
NORMALIZATIONS = (nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm, nn.SyncBatchNorm)


def fold_batch_normalization(layer: Any, input_spec: Sequence[Any]) -> list[str]:
    """Multiply batch normalisation into the convolutions and linear layers before it; identities take its place.

    Only where nothing else reads what the layer before gives, and both are called once. In evaluation mode the results
    stay the same but for rounding.

    Args:
        layer: a trained Layer, or a method of one, that :func:`core.jit.save` can write.
        input_spec: its inputs, as there.

    Returns:
        The names of the normalisations that are gone.
    """
    program, owner = program_of(layer, input_spec)
    if owner is None:
        return []
    program = without_identities(program)
    places = {place.path: place for place in places_of(owner)}
    everywhere = [*places.values(), *listed_places(owner)]
    uses = uses_of(program)
    makers = {name: node for node in program.nodes for name in node.outputs}
    gone = []
    for node in program.nodes:
        maker = makers.get(node.inputs[0]) if node.operator == "frozen_normalization" else None
        if maker is None or len(maker.inputs) < 2 or node.attributes["axis"] != 1:
            continue
        if any(uses[name] != 1 for name in (maker.inputs[1], node.inputs[0], node.inputs[3])):
            continue
        before, after = (places.get(name.rpartition(".")[0]) for name in (maker.inputs[1], node.inputs[3]))
        if before is None or after is None or type(before.layer) not in AXES or type(after.layer) not in NORMALIZATIONS:
            continue
        if _fold(before.layer, program, node):
            identity = nn.Identity()
            for place in everywhere:
                if place.now is after.layer:
                    place.put(identity)
            gone.append(after.path)
    return gone


def _fold(layer: Any, program: ExportedProgram, node: ProgramNode) -> bool:
    """Take normalisation into a layer; False where that is not possible."""
    axis, rank = AXES[type(layer)]
    if len(node.metas[0][0]) != rank or not all(name in program.weights for name in node.inputs[1:]):
        return False
    arrays = [program.weights[name].array.astype(np.float64) for name in node.inputs[1:]]
    scale, shift, mean, variance = arrays
    weight = layer.weight.numpy()
    factor = scale / np.sqrt(variance + node.attributes["epsilon"])
    if weight.dtype != np.float32 or len(factor) != weight.shape[axis] or not np.isfinite(factor).all():
        return False
    around = [-1 if i == axis else 1 for i in range(weight.ndim)]
    layer.weight.set_value((weight * factor.reshape(around)).astype(np.float32))
    bias = 0.0 if layer.bias is None else layer.bias.numpy()
    folded: Any = layer.create_parameter([len(factor)], is_bias=True)
    folded.set_value(((bias - mean) * factor + shift).astype(np.float32))
    layer.bias = folded
    return True
