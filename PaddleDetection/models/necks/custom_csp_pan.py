"""The neck of PP-YOLOE (Xu et al., arXiv 2203.16250): path aggregation (1803.01534) of cross-stage partial layers.

Source of parameter names: PaddleDetection 2.x, ``CustomCSPPAN``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleDetection.models.backbones.cspresnet import BasicBlock, ConvBNLayer
from PaddleDetection.models.necks.spp import SPP

CHANNELS = (768, 384, 192)
"""Of the levels, the coarsest first, at width 1."""

BLOCKS = 3
"""Of each stage, at depth 1."""


class CSPStage(nn.Layer):
    """Half of the channels go through blocks, the other half past them: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        blocks: how many.
        spp: whether :class:`SPP` is amid them.
    """

    def __init__(self, in_channels: int, out_channels: int, blocks: int, spp: bool = False) -> None:
        super().__init__()
        half = out_channels // 2
        self.conv1 = ConvBNLayer(in_channels, half, 1)
        self.conv2 = ConvBNLayer(in_channels, half, 1)
        self.convs = nn.Sequential()
        for number in range(blocks):
            self.convs.add_sublayer(str(number), BasicBlock(half, half, shortcut=False))
            if spp and number == (blocks - 1) // 2:
                self.convs.add_sublayer("spp", SPP(ConvBNLayer(4 * half, half, 1)))
        self.conv3 = ConvBNLayer(2 * half, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H, W)."""
        return self.conv3(core.concat([self.conv1(x), self.convs(self.conv2(x))], 1))


class CustomCSPPAN(nn.Layer):
    """Hands coarse features down to the finer levels, and the finer ones' back up.

    Args:
        in_channels: of the backbone's feature maps, the finest first.
        strides: pixels of the image for each of their cells.
        depth_mult: factor on the number of blocks.
        width_mult: factor on the number of channels.

    Attributes:
        channels: of the feature maps that are given, the coarsest first.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self, in_channels: Sequence[int], strides: Sequence[int], depth_mult: float = 1.0, width_mult: float = 1.0
    ) -> None:
        super().__init__()
        self.channels = tuple(max(round(channels * width_mult), 1) for channels in CHANNELS[: len(in_channels)])
        self.strides = tuple(strides[::-1])
        blocks, pairs = max(round(BLOCKS * depth_mult), 1), list(zip(self.channels, self.channels[1:]))
        handed = (0, *(coarse // 2 for coarse in self.channels))

        def stage(before: int, after: int, spp: bool = False) -> nn.Sequential:
            return nn.Sequential(CSPStage(before, after, blocks, spp))

        self.fpn_stages = nn.LayerList(
            [
                stage(before + more, after, level == 0)
                for level, (before, more, after) in enumerate(zip(in_channels[::-1], handed, self.channels))
            ]
        )
        self.fpn_routes = nn.LayerList([ConvBNLayer(coarse, coarse // 2, 1) for coarse, _ in pairs])
        self.pan_stages = nn.LayerList([stage(coarse + fine, coarse) for coarse, fine in pairs])
        self.pan_routes = nn.LayerList([ConvBNLayer(fine, fine, 3, 2) for _, fine in pairs])

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the feature maps of the levels, the coarsest first."""
        x, levels = self.fpn_stages[0](features[-1]), []
        for feature, route, stage in zip(features[-2::-1], self.fpn_routes, list(self.fpn_stages)[1:]):
            levels.append(x)
            x = stage(core.concat([F.interpolate(route(x), scale_factor=2.0), feature], 1))
        found = [x]
        for level, route, stage in zip(levels[::-1], list(self.pan_routes)[::-1], list(self.pan_stages)[::-1]):
            found.append(stage(core.concat([route(found[-1]), level], 1)))
        return found[::-1]
