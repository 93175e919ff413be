"""The head of YOLOv3 (Redmon and Farhadi, arXiv 1804.02767): one convolution for each level.

PP-YOLO's (Long et al., arXiv 2007.12099) predicts overlaps too, as in IoU-aware detection (Wu et al., 1912.05992).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import ParamAttr, nn, regularizer


class YOLOv3Head(nn.Layer):
    """Predicts for each anchor at each cell: place, size, confidence and classes.

    Args:
        in_channels: of the levels, the coarsest first.
        anchors: how many anchors each level has.
        num_classes: how many classes there are.
        iou_aware: predict how much each box overlaps its object, too.
    """

    def __init__(
        self, in_channels: Sequence[int], anchors: Sequence[int], num_classes: int, iou_aware: bool = False
    ) -> None:
        super().__init__()
        self.yolo_outputs = []
        for level, (channels, count) in enumerate(zip(in_channels, anchors)):
            bias = ParamAttr(regularizer=regularizer.L2Decay(0.0))
            output = nn.Conv2D(channels, count * (5 + iou_aware + num_classes), 1, bias_attr=bias)
            self.yolo_outputs.append(self.add_sublayer(f"yolo_output.{level}", output))

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return of each level (N, anchors * (5 + num_classes), H, W), behind the overlaps where it predicts them."""
        return [output(feature) for output, feature in zip(self.yolo_outputs, features)]
