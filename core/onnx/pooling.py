"""Pooling, adaptive pooling, and moving elements by the positions of maxima."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dtypes import DType, int32, int64
from core.onnx.graph import Graph, Input, Operand

Sizes = Sequence[int]


def maximum_pooling(graph: Graph, x: Operand, *, kernel: Sizes, stride: Sizes, pad: Sizes) -> str:
    """Take the largest element of each window."""
    return graph.node("MaxPool", x, kernel_shape=list(kernel), strides=list(stride), pads=[*pad, *pad])


def average_pooling(graph: Graph, x: Operand, *, kernel: Sizes, stride: Sizes, pad: Sizes, exclusive: bool) -> str:
    """Average each window; padding counts unless it is exclusive."""
    return graph.node(
        "AveragePool",
        x,
        kernel_shape=list(kernel),
        strides=list(stride),
        pads=[*pad, *pad],
        count_include_pad=int(not exclusive),
    )


def maximum_positions(
    graph: Graph, x: Operand, *, kernel: Sizes, stride: Sizes, pairs: Sequence[tuple[int, int]]
) -> str:
    """Find the largest element of each window: ONNX counts through the whole tensor, we through the spatial axes."""
    pads = [before for before, _ in pairs] + [after for _, after in pairs]
    options = {"kernel_shape": list(kernel), "strides": list(stride), "pads": pads}
    _, places = graph.node_of_many("MaxPool", x, outputs=2, **options)
    return graph.cast(graph.node("Mod", places, graph.size(math.prod(x.shape[2:]))), int32)


def adaptive_average_pooling(graph: Graph, x: Operand, *, output_size: Sizes) -> str:
    """Average nearly equal regions: a product with the regions' weights along each axis."""
    if all(count == 1 for count in output_size):
        return graph.node("GlobalAveragePool", x)
    rows, columns = (_weights(graph, size, count, x.dtype) for size, count in zip(x.shape[2:], output_size))
    return graph.node("MatMul", graph.node("MatMul", rows, x), graph.node("Transpose", columns, perm=[1, 0]))


def _regions(graph: Graph, size: Any, count: int) -> str:
    """Return which places (columns) of an axis belong to which region (row)."""
    length = graph.sizes([size])
    index = np.arange(count, dtype=np.int64)
    starts = graph.node("Div", graph.node("Mul", index, length), np.int64(count))
    last = graph.node("Add", graph.node("Mul", index + 1, length), np.int64(count - 1))
    ends = graph.node("Div", last, np.int64(count))
    places = graph.range(size)
    begun = graph.node("GreaterOrEqual", places, graph.unsqueeze(starts, 1))
    return graph.node("And", begun, graph.node("Less", places, graph.unsqueeze(ends, 1)))


def _weights(graph: Graph, size: Any, count: int, dtype: DType) -> str:
    inside = graph.cast(_regions(graph, size, count), dtype)
    return graph.node("Div", inside, graph.reduce("ReduceSum", inside, [1]))


def adaptive_maximum_positions(graph: Graph, x: Operand, *, output_size: Sizes) -> str:
    """Find the largest element of each of several nearly equal regions: all others are masked, region by region."""
    rank = len(output_size)
    inside: Input = None
    for axis, (size, count) in enumerate(zip(x.shape[2:], output_size)):  # of shape [*output_size, *size]
        others = [i for i in range(2 * rank) if i not in (axis, rank + axis)]
        along = graph.unsqueeze(_regions(graph, size, count), *others)
        inside = along if inside is None else graph.node("And", inside, along)
    lowest = graph.number(np.finfo(x.dtype.numpy).min, x.dtype)
    spread = graph.unsqueeze(x.name, *range(2, 2 + rank))
    masked = graph.node("Where", inside, spread, lowest)
    flat = graph.node("Reshape", masked, graph.integers(0, 0, *output_size, -1))
    return graph.cast(graph.node("ArgMax", flat, axis=2 + rank, keepdims=0), int32)


def gather_positions(graph: Graph, x: Operand, positions: Operand) -> str:
    """Take elements at flat spatial positions, in the shape of the positions."""
    flat = graph.integers(0, 0, -1)
    found = graph.node("GatherElements", graph.node("Reshape", x, flat), graph.node("Reshape", positions, flat), axis=2)
    return graph.node("Reshape", found, graph.sizes(positions.shape))


def scatter_positions(
    graph: Graph, values: Operand, positions: Operand, *, size: Sequence[Any], accumulate: bool
) -> str:
    """Put values at flat spatial positions of zeros; equal positions add up where they accumulate."""
    if accumulate:
        graph.need_version(16, "adding up at equal positions")
    flat = graph.integers(0, 0, -1)
    zeros = graph.filled([*values.shape[:2], math.prod(size)], 0, values.dtype)
    written = graph.node(
        "ScatterElements",
        zeros,
        graph.cast(graph.node("Reshape", positions, flat), int64),
        graph.node("Reshape", values, flat),
        axis=2,
        reduction="add" if accumulate else None,
    )
    return graph.node("Reshape", written, graph.sizes([*values.shape[:2], *size]))
