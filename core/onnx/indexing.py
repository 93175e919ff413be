"""Indexing: taking, writing and adding at positions that are themselves tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.dtypes import DType, float64, int64
from core.onnx.graph import Graph, Input, Operand


def take(graph: Graph, x: Operand, index: Operand, axis: int) -> str:
    """Take slices at positions along an axis; negative positions count from the end."""
    return graph.node("Gather", x, index, axis=axis)


def pick(graph: Graph, x: Operand, index: Operand, axis: int) -> str:
    """Take one element along an axis for each position of the other axes."""
    return graph.node("GatherElements", x, graph.cast(index, int64), axis=axis)


def mean_cross_entropy(graph: Graph, scores: Operand, labels: Operand, *, ignore_index: int) -> str:
    """Average the losses of the rows whose label is not the ignored one; 0 where there is none."""
    counts = graph.node("Not", graph.node("Equal", labels, np.int64(ignore_index)))
    index = graph.node("Where", counts, labels, np.int64(0))
    logs = graph.node("GatherElements", graph.node("LogSoftmax", scores, axis=1), index, axis=1)
    kept = graph.cast(counts, scores.dtype)
    total = graph.reduce("ReduceSum", graph.node("Mul", graph.node("Neg", logs), kept), [0, 1], keepdims=False)
    number = graph.reduce("ReduceSum", kept, [0, 1], keepdims=False)
    return graph.node("Div", total, graph.node("Max", number, scores.dtype.numpy.type(1)))


def one_hot(graph: Graph, x: Operand, *, depth: Any, dtype: DType) -> str:
    """Turn class numbers into rows that are 1 at that class."""
    classes = graph.range(depth)
    return graph.cast(graph.node("Equal", graph.unsqueeze(graph.cast(x, int64), -1), classes), dtype)


def scatter_add_rows(graph: Graph, updates: Operand, index: Operand, *, size: Any) -> str:
    """Sum rows into a table of zeros."""
    return _added(graph, updates, updates, index, size)


def sum_edges(graph: Graph, table: Operand, source: Operand, target: Operand, *, size: Any) -> str:
    """Sum rows of a table into the rows of another one, edge by edge."""
    return _added(graph, table, graph.node("Gather", table, source, axis=0), target, size)


def _added(graph: Graph, like: Operand, rows: Input, index: Operand, size: Any) -> str:
    graph.need_version(16, "adding up rows")
    zeros = graph.filled([size, *like.shape[1:]], 0, like.dtype)
    return graph.node("ScatterND", zeros, graph.unsqueeze(index.name, 1), rows, reduction="add")


def scatter_set_rows(graph: Graph, table: Operand, index: Operand, updates: Operand) -> str:
    """Replace rows of a table; the last of several updates of one row stays, which ONNX leaves open."""
    graph.need_version(18, "writing rows")
    nobody = graph.filled(table.shape[:1], -1, int64)
    order = graph.range(index.shape[0])
    last = graph.node("ScatterND", nobody, graph.unsqueeze(index.name, 1), order, reduction="max")
    written = graph.node("GreaterOrEqual", last, np.int64(0))
    rows = graph.node("Gather", updates, graph.node("Max", last, np.int64(0)), axis=0)
    mask = written if table.rank == 1 else graph.unsqueeze(written, *range(1, table.rank))
    return graph.node("Where", mask, rows, table)


def extreme_edges(graph: Graph, table: Operand, source: Operand, target: Operand, *, size: Any, largest: bool) -> str:
    """Find the first row that brings the largest (or smallest) element to each place; -1 where no edge ends."""
    graph.need_version(18, "the largest of what edges bring")
    limits = np.finfo(table.dtype.numpy) if table.dtype.is_floating else np.iinfo(table.dtype.numpy)
    width, places = table.shape[1], graph.unsqueeze(target.name, 1)
    brought = graph.node("Gather", table, source, axis=0)
    start = graph.filled([size, width], float(limits.min if largest else limits.max), table.dtype)
    best = graph.node("ScatterND", start, places, brought, reduction="max" if largest else "min")
    edges = graph.unsqueeze(graph.range(target.shape[0]), 1)
    none = np.int64(2**62)
    is_best = graph.node("Equal", brought, graph.node("Gather", best, target, axis=0))
    numbers = graph.node("Where", is_best, edges, none)
    first = graph.node("ScatterND", graph.filled([size, width], 2**62, int64), places, numbers, reduction="min")
    nothing = graph.node("Equal", first, none)
    origin = graph.node("Gather", source, graph.node("Where", nothing, np.int64(0), first), axis=0)
    return graph.node("Where", nothing, np.int64(-1), origin)


def searchsorted(graph: Graph, edges: Operand, values: Operand, *, right: bool) -> str:
    """Count the edges (of one shared or of each value's own row) that precede a value."""
    row = edges.name if edges.rank == 1 else graph.unsqueeze(edges.name, edges.rank - 1)
    operator = "LessOrEqual" if right else "Less"
    before = graph.node(operator, row, graph.unsqueeze(values.name, values.rank))
    return graph.reduce("ReduceSum", graph.cast(before, int64), [values.rank], keepdims=False)


def histogram(graph: Graph, x: Operand, *, bins: int, low: float, high: float) -> str:
    """Count the elements in equally wide bins; the last bin holds its upper edge too."""
    values = graph.cast(x, float64)
    if low == high == 0:
        first, last = (graph.reduce(name, values, [0], keepdims=False) for name in ("ReduceMin", "ReduceMax"))
    else:
        first, last = graph.constant(np.float64(low)), graph.constant(np.float64(high))
    same = graph.node("Equal", first, last)
    first = graph.node("Where", same, graph.node("Sub", first, np.float64(1)), first)
    last = graph.node("Where", same, graph.node("Add", last, np.float64(1)), last)
    step = graph.node("Div", graph.node("Sub", last, first), np.float64(bins))
    edges = graph.node("Add", first, graph.node("Mul", np.arange(bins, dtype=np.float64), step))
    column = graph.unsqueeze(values, 1)
    inside = graph.node("And", graph.node("GreaterOrEqual", column, edges), graph.node("LessOrEqual", column, last))
    at_least = graph.reduce("ReduceSum", graph.cast(inside, int64), [0], keepdims=False)
    beyond = graph.node("Slice", at_least, graph.integers(1), graph.integers(bins), graph.integers(0))
    return graph.node("Sub", at_least, graph.node("Concat", beyond, graph.integers(0), axis=0))
