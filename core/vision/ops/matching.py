"""Which boxes answer for which objects, and a balanced sample of them: what two-stage detectors are trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32, int32, int64
from core.operators import (
    argsort,
    cast,
    concat,
    full,
    full_like,
    maximum,
    minimum,
    rand,
    stack,
    where,
    zeros,
)
from core.operators._arguments import need_tensor
from core.operators.creation._constants import positions
from core.tensor import Tensor, apply
from core.vision.ops.arguments import counts_argument, floating_of_rank, need_fitting, upcast

__all__ = ["balanced_sample", "box_iou", "label_box", "subsample_labels"]


def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Return the intersection over union of each box of one table with each box of another (ppdet's bbox_overlaps).

    Args:
        boxes1: Corners x1, y1, x2, y2, shape (..., M, 4).
        boxes2: Shape (..., N, 4); leading axes broadcast.

    Returns:
        (..., M, N), 0 where boxes are apart; gradients flow into both.

    Raises:
        OperatorError: a shape is another.
        OperatorTypeError: the boxes are not floating-point.
    """
    for name, boxes in (("boxes1", boxes1), ("boxes2", boxes2)):
        shape = need_tensor(boxes, "box_iou", name).shape
        floating_of_rank(boxes, len(shape), "box_iou", name, "(..., boxes, 4)")
        if len(shape) < 2 or shape[-1] != 4:
            raise OperatorError(f"box_iou: {name} has the shape (..., boxes, 4), but got {shape}")
    one, two = boxes1.unsqueeze(-2), boxes2.unsqueeze(-3)
    sides = (minimum(one[..., 2:], two[..., 2:]) - maximum(one[..., :2], two[..., :2])).clip(min=0)
    common = sides[..., 0] * sides[..., 1]
    areas = [(box[..., 2] - box[..., 0]) * (box[..., 3] - box[..., 1]) for box in (one, two)]
    meet = common > 0
    union = where(meet, areas[0] + areas[1] - common, 1.0 + 0.0 * common)
    return where(meet, common / union, 0.0 * common)


def _matched(
    boxes: np.ndarray,
    objects: np.ndarray,
    crowd: np.ndarray,
    counts: np.ndarray,
    numbers: np.ndarray,
    **limits: Any,
) -> tuple[np.ndarray, np.ndarray]:
    from core.kernels.boxes.matching import Limits, match  # numba loads with the first use

    room = objects.shape[1]
    used = np.where(counts < 0, room, counts)
    if (used > room).any():
        raise OperatorError(f"label_box: gt_count says {int(used.max())} objects, but gt_boxes holds {room}")
    kinds = np.where(np.arange(room) < used[:, None], np.where(crowd != 0, 2, 1), 0).astype(np.int8)
    rooms = np.where(numbers < 0, boxes.shape[1], numbers)
    return match(np.ascontiguousarray(boxes), np.ascontiguousarray(objects), kinds, rooms, Limits(**limits))


def _matched_check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (boxes, _), (objects, _), *rest = metas
    fits = len(boxes) == len(objects) == 3 and boxes[2] == objects[2] == 4 and boxes[0] in (1, objects[0])
    fits = fits and [shape for shape, _ in rest] == [objects[:2], objects[:1], objects[:1]]
    need_fitting("label_box", fits, metas, 2)


def _matched_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape = metas[1][0][0], metas[0][0][1]
    return [(shape, int64), (shape, int32)]


_match_boxes = HostOperator("match_boxes", _matched, check=_matched_check, infer=_matched_meta, differentiable=False)


def label_box(
    boxes: Tensor,
    gt_boxes: Tensor,
    positive_overlap: float,
    negative_overlap: float,
    allow_low_quality: bool,
    ignore_thresh: float = -1.0,
    is_crowd: Optional[Tensor] = None,
    gt_count: Optional[Tensor] = None,
    boxes_num: Optional[Tensor] = None,
) -> tuple[Tensor, Tensor]:
    """Match anchors or proposals with the objects that they overlap most (Faster R-CNN, arXiv 1506.01497).

    Args:
        boxes: Corners x1, y1, x2, y2, shape (A, 4) for all images, or (N, A, 4).
        gt_boxes: Objects (N, G, 4).
        positive_overlap: Boxes whose largest overlap is at least this are positive.
        negative_overlap: Boxes whose largest overlap is below this are negative.
        allow_low_quality: Boxes that overlap an object as much as no other box does are positive too.
        ignore_thresh: Boxes that overlap a crowd more than this are ignored; none are when not positive.
        is_crowd: Which objects are crowds, which nothing is matched with, integers (N, G); none when None.
        gt_count: How many rows of gt_boxes are objects, integers (N,); all when None.
        boxes_num: How many rows of boxes count, integers (N,), the others are ignored; all when None.

    Returns:
        int64 places of objects (N, A), and int32 labels (N, A): 1 positive, 0 negative, -1 neither. Of equal overlaps
        the first object counts; where an image has none, or only crowds, all boxes are negative.

    Raises:
        OperatorError: shapes do not fit each other, or gt_count is larger than G.
        OperatorTypeError: boxes are not floating-point, or counts no integers.
    """
    rank = boxes.ndim if isinstance(boxes, Tensor) and boxes.ndim in (2, 3) else 3
    boxes = upcast(floating_of_rank(boxes, rank, "label_box", "boxes", "(A, 4) or (N, A, 4)")).detach()
    objects = floating_of_rank(gt_boxes, 3, "label_box", "gt_boxes", "(N, G, 4)").detach()
    images, room, _ = objects.shape
    table = boxes.unsqueeze(0) if rank == 2 else boxes
    if table.shape[2] != 4 or objects.shape[2] != 4 or rank == 3 and table.shape[0] != images:
        raise OperatorError(
            f"label_box: expects boxes (A, 4) or (N, A, 4) and gt_boxes (N, G, 4), got {boxes.shape} and"
            f" {gt_boxes.shape}"
        )
    crowd = zeros([images, room], "int64")
    if is_crowd is not None:
        if need_tensor(is_crowd, "label_box", "is_crowd").shape != [images, room]:
            raise OperatorError(f"label_box: is_crowd has the shape {[images, room]}, but got {is_crowd.shape}")
        crowd = cast(is_crowd.detach(), int64)
    matches, labels = apply(
        _match_boxes,
        *(table, cast(objects, table.dtype), crowd),
        _counts(gt_count, images, "gt_count"),
        _counts(boxes_num, images, "boxes_num"),
        positive=float(positive_overlap),
        negative=float(negative_overlap),
        low_quality=bool(allow_low_quality),
        ignore=float(ignore_thresh),
    )
    return matches, labels


def _counts(given: Optional[Tensor], images: int, name: str) -> Tensor:
    """Return int64 counts, -1 for all."""
    return full([images], -1, "int64") if given is None else counts_argument(given, images, "label_box", name)


def _sampled(labels: np.ndarray, draws: np.ndarray, **options: int) -> tuple[np.ndarray, ...]:
    from core.kernels.boxes.matching import sample  # numba loads with the first use

    return sample(labels, draws, **options)


def _sampled_check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (labels, kind), (draws, _) = metas
    fits = len(labels) == 2 and len(draws) == 3 and draws[:2] == (labels[0], 2) and kind is int64
    fits = fits and draws[2] in (0, options["number"]) and 0 <= options["foreground"] <= options["number"]
    need_fitting("subsample_labels", fits, metas[1:], 1)


def _sampled_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (images, boxes), _ = metas[0]
    return [((images, options["number"]), int64), ((images, 2), int32), ((images, boxes), int64)]


_sample_labels = HostOperator(
    "sample_labels", _sampled, check=_sampled_check, infer=_sampled_meta, differentiable=False
)


def subsample_labels(
    labels: Tensor, num_samples: int, fg_fraction: float, bg_label: int = 0, use_random: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Take a sample of positive and negative boxes of each image.

    Args:
        labels: Integers (N, A): -1 is ignored, bg_label negative, any other label positive.
        num_samples: So many are taken from an image, if there are.
        fg_fraction: At most this share of them is positive; negatives fill up.
        bg_label: The label of negatives.
        use_random: Draw them with core's random numbers; the first ones when False.

    Returns:
        int64 places (N, num_samples), the positive ones first, -1 behind the last one; int32 numbers of positive and
        negative ones (N, 2); and int64 labels (N, A) that are -1 for all that were not taken.

    Raises:
        OperatorError: the labels have no shape (N, A), or the numbers make no sense.
    """
    labels = need_tensor(labels, "subsample_labels", "labels")
    if labels.ndim != 2 or not labels.dtype.is_integer:
        raise OperatorError(f"subsample_labels: labels are integers (N, A), got {labels.dtype.name}{labels.shape}")
    number, share = int(num_samples), float(fg_fraction)
    if number < 1 or not 0 <= share <= 1:
        raise OperatorError(
            f"subsample_labels: num_samples must be positive and fg_fraction from 0 to 1, got {num_samples} and"
            f" {fg_fraction}"
        )
    images = labels.shape[0]
    draws = rand([images, 2, number], "float32") if use_random else zeros([images, 2, 0], float32)
    places, counts, sampled = apply(
        _sample_labels,
        *(cast(labels.detach(), int64), draws),
        number=number,
        foreground=int(number * share),
        background=int(bg_label),
    )
    return places, counts, sampled


def balanced_sample(
    labels: Tensor, overlaps: Tensor, num_samples: int, fg_fraction: float, num_bins: int = 3, bg_label: int = 0
) -> tuple[Tensor, Tensor]:
    """Draw positive boxes, and negative ones of all overlaps (Libra R-CNN, Pang et al., arXiv 1904.02701).

    The range from 0 to the image's largest overlap is divided into bins, each of which gives equally many negative
    boxes; where there are too few, others fill up. As in PaddleDetection 2.6 positive boxes are drawn alike, whatever
    their object is, and negative ones take the room of missing positive ones only where all of them fit in.

    Args:
        labels: Integers (N, A): -1 is ignored, bg_label negative, any other label positive.
        overlaps: Of each box with the object that it overlaps most (N, A).
        num_samples: So many are taken from an image, if there are.
        fg_fraction: Share of them that is for positive boxes.
        num_bins: Number of bins.
        bg_label: The label of negatives.

    Returns:
        int64 places (N, num_samples), the positive ones first, -1 behind the last one; and int32 numbers of positive
        and negative ones (N, 2).

    Raises:
        OperatorError: the shapes differ, or the numbers make no sense.
    """
    if labels.shape != overlaps.shape or labels.ndim != 2:
        raise OperatorError(
            f"balanced_sample: labels and overlaps have one shape (N, A), got {labels.shape} and {overlaps.shape}"
        )
    if int(num_bins) < 1 or int(num_samples) < 1 or not 0 <= fg_fraction <= 1:
        raise OperatorError(
            f"balanced_sample: num_bins and num_samples must be positive and fg_fraction from 0 to 1, got {num_bins},"
            f" {num_samples} and {fg_fraction}"
        )
    foreground = round(num_samples * fg_fraction)
    background = num_samples - foreground
    negative = labels == bg_label
    positive = (labels >= 0).logical_and(negative.logical_not())
    drawn = rand(overlaps.shape, "float32")
    step = overlaps.max(1, keepdim=True) / num_bins
    first = negative.logical_and(full_like(drawn, 0) > 1)
    for number in range(num_bins):
        within = negative.logical_and(overlaps >= step * number).logical_and(overlaps < step * (number + 1))
        first = first.logical_or(_drawn(within, drawn, background // num_bins))
    taken = [_drawn(positive, drawn, foreground), _drawn(negative, where(first, drawn - 1, drawn), background)]
    room = num_samples - cast(taken[0], int32).sum(1, keepdim=True)
    taken[1] = where(cast(negative, int32).sum(1, keepdim=True) <= room, negative, taken[1])
    order = where(taken[0], drawn - 4, where(taken[1], drawn - 2, drawn))
    counts = stack([cast(one, int32).sum(1) for one in taken], 1)
    places = argsort(order, 1)
    missing = num_samples - places.shape[1]
    if missing > 0:
        places = concat([places, zeros([places.shape[0], missing], int64)], 1)
    places = places[:, :num_samples]
    given = positions(num_samples) < cast(counts.sum(1, keepdim=True), int64)
    return where(given, places, full_like(places, -1)), counts


def _drawn(chosen: Tensor, drawn: Tensor, number: int) -> Tensor:
    """Return so many of the chosen boxes, those with the smallest numbers, bool (N, A)."""
    ranks = argsort(argsort(where(chosen, drawn, full_like(drawn, 9.0)), 1), 1)
    return chosen.logical_and(ranks < number)
