"""FCOS (Tian et al., "Fully Convolutional One-Stage Object Detection", arXiv 1904.01355), 2.x's parameter names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from core.vision.ops import multiclass_nms
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import to_original
from PaddleDetection.models.heads.fcos_head import FCOSHead
from PaddleDetection.models.losses.fcos_loss import FCOSLoss


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
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.fcos_head = FCOSHead(neck.channels[0], num_classes, neck.strides, channels, num_convs, norm_type)
        self.loss = FCOSLoss(num_classes, neck.strides, object_sizes_boundary, center_sampling_radius)
        self.suppression = {
            "score_threshold": score_threshold,
            "nms_top_k": nms_top_k,
            "keep_top_k": keep_top_k,
            "nms_threshold": nms_threshold,
        }

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        features = self.neck(self.backbone(image))
        corners, likely = self.fcos_head.boxes(features, self.fcos_head(features))
        boxes = to_original(corners, scale_factor)
        rows, counts, _ = multiclass_nms(boxes, likely.transpose([0, 2, 1]), **self.suppression, padded=True)
        return rows, counts

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_cls", "loss_box" and "loss_quality"."""
        features = self.neck(self.backbone(image))
        return self.loss(features, self.fcos_head(features), targets)
