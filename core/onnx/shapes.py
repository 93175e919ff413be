"""Shape and order: reshape, transpose, join, cut, pad, fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dtypes import DType, bool_, uint8
from core.kernels.sizes.dimension import Dimension, same
from core.onnx.graph import Graph, Input, Operand

LOWEST, LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
"""As the end of a slice: with a negative step through element 0, otherwise through the last one."""


def reshape(graph: Graph, x: Operand, newshape: Sequence[Any]) -> str:
    """Give the elements, in order, another shape."""
    known = [size for size in newshape if isinstance(size, int)]
    if 0 in known:
        graph.need_version(14, "reshape of a tensor without elements")
        return graph.node("Reshape", x, graph.sizes(newshape), allowzero=1)
    if len(known) == len(newshape) - 1:
        return graph.node("Reshape", x, graph.integers(*[size if isinstance(size, int) else -1 for size in newshape]))
    return graph.node("Reshape", x, graph.sizes(newshape))


def transpose(graph: Graph, x: Operand, axes: Sequence[int]) -> str:
    """Reorder the axes."""
    return graph.node("Transpose", x, perm=list(axes))


def broadcast_to(graph: Graph, x: Operand, shape: Sequence[Any]) -> str:
    """Repeat axes of size 1 to reach a shape."""
    return graph.node("Expand", x, graph.sizes(shape))


def full(graph: Graph, *, shape: Sequence[Any], value: Any, dtype: DType) -> str:
    """Make a tensor of one repeated number."""
    if isinstance(value, Dimension):
        return graph.node("Expand", graph.scalar(value, dtype), graph.sizes(shape))
    if dtype is bool_:
        return graph.cast(graph.filled(shape, value, uint8), bool_)
    return graph.filled(shape, value, dtype)


def constant_result(graph: Graph, *sources: Operand, shape: Sequence[Any], number: float, dtype: DType) -> str:
    """Make a tensor of one repeated number."""
    return full(graph, shape=shape, value=number, dtype=dtype)


def concat(graph: Graph, *operands: Operand, axis: int) -> str:
    """Join tensors along an axis that they have."""
    return graph.node("Concat", *operands, axis=axis)


def stack(graph: Graph, *operands: Operand, axis: int) -> str:
    """Join tensors along a new axis."""
    return graph.node("Concat", *[graph.unsqueeze(operand.name, axis) for operand in operands], axis=axis)


def split(graph: Graph, x: Operand, *, sizes: Sequence[Any], axis: int) -> list[str]:
    """Cut a tensor into parts along an axis."""
    return graph.node_of_many("Split", x, graph.sizes(sizes), outputs=len(sizes), axis=axis)


def cut(graph: Graph, x: Operand, ranges: Sequence[tuple[Any, Any, int]]) -> str:
    """Take a (start, count, step) range of each axis."""
    parts = [
        (axis, start, _end(graph, start, count, step), step)
        for axis, (start, count, step) in enumerate(ranges)
        if not _is_whole(start, count, step, x.shape[axis])
    ]
    if not parts:
        return graph.node("Identity", x)
    axes, starts, ends, steps = zip(*parts)
    return graph.node("Slice", x, graph.sizes(starts), graph.sizes(ends), graph.integers(*axes), graph.integers(*steps))


def _end(graph: Graph, start: Any, count: Any, step: int) -> Any:
    end = start + count * step
    if isinstance(end, Dimension):
        if step > 0:
            return end
        known = graph.size(end)
        return graph.node("Where", graph.node("Less", known, np.int64(0)), np.int64(LOWEST), known)
    return LOWEST if end < 0 else end


def _is_whole(start: Any, count: Any, step: int, size: Any) -> bool:
    return all(isinstance(number, int) for number in (start, count, size)) and (start, count, step) == (0, size, 1)


def temporal_shift(
    graph: Graph, x: Operand, *, frames: int, ends: tuple[Any, Any], axis: int, reverse: bool
) -> str:
    """Take some channels from the frame before, others from that after: cut, move and join them."""
    video = graph.node("Reshape", x, graph.sizes([-1, frames, *x.shape[1:]]))
    parts = []
    for begin, end, step in ((0, ends[0], -1), (*ends, 1), (ends[1], x.shape[axis], 0)):
        if not same(begin, end):
            part = _between(graph, video, begin, end, axis + 1)
            parts.append(_moved(graph, part, x, -step if reverse else step) if step else part)
    return graph.node("Reshape", graph.node("Concat", *parts, axis=axis + 1), graph.sizes(x.shape))


def _moved(graph: Graph, video: str, like: Operand, step: int) -> str:
    """Move frames on (-1: each is that before) or back, and fill up with zeros."""
    widths = np.zeros((2, like.rank + 1), np.int64)
    widths[int(step > 0), 1] = 1
    wide = graph.node("Pad", video, widths.reshape(-1), graph.number(0, like.dtype), mode="constant")
    return _between(graph, wide, 1, LARGEST, 1) if step > 0 else _between(graph, wide, 0, -1, 1)


def _between(graph: Graph, x: Input, begin: Any, end: Any, axis: int) -> str:
    return graph.node("Slice", x, graph.sizes([begin]), graph.sizes([end]), graph.integers(axis), graph.integers(1))


def pad(graph: Graph, x: Operand, *, widths: Sequence[tuple[Any, Any]], mode: str, value: float) -> str:
    """Put a border around each axis: of one number, of mirrored or of repeated elements."""
    around: Input = graph.sizes([before for before, _ in widths] + [after for _, after in widths])
    if x.dtype is bool_:
        small = graph.node("Pad", graph.cast(x, uint8), around, graph.number(value, uint8), mode=mode)
        return graph.cast(small, bool_)
    return graph.node("Pad", x, around, graph.number(value, x.dtype) if mode == "constant" else None, mode=mode)
