"""YOLOX (Ge et al., "YOLOX: Exceeding YOLO Series in 2021", arXiv 2107.08430), with 2.x's parameter names."""

from __future__ import annotations

from typing import Any, Optional

from PaddleDetection.models.architectures.anchor_free import AnchorFree
from PaddleDetection.models.backbones.csp_darknet import CSPDarkNet
from PaddleDetection.models.boxes import suppression
from PaddleDetection.models.heads.yolox_head import YOLOXHead
from PaddleDetection.models.losses.yolox_loss import YOLOXLoss
from PaddleDetection.models.necks.yolo_csp_pan import YOLOCSPPAN


class YOLOX(AnchorFree):
    """Predicts one box from each cell of three levels, without anchors.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the maps that the head looks at, the finest first.
        channels: of the head's branches.
        depthwise: whether the head's 3 x 3 convolutions are depthwise.
        num_classes: how many classes there are.
        l1_epoch: in training, the L1 loss counts from this epoch on, counted from 0, where augmentation has ended.
        score_threshold: as of :func:`PaddleDetection.models.boxes.suppression`.
        nms_top_k: likewise.
        keep_top_k: likewise.
        nms_threshold: likewise.
        soft_nms: likewise.
        soft_sigma: likewise.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        channels: int,
        depthwise: bool,
        num_classes: int = 80,
        l1_epoch: int = 285,
        score_threshold: float = 0.001,
        nms_top_k: int = 10000,
        keep_top_k: int = 1000,
        nms_threshold: float = 0.65,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
    ) -> None:
        kept = suppression(score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma)
        super().__init__(backbone, neck, num_classes, l1_epoch, kept)
        self.head = YOLOXHead(neck.channels, num_classes, neck.strides, channels, depthwise)
        self.divisor = max(neck.strides)
        self.loss = YOLOXLoss(num_classes, neck.strides)

    def phase(self) -> Any:
        """Return the weight of the L1 loss."""
        return 1.0 - self.early


def yolox_nano(num_classes: int = 80, **settings: Any) -> YOLOX:
    """Return YOLOX-Nano, whose 3 x 3 convolutions are depthwise.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`YOLOX`.
    """
    return _scaled(0.33, 0.25, num_classes, True, **settings)


def yolox_tiny(num_classes: int = 80, **settings: Any) -> YOLOX:
    """Return YOLOX-Tiny; arguments as :func:`yolox_nano`."""
    return _scaled(0.33, 0.375, num_classes, **settings)


def yolox_s(num_classes: int = 80, **settings: Any) -> YOLOX:
    """Return YOLOX-S; arguments as :func:`yolox_nano`."""
    return _scaled(0.33, 0.5, num_classes, **settings)


def yolox_m(num_classes: int = 80, **settings: Any) -> YOLOX:
    """Return YOLOX-M; arguments as :func:`yolox_nano`."""
    return _scaled(0.67, 0.75, num_classes, **settings)


def yolox_l(num_classes: int = 80, **settings: Any) -> YOLOX:
    """Return YOLOX-L; arguments as :func:`yolox_nano`."""
    return _scaled(1.0, 1.0, num_classes, **settings)


def yolox_x(num_classes: int = 80, **settings: Any) -> YOLOX:
    """Return YOLOX-X; arguments as :func:`yolox_nano`."""
    return _scaled(1.33, 1.25, num_classes, **settings)


def _scaled(depth: float, width: float, num_classes: int, depthwise: bool = False, **settings: Any) -> YOLOX:
    backbone = CSPDarkNet(depth, width, depthwise)
    neck = YOLOCSPPAN(backbone.channels, backbone.strides, depth, depthwise)
    return YOLOX(backbone, neck, int(256 * width), depthwise, num_classes, **settings)
