"""The necks of PP-YOLO (Long et al., arXiv 2007.12099) and PP-YOLO tiny: YOLOv3's, with what makes it better.

Source of parameter names: PaddleDetection 2.x, ``PPYOLOFPN`` and ``PPYOLOTinyFPN``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from PaddleDetection.models.backbones.darknet import LeakyConv
from PaddleDetection.models.necks.drop_block import DropBlock
from PaddleDetection.models.necks.spp import SPP

TINY_CHANNELS = (160, 128, 96)
"""Of PP-YOLO tiny's levels, the coarsest first."""


class CoordConv(nn.Layer):
    """A convolution that sees where it is (Liu et al., arXiv 1807.03247): (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: height and width, odd.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int) -> None:
        super().__init__()
        self.conv = LeakyConv(in_channels + 2, out_channels, kernel_size)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H, W)."""
        images, _, rows, columns = x.shape
        across = _places(columns).reshape([1, 1, 1, columns]).expand([images, 1, rows, columns])
        down = _places(rows).reshape([1, 1, rows, 1]).expand([images, 1, rows, columns])
        return self.conv(core.concat([x, across, down], 1))


def _places(count: Any) -> Any:
    """Return the coordinates of cells in a row, from -1 to -0.5: official weights were trained with these."""
    return core.arange(count, dtype="float32") / ((count - 1.0) * 2.0 + 1e-9) - 1.0  # a single cell is at -1


class DetBlock(nn.Layer):
    """A chain that leads to the finer level, and a convolution that leads from it to the head.

    Args:
        chain: layers by name.
        tip: the convolution.
        first: what comes before; None: nothing.
    """

    def __init__(self, chain: Sequence[tuple[str, Any]], tip: Any, first: Optional[Any] = None) -> None:
        super().__init__()
        self.conv_module = nn.Sequential(*chain)
        self.tip = tip
        self.first = first

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return what goes to the finer level, and what goes to the head."""
        route = self.conv_module(x if self.first is None else self.first(x))
        return route, self.tip(route)


class TopDown(nn.Layer):
    """Blocks from the coarsest level to the finest one, each of which is given its backbone's map and the last route.

    Args:
        blocks: of the levels.
        transitions: convolutions between them, one fewer.
        channels: of the maps that the blocks give the head.
        strides: pixels of the image for each cell of the backbone's maps, the finest first.

    Attributes:
        channels: of the feature maps that are given, the coarsest first.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self, blocks: Sequence[Any], transitions: Sequence[Any], channels: Sequence[int], strides: Sequence[int]
    ) -> None:
        super().__init__()
        self.channels, self.strides = tuple(channels), tuple(reversed(strides))
        self.yolo_blocks = [self.add_sublayer(f"yolo_block.{i}", block) for i, block in enumerate(blocks)]
        self.routes = [self.add_sublayer(f"yolo_transition.{i}", one) for i, one in enumerate(transitions)]

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the feature maps of the levels, the coarsest first, of the backbone's, the finest first."""
        found: list[Any] = []
        route = None
        for level, feature in enumerate(reversed(features)):
            x = feature if route is None else core.concat([route, feature], 1)
            route, tip = self.yolo_blocks[level](x)
            found.append(tip)
            if level < len(self.routes):
                route = F.interpolate(self.routes[level](route), scale_factor=2.0)
        return found


class PPYOLOFPN(TopDown):
    """PP-YOLO's neck.

    Args:
        in_channels: of the backbone's feature maps, the finest first.
        strides: pixels of the image for each of their cells.
        coord_conv: whether 1 x 1 convolutions, and those before the head, see where they are.
        conv_block_num: pairs of convolutions of each block: 2, or 0.
        block_size: of :class:`DropBlock`.
        keep_prob: likewise.
        spp: whether the coarsest block has spatial pyramid pooling.

    Raises:
        ValueError: ``conv_block_num`` is another.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        strides: Sequence[int],
        coord_conv: bool = False,
        conv_block_num: int = 2,
        block_size: int = 3,
        keep_prob: float = 0.9,
        spp: bool = False,
    ) -> None:
        if conv_block_num not in (0, 2):
            raise ValueError(f"conv_block_num must be 0 or 2, not {conv_block_num}")
        levels, coordinates = len(in_channels), CoordConv if coord_conv else LeakyConv
        widths = [64 * 2 ** (levels - level) for level in range(levels)]
        handed = [256 // 2**level for level in range(levels)]
        blocks = []
        for level, own in enumerate(reversed(in_channels)):
            width, before = widths[level], own + (handed[level - 1] if level else 0)
            drop, pooled = ("dropblock", DropBlock(block_size, keep_prob)), spp and level == 0
            chain: list[tuple[str, nn.Layer]]
            if conv_block_num:
                chain = [
                    ("conv0", coordinates(before, width, 1)),
                    ("conv1", LeakyConv(width, 2 * width, 3)),
                    ("conv2", coordinates(2 * width, width, 1)),
                    ("conv3", LeakyConv(width, 2 * width, 3)),
                    ("route", coordinates(2 * width, width, 1)),
                ]
                chain.insert(2 if level else 4, drop)
                if pooled:
                    chain.insert(3, ("spp", SPP(LeakyConv(4 * width, width, 1))))
            else:
                chain = [("spp", SPP(LeakyConv(4 * before, before, 1)))] if pooled else []
                chain += [drop, ("route", coordinates(before, width, 1))]
            blocks.append(DetBlock(chain, coordinates(width, 2 * width, 3)))
        transitions = [LeakyConv(width, more, 1) for width, more in zip(widths, handed[:-1])]
        super().__init__(blocks, transitions, [2 * width for width in widths], strides)


class PPYOLOTinyFPN(TopDown):
    """PP-YOLO tiny's neck, of 5 x 5 convolutions of each channel by itself.

    Args:
        in_channels: of the backbone's feature maps, the finest first.
        strides: pixels of the image for each of their cells.
        detection_block_channels: of the levels, the coarsest first.
        block_size: of :class:`DropBlock`.
        keep_prob: likewise.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        strides: Sequence[int],
        detection_block_channels: Sequence[int] = TINY_CHANNELS,
        block_size: int = 3,
        keep_prob: float = 0.9,
    ) -> None:
        blocks = []
        for level, (own, width) in enumerate(zip(reversed(in_channels), detection_block_channels)):
            before, name = own + (detection_block_channels[level - 1] if level else 0), f"yolo_block.{level}"
            chain = [
                (f"{name}.0", LeakyConv(before, width, 1)),
                (f"{name}.1", LeakyConv(width, width, 5, groups=width)),
                (f"{name}.2", LeakyConv(width, width, 1)),
                (f"{name}.route", LeakyConv(width, width, 5, groups=width)),
            ]
            blocks.append(DetBlock(chain, LeakyConv(width, width, 1), DropBlock(block_size, keep_prob)))
        transitions = [LeakyConv(width, width, 1) for width in detection_block_channels[:-1]]
        super().__init__(blocks, transitions, detection_block_channels, strides)
        coarsest = in_channels[-1]
        self.spp = SPP(LeakyConv(4 * coarsest, coarsest, 1))

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the feature maps of the levels, the coarsest first, of the backbone's, the finest first."""
        return super().forward([*features[:-1], self.spp(features[-1])])
