"""Tensors computed from sizes alone: positions along an axis, grids, masks of triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dimension import Dimension
from core.kernels.dtypes import float64, int64
from core.onnx.graph import Graph


def arange(graph: Graph, *, start: Any, end: Any, step: Any) -> str:
    """Make the numbers from start to end (excluded) at equal steps."""
    dtype = float64 if any(_is_float(number) for number in (start, end, step)) else int64
    return graph.node("Range", *[graph.scalar(number, dtype) for number in (start, end, step)])


def _is_float(number: Any) -> bool:
    return isinstance(number.sizes[0] if isinstance(number, Dimension) else number, float)


def linspace(graph: Graph, *, start: Any, stop: Any, num: Any) -> str:
    """Make equally spaced numbers from start to stop, both included."""
    first, last = graph.scalar(start, float64), graph.scalar(stop, float64)
    gaps = graph.node("Max", graph.node("Sub", graph.scalar(num, float64), np.float64(1)), np.float64(1))
    step = graph.node("Div", graph.node("Sub", last, first), gaps)
    return graph.node("Add", first, graph.node("Mul", graph.cast(graph.range(num), float64), step))


def eye(graph: Graph, *, rows: Any, columns: Any) -> str:
    """Make a matrix with ones on its diagonal."""
    same = graph.node("Equal", graph.unsqueeze(graph.range(rows), 1), graph.range(columns))
    return graph.cast(same, float64)


def unused_statistics(graph: Graph, *, size: Any) -> str:
    """Make zeros."""
    return graph.filled([size], 0, float64)


def positions(graph: Graph, *, size: Any) -> str:
    """Make the numbers from 0 to size - 1."""
    return graph.node("Identity", graph.range(size))


def positions_along(graph: Graph, *, size: Any, axis: int, rank: int) -> str:
    """Make the positions along one axis, with size 1 along the others."""
    return graph.node("Reshape", graph.range(size), graph.integers(*[-1 if i == axis else 1 for i in range(rank)]))


def lower_triangle(graph: Graph, *, rows: Any, columns: Any, diagonal: Any) -> str:
    """Make a matrix that is true on a diagonal and below it."""
    last = graph.node("Add", graph.range(rows), graph.scalar(diagonal, int64))
    return graph.node("LessOrEqual", graph.range(columns), graph.unsqueeze(last, 1))


def slice_origin(graph: Graph, *, shape: Sequence[Any], ranges: Sequence[tuple[Any, Any, int]]) -> str:
    """For each place of a tensor after an assignment, give the row that it comes from: an old, or a new one behind."""
    total, changed = math.prod(shape), math.prod(count for _, count, _ in ranges)
    places: Any = np.int64(0)
    for axis, (start, count, step) in enumerate(ranges):
        along = graph.node("Mul", graph.range(count), np.int64(step))
        along = graph.node("Add", along, graph.scalar(start, int64))
        along = graph.node("Mul", along, graph.scalar(math.prod(shape[axis + 1 :]), int64))
        others = [i for i in range(len(ranges)) if i != axis]
        places = graph.node("Add", places, graph.unsqueeze(along, *others) if others else along)
    new = graph.node("Add", graph.range(changed), graph.scalar(total, int64))
    flat = graph.node("Reshape", places, graph.integers(-1))
    return graph.node("ScatterElements", graph.range(total), flat, new, axis=0)
