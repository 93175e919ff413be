"""What the heads of two-stage detectors learn: labels and boxes of anchors and proposals, for whole batches at once.

They compute what PaddleDetection 2.6 does (ppdet.modeling.proposal_generator.target), padded to fixed sizes: no result
has a size that depends on the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.kernels.dtypes import int32, int64
from core.operators import cast, concat, full_like, log, stack, where, zeros_like
from core.operators.creation._constants import positions
from core.operators.indexing.gathering import take_rows
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor
from core.vision.ops.matching import balanced_sample, box_iou, label_box, subsample_labels

__all__ = ["bbox2delta", "generate_proposal_target", "rpn_anchor_target"]


def bbox2delta(src_boxes: Tensor, tgt_boxes: Tensor, weights: Sequence[float] = (1.0, 1.0, 1.0, 1.0)) -> Tensor:
    """Return boxes as offsets from others: shares of their sizes, and logarithms of the ratio of sizes.

    Args:
        src_boxes: Corners x1, y1, x2, y2 of anchors or proposals, shape (..., 4).
        tgt_boxes: The boxes, of a shape that broadcasts with it.
        weights: What the four offsets are multiplied with.

    Returns:
        (..., 4).
    """
    size, target = ([box[..., 2] - box[..., 0], box[..., 3] - box[..., 1]] for box in (src_boxes, tgt_boxes))
    center = [src_boxes[..., axis] + 0.5 * size[axis] for axis in (0, 1)]
    middle = [tgt_boxes[..., axis] + 0.5 * target[axis] for axis in (0, 1)]
    moves = [weights[axis] * (middle[axis] - center[axis]) / size[axis] for axis in (0, 1)]
    growth = [weights[2 + axis] * log(target[axis] / size[axis]) for axis in (0, 1)]
    return stack([*moves, *growth], -1)


def _rows(table: Tensor, places: Tensor) -> Tensor:
    """Return rows of each image's table (N, T, ...) at places (N, K)."""
    images, size = table.shape[:2]
    index = places + reshape_exact(positions(images), [images, 1]) * size
    return take_rows(reshape_exact(table, [images * size, *table.shape[2:]]), index)


def _largest_overlap(rois: Tensor, objects: Tensor, gt_count: Optional[Tensor], valid: Tensor) -> Tensor:
    """Return the overlap of each proposal with the object that it overlaps most (N, K); 0 of what is no proposal."""
    overlap = box_iou(rois, objects)
    if gt_count is not None:
        images, room = objects.shape[:2]
        given = reshape_exact(positions(room), [1, 1, room]) < reshape_exact(cast(gt_count, int64), [images, 1, 1])
        overlap = where(given, overlap, zeros_like(overlap))
    largest = overlap.max(-1)
    return where(valid, largest, zeros_like(largest))


def rpn_anchor_target(
    anchors: Tensor,
    gt_boxes: Tensor,
    rpn_batch_size_per_im: int,
    rpn_positive_overlap: float,
    rpn_negative_overlap: float,
    rpn_fg_fraction: float,
    use_random: bool = True,
    ignore_thresh: float = -1.0,
    is_crowd: Optional[Tensor] = None,
    weights: Sequence[float] = (1.0, 1.0, 1.0, 1.0),
    gt_count: Optional[Tensor] = None,
    inside: Optional[Tensor] = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return what a region proposal network learns (Faster R-CNN, arXiv 1506.01497).

    Args:
        anchors: Corners x1, y1, x2, y2, shape (A, 4).
        gt_boxes: Objects (N, G, 4), G at least 1.
        rpn_batch_size_per_im: So many anchors of an image are taken.
        rpn_positive_overlap: Anchors whose largest overlap is at least this, and each object's best, are positive.
        rpn_negative_overlap: Anchors whose largest overlap is below this are negative.
        rpn_fg_fraction: At most this share of what is taken is positive.
        use_random: Draw what is taken; the first ones when False.
        ignore_thresh, is_crowd, gt_count: As for :func:`label_box`.
        weights: What the four offsets are multiplied with.
        inside: Which anchors of each image may be taken, bool (N, A); all when None.

    Returns:
        int32 labels (N, A): 1 positive, 0 negative, -1 not taken; the object of each anchor (N, A, 4); and its offsets
        from the anchor (N, A, 4). Objects and offsets are zeros where an image has no object.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    table = anchors
    if inside is not None:  # boxes without an area overlap nothing
        table = where(inside.unsqueeze(-1), anchors.unsqueeze(0), zeros_like(anchors).unsqueeze(0))
    matches, labels = label_box(
        table, gt_boxes, rpn_positive_overlap, rpn_negative_overlap, True, ignore_thresh, is_crowd, gt_count
    )
    if inside is not None:
        labels = where(inside, labels, full_like(labels, -1))
    _, _, taken = subsample_labels(labels, rpn_batch_size_per_im, rpn_fg_fraction, 0, use_random)
    boxes = _rows(cast(gt_boxes.detach(), anchors.dtype), matches)
    deltas = bbox2delta(anchors.detach(), boxes, weights)
    if gt_count is not None:
        empty = reshape_exact(cast(gt_count, int64) == 0, [gt_boxes.shape[0], 1, 1])
        boxes, deltas = (where(empty, zeros_like(found), found) for found in (boxes, deltas))
    return cast(taken, int32), boxes, deltas


def generate_proposal_target(
    rpn_rois: Tensor,
    gt_classes: Tensor,
    gt_boxes: Tensor,
    batch_size_per_im: int,
    fg_fraction: float,
    fg_thresh: float,
    bg_thresh: float,
    num_classes: int,
    ignore_thresh: float = -1.0,
    is_crowd: Optional[Tensor] = None,
    use_random: bool = True,
    is_cascade: bool = False,
    cascade_iou: float = 0.5,
    add_gt_as_proposals: bool = True,
    gt_count: Optional[Tensor] = None,
    rois_num: Optional[Tensor] = None,
    num_bins: Optional[int] = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return a sample of proposals and what a box head learns of each (Fast R-CNN, arXiv 1504.08083).

    Args:
        rpn_rois: Proposals (N, K, 4), corners x1, y1, x2, y2.
        gt_classes: Classes of objects, integers (N, G).
        gt_boxes: Objects (N, G, 4), G at least 1.
        batch_size_per_im: So many proposals of an image are taken.
        fg_fraction: At most this share of them shows objects.
        fg_thresh: Proposals whose largest overlap is at least this show objects.
        bg_thresh: Proposals whose largest overlap is below this show background.
        num_classes: Number of classes, and the label of background.
        ignore_thresh, is_crowd, gt_count: As for :func:`label_box`.
        use_random: Draw what is taken; the first ones when False.
        is_cascade: Take all proposals, in their order, with cascade_iou for both thresholds (Cascade R-CNN, Cai and
            Vasconcelos, arXiv 1712.00726).
        cascade_iou: The threshold of that stage.
        add_gt_as_proposals: Objects are proposals too, behind the others.
        rois_num: How many rows of rpn_rois are proposals, integers (N,); all when None.
        num_bins: Draw equally many backgrounds of so many ranges of overlap (:func:`balanced_sample`); all alike when
            None, and the first ones in any case where use_random is False.

    Returns:
        Proposals (N, B, 4), int64 labels (N, B), their objects (N, B, 4), int64 places of those (N, B), and
        int32 numbers (N,) of what was taken. B is batch_size_per_im, or the number of all proposals where is_cascade.
        Rows that are not taken have the label -1 and zeros.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    rois, objects = rpn_rois.detach(), cast(gt_boxes.detach(), rpn_rois.dtype)
    images, room = objects.shape[:2]
    places = positions(rois.shape[1])
    counts = None if rois_num is None else reshape_exact(cast(rois_num, int64), [images, 1])
    valid = full_like(rois[..., 0], 1) > 0 if counts is None else reshape_exact(places, [1, rois.shape[1]]) < counts
    if add_gt_as_proposals:
        rois = concat([rois, objects], 1)
        also = full_like(objects[..., 0], 1) > 0
        if gt_count is not None:
            also = reshape_exact(positions(room), [1, room]) < reshape_exact(cast(gt_count, int64), [images, 1])
        valid = concat([valid, also], 1)
    limits = (cascade_iou, cascade_iou) if is_cascade else (fg_thresh, bg_thresh)
    matches, found = label_box(rois, objects, *limits, False, ignore_thresh, is_crowd, gt_count)
    classes = _rows(cast(gt_classes.detach(), int64), matches)
    classes = where(found == 0, full_like(classes, num_classes), classes)
    classes = where((found >= 0).logical_and(valid), classes, full_like(classes, -1))
    if is_cascade:
        taken, number = valid, cast(valid, int32).sum(1)
    else:
        if num_bins is not None and use_random:
            overlap = _largest_overlap(rois, objects, gt_count, valid)
            chosen, numbers = balanced_sample(
                classes, overlap, batch_size_per_im, fg_fraction, num_bins, num_classes
            )
        else:
            chosen, numbers, _ = subsample_labels(classes, batch_size_per_im, fg_fraction, num_classes, use_random)
        taken, number = chosen >= 0, numbers.sum(1)
        chosen = where(taken, chosen, zeros_like(chosen))
        rois, classes, matches = _rows(rois, chosen), _rows(classes, chosen), _rows(matches, chosen)
    classes = where(taken, classes, full_like(classes, -1))
    matches = where(taken, matches, zeros_like(matches))
    mask = taken.unsqueeze(-1)
    targets = _rows(objects, matches)
    if gt_count is not None:
        mask_objects = mask.logical_and(reshape_exact(cast(gt_count, int64) > 0, [images, 1, 1]))
    else:
        mask_objects = mask
    targets = where(mask_objects, targets, zeros_like(targets))
    return where(mask, rois, zeros_like(rois)), classes, targets, matches, cast(number, int32)
