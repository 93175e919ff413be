"""Anchors of feature maps of any size, region proposals made from them, and the levels of a pyramid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DType, bool_, float32, float64, int32, int64
from core.onnx.boxes import best_of, owners, suppressed
from core.onnx.graph import Graph, Input, Operand

LARGEST_GROWTH = math.log(1000.0 / 16.0)


def anchors(
    graph: Graph, *, rows: Any, columns: Any, halves: Any, steps: Sequence[float], offset: float, double: bool
) -> str:
    """Make the anchors of Faster R-CNN, in pixels."""
    kind = float64 if double else float32
    centers = []
    for size, step in ((columns, steps[0]), (rows, steps[1])):
        place = graph.node("Mul", graph.cast(graph.range(size), kind), graph.number(step, kind))
        centers.append(graph.node("Add", place, graph.number(np.float32(offset) * (step - 1), kind)))
    return _around(graph, centers, halves, rows, columns, kind)


def prior_boxes(
    graph: Graph,
    *,
    rows: Any,
    columns: Any,
    height: Any,
    width: Any,
    halves: Any,
    steps: Sequence[float],
    offset: float,
    clip: bool,
) -> str:
    """Make the anchors of SSD, as shares of an image."""
    centers = []
    lengths = [graph.scalar(size, float64) for size in (width, height)]
    for axis, size in enumerate((columns, rows)):
        place = graph.node("Add", graph.cast(graph.range(size), float64), np.float64(offset))
        step = np.float64(steps[axis]) if all(steps) else graph.node("Div", lengths[axis], graph.scalar(size, float64))
        centers.append(graph.node("Mul", place, step))
    boxes = _around(graph, centers, halves, rows, columns, float64)
    image = [graph.node("Reshape", length, graph.integers(1)) for length in lengths]
    shares = graph.node("Div", boxes, graph.node("Concat", *image, *image, axis=0))
    return graph.node("Clip", shares, np.float64(0), np.float64(1)) if clip else shares


def _around(graph: Graph, centers: Sequence[str], halves: Any, rows: Any, columns: Any, kind: DType) -> str:
    """Return boxes [rows, columns, boxes, 4] around positions along width and height."""
    extents = np.array(halves, kind.numpy)
    size = graph.sizes([rows, columns, len(extents), 1])
    parts = []
    for operator in ("Sub", "Add"):
        for axis in (0, 1):
            place = graph.unsqueeze(centers[axis], *((0, 2, 3), (1, 2, 3))[axis])
            edge = graph.node(operator, place, extents[None, None, :, axis, None])
            parts.append(graph.node("Expand", edge, size))
    return graph.node("Concat", *parts, axis=3)


def generate_proposals_padded(
    graph: Graph,
    scores: Operand,
    deltas: Operand,
    sizes: Operand,
    anchors: Operand,
    variances: Operand,
    *,
    before: int,
    after: int,
    threshold: float,
    smallest: float,
    eta: float,
    plus: float,
) -> list[str]:
    """Make region proposals from the scores and offsets of anchors."""
    if eta < 1 or threshold <= 0:
        lacking = f"eta={eta}" if eta < 1 else f"nms_thresh={threshold}"
        raise OperatorError(f"onnx.export: generate_proposals with {lacking} has no form in ONNX: compute it outside")
    kind, count = scores.dtype, graph.known(scores.shape[1], "generate_proposals")
    flat = graph.node("Reshape", graph.node("Transpose", scores, perm=[0, 2, 3, 1]), graph.integers(0, -1))
    apart = graph.node("Reshape", deltas, graph.sizes([scores.shape[0], count, 4, *scores.shape[2:]]))
    apart = graph.node("Transpose", apart, perm=[0, 3, 4, 1, 2])
    moves = graph.node("Reshape", apart, graph.sizes([scores.shape[0], -1, 4]))
    total = graph.node("Gather", graph.node("Shape", flat), graph.integers(1), axis=0)
    number = graph.node("Min", total, graph.integers(before)) if before > 0 else total
    ranks, best = graph.node_of_many("TopK", flat, number, outputs=2, axis=1, largest=1, sorted=1)
    start, spread = (
        graph.node("Gather", graph.node("Reshape", table, graph.integers(-1, 4)), best, axis=0)
        for table in (anchors, variances)
    )
    moves = graph.node("Mul", spread, graph.node("GatherND", moves, graph.unsqueeze(best, 2), batch_dims=1))
    boxes = _moved(graph, start, moves, plus, kind)
    height, width = (graph.node("Gather", sizes, graph.integers(axis), axis=1) for axis in (0, 1))
    limit = graph.node("Sub", graph.node("Concat", width, height, width, height, axis=1), graph.number(plus, kind))
    boxes = graph.node("Max", graph.node("Min", boxes, graph.unsqueeze(limit, 1)), graph.number(0, kind))
    low, high = _halves(graph, boxes)
    sides = graph.node("Add", graph.node("Sub", high, low), graph.number(plus, kind))
    good = graph.node("GreaterOrEqual", sides, graph.number(max(smallest, 1.0), kind))
    if plus:
        middle = graph.node("Add", low, graph.node("Mul", sides, graph.number(0.5, kind)))
        image = graph.unsqueeze(graph.node("Concat", width, height, axis=1), 1)
        good = graph.node("And", good, graph.node("LessOrEqual", middle, image))
    both = graph.reduce("ReduceMin", graph.cast(good, int32), [2], keepdims=False)
    ranks = graph.node("Where", graph.cast(both, bool_), ranks, graph.number(-np.inf, kind))
    kept = suppressed(graph, boxes, ranks, number, threshold, np.finfo(np.float32).min, plus, scores)
    ranks, at, real = best_of(graph, kept, scores.shape[0], after, scores)
    rows = graph.node("GatherND", boxes, graph.unsqueeze(at, 2), batch_dims=1)
    nothing = graph.number(0, kind)
    rows = graph.node("Where", graph.unsqueeze(real, 2), rows, nothing)
    ranks = graph.unsqueeze(graph.node("Where", real, ranks, nothing), 2)
    counts = graph.reduce("ReduceSum", graph.cast(real, int32), [1], keepdims=False)
    return [rows, ranks, graph.node("Max", counts, np.int32(1))]


def _halves(graph: Graph, boxes: Input) -> list[str]:
    """Return the first and the last corners of boxes [images, boxes, 4]."""
    return [graph.node("Slice", boxes, graph.integers(a), graph.integers(a + 2), graph.integers(2)) for a in (0, 2)]


def _moved(graph: Graph, anchors: str, moves: str, plus: float, kind: Any) -> str:
    low, high = _halves(graph, anchors)
    shift, growth = _halves(graph, moves)
    pixel, half = graph.number(plus, kind), graph.number(0.5, kind)
    size = graph.node("Add", graph.node("Sub", high, low), pixel)
    center = graph.node("Add", graph.node("Mul", shift, size), graph.node("Add", low, graph.node("Mul", half, size)))
    grown = graph.node("Exp", graph.node("Min", growth, graph.number(LARGEST_GROWTH, kind)))
    reach = graph.node("Mul", graph.node("Mul", half, grown), size)
    last = graph.node("Sub", graph.node("Add", center, reach), pixel)
    return graph.node("Concat", graph.node("Sub", center, reach), last, axis=2)


def share_out_proposals_padded(
    graph: Graph,
    boxes: Operand,
    counts: Operand,
    *,
    lowest: int,
    highest: int,
    level: int,
    scale: float,
    plus: float,
    whole: bool,
) -> list[str]:
    """Share boxes out among the levels of a feature pyramid by their size."""
    kind, room = boxes.dtype, graph.size(boxes.shape[0])
    low, high = (
        graph.node("Slice", boxes, graph.integers(a), graph.integers(a + 2), graph.integers(1)) for a in (0, 2)
    )
    sides = graph.node("Sub", high, low)
    grown = graph.reduce("ReduceProd", graph.node("Add", sides, graph.number(plus, kind)), [1], keepdims=False)
    turned = graph.node("Less", graph.reduce("ReduceMin", sides, [1], keepdims=False), graph.number(0, kind))
    area = graph.node("Where", turned, graph.number(0, kind), grown)
    ratio = graph.node("Div", graph.node("Sqrt", area), graph.number(scale, kind))
    ratio = graph.node("Add", ratio, graph.number(1e-8, kind))
    logarithm = graph.node("Mul", graph.node("Log", ratio), graph.number(1 / math.log(2), kind))
    wanted = graph.node("Floor", graph.node("Add", logarithm, graph.number(level, kind)))
    wanted = graph.node("Clip", wanted, graph.number(lowest, kind), graph.number(highest, kind))
    images = graph.range(counts.shape[0])
    owner = graph.unsqueeze(graph.filled(boxes.shape[:1], 0, int64) if whole else owners(graph, counts, boxes), 0)
    mine = graph.node("Equal", graph.unsqueeze(images, 1), owner)
    final = graph.cast(graph.node("Equal", images, graph.node("Sub", graph.size(counts.shape[0]), np.int64(1))), int64)
    members, places, numbers = [], [], []
    for step in range(highest - lowest + 1):
        mask = graph.node("Equal", wanted, graph.number(lowest + step, kind))
        one = graph.cast(mask, int64)
        position = graph.node("Sub", graph.node("CumSum", one, np.int64(0)), np.int64(1))
        target = graph.node("Where", mask, position, room)  # a row behind the last one takes the boxes of other levels
        space = graph.filled([graph.node("Add", room, np.int64(1)), 4], 0, kind)
        rows = graph.node("ScatterND", space, graph.unsqueeze(target, 1), boxes)
        members.append(graph.node("Slice", rows, graph.integers(0), graph.sizes([boxes.shape[0]]), graph.integers(0)))
        moved = graph.node("Add", position, graph.node("Mul", room, np.int64(step)))
        places.append(graph.node("Where", mask, moved, np.int64(0)))
        both = graph.cast(graph.node("And", mine, graph.unsqueeze(mask, 0)), int64)
        each = graph.reduce("ReduceSum", both, [1], keepdims=False)
        rest = graph.node("Sub", room, graph.reduce("ReduceSum", one, [0], keepdims=False))
        numbers.append(graph.cast(graph.node("Add", each, graph.node("Mul", final, rest)), int32))
    origin = places[0]
    for place in places[1:]:
        origin = graph.node("Add", origin, place)
    return [*members, graph.cast(graph.unsqueeze(origin, 1), int32), *numbers]
