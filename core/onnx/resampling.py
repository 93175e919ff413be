"""The weights with which images are resized, where a size is unknown."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dtypes import float32, float64, int64
from core.onnx.graph import Graph, Input

CUBIC = -0.75
"""The free number of cubic convolution, as in Paddle."""


def nearest_positions(graph: Graph, *, have: Any, wanted: Any, scale: Optional[float], align_corners: bool) -> str:
    """Find the input pixel of each output pixel."""
    ratio = graph.cast(graph.cast(_ratio(graph, have, wanted, scale, align_corners), float32), float64)
    places = graph.node("Mul", graph.cast(graph.range(wanted), float64), ratio)
    if align_corners:
        places = graph.node("Add", places, np.float64(0.5))
    return graph.node("Min", graph.cast(graph.node("Floor", places), int64), graph.scalar(have - 1, int64))


def interpolation_weights(
    graph: Graph, *, cubic: bool, have: Any, wanted: Any, scale: Optional[float], align_corners: bool, align_mode: int
) -> str:
    """Make the matrix [wanted, have] whose rows hold the weights of the input pixels in one output pixel."""
    ratio = _ratio(graph, have, wanted, scale, align_corners)
    places: str = graph.cast(graph.range(wanted), float64)
    half = np.float64(0.5)
    if not align_corners and (cubic or align_mode == 0):
        source = graph.node("Sub", graph.node("Mul", graph.node("Add", places, half), ratio), half)
    else:
        source = graph.node("Mul", places, ratio)
    columns = graph.cast(graph.range(have), float64)
    last = graph.scalar(have - 1, float64)
    taps: list[tuple[str, Input]] = []  # column and weight of each input pixel that counts
    if cubic:
        first = graph.node("Floor", source)
        for tap in range(-1, 3):
            place = graph.node("Add", first, np.float64(tap))
            within = graph.node("Min", graph.node("Max", place, np.float64(0)), last)
            taps.append((within, _cubic_weight(graph, graph.node("Abs", graph.node("Sub", source, place)))))
    else:
        source = graph.node("Max", source, np.float64(0))
        low = graph.node("Min", graph.node("Floor", source), last)
        part = graph.node("Min", graph.node("Sub", source, low), np.float64(1))
        high = graph.node("Min", graph.node("Add", low, np.float64(1)), last)
        taps = [(low, graph.node("Sub", np.float64(1), part)), (high, part)]
    matrix: Input = np.float64(0)
    for column, weight in taps:
        here = graph.cast(graph.node("Equal", graph.unsqueeze(column, 1), columns), float64)
        matrix = graph.node("Add", matrix, graph.node("Mul", here, graph.unsqueeze(weight, 1)))
    return graph.node("Identity", matrix)


def _ratio(graph: Graph, have: Any, wanted: Any, scale: Optional[float], align_corners: bool) -> Input:
    """Return how many input pixels an output pixel stands for."""
    if align_corners:
        gaps = graph.scalar(wanted - 1, float64)
        ratio = graph.node("Div", graph.scalar(have - 1, float64), graph.node("Max", gaps, np.float64(1)))
        return graph.node("Where", graph.node("Greater", gaps, np.float64(0)), ratio, np.float64(0))
    return np.float64(1 / scale) if scale else graph.scalar(have / wanted, float64)


def _cubic_weight(graph: Graph, distance: str) -> str:
    """Compute the weight of cubic convolution at distances of at least 0."""

    def polynomial(*factors: float) -> str:
        result: Input = np.float64(factors[0])
        for factor in factors[1:]:
            result = graph.node("Add", graph.node("Mul", result, distance), np.float64(factor))
        return graph.node("Identity", result)

    near = polynomial(CUBIC + 2, -(CUBIC + 3), 0, 1)
    far = polynomial(CUBIC, -5 * CUBIC, 8 * CUBIC, -4 * CUBIC)
    outside = graph.node("Where", graph.node("Less", distance, np.float64(2)), far, np.float64(0))
    return graph.node("Where", graph.node("LessOrEqual", distance, np.float64(1)), near, outside)
