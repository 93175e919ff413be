"""Boxes and the loss of YOLOv3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import float32, int64
from core.nn import functional as F
from core.operators import abs as absolute
from core.operators import cast, concat, exp, log, one_hot, ones_like, sigmoid, where, zeros_like
from core.operators._arguments import need_tensor
from core.operators.creation._constants import positions
from core.operators.indexing.gathering import take_rows
from core.operators.shape._primitives import reshape_exact
from core.operators.vision.yolo import assign_objects
from core.tensor import Tensor, apply
from core.vision.ops.arguments import floating_of_rank

__all__ = ["yolo_box", "yolo_loss"]


def _anchor_pairs(anchors: Any, caller: str) -> np.ndarray:
    given = [int(item) for item in anchors]
    if not given or len(given) % 2:
        raise OperatorError(f"{caller}: anchors hold a width and a height each, got {given}")
    return np.array(given, np.float64).reshape(-1, 2)


def _predicted(x: Tensor, sizes: np.ndarray, scale: float) -> tuple[Tensor, Tensor]:
    """Return centers in cells and sizes in anchors' units, each [n, anchors, height, width, 2].

    Args:
        x: Predictions [n, anchors, height, width, 4 or more].
        sizes: Width and height of the anchors, in the unit of the result.
        scale: How far centers reach beyond their cell.
    """
    rows, columns = x.shape[2], x.shape[3]
    across = reshape_exact(cast(positions(columns), x.dtype), [1, columns, 1])
    down = reshape_exact(cast(positions(rows), x.dtype), [rows, 1, 1])
    shift = -0.5 * (scale - 1.0)
    places = sigmoid(x[..., :2]) * scale + shift
    centers = concat([places[..., :1] + across, places[..., 1:] + down], -1)
    return centers, exp(x[..., 2:4]) * Tensor(sizes[:, None, None], dtype=x.dtype)


def yolo_box(
    x: Tensor,
    img_size: Tensor,
    anchors: Sequence[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: Optional[str] = None,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> tuple[Tensor, Tensor]:
    """Turn the predictions of YOLOv3 (Redmon and Farhadi, arXiv 1804.02767) into boxes and scores.

    Args:
        x: Predictions (N, A * (5 + class_num), H, W): for each anchor x, y, width, height, objectness and classes;
            where iou_aware, A channels of expected overlaps precede them.
        img_size: Height and width of each image in pixels, int32 (N, 2).
        anchors: Width and height of the A anchors in pixels, one after another.
        class_num: Number of classes.
        conf_thresh: Boxes of smaller objectness are zeros.
        downsample_ratio: Size of the network's input relative to x.
        clip_bbox: Cut boxes at the image's border.
        name: Unused, as in Paddle.
        scale_x_y: How far centers reach beyond their cell.
        iou_aware: Whether expected overlaps are predicted.
        iou_aware_factor: How much they weigh, within [0, 1].

    Returns:
        Corners x1, y1, x2, y2 in pixels (N, A * H * W, 4) and scores (N, A * H * W, class_num), without a gradient.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    x = floating_of_rank(x, 4, "yolo_box", "x", "(N, C, H, W)").detach()
    pairs = _anchor_pairs(anchors, "yolo_box")
    batch, channels, rows, columns = x.shape
    count = len(pairs)
    wanted = count * (5 + class_num + bool(iou_aware))
    if channels != wanted or need_tensor(img_size, "yolo_box", "img_size").shape != [batch, 2]:
        raise OperatorError(
            f"yolo_box: expects x (N, {wanted}, H, W) and img_size (N, 2), got {x.shape} and {img_size.shape}"
        )
    table = x[:, count:] if iou_aware else x
    table = reshape_exact(table, [batch, count, 5 + class_num, rows, columns]).transpose([0, 1, 3, 4, 2])
    confidence = sigmoid(table[..., 4:5])
    if iou_aware:
        overlap = sigmoid(x[:, :count]).unsqueeze(-1)
        confidence = confidence ** (1.0 - iou_aware_factor) * overlap**iou_aware_factor
    centers, sizes = _predicted(table, pairs, scale_x_y)
    size = reshape_exact(cast(img_size.detach(), x.dtype), [batch, 1, 1, 1, 2])
    down, across = size[..., :1], size[..., 1:]
    size = concat([across, down], -1)
    cell = concat([across / columns, down / rows], -1)
    centers, halves = centers * cell, sizes * cell * (0.5 / downsample_ratio)
    low, high = centers - halves, centers + halves
    if clip_bbox:
        low, high = F.relu(low), where(high > size - 1, (size - 1).expand(high.shape), high)
    seen = cast(confidence >= conf_thresh, x.dtype)
    boxes = concat([low, high], -1) * seen
    scores = confidence * sigmoid(table[..., 5:]) * seen
    total = count * rows * columns
    return reshape_exact(boxes, [batch, total, 4]), reshape_exact(scores, [batch, total, class_num])


def yolo_loss(
    x: Tensor,
    gt_box: Tensor,
    gt_label: Tensor,
    anchors: Sequence[int],
    anchor_mask: Sequence[int],
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: Optional[Tensor] = None,
    use_label_smooth: bool = True,
    name: Optional[str] = None,
    scale_x_y: float = 1.0,
) -> Tensor:
    """Compute the loss of YOLOv3 (Redmon and Farhadi, arXiv 1804.02767) at one scale.

    Args:
        x: Predictions (N, A * (5 + class_num), H, W), with A anchors in anchor_mask.
        gt_box: Centers and sizes of objects as shares of the image (N, objects, 4); unused rows are zeros.
        gt_label: Classes, integers (N, objects).
        anchors: Width and height of the anchors of all scales in pixels, one after another.
        anchor_mask: Which of them belong to this scale.
        class_num: Number of classes.
        ignore_thresh: Predictions that overlap an object more than this are no background.
        downsample_ratio: Size of the network's input relative to x.
        gt_score: The weight of each object (N, objects); ones when None.
        use_label_smooth: Move the classes' targets a little away from 0 and 1.
        name: Unused, as in Paddle.
        scale_x_y: How far centers reach beyond their cell.

    Returns:
        The loss of each image (N,).

    Raises:
        OperatorError: shapes do not fit each other.
    """
    x = floating_of_rank(x, 4, "yolo_loss", "x", "(N, C, H, W)")
    pairs, chosen = _anchor_pairs(anchors, "yolo_loss"), tuple(int(item) for item in anchor_mask)
    batch, channels, rows, columns = x.shape
    count = len(chosen)
    objects = gt_box.shape[1] if need_tensor(gt_box, "yolo_loss", "gt_box").ndim == 3 else 0
    if channels != count * (5 + class_num) or gt_box.shape != [batch, objects, 4] or not objects:
        raise OperatorError(
            f"yolo_loss: expects x (N, {count * (5 + class_num)}, H, W) and gt_box (N, objects, 4), got {x.shape} and"
            f" {gt_box.shape}"
        )
    if need_tensor(gt_label, "yolo_loss", "gt_label").shape != [batch, objects]:
        raise OperatorError(f"yolo_loss: gt_label has the shape {[batch, objects]}, but got {gt_label.shape}")
    if any(not 0 <= item < len(pairs) for item in chosen):
        raise OperatorError(f"yolo_loss: anchor_mask {list(chosen)} names anchors beyond the {len(pairs)} given")
    boxes = cast(gt_box.detach(), x.dtype)
    weights = ones_like(boxes[..., 0]) if gt_score is None else cast(gt_score.detach(), x.dtype)
    side = downsample_ratio * rows
    table = reshape_exact(x, [batch, count, 5 + class_num, rows, columns]).transpose([0, 1, 3, 4, 2])

    centers, sizes = _predicted(table.detach(), pairs[list(chosen)] / side, scale_x_y)
    objectness, places = apply(
        assign_objects,
        *(concat([centers / rows, sizes], -1), boxes, weights),
        anchors=tuple(int(item) for item in anchors),
        chosen=chosen,
        threshold=float(ignore_thresh),
        image_size=side,
    )
    found = places >= 0
    cells = count * rows * columns
    row = where(found, places, zeros_like(places)) + reshape_exact(positions(batch), [batch, 1]) * cells
    met = take_rows(reshape_exact(table, [batch * cells, 5 + class_num]), row)
    weight = where(found, weights, zeros_like(weights))
    loss = _box_loss(met, boxes, places // (rows * columns), pairs[list(chosen)] / side, rows, columns) * weight
    loss = loss + _class_loss(met[..., 5:], gt_label, class_num, use_label_smooth) * weight
    positive = cast(objectness > 1e-5, x.dtype)
    counted = where(objectness > 1e-5, objectness, cast(objectness > -0.5, x.dtype))
    background = F.binary_cross_entropy_with_logits(table[..., 4], positive, reduction="none") * counted
    return loss.sum(1) + background.sum([1, 2, 3])


def _box_loss(met: Tensor, boxes: Tensor, anchor: Tensor, sizes: np.ndarray, rows: int, columns: int) -> Tensor:
    """Return the loss of centers and sizes of each object's prediction, [n, objects]."""
    places = concat([boxes[..., :1] * float(columns), boxes[..., 1:2] * float(rows)], -1)
    inside = places - places.floor()
    used = where(anchor < 0, zeros_like(anchor), anchor)
    wanted = log(boxes[..., 2:].clip(min=1e-9) / take_rows(Tensor(sizes, dtype=met.dtype), used))
    centers = F.binary_cross_entropy_with_logits(met[..., :2], inside, reduction="none").sum(-1)
    lengths = absolute(met[..., 2:4] - wanted).sum(-1)
    return (centers + lengths) * (2.0 - boxes[..., 2] * boxes[..., 3])


def _class_loss(scores: Tensor, labels: Tensor, classes: int, smooth: bool) -> Tensor:
    """Return the loss of the classes of each object's prediction, [n, objects]."""
    given = one_hot(cast(labels, int64).clip(0, classes - 1), classes)
    margin = min(1.0 / classes, 1.0 / 40) if smooth else 0.0
    targets = cast(given, scores.dtype if scores.dtype.size >= 4 else float32) * (1.0 - 2 * margin) + margin
    return F.binary_cross_entropy_with_logits(scores, cast(targets, scores.dtype), reduction="none").sum(-1)
