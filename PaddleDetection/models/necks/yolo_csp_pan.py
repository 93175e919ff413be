"""The neck of YOLOX (Ge et al., arXiv 2107.08430): path aggregation (1803.01534) of cross-stage partial layers.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleDetection.models.backbones.csp_darknet import BaseConv, CSPLayer, conv_of


class YOLOCSPPAN(nn.Layer):
    """Hands coarse features down to the finer levels, and the finer ones' back up.

    Args:
        in_channels: of the backbone's feature maps, the finest first.
        strides: pixels of the image for each of their cells.
        depth_mult: factor on the number of bottlenecks.
        depthwise: whether 3 x 3 convolutions are depthwise.

    Attributes:
        channels: of the feature maps that are given.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self, in_channels: Sequence[int], strides: Sequence[int], depth_mult: float = 1.0, depthwise: bool = False
    ) -> None:
        super().__init__()
        self.channels, self.strides = tuple(in_channels), tuple(strides)
        blocks, pairs = round(3 * depth_mult), list(zip(in_channels, in_channels[1:]))
        down, up = pairs[::-1], pairs
        self.lateral_convs = nn.LayerList([BaseConv(coarse, fine, 1) for fine, coarse in down])
        self.fpn_blocks = nn.LayerList([CSPLayer(2 * fine, fine, blocks, False, depthwise) for fine, _ in down])
        self.downsample_convs = nn.LayerList([conv_of(depthwise)(fine, fine, 3, 2) for fine, _ in up])
        self.pan_blocks = nn.LayerList(
            [CSPLayer(2 * fine, coarse, blocks, False, depthwise) for fine, coarse in up]
        )

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the feature maps of the levels, the finest first."""
        x, laterals = features[-1], []
        for feature, lateral, block in zip(features[-2::-1], self.lateral_convs, self.fpn_blocks):
            laterals.append(lateral(x))
            x = block(core.concat([F.interpolate(laterals[-1], scale_factor=2.0), feature], 1))
        found = [x]
        for lateral, halve, block in zip(laterals[::-1], self.downsample_convs, self.pan_blocks):
            found.append(block(core.concat([halve(found[-1]), lateral], 1)))
        return found
