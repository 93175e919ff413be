"""The pass that gives networks of depthwise convolutions, when they are trained, to custom kernels with channels last.

The engine's convolutions keep blocks of channels, its other operators know the plain order alone, and its depthwise
gradients take several times as long as the arithmetic in them. So convolutions of pixels and of channels, and what is
between them, become one operator that has a backward pass of its own (:mod:`core.kernels.regions`). It serves first
gradients: where a gradient is differentiated again, the operations are repeated one by one, without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from core.jit.passes.rebuilding import Rebuilt, can_rebuild, rebuilt
from core.jit.passes.region_layers import RegionLayers
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.trace import Operation, Trace
from core.kernels.regions.layer import NOTHING
from core.operators._region import RegionOperator

_FEWEST = 3  # convolutions of a region, which also has half of the network's convolutions of several groups
_MOST_PRODUCTS = 80  # for each element: MobileNetV1's 110 run 0.8 times as fast, MobileNetV3's 50 run 1.3 times as fast
_OF_THE_ENGINE = ("nothing", "relu")
"""Activations that cost the engine nothing: with these alone it is 1.3 to 1.4 times as fast as a region."""


def with_regions(trace: Trace, outputs: Sequence[Value]) -> Optional[Rebuilt]:
    """Return a program with a region in the place of its operations, or None where there is nothing to gain.

    Args:
        trace: A program that may be differentiated.
        outputs: Its results.
    """
    if not can_rebuild(trace):
        return None
    grouped = [o for o in trace.operations if o.operator.name == "convolution" and o.attributes["groups"] > 1]
    if not grouped:
        return None
    layers = RegionLayers(trace.operations, outputs)
    inside: list[Operation] = []
    behind: set[int] = set()  # what depends on the region
    for operation in trace.operations:
        reads = [id(value) for value in operation.inputs]
        if behind.isdisjoint(reads) and layers.take(operation):
            inside.append(operation)
        elif not behind.isdisjoint(reads) or layers.has(reads):
            behind.update([id(value) for value in operation.outputs])
    if not _is_worth_it(layers, len(grouped)):
        return None
    return _with_region(trace, outputs, layers, inside)


def _is_worth_it(layers: RegionLayers, grouped: int) -> bool:
    """Return whether the engine would lose by what is between products, and most of the network is in the region.

    Args:
        layers: The region's.
        grouped: How many convolutions of several groups the network has.
    """
    convolutions = [layer for layer in layers.layers if layer.kind in ("stem", "pointwise", "depthwise")]
    depthwise = [layer for layer in convolutions if layer.kind == "depthwise"]
    if len(convolutions) < _FEWEST or 2 * len(depthwise) < grouped:
        return False
    if all(layer.activation in _OF_THE_ENGINE and layer.factor == NOTHING for layer in layers.layers):
        return False
    elements = sum(math.prod(layer.shape) for layer in convolutions)
    products = sum(math.prod(layer.shape) * layers.factors_of(layer) for layer in convolutions)
    return products < _MOST_PRODUCTS * elements


def _with_region(
    trace: Trace, outputs: Sequence[Value], layers: RegionLayers, inside: Sequence[Operation]
) -> Optional[Rebuilt]:
    """Trace the operations again, the region behind what it does not depend on, before what depends on it."""
    taken = {id(operation) for operation in inside}
    others = [operation for operation in trace.operations if id(operation) not in taken]
    read = {id(value) for operation in others for value in operation.inputs} | {id(value) for value in outputs}
    visible = layers.seen_outside(read)
    known_outside = {id(value) for operation in others for value in operation.outputs}
    known_outside.update([id(value) for value in (*trace.variables, *layers.all_statistics)])
    known_outside.update([id(value) for value, _ in visible])
    if not read <= known_outside:
        return None
    operator = RegionOperator(layers.layers, [place for _, place in visible])
    made = [value for value, _ in visible] + layers.statistics(operator.region.normalized)
    after = {id(value) for value in made}
    before: list[Operation] = []
    behind: list[Operation] = []
    for operation in others:
        depends = any(id(value) in after for value in operation.inputs)
        (behind if depends else before).append(operation)
        if depends:
            after.update([id(value) for value in operation.outputs])
    region = Operation(operator, {}, layers.inputs, made, gradients=True)
    return rebuilt(trace, outputs, [*before, region, *behind], operator)
