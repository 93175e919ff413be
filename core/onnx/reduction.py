"""From many elements along an axis to one, or to a running result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

import numpy as np
import onnx
from onnx import helper

from core.kernels.dtypes import DType, bool_, int32, int64
from core.onnx.elementwise import Converter, log1p_of, narrowed, upcast
from core.onnx.graph import ELEMENT_TYPES, Graph, Input, Operand


def reduction(operator: str) -> Converter:
    """Return the converter to one reducing node."""

    def convert(graph: Graph, x: Operand, *, axis: Sequence[int], keepdims: bool) -> Input:
        if not axis:
            return x
        return narrowed(graph, graph.reduce(operator, upcast(graph, x), axis, keepdims), x.dtype)

    return convert


def truth(operator: str) -> Converter:
    """Return the converter of a reduction of truth values, through integers."""

    def convert(graph: Graph, x: Operand, *, axis: Sequence[int], keepdims: bool) -> Input:
        mask: Input = x if x.dtype is bool_ else graph.cast(x, bool_)
        if not axis:
            return mask
        return graph.cast(graph.reduce(operator, graph.cast(mask, int32), axis, keepdims), bool_)

    return convert


def cumsum(graph: Graph, x: Operand, axis: int) -> str:
    """Add up along an axis, keeping every partial sum."""
    return graph.node("CumSum", x, np.int64(axis))


def cumprod(graph: Graph, x: Operand, axis: int) -> str:
    """Multiply along an axis, keeping every partial product."""
    return _running(graph, [x.name], [(1.0, x.dtype)], x, axis, lambda a, b: [graph.node("Mul", a[0], b[0])])[0]


def logcumsumexp(graph: Graph, x: Operand, axis: int) -> str:
    """Keep the logarithm of every partial sum of exponentials along an axis."""

    def joined(before: Sequence[str], here: Sequence[str]) -> list[str]:
        distance = graph.node("Abs", graph.node("Sub", before[0], here[0]))
        decay = graph.node("Exp", graph.node("Neg", distance))
        return [graph.node("Add", graph.node("Max", before[0], here[0]), log1p_of(graph, decay, x.dtype))]

    lowest = float(np.finfo(x.dtype.numpy).min) / 4
    return _running(graph, [x.name], [(lowest, x.dtype)], x, axis, joined)[0]


def running_position(graph: Graph, x: Operand, *, axis: int, largest: bool) -> str:
    """Find, for each place along an axis, where the largest (or smallest) element up to there was last met."""
    limits = np.finfo(x.dtype.numpy) if x.dtype.is_floating else np.iinfo(x.dtype.numpy)
    around = [-1 if i == axis else 1 for i in range(x.rank)]
    places = graph.node("Reshape", graph.range(x.shape[axis]), graph.integers(*around))
    places = graph.node("Expand", places, graph.sizes(x.shape))

    def later(before: Sequence[str], here: Sequence[str]) -> list[str]:
        wins = graph.node("GreaterOrEqual" if largest else "LessOrEqual", here[0], before[0])
        if x.dtype.is_floating:
            wins = graph.node("Or", wins, graph.node("IsNaN", here[0]))
        return [graph.node("Where", wins, new, old) for old, new in zip(before, here)]

    start = float(limits.min if largest else limits.max)
    return _running(graph, [x.name, places], [(start, x.dtype), (0, int64)], x, axis, later)[1]


def _running(
    graph: Graph,
    tensors: list[str],
    neutral: Sequence[tuple[float, DType]],
    x: Operand,
    axis: int,
    join: Callable[[Sequence[str], Sequence[str]], list[str]],
) -> list[str]:
    """Combine each element along an axis with all before it.

    Along a known number of elements in log2(n) steps: first its neighbour, then two, then four places back. Otherwise
    one after another.

    Args:
        tensors: What is combined, each of x's shape.
        neutral: For each of them, the number before the first element and its type.
        join: Combines what came before with what is here.
    """
    size = x.shape[axis]
    if not isinstance(size, int):
        return _scan(graph, tensors, neutral, x, axis, join)
    for step in [2**i for i in range(max(size - 1, 0).bit_length())]:
        before = []
        for tensor, (number, dtype) in zip(tensors, neutral):
            front = graph.filled([*x.shape[:axis], step, *x.shape[axis + 1 :]], number, dtype)
            kept = graph.node("Slice", tensor, graph.integers(0), graph.integers(size - step), graph.integers(axis))
            before.append(graph.node("Concat", front, kept, axis=axis))
        tensors = join(before, tensors)
    return tensors


def _scan(
    graph: Graph,
    tensors: list[str],
    neutral: Sequence[tuple[float, DType]],
    x: Operand,
    axis: int,
    join: Callable[[Sequence[str], Sequence[str]], list[str]],
) -> list[str]:
    types = [ELEMENT_TYPES[dtype.name] for _, dtype in neutral]
    others = [*x.shape[:axis], *x.shape[axis + 1 :]]
    starts = [graph.filled(others, number, dtype) for number, dtype in neutral]
    names = [graph.fresh_name(name) for name in ["before"] * len(tensors) + ["here"] * len(tensors)]
    shape = [None] * len(others)
    inputs = [helper.make_tensor_value_info(name, kind, shape) for name, kind in zip(names, types * 2)]

    def step() -> list[onnx.ValueInfoProto]:
        joined = join(names[: len(tensors)], names[len(tensors) :])
        results = [*joined, *[graph.node("Identity", name) for name in joined]]
        return [helper.make_tensor_value_info(name, kind, shape) for name, kind in zip(results, types * 2)]

    results = graph.node_of_many(
        "Scan",
        *starts,
        *tensors,
        outputs=2 * len(tensors),
        body=graph.body(inputs, step),
        num_scan_inputs=len(tensors),
        scan_input_axes=[axis] * len(tensors),
        scan_output_axes=[axis] * len(tensors),
    )
    return results[len(tensors) :]
