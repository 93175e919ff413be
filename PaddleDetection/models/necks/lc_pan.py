"""The neck of PP-PicoDet (Yu et al., arXiv 2111.00902) on LCNet: path aggregation by depthwise separable convolutions.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingUniform
from core.vision.models.blocks import ConvBatchNorm
from PaddleClas.models.pp_lcnet import DepthwiseSeparable


class DPModule(nn.Layer):
    """A depthwise and a pointwise convolution, each normalised: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'; the first convolution has as many groups.
        kernel_size: of the first one.
        stride: likewise.
        last_activation: whether a hard swish follows the second one too.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, last_activation: bool = True
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"weight_attr": core.ParamAttr(initializer=KaimingUniform()), "bias_attr": False}
        self.dwconv = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding=(kernel_size - 1) // 2,
            groups=out_channels,
            **options,
        )
        self.bn1 = nn.BatchNorm2D(out_channels)
        self.pwconv = nn.Conv2D(out_channels, out_channels, 1, **options)
        self.bn2 = nn.BatchNorm2D(out_channels)
        self.last_activation = last_activation

    def forward(self, x: Any) -> Any:
        """Return (N, C', H', W')."""
        x = self.bn2(self.pwconv(F.hardswish(self.bn1(self.dwconv(x)))))
        return F.hardswish(x) if self.last_activation else x


class ChannelConvs(nn.Layer):
    """Gives all levels as many channels.

    Args:
        in_channels: of the levels.
        out_channels: of all.
    """

    def __init__(self, in_channels: Sequence[int], out_channels: int) -> None:
        super().__init__()
        made = [
            ConvBatchNorm(own, out_channels, 1, activation=F.hardswish, initializer=KaimingUniform())
            for own in in_channels
        ]
        self.convs = nn.LayerList(made)

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the levels' feature maps."""
        return [conv(feature) for conv, feature in zip(self.convs, features)]


class LCPAN(nn.Layer):
    """Hands coarse features down to the finer levels, and the finer ones' back up; adds a coarser level.

    Args:
        in_channels: of the backbone's feature maps, the finest first.
        strides: pixels of the image for each of their cells.
        out_channels: of all levels.
        kernel_size: of depthwise convolutions.

    Attributes:
        channels: of the feature maps that are given.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self, in_channels: Sequence[int], strides: Sequence[int], out_channels: int = 128, kernel_size: int = 5
    ) -> None:
        super().__init__()
        steps = len(in_channels) - 1
        self.channels = (out_channels,) * (steps + 2)
        self.strides = (*strides, 2 * strides[-1])

        def halving() -> DPModule:
            return DPModule(out_channels, out_channels, kernel_size, 2)

        def merging() -> nn.Sequential:
            return nn.Sequential(
                DepthwiseSeparable(2 * out_channels, 2 * out_channels, kernel_size),
                DepthwiseSeparable(2 * out_channels, out_channels, kernel_size),
            )

        self.conv_t = ChannelConvs(in_channels, out_channels)
        self.first_top_conv = halving()
        self.second_top_conv = halving()
        self.top_down_blocks = nn.LayerList([merging() for _ in range(steps)])
        self.downsamples = nn.LayerList([halving() for _ in range(steps)])
        self.bottom_up_blocks = nn.LayerList([merging() for _ in range(steps)])

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the feature maps of the levels, the finest first."""
        given = self.conv_t(features)
        inner = [given[-1]]
        for feature, block in zip(given[-2::-1], self.top_down_blocks):
            inner.append(block(core.concat([F.interpolate(inner[-1], scale_factor=2.0), feature], 1)))
        found = [inner.pop()]
        for halve, block in zip(self.downsamples, self.bottom_up_blocks):
            found.append(block(core.concat([halve(found[-1]), inner.pop()], 1)))
        return [*found, self.first_top_conv(given[-1]) + self.second_top_conv(found[-1])]
