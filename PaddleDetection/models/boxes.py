"""Boxes as networks predict them, moved and scaled from anchors, and how well boxes overlap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

import core
from core.vision.ops import multiclass_nms

LARGEST_SCALE = math.log(1000.0 / 16)
"""The largest logarithm of a predicted size over its anchor's."""


class Objects(NamedTuple):
    """The objects of a batch, at least one row for each image.

    Attributes:
        boxes: corners in pixels (N, G, 4).
        classes: int64 (N, G).
        given: which rows hold an object, (N, G).
    """

    boxes: Any
    classes: Any
    given: Any


def read_objects(targets: Mapping[str, Any]) -> Objects:
    """Return the objects of a batch.

    Args:
        targets: "gt_bbox" (N, G, 4), "gt_class" (N, G) and "gt_count" (N,), how many of the G rows hold an object.
    """
    boxes, classes = targets["gt_bbox"], core.cast(targets["gt_class"], "int64")
    if boxes.shape[1] == 0:
        boxes = core.zeros([boxes.shape[0], 1, 4])
        classes = core.zeros([boxes.shape[0], 1], "int64")
    counts = core.cast(targets["gt_count"], "int64").unsqueeze(1)
    return Objects(boxes, classes, core.arange(boxes.shape[1], dtype="int64") < counts)


def pick(rows: Any, places: Any) -> Any:
    """Return for each image the rows at the given places.

    Args:
        rows: (N, G) or (N, G, D).
        places: int64 (N, A), from 0 to G - 1.

    Returns:
        (N, A) or (N, A, D).
    """
    images, count = rows.shape[:2]
    first = core.arange(images, dtype="int64").unsqueeze(1) * count
    tail = list(rows.shape[2:])
    taken = core.gather(rows.reshape([images * count, *tail]), (places + first).flatten())
    return taken.reshape([images, places.shape[1], *tail])


def of_class(table: Any, classes: Any) -> Any:
    """Return of each row what belongs to its class.

    Args:
        table: (R, C, ...).
        classes: int64 (R,), from 0 to C - 1.

    Returns:
        (R, ...).
    """
    rows, count, *tail = table.shape
    first = core.arange(rows, dtype="int64") * count
    return core.gather(table.reshape([rows * count, *tail]), classes + first)


def anchor_grid(feature: Any, stride: int, halves: np.ndarray, offset: float = 0.0) -> Any:
    """Return the anchors of a level, corners in pixels (H * W * A, 4).

    Args:
        feature: (N, C, H, W); only its size counts.
        stride: pixels of a cell.
        halves: half the width and height of the anchors of a cell, pixels, (A, 2).
        offset: of their centres from the cell's upper left corner, pixels.
    """
    rows, columns = feature.shape[2:]
    x = core.arange(columns, dtype="float32").reshape([1, -1, 1]) * stride
    y = core.arange(rows, dtype="float32").reshape([-1, 1, 1]) * stride
    centres = core.concat([x.expand([rows, columns, 1]), y.expand([rows, columns, 1])], -1).unsqueeze(2) + offset
    sides = core.to_tensor(halves.astype(np.float32))
    return core.concat([centres - sides, centres + sides], -1).reshape([-1, 4])


def by_anchor(predicted: Any, numbers: int) -> Any:
    """Return predictions (N, anchors * numbers, H, W) with one row for each anchor, (N, H * W * anchors, numbers)."""
    return predicted.transpose([0, 2, 3, 1]).reshape([predicted.shape[0], -1, numbers])


def overlaps(boxes: Any, anchors: Any, eps: float = 1e-10) -> Any:
    """Return the intersection over union of each box with each anchor.

    Args:
        boxes: corners (N, G, 4).
        anchors: corners (A, 4), or those of each image (N, 1, A, 4).
        eps: added to each union.

    Returns:
        (N, G, A).
    """
    boxes = boxes.unsqueeze(2)
    sides = core.minimum(boxes[..., 2:], anchors[..., 2:]) - core.maximum(boxes[..., :2], anchors[..., :2])
    common = sides.clip(min=0).prod(-1)
    areas = (boxes[..., 2:] - boxes[..., :2]).clip(min=0).prod(-1)
    known = (anchors[..., 2:] - anchors[..., :2]).clip(min=0).prod(-1)
    return common / (areas + known - common + eps)


def to_deltas(anchors: Any, boxes: Any, weights: Sequence[float]) -> Any:
    """Return boxes as shifts of their anchors' centres, shares of the sizes, and logarithms of ratios of sizes.

    Args:
        anchors: corners (A, 4).
        boxes: corners (N, A, 4); those without a size are taken as very small.
        weights: factors of the four numbers.

    Returns:
        (N, A, 4).
    """
    sizes, lengths = anchors[:, 2:] - anchors[:, :2], (boxes[..., 2:] - boxes[..., :2]).clip(min=1e-9)
    centres = (boxes[..., :2] + boxes[..., 2:]) / 2 - (anchors[:, :2] + anchors[:, 2:]) / 2
    factors = core.to_tensor(np.asarray(weights, np.float32))
    return core.concat([centres / sizes, core.log(lengths / sizes)], -1) * factors


def from_deltas(anchors: Any, deltas: Any, weights: Sequence[float]) -> Any:
    """Return the corners of predicted boxes.

    Args:
        anchors: corners, broadcast with deltas.
        deltas: as :func:`to_deltas` makes them, (..., 4).
        weights: factors of the four numbers.

    Returns:
        Of deltas' shape.
    """
    deltas = deltas / core.to_tensor(np.asarray(weights, np.float32))
    sizes = anchors[..., 2:] - anchors[..., :2]
    centres = deltas[..., :2] * sizes + (anchors[..., :2] + anchors[..., 2:]) / 2
    halves = core.exp(deltas[..., 2:].clip(max=LARGEST_SCALE)) * sizes / 2
    return core.concat([centres - halves, centres + halves], -1)


def smooth_l1(difference: Any, beta: float) -> Any:
    """Return how much each difference counts: its size, less half of beta; below beta its square over twice beta.

    Args:
        difference: of any shape.
        beta: 0 or less: the size alone.
    """
    size = core.abs(difference)
    if beta < 1e-5:
        return size
    return core.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta)


def original_sizes(im_shape: Any, scale_factor: Any) -> Any:
    """Return height and width of the original images, whole numbers of pixels, float32 (N, 2).

    Args:
        im_shape: of the network's images without padding, (N, 2).
        scale_factor: what the original images' were multiplied with, (N, 2); the quotient may be a little below.
    """
    return core.floor(im_shape / scale_factor + 0.5)


def to_original(boxes: Any, scale_factor: Any) -> Any:
    """Return boxes in pixels of the original images.

    Args:
        boxes: corners in pixels of the network's images (N, A, 4).
        scale_factor: of height and width, (N, 2).
    """
    factor = scale_factor.flip(-1)
    return boxes / core.concat([factor, factor], -1).unsqueeze(1)


def suppressed(corners: Any, likely: Any, scale_factor: Any, suppression: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the boxes that a detector gives, in pixels of the original images, (N, keep_top_k, 6), and their numbers.

    Args:
        corners: in pixels of the network's images (N, A, 4).
        likely: how likely each class is (N, A, C).
        scale_factor: of height and width, (N, 2).
        suppression: arguments of :func:`core.vision.ops.multiclass_nms`.
    """
    boxes = to_original(corners, scale_factor)
    rows, counts, _ = multiclass_nms(boxes, likely.transpose([0, 2, 1]), **suppression, padded=True)
    return rows, counts


def suppression(
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float,
    soft_nms: Optional[str] = None,
    soft_sigma: float = 0.5,
    normalized: bool = True,
) -> dict[str, Any]:
    """Return the settings of a detector as arguments of :func:`core.vision.ops.multiclass_nms`.

    Args:
        score_threshold: boxes of a class must score above it.
        nms_top_k: so many of the best boxes of each class are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes; None drops them.
        soft_sigma: of gaussian.
        normalized: whether boxes end behind their last pixel, not with it.
    """
    return {
        "score_threshold": score_threshold,
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "nms_threshold": nms_threshold,
        "soft": soft_nms,
        "soft_sigma": soft_sigma,
        "normalized": normalized,
    }
