"""CSPDarkNet as in YOLOX (Ge et al., "YOLOX: Exceeding YOLO Series in 2021", arXiv 2107.08430), with its blocks.

Cross-stage partial layers are of Wang et al., "CSPNet", arXiv 1911.11929.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.vision.models.blocks import ConvBatchNorm

STAGES = ((64, 128, 3), (128, 256, 9), (256, 512, 9), (512, 1024, 3))
"""Channels before and after each stage, and its residual blocks, at depth and width 1."""

POOLS = (5, 9, 13)
"""Windows of the last stage's spatial pyramid pooling, cells."""


class BaseConv(ConvBatchNorm):
    """Convolution, batch normalisation and SiLU: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: height and width, odd.
        stride: of the convolution.
        groups: of channels that do not see one another.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, groups: int = 1
    ) -> None:
        bound = (in_channels // groups * kernel_size**2) ** -0.5
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            groups,
            activation=F.silu,
            initializer=Uniform(-bound, bound),
            decay_norm=False,
        )


class DWConv(nn.Layer):
    """A depthwise :class:`BaseConv` and a pointwise one.

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: of the depthwise one.
        stride: likewise.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1) -> None:
        super().__init__()
        self.dw_conv = BaseConv(in_channels, in_channels, kernel_size, stride, in_channels)
        self.pw_conv = BaseConv(in_channels, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H', W')."""
        return self.pw_conv(self.dw_conv(x))


class Focus(nn.Layer):
    """Four neighbouring pixels become channels, then a convolution: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = BaseConv(4 * in_channels, out_channels, 3)

    def forward(self, image: Any) -> Any:
        """Return the feature map."""
        upper, lower = image[:, :, 0::2], image[:, :, 1::2]
        parts = [rows[:, :, :, first::2] for first in (0, 1) for rows in (upper, lower)]
        return self.conv(core.concat(parts, 1))


class BottleNeck(nn.Layer):
    """A 1 x 1 and a 3 x 3 convolution: (N, C, H, W) to the same.

    Args:
        channels: C.
        shortcut: add the input.
        depthwise: whether the second convolution is.
    """

    def __init__(self, channels: int, shortcut: bool, depthwise: bool) -> None:
        super().__init__()
        self.conv1 = BaseConv(channels, channels, 1)
        self.conv2 = conv_of(depthwise)(channels, channels, 3)
        self.shortcut = shortcut

    def forward(self, x: Any) -> Any:
        """Return feature maps of x's shape."""
        y = self.conv2(self.conv1(x))
        return x + y if self.shortcut else y


class CSPLayer(nn.Layer):
    """Half of the channels go through bottlenecks, the other half past them: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        blocks: how many bottlenecks.
        shortcut: whether they add their input.
        depthwise: whether their second convolution is.
    """

    def __init__(
        self, in_channels: int, out_channels: int, blocks: int, shortcut: bool = True, depthwise: bool = False
    ) -> None:
        super().__init__()
        half = out_channels // 2
        self.conv1 = BaseConv(in_channels, half, 1)
        self.conv2 = BaseConv(in_channels, half, 1)
        self.bottlenecks = nn.Sequential(*[BottleNeck(half, shortcut, depthwise) for _ in range(blocks)])
        self.conv3 = BaseConv(2 * half, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H, W)."""
        return self.conv3(core.concat([self.bottlenecks(self.conv1(x)), self.conv2(x)], 1))


class SPPLayer(nn.Layer):
    """Looks through windows of several sizes: (N, C, H, W) to the same.

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.conv1 = BaseConv(channels, half, 1)
        self.conv2 = BaseConv(half * (1 + len(POOLS)), channels, 1)

    def forward(self, x: Any) -> Any:
        """Return feature maps of x's shape."""
        x = self.conv1(x)
        wide = [F.max_pool2d(x, window, stride=1, padding=window // 2) for window in POOLS]
        return self.conv2(core.concat([x, *wide], 1))


class CSPDarkNet(nn.Layer):
    """Halves the image and goes through four stages that each halve it again.

    Args:
        depth_mult: factor on the number of bottlenecks.
        width_mult: factor on the number of channels.
        depthwise: whether 3 x 3 convolutions are depthwise.
        return_idx: the stages, counted from 1, whose feature maps are given.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
    """

    def __init__(
        self,
        depth_mult: float = 1.0,
        width_mult: float = 1.0,
        depthwise: bool = False,
        return_idx: Sequence[int] = (2, 3, 4),
    ) -> None:
        super().__init__()
        self.return_idx = tuple(return_idx)
        self.stem = Focus(3, int(STAGES[0][0] * width_mult))
        self.stages, channels, number = [], [int(STAGES[0][0] * width_mult)], 1
        for stage, (before, after, blocks) in enumerate(STAGES, 1):
            before, after = int(before * width_mult), int(after * width_mult)
            last = stage == len(STAGES)
            parts: dict[str, Any] = {"conv_layer": conv_of(depthwise)(before, after, 3, 2)}
            if last:
                parts["spp_layer"] = SPPLayer(after)
            parts["csp_layer"] = CSPLayer(after, after, max(round(blocks * depth_mult), 1), not last, depthwise)
            made = []
            for name, part in parts.items():
                made.append(self.add_sublayer(f"layers{number}.stage{stage}.{name}", part))
                number += 1
            self.stages.append(made)
            channels.append(after)
        self.channels = tuple(channels[stage] for stage in self.return_idx)
        self.strides = tuple(2 ** (stage + 1) for stage in self.return_idx)

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps of the chosen stages, the finest first."""
        x, maps = self.stem(image), []
        for number, parts in enumerate(self.stages, 1):
            for part in parts:
                x = part(x)
            if number in self.return_idx:
                maps.append(x)
        return maps


def conv_of(depthwise: bool) -> Any:
    """Return the kind of convolution that the networks' 3 x 3 ones are."""
    return DWConv if depthwise else BaseConv
