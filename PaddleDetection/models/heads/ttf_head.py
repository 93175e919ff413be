"""The head of TTFNet (Liu et al., arXiv 1909.00700): a heat map of centres, and distances to the sides of boxes.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import math
from typing import Any

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal
from PaddleDetection.models.heads.fcos_head import points
from PaddleDetection.models.necks.ttf_fpn import free_bias


class Branch(nn.Layer):
    """3 x 3 convolutions with ReLU, and a 1 x 1 one.

    Args:
        in_channels: of the feature map.
        channels: of the 3 x 3 convolutions.
        outputs: how many numbers are predicted.
        num_convs: how many 3 x 3 convolutions there are.
        offset: what the predictions begin with.
    """

    def __init__(self, in_channels: int, channels: int, outputs: int, num_convs: int, offset: float = 0.0) -> None:
        super().__init__()
        self.feat = nn.Sequential()
        for number in range(num_convs):
            conv = self._conv(channels if number else in_channels, channels, 3)
            self.feat.add_sublayer(f"conv.{number}", conv)
            self.feat.add_sublayer(f"conv.{number}.act", nn.ReLU())
        self.head = self._conv(channels, outputs, 1, offset)

    @staticmethod
    def _conv(in_channels: int, out_channels: int, kernel_size: int, offset: float = 0.0) -> nn.Conv2D:
        weight = ParamAttr(initializer=Normal(0.0, 0.01))
        return nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            padding=kernel_size // 2,
            weight_attr=weight,
            bias_attr=free_bias(offset),
        )

    def forward(self, x: Any) -> Any:
        """Return the predictions (N, outputs, H, W)."""
        return self.head(self.feat(x))


class TTFHead(nn.Layer):
    """Predicts for each cell how likely it is the centre of an object of each class, and a box around it.

    Args:
        in_channels: of the feature map.
        num_classes: how many classes there are.
        stride: pixels of a cell.
        hm_head_planes: channels of the heat map's branch.
        wh_head_planes: channels of the boxes' branch.
        num_convs: 3 x 3 convolutions of each branch.
        wh_offset_base: pixels of one unit of the predicted distances.
    """

    def __init__(
        self,
        in_channels: int = 64,
        num_classes: int = 80,
        stride: int = 4,
        hm_head_planes: int = 128,
        wh_head_planes: int = 64,
        num_convs: int = 2,
        wh_offset_base: float = 16.0,
    ) -> None:
        super().__init__()
        self.stride = stride
        self.wh_offset_base = wh_offset_base
        self.hm_head = Branch(in_channels, hm_head_planes, num_classes, num_convs, -math.log(99.0))
        self.wh_head = Branch(in_channels, wh_head_planes, 4, num_convs)

    def forward(self, feature: Any) -> tuple[Any, Any]:
        """Return logits of the classes (N, classes, H, W), and the corners of boxes in pixels (N, H * W, 4)."""
        distances = F.relu(self.wh_head(feature)) * self.wh_offset_base
        distances = distances.transpose([0, 2, 3, 1]).reshape([feature.shape[0], -1, 4])
        places = points(feature, self.stride, 0.0)
        corners = core.concat([places - distances[..., :2], places + distances[..., 2:]], -1)
        return self.hm_head(feature), corners
