"""PP-YOLOE and PP-YOLOE+ (Xu et al., "PP-YOLOE: An evolved version of YOLO", arXiv 2203.16250).

Those with "plus" in their name have a learned factor in their blocks, and assign predictions from epoch 30 on.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any, Optional

from PaddleDetection.models.architectures.anchor_free import AnchorFree
from PaddleDetection.models.backbones.cspresnet import CSPResNet
from PaddleDetection.models.boxes import suppression
from PaddleDetection.models.heads.ppyoloe_head import PPYOLOEHead
from PaddleDetection.models.losses.ppyoloe_loss import PPYOLOELoss
from PaddleDetection.models.necks.custom_csp_pan import CustomCSPPAN


class PPYOLOE(AnchorFree):
    """Predicts a box around each cell of three levels as distributions of the distances to its sides.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the maps that the head looks at, the coarsest first.
        num_classes: how many classes there are.
        reg_max: the largest distance, strides.
        static_assigner_epoch: in training, before this epoch, counted from 0, ATSS assigns anchors to objects.
        score_threshold: as of :func:`PaddleDetection.models.boxes.suppression`.
        nms_top_k: likewise.
        keep_top_k: likewise.
        nms_threshold: likewise.
        soft_nms: likewise.
        soft_sigma: likewise.
    """

    head_name = "yolo_head"

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int = 80,
        reg_max: int = 16,
        static_assigner_epoch: int = 100,
        score_threshold: float = 0.01,
        nms_top_k: int = 1000,
        keep_top_k: int = 300,
        nms_threshold: float = 0.7,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
    ) -> None:
        kept = suppression(score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma)
        super().__init__(backbone, neck, num_classes, static_assigner_epoch, kept)
        self.yolo_head = PPYOLOEHead(neck.channels, num_classes, neck.strides, reg_max)
        self.divisor = max(neck.strides)
        self.loss = PPYOLOELoss(num_classes, neck.strides, reg_max)


def ppyoloe_crn_s(num_classes: int = 80, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE-s.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`PPYOLOE`.
    """
    return _scaled(0.33, 0.5, num_classes, **settings)


def ppyoloe_crn_m(num_classes: int = 80, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE-m; arguments as :func:`ppyoloe_crn_s`."""
    return _scaled(0.67, 0.75, num_classes, **settings)


def ppyoloe_crn_l(num_classes: int = 80, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE-l; arguments as :func:`ppyoloe_crn_s`."""
    return _scaled(1.0, 1.0, num_classes, **settings)


def ppyoloe_crn_x(num_classes: int = 80, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE-x; arguments as :func:`ppyoloe_crn_s`."""
    return _scaled(1.33, 1.25, num_classes, **settings)


def ppyoloe_plus_crn_s(num_classes: int = 80, static_assigner_epoch: int = 30, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE+_s.

    Args:
        num_classes: how many classes there are.
        static_assigner_epoch: as :class:`PPYOLOE` takes it.
        **settings: further arguments of :class:`PPYOLOE`.
    """
    return _scaled(0.33, 0.5, num_classes, True, static_assigner_epoch=static_assigner_epoch, **settings)


def ppyoloe_plus_crn_m(num_classes: int = 80, static_assigner_epoch: int = 30, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE+_m; arguments as :func:`ppyoloe_plus_crn_s`."""
    return _scaled(0.67, 0.75, num_classes, True, static_assigner_epoch=static_assigner_epoch, **settings)


def ppyoloe_plus_crn_l(num_classes: int = 80, static_assigner_epoch: int = 30, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE+_l; arguments as :func:`ppyoloe_plus_crn_s`."""
    return _scaled(1.0, 1.0, num_classes, True, static_assigner_epoch=static_assigner_epoch, **settings)


def ppyoloe_plus_crn_x(num_classes: int = 80, static_assigner_epoch: int = 30, **settings: Any) -> PPYOLOE:
    """Return PP-YOLOE+_x; arguments as :func:`ppyoloe_plus_crn_s`."""
    return _scaled(1.33, 1.25, num_classes, True, static_assigner_epoch=static_assigner_epoch, **settings)


def _scaled(depth: float, width: float, num_classes: int, use_alpha: bool = False, **settings: Any) -> PPYOLOE:
    backbone = CSPResNet(depth, width, use_alpha)
    neck = CustomCSPPAN(backbone.channels, backbone.strides, depth, width)
    return PPYOLOE(backbone, neck, num_classes, **settings)
