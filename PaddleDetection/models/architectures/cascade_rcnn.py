"""Cascade R-CNN (Cai and Vasconcelos, "Cascade R-CNN: Delving into High Quality Object Detection", arXiv 1712.00726),
with and without masks, with 2.x's parameter names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import core
from core.nn import functional as F
from core.vision.ops import generate_proposal_target
from PaddleDetection.models.architectures.faster_rcnn import FasterRCNN
from PaddleDetection.models.architectures.mask_rcnn import MaskRCNN
from PaddleDetection.models.architectures.rcnn_parts import Parts, divided, pyramid_parts
from PaddleDetection.models.arguments import passes_on
from PaddleDetection.models.boxes import from_deltas, of_class
from PaddleDetection.models.generations import learn_as_first
from PaddleDetection.models.heads.cascade_head import STAGE_WEIGHTS, CascadeHead
from PaddleDetection.models.heads.region_boxes import (
    RegionBoxes,
    both_axes,
    boxes_of_pixels,
    boxes_of_regions,
    decoded_pixels,
    within,
)
from PaddleDetection.models.losses.rcnn_loss import Regions, Truth, bbox_loss

STAGES = len(STAGE_WEIGHTS)

FIRST_LOSS_WEIGHTS = (1.0, 0.5, 0.25)
"""Of the stages' losses before 2.0; what only a stage has learns faster by the inverse."""

FIRST_MIXTURE = (0.2, 0.3, 0.5)
"""Before 2.0, shares of the stages in the final scores and boxes where each class has a box."""


class CascadeRCNN(FasterRCNN):
    """Faster R-CNN with three box heads: each looks where the one before says that the boxes are.

    Args:
        backbone: as of :class:`FasterRCNN`.
        neck: likewise.
        head: three times what makes a vector of a region's feature map.
        num_classes: how many classes there are.
        train_post_nms_top_n: as of :class:`FasterRCNN`; null: 2000.
        cascade_iou: of each stage, regions that overlap an object at least so much show it.
        class_agnostic: whether all classes have the same box.
        **settings: further arguments of :class:`FasterRCNN`.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        head: Sequence[Any],
        num_classes: int = 80,
        train_post_nms_top_n: Optional[int] = None,
        cascade_iou: Sequence[float] = (0.5, 0.6, 0.7),
        class_agnostic: bool = True,
        **settings: Any,
    ) -> None:
        if len(cascade_iou) != STAGES:
            raise ValueError(f"cascade_iou must hold {STAGES} numbers, one a stage, not {len(cascade_iou)}")
        self.class_agnostic, self.cascade_iou = class_agnostic, tuple(cascade_iou)
        settings["fg_thresh"] = self.cascade_iou[0]
        super().__init__(
            backbone, neck, head, num_classes, train_post_nms_top_n=train_post_nms_top_n or 2000, **settings
        )
        self.loss_weights = FIRST_LOSS_WEIGHTS if self.is_first else (1.0 / STAGES,) * STAGES
        for stage, weight in enumerate(FIRST_LOSS_WEIGHTS) if self.is_first else ():
            for part in (self.bbox_head.head[stage], self.bbox_head.scores[stage], self.bbox_head.deltas[stage]):
                learn_as_first(part, 1.0 / weight)

    def head_of(self, head: Any) -> Any:
        """Return the box heads."""
        return CascadeHead(head, self.num_classes, self.class_agnostic)

    def resolution_of(self, head: Any) -> int:
        """Return the side of the feature maps that the heads take."""
        return int(head[0].resolution)

    def boxes(self, features: Sequence[Any], im_shape: Any, scale_factor: Any) -> RegionBoxes:
        """Return the boxes of the images whose feature maps are given."""
        rois, counts = self.rpn_head.proposals(self.rpn_head(features), im_shape, self.test_rule)
        likely, pixels = [], []
        for stage, weights in enumerate(STAGE_WEIGHTS):
            regions = self.cut(features, rois)
            scores, deltas = self.bbox_head(regions, stage)
            likely.append(F.softmax(scores)[:, : self.num_classes])
            if self.is_first and not self.class_agnostic:
                pixels.append(decoded_pixels(rois, deltas, core.ones_like(scale_factor), weights))
            if stage + 1 < STAGES:
                rois = self._moved(rois, self._chosen(scores, deltas), weights, im_shape)
        if pixels:
            mixed = core.add_n([share * one for share, one in zip(FIRST_MIXTURE, likely)])
            boxes = core.add_n([share * one for share, one in zip(FIRST_MIXTURE, pixels)])
            boxes = boxes / both_axes(scale_factor).reshape([-1, 1, 1, 4])
            return boxes_of_pixels(mixed, boxes, counts, im_shape, scale_factor, self.selection)
        if self.is_first:  # all heads look at the last stage's regions
            seen = [self.bbox_head(regions, stage)[0] for stage in range(STAGES - 1)]
            likely[:-1] = [F.softmax(scores)[:, : self.num_classes] for scores in seen]
        mean = core.add_n(likely) / STAGES
        return boxes_of_regions(
            mean, deltas, rois, counts, im_shape, scale_factor, STAGE_WEIGHTS[-1], self.selection
        )

    def learned(self, features: Sequence[Any], im_shape: Any, truth: Truth) -> tuple[dict[str, Any], Regions, Any]:
        """Return the losses, the first stage's regions, and None."""
        losses, first = self.sampled(features, im_shape, truth)
        regions, given = first, first.labels >= 0
        for stage, weights in enumerate(STAGE_WEIGHTS):
            scores, deltas = self.bbox_head(self.cut(features, regions.rois), stage)
            if stage + 1 < STAGES:
                deltas = self._chosen(scores, deltas)
            of_classes, of_boxes = bbox_loss(
                *(scores, deltas, regions.rois.reshape([-1, 4]), regions.labels.flatten()),
                regions.boxes.reshape([-1, 4]),
                weights,
                self.beta,
            )
            losses[f"loss_bbox_cls_stage{stage}"] = of_classes * self.loss_weights[stage]
            losses[f"loss_bbox_reg_stage{stage}"] = of_boxes * self.loss_weights[stage]
            if stage + 1 < STAGES:
                rois = self._moved(regions.rois, deltas, weights, im_shape)
                given = core.logical_and(given, (rois[..., 2:] > rois[..., :2]).all(-1))
                regions = self._labelled(rois, given, truth, self.cascade_iou[stage + 1])
                given = regions.labels >= 0 if self.is_first and not self.class_agnostic else given
        return losses, first, None

    def _chosen(self, scores: Any, deltas: Any) -> Any:
        """Return the deltas of the likeliest class (R, 4)."""
        if self.class_agnostic:
            return deltas
        classes = core.argmax(scores[:, : self.num_classes], 1)
        return of_class(deltas.reshape([-1, self.num_classes, 4]), classes)

    def _moved(self, rois: Any, deltas: Any, weights: Sequence[float], im_shape: Any) -> Any:
        """Return where regions (N, R, 4) are after a stage, within the images from 2.0 on."""
        boxes = from_deltas(rois, deltas.detach().reshape(rois.shape), weights)
        return boxes if self.is_first else within(boxes, im_shape.unsqueeze(1))

    def _labelled(self, rois: Any, given: Any, truth: Truth, overlap: float) -> Regions:
        """Return what a later stage learns of regions (N, R, 4), of which some are given, (N, R).

        Before 2.0, where each class has a box, it learns of a new sample of them and of the objects.
        """
        sampling = self.sampling
        if self.is_first and not self.class_agnostic:
            *found, _ = generate_proposal_target(
                *(rois, truth.classes, truth.boxes, sampling.batch_size_per_im, sampling.fg_fraction),
                *(overlap, overlap, self.num_classes, sampling.ignore_thresh, truth.is_crowd),
                use_random=sampling.use_random,
                gt_count=truth.counts,
                rois_num=core.cast(given, "int64").sum(1),
            )
            return Regions(*found)
        rois = core.where(given.unsqueeze(-1).expand_as(rois), rois, core.zeros_like(rois))
        rois, labels, boxes, places, _ = generate_proposal_target(
            *(rois, truth.classes, truth.boxes, rois.shape[1], 1.0, overlap, overlap, self.num_classes),
            *(sampling.ignore_thresh, truth.is_crowd),
            is_cascade=True,
            cascade_iou=overlap,
            add_gt_as_proposals=False,
            gt_count=truth.counts,
        )
        return Regions(rois, core.where(given, labels, core.full_like(labels, -1)), boxes, places)


class CascadeMaskRCNN(MaskRCNN, CascadeRCNN):
    """Cascade R-CNN whose boxes have masks; arguments as of :class:`MaskRCNN` and :class:`CascadeRCNN`."""


@passes_on(pyramid_parts)
def cascade_rcnn_r18_fpn(num_classes: int = 80, **settings: Any) -> CascadeRCNN:
    """Return Cascade R-CNN on the feature pyramid of ResNet-18.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :func:`pyramid_parts`, :class:`CascadeRCNN` and :class:`FasterRCNN`.
    """
    return _plain("r18", num_classes, settings)


@passes_on(pyramid_parts)
def cascade_rcnn_r50_fpn(num_classes: int = 80, **settings: Any) -> CascadeRCNN:
    """Return Cascade R-CNN on the feature pyramid of ResNet-50; arguments as of :func:`cascade_rcnn_r18_fpn`."""
    return _plain("r50", num_classes, settings)


@passes_on(pyramid_parts)
def cascade_rcnn_r50_vd_fpn(num_classes: int = 80, **settings: Any) -> CascadeRCNN:
    """Return Cascade R-CNN on the feature pyramid of ResNet-50-vd; arguments as of :func:`cascade_rcnn_r18_fpn`."""
    return _plain("r50_vd", num_classes, settings)


@passes_on(pyramid_parts)
def cascade_rcnn_r101_vd_fpn(num_classes: int = 80, **settings: Any) -> CascadeRCNN:
    """Return Cascade R-CNN on the feature pyramid of ResNet-101-vd; arguments as of :func:`cascade_rcnn_r18_fpn`."""
    return _plain("r101_vd", num_classes, settings)


@passes_on(pyramid_parts)
def cascade_rcnn_cls_aware_r200_vd_fpn(
    num_classes: int = 80,
    dcn_v2_stages: Sequence[int] = (1, 2, 3),
    nonlocal_stages: Sequence[int] = (2,),
    head_resolution: int = 14,
    class_agnostic: bool = False,
    score_threshold: float = 0.01,
    keep_top_k: int = 300,
    soft_nms: Optional[str] = "gaussian",
    **settings: Any,
) -> CascadeRCNN:
    """Return Cascade R-CNN on the pyramid of a deformable ResNet-200-vd, with a box for each class, and Soft-NMS.

    Args:
        num_classes: how many classes there are.
        dcn_v2_stages: as of :func:`pyramid_parts`.
        nonlocal_stages: likewise.
        head_resolution: likewise.
        class_agnostic: as of :class:`CascadeRCNN`.
        score_threshold: likewise.
        keep_top_k: likewise.
        soft_nms: likewise.
        **settings: further arguments of :func:`pyramid_parts`, :class:`CascadeRCNN` and :class:`FasterRCNN`.
    """
    stages = {"dcn_v2_stages": dcn_v2_stages, "nonlocal_stages": nonlocal_stages, "head_resolution": head_resolution}
    chosen = {"class_agnostic": class_agnostic, "score_threshold": score_threshold, "keep_top_k": keep_top_k}
    return _plain("r200_vd", num_classes, {**stages, **chosen, "soft_nms": soft_nms, **settings})


@passes_on(pyramid_parts)
def cascade_rcnn_x101_vd_64x4d_fpn(num_classes: int = 80, **settings: Any) -> CascadeRCNN:
    """Return Cascade R-CNN on the feature pyramid of ResNeXt-101-vd; arguments as of :func:`cascade_rcnn_r18_fpn`."""
    return _plain("x101_vd_64x4d", num_classes, settings)


@passes_on(pyramid_parts)
def cascade_mask_rcnn_r50_fpn(num_classes: int = 80, **settings: Any) -> CascadeMaskRCNN:
    """Return Cascade Mask R-CNN on the feature pyramid of ResNet-50.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :func:`pyramid_parts`, :class:`CascadeRCNN` and :class:`FasterRCNN`.
    """
    return _masked("r50", num_classes, settings)


@passes_on(pyramid_parts)
def cascade_mask_rcnn_r50_vd_fpn(num_classes: int = 80, **settings: Any) -> CascadeMaskRCNN:
    """Return Cascade Mask R-CNN on ResNet-50-vd; arguments as of :func:`cascade_mask_rcnn_r50_fpn`."""
    return _masked("r50_vd", num_classes, settings)


@passes_on(pyramid_parts)
def cascade_mask_rcnn_se154_vd_fpn(num_classes: int = 80, **settings: Any) -> CascadeMaskRCNN:
    """Return Cascade Mask R-CNN on SENet-154-vd; arguments as of :func:`cascade_mask_rcnn_r50_fpn`."""
    return _masked("se154_vd", num_classes, settings)


def _plain(trunk: str, num_classes: int, settings: dict[str, Any]) -> CascadeRCNN:
    parts, further = _parts(trunk, settings)
    return CascadeRCNN(parts.backbone, parts.neck, parts.heads, num_classes, **further)


def _masked(trunk: str, num_classes: int, settings: dict[str, Any]) -> CascadeMaskRCNN:
    parts, further = _parts(trunk, settings)
    return CascadeMaskRCNN(parts.backbone, parts.neck, parts.heads, parts.masks, num_classes, **further)


def _parts(trunk: str, settings: dict[str, Any]) -> tuple[Parts, dict[str, Any]]:
    own, further = divided(settings, pyramid_parts)
    return pyramid_parts(trunk, STAGES, **own), further
