"""DarkNet-53 (Redmon and Farhadi, "YOLOv3: An Incremental Improvement", arXiv 1804.02767), with the paper's leaky ReLU.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm

BLOCKS = (1, 2, 8, 8, 4)
"""Residual blocks of each stage of DarkNet-53."""

LeakyConv = functools.partial(
    ConvBatchNorm,
    activation=functools.partial(F.leaky_relu, negative_slope=0.1),
    names=("conv", "batch_norm"),
    decay_norm=False,
)
"""Convolution, batch normalisation and leaky ReLU, as YOLOv3's networks are made of: in, out, kernel, stride."""


class BasicBlock(nn.Layer):
    """A 1 x 1 convolution to half the channels and a 3 x 3 one back, added to the input.

    Args:
        channels: of the feature maps.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = LeakyConv(channels, channels // 2, 1)
        self.conv2 = LeakyConv(channels // 2, channels, 3)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return x + self.conv2(self.conv1(x))


class DownSample(nn.Layer):
    """A 3 x 3 convolution of stride 2: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv_bn_layer = LeakyConv(in_channels, out_channels, 3, 2)

    def forward(self, x: Any) -> Any:
        """Return the smaller feature maps."""
        return self.conv_bn_layer(x)


class Blocks(nn.Layer):
    """Residual blocks in a row.

    Args:
        stage: the number of the stage, which is part of the blocks' names.
        channels: of the feature maps.
        count: how many.
    """

    def __init__(self, stage: int, channels: int, count: int) -> None:
        super().__init__()
        for number in range(count):
            name = f"stage.{stage}.{number}" if number else "basicblock0"
            self.add_sublayer(name, BasicBlock(channels))

    def forward(self, x: Any) -> Any:
        """Return the stage's feature maps."""
        for block in self.children():
            x = block(x)
        return x


class DarkNet(nn.Layer):
    """A convolution and stages that each halve the image and double the channels; by default DarkNet-53.

    Args:
        freeze_at: this stage, counted from 0, and what is before it keep their weights; -1: none.
        return_idx: the stages whose feature maps are given.
        blocks: how many residual blocks each stage has.
        width: channels of the first convolution; the first stage has twice as many.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self,
        freeze_at: int = -1,
        return_idx: Sequence[int] = (2, 3, 4),
        blocks: Sequence[int] = BLOCKS,
        width: int = 32,
    ) -> None:
        super().__init__()
        stages = [width * 2 ** (stage + 1) for stage in range(len(blocks))]
        self.freeze_at = freeze_at
        self.return_idx = tuple(return_idx)
        self.channels = tuple(stages[stage] for stage in self.return_idx)
        self.strides = tuple(2 ** (stage + 1) for stage in self.return_idx)
        self.conv0 = LeakyConv(3, width, 3)
        self.downsample0 = DownSample(width, stages[0])
        self.stages = [
            self.add_sublayer(f"stage.{stage}", Blocks(stage, channels, count))
            for stage, (channels, count) in enumerate(zip(stages, blocks))
        ]
        self.halvings = [
            self.add_sublayer(f"stage.{stage}.downsample", DownSample(channels, 2 * channels))
            for stage, channels in enumerate(stages[:-1])
        ]

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps of the chosen stages, the finest first."""
        x, maps = self.downsample0(self.conv0(image)), []
        for number, stage in enumerate(self.stages):
            x = stage(x if number == 0 else self.halvings[number - 1](x))
            if number == self.freeze_at:
                x = x.detach()
            if number in self.return_idx:
                maps.append(x)
        return maps
