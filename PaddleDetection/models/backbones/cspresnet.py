"""CSPRepResNet, the backbone of PP-YOLOE (Xu et al., "PP-YOLOE: An evolved version of YOLO", arXiv 2203.16250).

Its blocks are of RepVGG (Ding et al., arXiv 2101.03697): two convolutions side by side in training, one in evaluation
and in exported programs.

Source of parameter names: PaddleDetection 2.x, ``CSPResNet``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Constant
from core.vision.models.blocks import ConvBatchNorm, EffectiveSqueezeExcite

CHANNELS = (64, 128, 256, 512, 1024)
"""Of the stem and of each stage, at width 1."""

BLOCKS = (3, 6, 6, 3)
"""Residual blocks of each stage, at depth 1."""


class ConvBNLayer(ConvBatchNorm):
    """Convolution, batch normalisation and swish: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: height and width, odd.
        stride: of the convolution.
        activation: at the end; None for none.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        activation: Optional[Callable[[Any], Any]] = F.silu,
    ) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, activation=activation, decay_norm=False)


class RepVggBlock(nn.Layer):
    """A 3 x 3 and a 1 x 1 convolution that are added, then swish: (N, C, H, W) to the same.

    In evaluation they are one convolution, whose weight an exported program holds ready made.

    Args:
        channels: C.
        alpha: whether the second one has a learned factor.
    """

    def __init__(self, channels: int, alpha: bool = False) -> None:
        super().__init__()
        self.conv1 = ConvBNLayer(channels, channels, 3, activation=None)
        self.conv2 = ConvBNLayer(channels, channels, 1, activation=None)
        self.alpha = self.create_parameter([1], default_initializer=Constant(1.0)) if alpha else None

    def forward(self, x: Any) -> Any:
        """Return feature maps of x's shape."""
        if self.training:
            y = self.conv2(x)
            return F.silu(self.conv1(x) + (y if self.alpha is None else y * self.alpha))
        weight, bias = self.conv1.fused()
        point, offset = self.conv2.fused()
        if self.alpha is not None:
            point, offset = point * self.alpha, offset * self.alpha
        return F.silu(F.conv2d(x, weight + F.pad(point, [1, 1, 1, 1]), bias + offset, padding=1))


class BasicBlock(nn.Layer):
    """A 3 x 3 convolution and a :class:`RepVggBlock`: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        shortcut: add the input.
        alpha: as in :class:`RepVggBlock`.
    """

    def __init__(self, in_channels: int, out_channels: int, shortcut: bool = True, alpha: bool = False) -> None:
        super().__init__()
        self.conv1 = ConvBNLayer(in_channels, out_channels, 3)
        self.conv2 = RepVggBlock(out_channels, alpha)
        self.shortcut = shortcut

    def forward(self, x: Any) -> Any:
        """Return (N, C', H, W)."""
        y = self.conv2(self.conv1(x))
        return x + y if self.shortcut else y


class CSPResStage(nn.Layer):
    """Half of the channels go through residual blocks, the other half past them: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
        blocks: how many.
        alpha: as in :class:`RepVggBlock`.
    """

    def __init__(self, in_channels: int, out_channels: int, blocks: int, alpha: bool = False) -> None:
        super().__init__()
        middle = (in_channels + out_channels) // 2
        half = middle // 2
        self.conv_down = ConvBNLayer(in_channels, middle, 3, 2)
        self.conv1 = ConvBNLayer(middle, half, 1)
        self.conv2 = ConvBNLayer(middle, half, 1)
        self.blocks = nn.Sequential(*[BasicBlock(half, half, True, alpha) for _ in range(blocks)])
        self.attn = EffectiveSqueezeExcite(2 * half)
        self.conv3 = ConvBNLayer(2 * half, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H/2, W/2)."""
        x = self.conv_down(x)
        return self.conv3(self.attn(core.concat([self.conv1(x), self.blocks(self.conv2(x))], 1)))


class CSPResNet(nn.Layer):
    """Halves the image and goes through four stages that each halve it again.

    Args:
        depth_mult: factor on the number of blocks.
        width_mult: factor on the number of channels.
        use_alpha: whether the 1 x 1 convolutions of the blocks have a learned factor, as in PP-YOLOE+.
        return_idx: the stages, counted from 0, whose feature maps are given.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self,
        depth_mult: float = 1.0,
        width_mult: float = 1.0,
        use_alpha: bool = False,
        return_idx: Sequence[int] = (1, 2, 3),
    ) -> None:
        super().__init__()
        self.return_idx = tuple(return_idx)
        first, *later = (max(round(channels * width_mult), 1) for channels in CHANNELS)
        self.stem = nn.Sequential(
            ("conv1", ConvBNLayer(3, first // 2, 3, 2)),
            ("conv2", ConvBNLayer(first // 2, first // 2, 3)),
            ("conv3", ConvBNLayer(first // 2, first, 3)),
        )
        self.stages = nn.Sequential(
            *[
                CSPResStage(before, after, max(round(blocks * depth_mult), 1), use_alpha)
                for before, after, blocks in zip((first, *later), later, BLOCKS)
            ]
        )
        self.channels = tuple(later[stage] for stage in self.return_idx)
        self.strides = tuple(4 * 2**stage for stage in self.return_idx)

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps of the chosen stages, the finest first."""
        x, maps = self.stem(image), []
        for number, stage in enumerate(self.stages):
            x = stage(x)
            if number in self.return_idx:
                maps.append(x)
        return maps
