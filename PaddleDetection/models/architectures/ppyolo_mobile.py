"""PP-YOLO on MobileNetV3 (Howard et al., arXiv 1905.02244), and PP-YOLO tiny: :class:`PPYOLOMobile` by name.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PaddleDetection.models.architectures.ppyolo import PPYOLOMobile
from PaddleDetection.models.architectures.yolov3 import ANCHOR_MASKS
from PaddleDetection.models.backbones.mobilenet_v3 import MobileNetV3
from PaddleDetection.models.necks.pp_yolo_fpn import PPYOLOFPN, PPYOLOTinyFPN

ANCHORS_TINY = (
    *((10, 15), (24, 36), (72, 42), (35, 87), (102, 96)),
    *((60, 170), (220, 125), (128, 222), (264, 266)),
)
"""Width and height, pixels, of an image whose longer side is 320."""


def ppyolo_mbv3_large(num_classes: int = 80, keep_prob: float = 0.9, **settings: Any) -> PPYOLOMobile:
    """Return PP-YOLO on MobileNetV3-large, with two levels.

    Args:
        num_classes: how many classes there are.
        keep_prob: of DropBlock in training; 1: nothing is dropped.
        **settings: further arguments of :class:`PPYOLOMobile`.
    """
    return _mobile("large", (13, 16), num_classes, keep_prob, **settings)


def ppyolo_mbv3_small(num_classes: int = 80, keep_prob: float = 0.9, **settings: Any) -> PPYOLOMobile:
    """Return PP-YOLO on MobileNetV3-small; arguments as :func:`ppyolo_mbv3_large`."""
    return _mobile("small", (9, 12), num_classes, keep_prob, **settings)


def ppyolo_tiny(
    num_classes: int = 80,
    keep_prob: float = 0.9,
    anchors: Sequence[Sequence[float]] = ANCHORS_TINY,
    anchor_masks: Sequence[Sequence[int]] = ANCHOR_MASKS,
    iou_thresh: float = 1.0,
    **settings: Any,
) -> PPYOLOMobile:
    """Return PP-YOLO tiny, on MobileNetV3-large with half of its channels.

    Args:
        num_classes: how many classes there are.
        keep_prob: of DropBlock in training; 1: nothing is dropped.
        anchors: as :class:`PPYOLOMobile` takes them.
        anchor_masks: likewise.
        iou_thresh: likewise.
        **settings: further arguments of :class:`PPYOLOMobile`.
    """
    backbone = MobileNetV3(0.5)
    neck = PPYOLOTinyFPN(backbone.channels, backbone.strides, keep_prob=keep_prob)
    options: dict[str, Any] = {"anchors": anchors, "anchor_masks": anchor_masks, "iou_thresh": iou_thresh}
    return PPYOLOMobile(backbone, neck, num_classes, **options, **settings)


def _mobile(kind: str, maps: Sequence[int], num_classes: int, keep_prob: float, **settings: Any) -> PPYOLOMobile:
    backbone = MobileNetV3(1.0, kind, maps)
    options: dict[str, Any] = {"coord_conv": True, "conv_block_num": 0, "keep_prob": keep_prob, "spp": True}
    neck = PPYOLOFPN(backbone.channels, backbone.strides, **options)
    return PPYOLOMobile(backbone, neck, num_classes, **settings)
