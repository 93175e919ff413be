"""RoIAlign, suppression within classes, and the taps of deformable convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import bool_, float32, int32, int64
from core.onnx.convolution import pickers
from core.onnx.graph import Graph, Operand
from core.operators.vision.box_pooling import AWAY

NEVER = np.iinfo(np.int64).max


def region_align(
    graph: Graph,
    x: Operand,
    boxes: Operand,
    counts: Operand,
    *,
    pooled: Sequence[int],
    scale: float,
    ratio: int,
    aligned: bool,
) -> str:
    """Average bilinear samples in each bin of each box."""
    if aligned:
        graph.need_version(16, "roi_align with aligned=True")
    shift = "half_pixel" if aligned else "output_half_pixel"
    return graph.node(
        "RoiAlign",
        *(x, boxes, owners(graph, counts, boxes)),
        mode="avg",
        output_height=pooled[0],
        output_width=pooled[1],
        sampling_ratio=max(ratio, 0),
        spatial_scale=scale,
        coordinate_transformation_mode=shift if graph.opset_version >= 16 else None,
    )


def region_align_levels(
    graph: Graph, *given: Operand, pooled: Sequence[int], scales: Sequence[float], ratio: int, aligned: bool
) -> str:
    """Do that on every level, for the boxes of others away from all images, and add the levels up."""
    *maps, boxes, levels, counts = given
    options: dict[str, Any] = {"pooled": pooled, "ratio": ratio, "aligned": aligned}
    parts = []
    for number, (x, scale) in enumerate(zip(maps, scales)):
        own = graph.unsqueeze(graph.node("Equal", levels, np.int64(number)), 1)
        shown = graph.node("Where", own, boxes, boxes.dtype.numpy.type(AWAY))
        parts.append(region_align(graph, x, boxes._replace(name=shown), counts, scale=scale, **options))
    return graph.node("Sum", *parts)


def owners(graph: Graph, counts: Operand, boxes: Operand) -> str:
    """Return the image of each box."""
    ends = graph.node("CumSum", counts, np.int64(0))
    place = graph.unsqueeze(graph.range(boxes.shape[0]), 1)
    behind = graph.node("GreaterOrEqual", place, graph.unsqueeze(ends, 0))
    return graph.reduce("ReduceSum", graph.cast(behind, int64), [1], keepdims=False)


def multiclass_suppression_padded(
    graph: Graph,
    boxes: Operand,
    scores: Operand,
    counts: Operand,
    *,
    score: float,
    top: int,
    last: int,
    threshold: float,
    eta: float,
    background: int,
    plus: float,
    whole: bool,
    soft: str = "",
    sigma: float = 0.5,
) -> list[str]:
    """Keep, for each class, the boxes that overlap no better one of that class too much.

    Where corners are whole pixels, boxes less than a pixel apart overlap here; in Paddle they do not.
    """
    if soft or eta < 1 or boxes.shape[2] != 4:
        lacking = f"soft={soft!r}" if soft else f"nms_eta={eta}" if eta < 1 else "polygons"
        raise OperatorError(f"onnx.export: multiclass_nms with {lacking} has no form in ONNX: compute it outside")
    regions = scores.rank == 2
    total = graph.known(scores.shape[1], "multiclass_nms")
    labels = np.array([label for label in range(total) if label != background], np.int64)
    room = boxes.shape[0 if regions else 1]
    images = counts.shape[0] if regions else scores.shape[0]
    if regions:
        lines = graph.node("Transpose", scores, perm=[1, 0])
        ranks: Any = graph.unsqueeze(graph.node("Gather", lines, labels, axis=0), 0)
        corners = graph.node("Gather", graph.node("Transpose", boxes, perm=[1, 0, 2]), labels, axis=0)
        if not whole:
            owner = graph.unsqueeze(owners(graph, counts, boxes), 0, 1)
            mine = graph.node("Equal", graph.unsqueeze(graph.range(images), 1, 2), owner)
            ranks = graph.node("Where", mine, ranks, graph.number(-np.inf, scores.dtype))
    else:
        ranks = graph.node("Gather", scores, labels, axis=1)
    count = graph.size(room) if top < 0 else graph.node("Min", graph.size(room), np.int64(top))
    number = graph.node("Reshape", count, graph.integers(1))
    ranked, places = graph.node_of_many("TopK", ranks, number, outputs=2, axis=2, largest=1, sorted=1)
    if regions:
        size = graph.sizes([images, len(labels), room, 4])
        met = graph.node("GatherND", graph.node("Expand", corners, size), graph.unsqueeze(places, 3), batch_dims=2)
    else:
        met = graph.node("GatherND", boxes, graph.unsqueeze(places, 3), batch_dims=1)
    size = graph.node("Concat", graph.integers(-1), number, graph.integers(4), axis=0)
    met = graph.node("Reshape", met, size)
    kept = suppressed(graph, met, ranked, number, threshold, np.float32(score), plus, scores)
    flat_places = graph.node("Reshape", places, graph.integers(0, -1))
    masked = graph.node("Reshape", kept, graph.sizes([images, -1]))
    best, at, real = best_of(graph, masked, images, last, scores)
    label, place = graph.node("Div", at, count), graph.node("GatherElements", flat_places, at, axis=1)
    key = graph.node("Add", graph.node("Mul", label, graph.size(room)), place) if regions else at
    key = graph.node("Where", real, key, np.int64(NEVER))
    _, order = graph.node_of_many("TopK", key, graph.integers(last), outputs=2, axis=1, largest=0, sorted=1)
    best, label, place, real = (
        graph.node("GatherElements", item, order, axis=1) for item in (best, label, place, graph.cast(real, int32))
    )
    real = graph.cast(real, bool_)
    label = graph.node("Gather", labels, label, axis=0)
    if regions:
        index = graph.node("Concat", graph.unsqueeze(place, 2), graph.unsqueeze(label, 2), axis=2)
        found = graph.node("GatherND", boxes, index)
        origin = graph.node("Add", graph.node("Mul", place, np.int64(total)), label)
    else:
        found = graph.node("GatherND", boxes, graph.unsqueeze(place, 2), batch_dims=1)
        first = graph.node("Mul", graph.unsqueeze(graph.range(images), 1), graph.size(room))
        origin = graph.node("Add", place, first)
    first_two = [graph.unsqueeze(item, 2) for item in (graph.cast(label, boxes.dtype), best)]
    row = graph.node("Concat", *first_two, found, axis=2)
    empty = np.array([-1, 0, 0, 0, 0, 0], boxes.dtype.numpy)
    rows = graph.node("Where", graph.unsqueeze(real, 2), row, empty)
    origin = graph.cast(graph.unsqueeze(graph.node("Where", real, origin, np.int64(-1)), 2), int32)
    return [rows, origin, graph.reduce("ReduceSum", graph.cast(real, int32), [1], keepdims=False)]


def suppressed(
    graph: Graph, corners: str, ranked: str, number: str, threshold: float, score: Any, plus: float, like: Operand
) -> str:
    """Return scores (..., K), of which those of boxes that are suppressed are lowest.

    Args:
        graph: The graph.
        corners: The boxes of each task [tasks, K, 4], the best first.
        ranked: Their scores, of as many elements.
        number: K, as a vector.
        threshold: The largest overlap that is kept.
        score: Boxes must score above it.
        plus: 1 where corners are whole pixels.
        like: Of the type of scores.
    """
    if plus:
        corners = graph.node("Add", corners, np.array([0, 0, plus, plus], like.dtype.numpy))
    size = graph.node("Concat", graph.integers(-1, 1), number, axis=0)
    lines = graph.cast(graph.node("Reshape", ranked, size), float32)
    limits = (np.array([limit], np.float32) for limit in (threshold, score))
    found = graph.node("NonMaxSuppression", graph.cast(corners, float32), lines, number, *limits)
    nothing = graph.node("ConstantOfShape", graph.node("Shape", lines))
    many = graph.node("Gather", graph.node("Shape", found), graph.integers(0), axis=0)
    ones = graph.node("Expand", np.float32(1), many)
    mask = graph.node("Reshape", graph.node("ScatterND", nothing, found, ones), graph.node("Shape", ranked))
    return graph.node("Where", graph.cast(mask, bool_), ranked, graph.number(-np.inf, like.dtype))


def best_of(graph: Graph, scores: str, images: Any, number: int, like: Operand) -> tuple[str, str, str]:
    """Return the best scores (images, number), their places, 0 where there are no more, and whether there are."""
    padded = graph.node("Concat", scores, graph.filled([images, number], -np.inf, like.dtype), axis=1)
    size = graph.integers(number)
    best, at = graph.node_of_many("TopK", padded, size, outputs=2, axis=1, largest=1, sorted=1)
    real = graph.node("Greater", best, graph.number(-np.inf, like.dtype))
    return best, graph.node("Where", real, at, np.int64(0)), real


def deformable_columns(
    graph: Graph,
    x: Operand,
    offset: Operand,
    mask: Operand,
    *,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> str:
    """Find the pixels that moved taps meet: a deformable convolution whose kernels each pick one tap."""
    graph.need_version(19, "deform_conv2d")
    channels = graph.known(x.shape[1], "deform_conv2d")
    places = list(offset.shape[4:])
    weight = pickers(channels, kernel, x.dtype.numpy)
    taps = graph.node(
        "DeformConv",
        x,
        weight,
        graph.node("Reshape", offset, graph.sizes([x.shape[0], -1, *places])),
        np.zeros(len(weight), weight.dtype),
        graph.node("Reshape", mask, graph.sizes([x.shape[0], -1, *places])),
        kernel_shape=list(kernel),
        strides=list(stride),
        pads=[*padding, *padding],
        dilations=list(dilation),
        group=channels,
        offset_group=graph.known(offset.shape[1], "deform_conv2d"),
    )
    size = math.prod(kernel)
    apart = graph.node("Reshape", taps, graph.sizes([x.shape[0], channels, size, -1]))
    last = graph.node("Transpose", apart, perm=[0, 3, 2, 1])
    return graph.node("Reshape", last, graph.sizes([x.shape[0], -1, size * channels]))
