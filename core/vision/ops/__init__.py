"""paddle.vision.ops: operators on images and boxes."""

from __future__ import annotations

from core.vision.ops.anchors import anchor_generator, prior_box
from core.vision.ops.blocks import ConvNormActivation
from core.vision.ops.box_pooling import PSRoIPool, RoIAlign, RoIPool, psroi_pool, roi_align, roi_align_levels, roi_pool
from core.vision.ops.boxes import box_coder
from core.vision.ops.deformable import DeformConv2D, deform_conv2d
from core.vision.ops.deformable_pooling import deformable_psroi_pooling
from core.vision.ops.files import decode_jpeg, read_file
from core.vision.ops.masks import generate_mask_target
from core.vision.ops.matching import balanced_sample, box_iou, label_box, subsample_labels
from core.vision.ops.multiclass import multiclass_nms
from core.vision.ops.proposals import generate_proposals
from core.vision.ops.pyramid import distribute_fpn_proposals
from core.vision.ops.suppression import matrix_nms, nms
from core.vision.ops.targets import bbox2delta, generate_proposal_target, rpn_anchor_target
from core.vision.ops.yolo import yolo_box, yolo_loss

__all__ = [
    "ConvNormActivation", "DeformConv2D", "PSRoIPool", "RoIAlign", "RoIPool", "anchor_generator", "balanced_sample",
    "bbox2delta", "box_coder", "box_iou", "decode_jpeg", "deform_conv2d", "deformable_psroi_pooling",
    "distribute_fpn_proposals", "generate_mask_target", "generate_proposal_target", "generate_proposals", "label_box",
    "matrix_nms", "multiclass_nms", "nms", "prior_box", "psroi_pool", "read_file", "roi_align",
    "roi_align_levels", "roi_pool", "rpn_anchor_target", "subsample_labels", "yolo_box", "yolo_loss",
]  # fmt: skip
