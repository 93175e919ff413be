"""PP-PicoDet (Yu et al., "PP-PicoDet: A Better Real-Time Object Detector on Mobile Devices", arXiv 2111.00902).

The networks of 2022: LCNet, and task-aligned assignment. Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any, Optional

from PaddleDetection.models.architectures.anchor_free import AnchorFree
from PaddleDetection.models.backbones.lcnet import LCNet
from PaddleDetection.models.boxes import suppression
from PaddleDetection.models.heads.pico_head import PicoHeadV2
from PaddleDetection.models.losses.pico_loss import PicoLoss
from PaddleDetection.models.necks.lc_pan import LCPAN


class PicoDet(AnchorFree):
    """Predicts a box around each cell of four levels as distributions of the distances to its sides.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the maps that the head looks at, the finest first, all with as many channels.
        num_convs: pairs of convolutions of each level of the head.
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

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_convs: int,
        num_classes: int = 80,
        reg_max: int = 7,
        static_assigner_epoch: int = 100,
        score_threshold: float = 0.025,
        nms_top_k: int = 1000,
        keep_top_k: int = 100,
        nms_threshold: float = 0.6,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
    ) -> None:
        kept = suppression(score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma)
        super().__init__(backbone, neck, num_classes, static_assigner_epoch, kept)
        self.head = PicoHeadV2(neck.channels[0], num_classes, neck.strides, num_convs, reg_max)
        self.divisor = neck.strides[-2]
        self.loss = PicoLoss(num_classes, neck.strides, reg_max)


def picodet_xs(num_classes: int = 80, **settings: Any) -> PicoDet:
    """Return PicoDet-XS.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`PicoDet`.
    """
    return _on(0.35, 96, 2, num_classes, **settings)


def picodet_s(num_classes: int = 80, **settings: Any) -> PicoDet:
    """Return PicoDet-S; arguments as :func:`picodet_xs`."""
    return _on(0.75, 96, 2, num_classes, **settings)


def picodet_m(num_classes: int = 80, **settings: Any) -> PicoDet:
    """Return PicoDet-M; arguments as :func:`picodet_xs`."""
    return _on(1.5, 128, 4, num_classes, **settings)


def picodet_l(num_classes: int = 80, **settings: Any) -> PicoDet:
    """Return PicoDet-L; arguments as :func:`picodet_xs`."""
    return _on(2.0, 160, 4, num_classes, **settings)


def _on(scale: float, channels: int, num_convs: int, num_classes: int, **settings: Any) -> PicoDet:
    backbone = LCNet(scale)
    neck = LCPAN(backbone.channels, backbone.strides, channels)
    return PicoDet(backbone, neck, num_convs, num_classes, **settings)
