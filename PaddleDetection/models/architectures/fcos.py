"""FCOS (Tian et al., "Fully Convolutional One-Stage Object Detection", arXiv 1904.01355), 2.x's parameter names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from PaddleDetection.models.backbones.resnet import ResNet
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import suppressed, suppression
from PaddleDetection.models.heads.fcos_head import FCOSHead
from PaddleDetection.models.losses.fcos_loss import FCOSLoss
from PaddleDetection.models.necks.fpn import FPN


class FCOS(Detector):
    """Predicts a box around each point of the levels of a feature pyramid, without anchors.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the pyramid's levels, the finest first, all with as many channels.
        num_classes: how many classes there are.
        channels: of the head's towers.
        num_convs: how many convolutions a tower has.
        norm_type: of the towers: "bn", "sync_bn", "gn" or None.
        object_sizes_boundary: in training, a level's objects have their farthest side, pixels, between two of these.
        center_sampling_radius: in training, points farther from the centre, in strides, are not the object's.
        score_threshold: boxes of a class must score above it.
        nms_top_k: so many of the best boxes of each class are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        use_dcn: whether the towers' convolutions are deformable.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes (arXiv 1704.04503); null drops them.
        soft_sigma: of gaussian.
    """

    divisor = 128

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int = 80,
        channels: int = 256,
        num_convs: int = 4,
        norm_type: Optional[str] = "gn",
        object_sizes_boundary: Sequence[float] = (64, 128, 256, 512),
        center_sampling_radius: float = 1.5,
        score_threshold: float = 0.025,
        nms_top_k: int = 1000,
        keep_top_k: int = 100,
        nms_threshold: float = 0.6,
        use_dcn: bool = False,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.fcos_head = FCOSHead(
            neck.channels[0], num_classes, neck.strides, channels, num_convs, norm_type, use_dcn=use_dcn
        )
        self.loss = FCOSLoss(num_classes, neck.strides, object_sizes_boundary, center_sampling_radius)
        self.suppression = suppression(
            score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma
        )

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        features = self.neck(self.backbone(image))
        corners, likely = self.fcos_head.boxes(features, self.fcos_head(features))
        return suppressed(corners, likely, scale_factor, self.suppression)

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_cls", "loss_box" and "loss_quality"."""
        features = self.neck(self.backbone(image))
        return self.loss(features, self.fcos_head(features), targets)


def fcos_r50_fpn(num_classes: int = 80, freeze_at: int = 0, freeze_norm: bool = True, **settings: Any) -> FCOS:
    """Return FCOS on ResNet-50.

    Args:
        num_classes: how many classes there are.
        freeze_at: the backbone's stem and stages up to this one, counted from 0, keep their weights; -1: none does.
        freeze_norm: whether the backbone's normalisations keep scale, offset and statistics.
        **settings: further arguments of :class:`FCOS`.
    """
    return _on_resnet((), num_classes, freeze_at, freeze_norm, **settings)


def fcos_dcn_r50_fpn(num_classes: int = 80, freeze_at: int = 0, freeze_norm: bool = True, **settings: Any) -> FCOS:
    """Return FCOS on ResNet-50 with deformable convolutions (Zhu et al., arXiv 1811.11168) in stages and towers.

    Args:
        num_classes: how many classes there are.
        freeze_at: as of :func:`fcos_r50_fpn`.
        freeze_norm: likewise.
        **settings: further arguments of :class:`FCOS`.
    """
    return _on_resnet((1, 2, 3), num_classes, freeze_at, freeze_norm, **{"use_dcn": True, **settings})


def _on_resnet(
    dcn_v2_stages: Sequence[int], num_classes: int, freeze_at: int, freeze_norm: bool, **settings: Any
) -> FCOS:
    frozen: dict[str, Any] = {"freeze_at": freeze_at, "freeze_norm": freeze_norm}
    backbone = ResNet(50, **frozen, return_idx=(1, 2, 3), dcn_v2_stages=dcn_v2_stages)
    neck = FPN(backbone.channels, backbone.strides, has_extra_convs=True, extra_stage=2, use_c5=False)
    return FCOS(backbone, neck, num_classes, **settings)
