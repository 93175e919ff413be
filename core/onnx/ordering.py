"""Order: the positions that sort, the largest ones, the most frequent one, quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.dtypes import float64, int32, int64
from core.onnx.elementwise import SMALL_INTEGERS, upcast
from core.onnx.graph import Graph, Input, Operand


def arg_extreme(graph: Graph, x: Operand, *, axis: int, largest: bool) -> str:
    """Find the first of the largest (or smallest) elements along an axis."""
    if x.dtype is int64:  # which older runtimes know for TopK only
        return graph.node("Squeeze", _top(graph, x, 1, axis, largest), graph.integers(axis))
    return graph.node("ArgMax" if largest else "ArgMin", upcast(graph, x), axis=axis, keepdims=0)


def argsort(graph: Graph, x: Operand, *, axis: int, descending: bool) -> str:
    """Find the positions that sort along an axis; of equal elements the runtime chooses the order."""
    return _top(graph, x, x.shape[axis], axis, descending)


def topk(graph: Graph, x: Operand, *, k: int, largest: bool, in_order: bool = True) -> str:
    """Find the k largest (or smallest) elements of each row, always in order."""
    return _top(graph, x, k, x.rank - 1, largest)


def _top(graph: Graph, x: Operand, count: Any, axis: int, largest: bool) -> str:
    _, places = graph.node_of_many(
        "TopK", upcast(graph, x), graph.sizes([count]), outputs=2, axis=axis, largest=int(largest), sorted=1
    )
    return places


def mode(graph: Graph, x: Operand) -> str:
    """Find the last of the most frequent elements of each row, the smallest of several equally frequent ones."""
    row, axis = x.rank - 1, x.rank
    wide = upcast(graph, x)
    same = graph.node("Equal", graph.unsqueeze(wide, axis), graph.unsqueeze(wide, row))
    counts = graph.reduce("ReduceSum", graph.cast(same, int64), [axis], keepdims=False)
    most = graph.node("Equal", counts, graph.reduce("ReduceMax", counts, [row]))
    limits = np.finfo(x.dtype.numpy) if x.dtype.is_floating else np.iinfo(x.dtype.numpy)
    largest = graph.number(limits.max, int32 if x.dtype.name in SMALL_INTEGERS else x.dtype)
    candidates = graph.node("Where", most, wide, largest)
    chosen = graph.node("Equal", wide, graph.reduce("ReduceMin", candidates, [row]))
    return graph.node("ArgMax", graph.cast(chosen, int32), axis=row, keepdims=0, select_last_index=1)


def quantile_ranks(
    graph: Graph, x: Operand, *, fractions: tuple[float, ...], skip_nan: bool, selected: bool = False
) -> list[str]:
    """Find the elements around each quantile of the rows, and the upper one's weight.

    A row with a NaN points at it, or, where NaN is skipped, a row of nothing else.
    """
    row, dtype = x.rank - 1, x.dtype
    missing: Input = graph.node("IsNaN", x)
    highest = graph.number(np.finfo(dtype.numpy).max, dtype)
    comparable = graph.node(
        "Where", missing, graph.number(np.inf, dtype), graph.node("Min", x, highest)
    )  # NaN follows everything, infinity included
    size = graph.sizes([x.shape[row]])
    _, order = graph.node_of_many("TopK", comparable, size, outputs=2, axis=row, largest=0, sorted=1)
    number_missing = graph.reduce("ReduceSum", graph.cast(missing, int64), [row])
    counted = graph.node("Sub", size, number_missing)
    last = graph.node("Max", graph.node("Sub", counted, np.int64(1)), np.int64(0))
    rank = graph.node("Mul", np.asarray(fractions), graph.cast(last, float64))
    floor = graph.node("Floor", rank)
    lower = graph.cast(floor, int64)
    upper = graph.node("Min", graph.node("Add", lower, np.int64(1)), last)
    if skip_nan:
        spoilt = graph.node("Equal", counted, np.int64(0))
    else:
        spoilt = graph.node("Greater", number_missing, np.int64(0))
    final = graph.node("Sub", size, np.int64(1))
    places = [graph.node("Where", spoilt, final, place) for place in (lower, upper)]
    return [
        *[graph.node("GatherElements", order, place, axis=row) for place in places],
        graph.node("Sub", rank, floor),
    ]
