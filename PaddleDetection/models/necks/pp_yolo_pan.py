"""The neck of PP-YOLOv2 (Huang et al., "PP-YOLOv2", arXiv 2104.10419): path aggregation (1803.01534) with mish.

Source of parameter names: PaddleDetection 2.x, ``PPYOLOPAN``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm
from PaddleDetection.models.necks.drop_block import DropBlock
from PaddleDetection.models.necks.spp import SPP

WIDTH = 512
"""Channels inside the coarsest level's block; each finer level has half as many."""

MishConv = functools.partial(ConvBatchNorm, activation=F.mish, names=("conv", "batch_norm"), decay_norm=False)
"""Convolution, batch normalisation and mish (Misra, arXiv 1908.08681): in, out, kernel, stride."""


class DetBlockCSP(nn.Layer):
    """Half of the channels go through a chain of convolutions, the other half past it: (N, C, H, W) to (N, 2C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        count: pairs of a 1 x 1 and a 3 x 3 convolution.
        block_size: of :class:`DropBlock`, behind the second pair.
        keep_prob: likewise.
        spp: whether spatial pyramid pooling takes the place of the second pair's 3 x 3 convolution.
    """

    def __init__(
        self, in_channels: int, out_channels: int, count: int, block_size: int, keep_prob: float, spp: bool = False
    ) -> None:
        super().__init__()
        self.conv1 = MishConv(in_channels, out_channels, 1)
        self.conv2 = MishConv(in_channels, out_channels, 1)
        self.conv3 = MishConv(2 * out_channels, 2 * out_channels, 1)
        chain: list[tuple[str, Any]] = []
        for number in range(count):
            chain.append((f"{number}.0", MishConv(out_channels, out_channels, 1)))
            chain.append((f"{number}.1", MishConv(out_channels, out_channels, 3)))
        if spp:
            chain[3] = ("spp", SPP(MishConv(4 * out_channels, out_channels, 1)))
        chain.insert(4, ("dropblock", DropBlock(block_size, keep_prob)))
        self.conv_module = nn.Sequential(*chain)

    def forward(self, x: Any) -> Any:
        """Return (N, 2C', H, W)."""
        return self.conv3(core.concat([self.conv_module(self.conv1(x)), self.conv2(x)], 1))


class PPYOLOPAN(nn.Layer):
    """Hands coarse features down to the finer levels, and the finer ones' back up.

    Args:
        in_channels: of the backbone's feature maps, the finest first.
        strides: pixels of the image for each of their cells.
        conv_block_num: pairs of convolutions of each block, at least 2.
        block_size: of :class:`DropBlock`.
        keep_prob: likewise.

    Attributes:
        channels: of the feature maps that are given, the coarsest first.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        strides: Sequence[int],
        conv_block_num: int = 3,
        block_size: int = 3,
        keep_prob: float = 0.9,
    ) -> None:
        super().__init__()
        inner = [WIDTH // 2**level for level in range(len(in_channels))]
        self.channels, self.strides = tuple(2 * width for width in inner), tuple(reversed(strides))
        settings = (conv_block_num, block_size, keep_prob)
        self.fpn_blocks, self.fpn_routes = [], []
        for level, (own, width) in enumerate(zip(reversed(in_channels), inner)):
            before = own + (inner[level - 1] if level else 0)
            block = DetBlockCSP(before, width, *settings, spp=level == 0)
            self.fpn_blocks.append(self.add_sublayer(f"fpn.{level}", block))
            if level < len(inner) - 1:
                route = MishConv(2 * width, width, 1)
                self.fpn_routes.append(self.add_sublayer(f"fpn_transition.{level}", route))
        self.pan_blocks, self.pan_routes = [], []
        for level in reversed(range(len(inner) - 1)):
            coarse, fine = self.channels[level : level + 2]
            self.pan_routes.append(self.add_sublayer(f"pan_transition.{level}", MishConv(fine, fine, 3, 2)))
            block = DetBlockCSP(coarse + fine, inner[level], *settings)
            self.pan_blocks.append(self.add_sublayer(f"pan.{level}", block))

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the feature maps of the levels, the coarsest first."""
        x, levels = self.fpn_blocks[0](features[-1]), []
        for feature, route, block in zip(features[-2::-1], self.fpn_routes, self.fpn_blocks[1:]):
            levels.append(x)
            x = block(core.concat([F.interpolate(route(x), scale_factor=2.0), feature], 1))
        found = [x]
        for level, route, block in zip(levels[::-1], self.pan_routes, self.pan_blocks):
            found.append(block(core.concat([route(found[-1]), level], 1)))
        return found[::-1]
