"""Tensors computed from sizes alone, where a size is unknown: positions along an axis, grids, masks of triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dtypes import float64, int64
from core.kernels.sizes.dimension import larger
from core.onnx.graph import Graph, Input, is_float


def arange(graph: Graph, *, start: Any, end: Any, step: Any) -> str:
    """Make the numbers from start to end (excluded) at equal steps."""
    dtype = float64 if any(is_float(number) for number in (start, end, step)) else int64
    return graph.node("Range", *[graph.scalar(number, dtype) for number in (start, end, step)])


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
    return graph.node("Reshape", graph.range(size), _around(graph, axis, rank))


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


def later_positions(graph: Graph, *, rows: Any, columns: Any, number: Any) -> str:
    """Make a matrix that holds a number above the main diagonal, and 0 elsewhere."""
    dtype = float64 if is_float(number) else int64
    above = graph.node("Greater", graph.range(columns), graph.unsqueeze(graph.range(rows), 1))
    return graph.node("Where", above, graph.scalar(number, dtype), graph.number(0, dtype))


def diagonal_positions(graph: Graph, *, columns: Any, count: Any, offset: Any) -> str:
    """Find a diagonal's elements in a flattened matrix."""
    along = graph.range(count)
    row = graph.node("Add", along, graph.scalar(larger(0 - offset, 0), int64))
    column = graph.node("Add", along, graph.scalar(larger(offset, 0), int64))
    return graph.node("Add", graph.node("Mul", row, graph.scalar(columns, int64)), column)


def diagonal_mask(graph: Graph, *, size: Any, offset: Any) -> str:
    """Make a square matrix that is true on a diagonal."""
    along = graph.range(size)
    return graph.node("Equal", graph.unsqueeze(graph.node("Add", along, graph.scalar(offset, int64)), 1), along)


def windows(graph: Graph, *, length: Any, size: Any, step: Any) -> str:
    """Make the positions of windows along an axis, one window in each row."""
    ends = [graph.scalar(number, int64) for number in (0, length - size + 1, step)]
    return graph.node("Add", graph.unsqueeze(graph.node("Range", *ends), 1), graph.range(size))


def numbers(graph: Graph, *, numbers: Any) -> str:
    """Make a tensor of listed numbers."""
    shape, listed = [], [numbers]
    while isinstance(listed[0], (list, tuple)):
        shape.append(len(listed[0]))
        listed = [item for row in listed for item in row]
    if not any(is_float(number) for number in listed):
        return graph.node("Reshape", graph.sizes(listed), graph.integers(*shape))
    column = [graph.node("Reshape", graph.scalar(number, float64), graph.integers(1)) for number in listed]
    return graph.node("Reshape", graph.node("Concat", *column, axis=0), graph.integers(*shape))


def affine_points(graph: Graph, *, sizes: Sequence[Any], align_corners: bool) -> str:
    """Make the points of a grid over [-1, 1] in homogeneous coordinates, one in each row."""
    one, zero = np.float64(1), np.float64(0)
    axes: list[str] = []
    for axis, size in enumerate(sizes):
        length = graph.scalar(size, float64)
        edge: Input = one if align_corners else graph.node("Sub", one, graph.node("Div", one, length))
        edge = graph.node("Where", graph.node("Greater", length, one), edge, zero)
        gaps = graph.node("Max", graph.node("Sub", length, one), one)
        step = graph.node("Div", graph.node("Mul", edge, np.float64(2)), gaps)
        steps = graph.node("Mul", graph.cast(graph.range(size), float64), step)
        along = graph.node("Reshape", graph.node("Sub", steps, edge), _around(graph, axis, len(sizes)))
        axes.append(graph.node("Expand", along, graph.sizes(sizes)))
    columns = [*axes[::-1], graph.filled(sizes, 1, float64)]
    points = graph.node("Concat", *[graph.unsqueeze(column, len(sizes)) for column in columns], axis=len(sizes))
    return graph.node("Reshape", points, graph.integers(-1, len(columns)))


def _around(graph: Graph, axis: int, rank: int) -> np.ndarray:
    """Return the shape of a vector along one axis."""
    return graph.integers(*[-1 if i == axis else 1 for i in range(rank)])
