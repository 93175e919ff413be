"""The neck of YOLOv3 (Redmon and Farhadi, arXiv 1804.02767): each level adds the coarser one's features.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleDetection.models.backbones.darknet import LeakyConv

WIDTH = 512
"""Channels inside the coarsest level's block; each finer level has half as many."""


class YoloDetBlock(nn.Layer):
    """Five convolutions, of which the last leads to the finer level, and one more to the head.

    Args:
        in_channels: of the feature map.
        channels: of every other convolution; those between have twice as many.
    """

    def __init__(self, in_channels: int, channels: int) -> None:
        super().__init__()
        self.conv_module = nn.Sequential(
            ("conv0", LeakyConv(in_channels, channels, 1)),
            ("conv1", LeakyConv(channels, 2 * channels, 3)),
            ("conv2", LeakyConv(2 * channels, channels, 1)),
            ("conv3", LeakyConv(channels, 2 * channels, 3)),
            ("route", LeakyConv(2 * channels, channels, 1)),
        )
        self.tip = LeakyConv(channels, 2 * channels, 3)

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return what goes to the finer level, and what goes to the head."""
        route = self.conv_module(x)
        return route, self.tip(route)


class YOLOv3FPN(nn.Layer):
    """Makes of a backbone's feature maps, the finest first, those that the head looks at, the coarsest first.

    Args:
        in_channels: of the backbone's feature maps.
        strides: pixels of the image for each of their cells.
        width: channels inside the coarsest level's block.

    Attributes:
        channels: of the feature maps that are given.
        strides: pixels of the image for each of their cells.
    """

    def __init__(self, in_channels: Sequence[int], strides: Sequence[int], width: int = WIDTH) -> None:
        super().__init__()
        levels = len(in_channels)
        inner = [width // 2**level for level in range(levels)]
        self.channels = tuple(2 * channels for channels in inner)
        self.strides = tuple(reversed(strides))
        self.yolo_blocks, self.routes = [], []
        for level, (channels, own) in enumerate(zip(inner, reversed(in_channels))):
            block = YoloDetBlock(own + (channels if level else 0), channels)
            self.yolo_blocks.append(self.add_sublayer(f"yolo_block.{level}", block))
            if level < levels - 1:
                route = self.add_sublayer(f"yolo_transition.{level}", LeakyConv(channels, channels // 2, 1))
                self.routes.append(route)

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the feature maps of the levels, the coarsest first."""
        found: list[Any] = []
        route = None
        for level, feature in enumerate(reversed(features)):
            x = feature if route is None else core.concat([route, feature], 1)
            route, tip = self.yolo_blocks[level](x)
            found.append(tip)
            if level < len(self.routes):
                route = F.interpolate(self.routes[level](route), scale_factor=2.0)
        return found
