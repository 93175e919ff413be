"""PP-LCNet (Cui et al., "PP-LCNet: A Lightweight CPU Convolutional Neural Network", arXiv 2109.15099).

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, pointwise, round_channels

STAGES = (
    ((3, 16, 32, 1, False),),
    ((3, 32, 64, 2, False), (3, 64, 64, 1, False)),
    ((3, 64, 128, 2, False), (3, 128, 128, 1, False)),
    ((3, 128, 256, 2, False), *((5, 256, 256, 1, False),) * 5),
    ((5, 256, 512, 2, True), (5, 512, 512, 1, True)),
)
"""Of each block of each stage, counted from 2: kernel, channels before and after, stride, squeeze and excitation."""

HardSwishConv = functools.partial(
    ConvBatchNorm, activation=F.hardswish, initializer=KaimingNormal(), decay_norm=False
)
"""Convolution, batch normalisation and hard swish: in, out, kernel, stride, groups."""


class DepthwiseSeparable(nn.Layer):
    """A depthwise and a pointwise convolution: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: of the depthwise one.
        stride: likewise.
        use_se: whether channels are weighed between the two.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, use_se: bool = False
    ) -> None:
        super().__init__()
        self.dw_conv = HardSwishConv(in_channels, in_channels, kernel_size, stride, in_channels)
        self.se: Any = None
        if use_se:
            self.se = SqueezeExcite(
                in_channels, in_channels // 4, F.relu, F.hardsigmoid, pointwise, ("conv1", "conv2")
            )
        self.pw_conv = HardSwishConv(in_channels, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H', W')."""
        x = self.dw_conv(x)
        return self.pw_conv(x if self.se is None else self.se(x))


class LCNet(nn.Layer):
    """A convolution and five stages of depthwise separable ones.

    Args:
        scale: factor on the number of channels.
        feature_maps: the stages, from 2 to 5 for strides 4 to 32, whose feature maps are given.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
    """

    def __init__(self, scale: float = 1.0, feature_maps: Sequence[int] = (3, 4, 5)) -> None:
        super().__init__()
        self.feature_maps = tuple(feature_maps)
        self.conv1 = HardSwishConv(3, round_channels(16 * scale), 3, 2)
        self.stages = []
        for number, blocks in enumerate(STAGES, 2):
            made = [
                DepthwiseSeparable(round_channels(before * scale), round_channels(after * scale), kernel, *others)
                for kernel, before, after, *others in blocks
            ]
            self.stages.append(self.add_sublayer(f"blocks{number}", nn.Sequential(*made)))
        self.channels = tuple(round_channels(STAGES[stage - 1][-1][2] * scale) for stage in self.feature_maps)
        self.strides = tuple(2**stage for stage in self.feature_maps)

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps of the chosen stages, the finest first."""
        x, maps = self.conv1(image), []
        for number, stage in enumerate(self.stages, 1):
            x = stage(x)
            if number in self.feature_maps:
                maps.append(x)
        return maps
