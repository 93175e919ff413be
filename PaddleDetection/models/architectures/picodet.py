"""PP-PicoDet (Yu et al., "PP-PicoDet: A Better Real-Time Object Detector on Mobile Devices", arXiv 2111.00902).

The networks of 2022: LCNet, and task-aligned assignment. Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import core
from PaddleDetection.models.backbones.lcnet import LCNet
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import suppressed, suppression
from PaddleDetection.models.heads.pico_head import PicoHeadV2
from PaddleDetection.models.losses.pico_loss import PicoLoss
from PaddleDetection.models.necks.lc_pan import LCPAN


class PicoDet(Detector):
    """Predicts a box around each cell of four levels as distributions of the distances to its sides.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the maps that the head looks at, the finest first, all with as many channels.
        num_convs: pairs of convolutions of each level of the head.
        num_classes: how many classes there are.
        reg_max: the largest distance, strides.
        static_assigner_epoch: in training, before this epoch, counted from 0, ATSS assigns anchors to objects.
        score_threshold: boxes of a class must score above it.
        nms_top_k: so many of the best boxes of each class are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes (arXiv 1704.04503); null drops them.
        soft_sigma: of gaussian.
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
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.head = PicoHeadV2(neck.channels[0], num_classes, neck.strides, num_convs, reg_max)
        self.divisor = neck.strides[-2]
        self.static_assigner_epoch = static_assigner_epoch
        self.register_buffer("early", core.to_tensor(float(static_assigner_epoch > 0)), persistable=False)
        self.loss = PicoLoss(num_classes, neck.strides, reg_max)
        self.suppression = suppression(
            score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma
        )

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        corners, likely = self.head.boxes(self.head(self.neck(self.backbone(image))))
        return suppressed(corners, likely, scale_factor, self.suppression)

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_vfl", "loss_bbox" and "loss_dfl"."""
        features = self.neck(self.backbone(image))
        return self.loss(features, self.head(features), targets, self.early)

    def begin_epoch(self, epoch: int) -> None:
        """Assign predictions, not anchors, from ``static_assigner_epoch`` on."""
        self.early.set_value(core.to_tensor(float(epoch < self.static_assigner_epoch)))


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
