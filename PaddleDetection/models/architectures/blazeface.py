"""BlazeFace (Bazarevsky et al., "Sub-millisecond Neural Face Detection", arXiv 1907.05047), 2.x's parameter names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from PaddleDetection.models.architectures.ssd import VARIANCE, final_boxes
from PaddleDetection.models.backbones.blazenet import BlazeNet
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import suppression
from PaddleDetection.models.heads.ssd_head import PriorBoxes, SSDHead
from PaddleDetection.models.losses.multibox import MultiBoxLoss
from PaddleDetection.models.necks.blaze_neck import BlazeNeck

FACES = PriorBoxes(
    min_sizes=((16.0, 24.0), (32.0, 48.0, 64.0, 80.0, 96.0, 128.0)),
    max_sizes=((), ()),
    aspect_ratios=((1.0,), (1.0,)),
    steps=(8.0, 16.0),
    flip=False,
)
"""Squares of eight sizes at two levels."""


class BlazeFace(Detector):
    """Predicts squares around faces at two scales.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the two maps that the head looks at, the finest first.
        priors: the prior boxes.
        num_classes: how many classes there are.
        overlap_threshold: in training, a prior box that overlaps a face at least so much is positive.
        neg_pos_ratio: in training, so many negative prior boxes count for each positive one.
        score_threshold: boxes of a class must score above it.
        nms_top_k: so many of the best boxes of each class are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes (arXiv 1704.04503); null drops them.
        soft_sigma: of gaussian.
    """

    divisor = 16

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        priors: PriorBoxes = FACES,
        num_classes: int = 1,
        overlap_threshold: float = 0.35,
        neg_pos_ratio: float = 3.0,
        score_threshold: float = 0.01,
        nms_top_k: int = 5000,
        keep_top_k: int = 750,
        nms_threshold: float = 0.3,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.anchors = priors.sides
        self.blaze_head = SSDHead(neck.channels, num_classes, priors)
        self.loss = MultiBoxLoss(overlap_threshold, neg_pos_ratio, prior_box_var=VARIANCE)
        self.suppression = suppression(
            score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma
        )

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        deltas, scores, priors = self.blaze_head(self.neck(self.backbone(image)), image)
        return final_boxes(deltas, scores, priors, im_shape / scale_factor, self.suppression)

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_loc" and "loss_conf"."""
        deltas, scores, priors = self.blaze_head(self.neck(self.backbone(image)), image)
        return self.loss(deltas, scores, priors, image.shape[2:], targets)


def blazeface(num_classes: int = 1, **settings: Any) -> BlazeFace:
    """Return BlazeFace without a neck.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`BlazeFace`.
    """
    backbone = BlazeNet(act="relu")
    return BlazeFace(backbone, BlazeNeck(backbone.channels, backbone.strides), num_classes=num_classes, **settings)


def blazeface_fpn_ssh(num_classes: int = 1, **settings: Any) -> BlazeFace:
    """Return BlazeFace with a feature pyramid and context modules.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`BlazeFace`.
    """
    backbone = BlazeNet(act="hard_swish")
    neck = BlazeNeck(backbone.channels, backbone.strides, "fpn_ssh")
    return BlazeFace(backbone, neck, num_classes=num_classes, **settings)
