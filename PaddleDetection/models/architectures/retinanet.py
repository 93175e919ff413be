"""RetinaNet (Lin et al., "Focal Loss for Dense Object Detection", arXiv 1708.02002), with 2.x's parameter names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from core.vision.ops import multiclass_nms
from PaddleDetection.models.anchor_fitting import Fitted, by_rows, scaled
from PaddleDetection.models.backbones.resnet import ResNet
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import original_sizes, suppressed, suppression, to_original
from PaddleDetection.models.generations import is_first, learn_as_first, rows_from_pixels, to_pixels
from PaddleDetection.models.heads.region_boxes import within
from PaddleDetection.models.heads.retina_head import RetinaHead
from PaddleDetection.models.losses.retina_loss import RetinaLoss
from PaddleDetection.models.necks.fpn import FPN

FIRST_SIGMA = 3.0151134457776365
"""Before 2.0, differences of boxes below 1 over its square count by their own."""


class RetinaNet(Detector):
    """Predicts boxes around anchors at the levels of a feature pyramid.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the pyramid's levels, the finest first, all with as many channels.
        num_classes: how many classes there are.
        channels: of the head's towers.
        num_convs: how many convolutions a tower has.
        norm_type: of the towers: "bn", "sync_bn", "gn" or None.
        positive_overlap: in training, an anchor that overlaps an object at least so much belongs to it.
        negative_overlap: in training, an anchor that overlaps every object less is background.
        beta: in training, differences of boxes below it count by their square; null: none, and 0.11 in generation 1,
            which is 1 over the square of its sigma of 3.0151.
        octave_base_scale: the smallest anchor's side, in strides of its level.
        scales_per_octave: how many sizes of anchors a level has.
        aspect_ratios: heights over widths of the anchors.
        nms_pre: so many of each level's best anchors become boxes.
        score_threshold: boxes of a class must score above it.
        nms_top_k: so many of the best boxes of each class are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes (arXiv 1704.04503); null drops them.
        soft_sigma: of gaussian.
        generation: 2, or 1 for what the releases before 2.0 did; see :mod:`PaddleDetection.models.generations`.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int = 80,
        channels: int = 256,
        num_convs: int = 4,
        norm_type: Optional[str] = None,
        positive_overlap: float = 0.5,
        negative_overlap: float = 0.4,
        beta: Optional[float] = None,
        octave_base_scale: float = 4.0,
        scales_per_octave: int = 3,
        aspect_ratios: Sequence[float] = (0.5, 1.0, 2.0),
        nms_pre: int = 1000,
        score_threshold: float = 0.05,
        nms_top_k: int = 1000,
        keep_top_k: int = 100,
        nms_threshold: float = 0.5,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
        generation: int = 2,
    ) -> None:
        super().__init__()
        self.num_classes, self.is_first = num_classes, is_first(generation)
        self.backbone = backbone
        self.neck = neck
        self.head = RetinaHead(
            *(neck.channels[0], num_classes, neck.strides, channels, num_convs, norm_type),
            octave_base_scale=octave_base_scale,
            scales_per_octave=scales_per_octave,
            aspect_ratios=aspect_ratios,
            nms_pre=nms_pre,
            generation=generation,
        )
        self.octave_base_scale = octave_base_scale
        self.anchors = [(2 * halves).flatten().tolist() for halves in self.head.halves]
        if beta is None:
            beta = FIRST_SIGMA**-2 if self.is_first else 0.0
        further = 1.0 if self.is_first else 0.0
        self.loss = RetinaLoss(num_classes, positive_overlap, negative_overlap, beta=beta, further=further)
        for part in (neck, self.head) if self.is_first else ():
            learn_as_first(part)
        self.suppression = suppression(
            score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma
        )

    def fitted_anchors(self, sides: np.ndarray) -> Fitted:
        """Return anchors of the same shapes, all larger or all smaller by one factor."""
        own = by_rows(self.anchors)
        factor = scaled(sides, own)
        return Fitted({"octave_base_scale": round(factor * self.octave_base_scale, 2)}, factor * own)

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        found = self.head(self.neck(self.backbone(image)))
        if not self.is_first:
            return suppressed(*self.head.boxes(found), scale_factor, self.suppression)
        boxes, likely = self.head.boxes_of_pairs(found, self.suppression["score_threshold"])
        pixels = to_original(to_pixels(boxes), scale_factor)
        pixels = within(pixels, original_sizes(im_shape, scale_factor).unsqueeze(1) - 1)
        settings = {**self.suppression, "score_threshold": 0.0, "nms_top_k": -1, "normalized": False}
        rows, counts, _ = multiclass_nms(pixels, likely.transpose([0, 2, 1]), **settings, padded=True)
        return rows_from_pixels(rows), counts

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_cls" and "loss_reg"."""
        return self.loss(self.head(self.neck(self.backbone(image))), targets)


def retinanet_r50_fpn(
    num_classes: int = 80, freeze_at: int = 0, freeze_norm: bool = True, use_c5: Optional[bool] = None, **settings: Any
) -> RetinaNet:
    """Return RetinaNet on ResNet-50.

    Args:
        num_classes: how many classes there are.
        freeze_at: the backbone's stem and stages up to this one, counted from 0, keep their weights; -1: none does.
        freeze_norm: whether the backbone's normalisations keep scale, offset and statistics.
        use_c5: whether the sixth level is made of the backbone's last feature map; null: in generation 1.
        **settings: further arguments of :class:`RetinaNet`.
    """
    return _on_resnet(50, num_classes, freeze_at, freeze_norm, use_c5, **settings)


def retinanet_r101_fpn(
    num_classes: int = 80, freeze_at: int = 0, freeze_norm: bool = True, use_c5: Optional[bool] = None, **settings: Any
) -> RetinaNet:
    """Return RetinaNet on ResNet-101.

    Args:
        num_classes: how many classes there are.
        freeze_at: as of :func:`retinanet_r50_fpn`.
        freeze_norm: likewise.
        use_c5: likewise.
        **settings: further arguments of :class:`RetinaNet`.
    """
    return _on_resnet(101, num_classes, freeze_at, freeze_norm, use_c5, **settings)


def _on_resnet(
    depth: int, num_classes: int, freeze_at: int, freeze_norm: bool, use_c5: Optional[bool], **settings: Any
) -> RetinaNet:
    backbone = ResNet(depth, freeze_at=freeze_at, freeze_norm=freeze_norm, return_idx=(1, 2, 3))
    last = settings.get("generation") == 1 if use_c5 is None else use_c5
    neck = FPN(backbone.channels, backbone.strides, has_extra_convs=True, extra_stage=2, use_c5=last)
    return RetinaNet(backbone, neck, num_classes, **settings)
