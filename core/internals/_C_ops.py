"""``paddle._C_ops``: operators by their inner names, arguments in the inner order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.operators import numel
from core.tensor import Tensor
from core.vision import ops

__all__ = [
    "box_coder", "distribute_fpn_proposals", "generate_proposals", "matrix_nms", "multiclass_nms3", "numel",
    "prior_box",
]  # fmt: skip

Three = tuple[Tensor, Optional[Tensor], Optional[Tensor]]


def box_coder(
    prior_box: Tensor,
    prior_box_var: Optional[Tensor],
    target_box: Tensor,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    variance: Sequence[float] = (),
) -> Tensor:
    """Write boxes as offsets from anchors, or read them: :func:`core.vision.ops.box_coder`.

    Args:
        prior_box, target_box, code_type, box_normalized, axis: As there.
        prior_box_var: What offsets are divided by, of the anchors' shape; where it is None, ``variance`` serves.
        variance: Four numbers, or none for ones.
    """
    spread = prior_box_var if prior_box_var is not None else list(variance) or None
    return ops.box_coder(prior_box, spread, target_box, code_type, box_normalized, axis)


def distribute_fpn_proposals(
    fpn_rois: Tensor,
    rois_num: Optional[Tensor],
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool,
) -> tuple[list[Tensor], Optional[list[Tensor]], Tensor]:
    """Share boxes out among the levels of a feature pyramid: :func:`core.vision.ops.distribute_fpn_proposals`.

    Returns:
        The boxes of each level, each level's numbers of boxes per image, and the places that restore the old order.
    """
    levels = (min_level, max_level, refer_level, refer_scale)
    rois, restore, numbers = ops.distribute_fpn_proposals(fpn_rois, *levels, pixel_offset, rois_num)
    return rois, numbers, restore


def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    im_shape: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int,
    post_nms_top_n: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
    pixel_offset: bool = True,
) -> Three:
    """Make region proposals: :func:`core.vision.ops.generate_proposals`.

    Returns:
        Boxes, their scores, and their number per image.
    """
    limits = (pre_nms_top_n, post_nms_top_n, nms_thresh, min_size, eta, pixel_offset)
    return ops.generate_proposals(scores, bbox_deltas, im_shape, anchors, variances, *limits, return_rois_num=True)


def matrix_nms(
    bboxes: Tensor,
    scores: Tensor,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    post_threshold: float = 0.0,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
) -> Three:
    """Lower the scores of boxes that overlap better ones: :func:`core.vision.ops.matrix_nms`.

    Returns:
        Rows of label, score and corners, the place of each, and their number per image.
    """
    limits = (score_threshold, post_threshold, nms_top_k, keep_top_k)
    penalty = (use_gaussian, gaussian_sigma, background_label, normalized)
    rows, numbers, places = ops.matrix_nms(bboxes, scores, *limits, *penalty, return_index=True)
    return rows, places, numbers


def multiclass_nms3(
    bboxes: Tensor,
    scores: Tensor,
    rois_num: Optional[Tensor],
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
) -> Three:
    """Keep, for each class, the boxes that overlap no better one too much: :func:`core.vision.ops.multiclass_nms`.

    Returns:
        Rows of label, score and corners, the place of each, and their number per image.
    """
    limits = (score_threshold, nms_top_k, keep_top_k, nms_threshold, normalized, nms_eta, background_label)
    rows, numbers, places = ops.multiclass_nms(bboxes, scores, *limits, return_index=True, rois_num=rois_num)
    return rows, places, numbers


def prior_box(
    input: Tensor,  # noqa: A002 - Paddle's name
    image: Tensor,
    min_sizes: Sequence[float],
    max_sizes: Sequence[float] = (),
    aspect_ratios: Sequence[float] = (),
    variances: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    flip: bool = True,
    clip: bool = True,
    step_w: float = 0.0,
    step_h: float = 0.0,
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
) -> tuple[Tensor, Tensor]:
    """Make the anchors of SSD: :func:`core.vision.ops.prior_box`.

    Returns:
        Boxes, and their variances.
    """
    shapes = (list(min_sizes), list(max_sizes), list(aspect_ratios), variances, flip, clip)
    return ops.prior_box(input, image, *shapes, (step_w, step_h), offset, min_max_aspect_ratios_order)
