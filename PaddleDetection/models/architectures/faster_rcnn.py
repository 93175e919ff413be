"""Faster R-CNN (Ren et al., "Faster R-CNN: Towards Real-Time Object Detection with Region Proposal Networks", arXiv
1506.01497), on a feature pyramid or on the fourth stage alone, with 2.x's parameter names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.nn import functional as F
from core.vision.ops import generate_proposal_target
from PaddleDetection.models.anchor_fitting import Fitted, by_rows, scaled, whole
from PaddleDetection.models.architectures.rcnn_parts import c4_parts, divided, divided_c4, pyramid_parts
from PaddleDetection.models.arguments import passes_on
from PaddleDetection.models.base import Detector
from PaddleDetection.models.generations import is_first, learn_as_first
from PaddleDetection.models.heads.bbox_head import BOX_WEIGHTS, BBoxHead
from PaddleDetection.models.heads.region_boxes import RegionBoxes, Selection, boxes_of_regions
from PaddleDetection.models.heads.roi_extractor import RoIExtractor
from PaddleDetection.models.heads.rpn_head import ProposalRule, RPNHead
from PaddleDetection.models.losses.rcnn_loss import Regions, Sampling, Truth, bbox_loss, rpn_loss, truth_of

AT_ONCE = 100
"""So many regions of an image are looked at together where the fifth stage looks at them: 4 megabytes for each."""


class FasterRCNN(Detector):
    """Proposes regions, and says of each what it shows and where its box is.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them a pyramid's levels, the finest first, all with as many channels; None for none.
        head: makes a vector of a region's feature map, or a map whose average is one.
        num_classes: how many classes there are.
        anchor_sizes: square roots of the anchors' areas, pixels: one for each level, or, of a single level, all.
        aspect_ratios: heights over widths of the anchors.
        train_pre_nms_top_n: in training, so many of each level's best anchors are looked at; null: 2000 on a pyramid,
            12000 without.
        train_post_nms_top_n: in training, so many regions of an image are proposed; null: 1000, or 2000 without.
        test_pre_nms_top_n: so many of each level's best anchors are looked at; null: 1000, or 6000 without.
        test_post_nms_top_n: so many regions of an image are proposed.
        rpn_nms_threshold: the largest overlap of a proposal with a better one.
        rpn_min_size: smaller proposals are dropped, pixels.
        rpn_batch_size_per_im: so many anchors of an image are learned from.
        rpn_positive_overlap: anchors that overlap an object at least so much show it.
        rpn_negative_overlap: anchors that overlap every object less are background.
        batch_size_per_im: so many regions of an image are learned from.
        fg_fraction: at most this share of them shows objects.
        fg_thresh: regions that overlap an object at least so much show it; the others are background.
        ignore_thresh: anchors and regions that overlap a crowd more are not learned from; 0 or less: all are.
        beta: differences of regions' boxes below it count by their square; null: none, and 1 in generation 1.
        rpn_beta: likewise, of anchors; null: none, and 1 / 9 in generation 1.
        use_random: draw the anchors and regions that are learned from; else the first ones are taken.
        sampling_ratio: samples of a region's bin along each axis; 0: about one for each cell; null: 0, and 2 in
            generation 1 on a pyramid.
        canonical_size: square root of the area, pixels, of regions that the level with stride 16 is for.
        aligned: whether the centres of a feature map's cells lie at whole numbers plus a half; not in generation 1.
        score_threshold: boxes of a class must score above it.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes; null drops them.
        generation: 2, or 1 for what the releases before 2.0 did; see :mod:`PaddleDetection.models.generations`.
    """

    num_bins: Optional[int] = None  # of a balanced sample of background

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        head: Any,
        num_classes: int = 80,
        anchor_sizes: Sequence[float] = (32, 64, 128, 256, 512),
        aspect_ratios: Sequence[float] = (0.5, 1.0, 2.0),
        train_pre_nms_top_n: Optional[int] = None,
        train_post_nms_top_n: Optional[int] = None,
        test_pre_nms_top_n: Optional[int] = None,
        test_post_nms_top_n: int = 1000,
        rpn_nms_threshold: float = 0.7,
        rpn_min_size: float = 0.0,
        rpn_batch_size_per_im: int = 256,
        rpn_positive_overlap: float = 0.7,
        rpn_negative_overlap: float = 0.3,
        batch_size_per_im: int = 512,
        fg_fraction: float = 0.25,
        fg_thresh: float = 0.5,
        ignore_thresh: float = -1.0,
        beta: Optional[float] = None,
        rpn_beta: Optional[float] = None,
        use_random: bool = True,
        sampling_ratio: Optional[int] = None,
        canonical_size: int = 224,
        aligned: bool = True,
        score_threshold: float = 0.05,
        keep_top_k: int = 100,
        nms_threshold: float = 0.5,
        soft_nms: Optional[str] = None,
        generation: int = 2,
    ) -> None:
        super().__init__()
        self.num_classes, self.is_first = num_classes, is_first(generation)
        self.backbone, self.neck = backbone, neck
        last = backbone if neck is None else neck
        self.divisor = 1 if neck is None else max(backbone.strides)
        self.anchor_sizes = list(anchor_sizes)
        self.rpn_head = RPNHead(last.channels[0], last.strides, anchor_sizes, aspect_ratios, generation)
        self.anchors = [(2 * halves).flatten().tolist() for halves in self.rpn_head.halves]
        self.bbox_head = self.head_of(head)
        usual = (12000, 2000, 6000) if neck is None else (2000, 2000 if self.is_first else 1000, 1000)
        given = (train_pre_nms_top_n, train_post_nms_top_n, test_pre_nms_top_n)
        train_pre, train_post, test_pre = (own or other for own, other in zip(given, usual))
        self.train_rule = ProposalRule(train_pre, train_post, rpn_nms_threshold, rpn_min_size)
        self.test_rule = ProposalRule(test_pre, test_post_nms_top_n, rpn_nms_threshold, rpn_min_size)
        self.anchor_sampling = Sampling(
            *(rpn_batch_size_per_im, 0.5, rpn_positive_overlap, rpn_negative_overlap, ignore_thresh, use_random)
        )
        self.beta: Any
        self.beta, self.rpn_beta = (
            own if own is not None else other * self.is_first for own, other in ((beta, 1.0), (rpn_beta, 1 / 9))
        )
        self.sampling = Sampling(batch_size_per_im, fg_fraction, fg_thresh, fg_thresh, ignore_thresh, use_random)
        samples = sampling_ratio if sampling_ratio is not None else 2 * (self.is_first and neck is not None)
        cutting = (samples, canonical_size, aligned and not self.is_first, self.is_first)
        self.cut = RoIExtractor(last.strides, self.resolution_of(head), *cutting)
        self.cut_masks = RoIExtractor(last.strides, 14, *cutting)
        self.selection = Selection(score_threshold, keep_top_k, nms_threshold, soft_nms, last_pixel=self.is_first)
        for part in (neck, self.rpn_head, self.bbox_head) if self.is_first else ():
            if part is not None:
                learn_as_first(part)

    def fitted_anchors(self, sides: np.ndarray) -> Fitted:
        """Return anchors of the same shapes, all larger or all smaller by one factor."""
        own = by_rows(self.anchors)
        factor = scaled(sides, own)
        return Fitted({"anchor_sizes": whole([factor * size for size in self.anchor_sizes])}, factor * own)

    def head_of(self, head: Any) -> Any:
        """Return the box head."""
        return BBoxHead(head, self.num_classes)

    def resolution_of(self, head: Any) -> int:
        """Return the side of the feature maps that a head takes."""
        return int(getattr(head, "resolution", 14))

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, ...]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        found = self.boxes(self.features(image), im_shape, scale_factor)
        return found.rows, found.counts

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_rpn_cls", "loss_rpn_reg", "loss_bbox_cls" and "loss_bbox_reg"."""
        return self.learned(self.features(image), im_shape, truth_of(targets))[0]

    def features(self, image: Any) -> list[Any]:
        """Return the feature maps that regions are cut out of, the finest first."""
        maps: list[Any] = self.backbone(image)
        return maps if self.neck is None else list(self.neck(maps))

    def boxes(self, features: Sequence[Any], im_shape: Any, scale_factor: Any) -> RegionBoxes:
        """Return the boxes of the images whose feature maps are given."""
        rois, counts = self.rpn_head.proposals(self.rpn_head(features), im_shape, self.test_rule)
        images, room = rois.shape[:2]
        step = room if self.neck is not None else AT_ONCE
        found = []
        for start in range(0, room, step):
            seen = self.bbox_head(self.cut(features, rois[:, start : start + step]))[:2]
            found.append([one.reshape([images, -1, one.shape[1]]) for one in seen])
        scores, deltas = (core.concat(list(parts), 1).flatten(0, 1) for parts in zip(*found))
        likely = F.softmax(scores)[:, : self.num_classes]
        return boxes_of_regions(
            likely, deltas, rois, counts, im_shape, scale_factor, BOX_WEIGHTS, self.selection
        )

    def learned(self, features: Sequence[Any], im_shape: Any, truth: Truth) -> tuple[dict[str, Any], Regions, Any]:
        """Return the losses, the regions that are learned from, and what the head's first layers make of them."""
        losses, regions = self.sampled(features, im_shape, truth)
        scores, deltas, seen = self.bbox_head(self.cut(features, regions.rois))
        losses["loss_bbox_cls"], losses["loss_bbox_reg"] = bbox_loss(
            *(scores, deltas, regions.rois.reshape([-1, 4]), regions.labels.flatten()),
            regions.boxes.reshape([-1, 4]),
            BOX_WEIGHTS,
            self.beta,
        )
        return losses, regions, seen

    def sampled(self, features: Sequence[Any], im_shape: Any, truth: Truth) -> tuple[dict[str, Any], Regions]:
        """Return the losses of the proposals, and a sample of proposals and objects."""
        found = self.rpn_head(features)
        rois, counts = self.rpn_head.proposals(found, im_shape, self.train_rule)
        sampling = self.sampling
        chosen, labels, boxes, places, _ = generate_proposal_target(
            *(rois, truth.classes, truth.boxes, sampling.batch_size_per_im, sampling.fg_fraction),
            *(sampling.fg_thresh, sampling.bg_thresh, self.num_classes, sampling.ignore_thresh, truth.is_crowd),
            use_random=sampling.use_random,
            gt_count=truth.counts,
            rois_num=counts,
            num_bins=self.num_bins,
        )
        shape = im_shape if self.is_first else None
        losses = rpn_loss(found, truth, self.anchor_sampling, self.rpn_beta, shape)
        return losses, Regions(chosen, labels, boxes, places)


@passes_on(pyramid_parts)
def faster_rcnn_r18_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNet-18.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :func:`pyramid_parts` and :class:`FasterRCNN`.
    """
    return _on_pyramid("r18", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_r34_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNet-34; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("r34", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_r34_vd_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNet-34-vd; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("r34_vd", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_r50_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNet-50; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("r50", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_r50_vd_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNet-50-vd; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("r50_vd", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_r101_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNet-101; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("r101", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_r101_vd_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNet-101-vd; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("r101_vd", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_x101_vd_64x4d_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of ResNeXt-101-vd; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("x101_vd_64x4d", num_classes, settings)


@passes_on(pyramid_parts)
def faster_rcnn_se154_vd_fpn(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the feature pyramid of SENet-154-vd; arguments as of :func:`faster_rcnn_r18_fpn`."""
    return _on_pyramid("se154_vd", num_classes, settings)


@passes_on(c4_parts)
def faster_rcnn_r50(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the fourth stage of ResNet-50.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :func:`c4_parts` and :class:`FasterRCNN`.
    """
    return _on_fourth_stage("r50", num_classes, settings)


@passes_on(c4_parts)
def faster_rcnn_r50_vd(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the fourth stage of ResNet-50-vd; arguments as of :func:`faster_rcnn_r50`."""
    return _on_fourth_stage("r50_vd", num_classes, settings)


@passes_on(c4_parts)
def faster_rcnn_r101(num_classes: int = 80, **settings: Any) -> FasterRCNN:
    """Return Faster R-CNN on the fourth stage of ResNet-101; arguments as of :func:`faster_rcnn_r50`."""
    return _on_fourth_stage("r101", num_classes, settings)


def _on_pyramid(trunk: str, num_classes: int, settings: Mapping[str, Any]) -> FasterRCNN:
    own, further = divided(settings, pyramid_parts)
    parts = pyramid_parts(trunk, 1, **own)
    return FasterRCNN(parts.backbone, parts.neck, parts.heads[0], num_classes, **further)


def _on_fourth_stage(trunk: str, num_classes: int, settings: Mapping[str, Any]) -> FasterRCNN:
    own, further = divided_c4(trunk, settings)
    parts = c4_parts(trunk, **own)
    return FasterRCNN(parts.backbone, parts.neck, parts.heads[0], num_classes, **further)
