"""MobileNetV1 (Howard et al., arXiv 1704.04861) as detectors look through it, with SSD's further blocks.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Optional

from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm
from core.vision.models.mobilenetv1 import BLOCKS, NAMES

EXTRA_BLOCKS = ((256, 512), (128, 256), (128, 256), (64, 128))
"""Channels inside and after each further block of SSD."""


ConvNorm = functools.partial(
    ConvBatchNorm, activation=F.relu, initializer=KaimingNormal(), names=EARLIER_NAMES, decay_norm=False
)
"""Convolution, batch normalisation and ReLU: in, out, kernel, stride."""


class DepthwiseSeparable(nn.Layer):
    """A 3 x 3 convolution of each channel by itself, then a 1 x 1 convolution: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the 3 x 3 convolution, pixels.
        conv_decay: weight decay of the kernels, in place of the optimizer's; None: the optimizer's.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int, conv_decay: Optional[float]) -> None:
        super().__init__()
        self._depthwise_conv = ConvNorm(in_channels, in_channels, 3, stride, in_channels, weight_decay=conv_decay)
        self._pointwise_conv = ConvNorm(in_channels, out_channels, 1, weight_decay=conv_decay)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return self._pointwise_conv(self._depthwise_conv(x))


class ExtraBlock(nn.Layer):
    """A 1 x 1 convolution and a 3 x 3 one of stride 2: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        inner: channels between the two.
        out_channels: C'.
        conv_decay: weight decay of the kernels, in place of the optimizer's; None: the optimizer's.
    """

    def __init__(self, in_channels: int, inner: int, out_channels: int, conv_decay: Optional[float]) -> None:
        super().__init__()
        self.pointwise_conv = ConvNorm(in_channels, inner, 1, activation=F.relu6, weight_decay=conv_decay)
        self.normal_conv = ConvNorm(inner, out_channels, 3, 2, activation=F.relu6, weight_decay=conv_decay)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return self.normal_conv(self.pointwise_conv(x))


class MobileNet(nn.Layer):
    """A convolution and thirteen depthwise separable blocks, perhaps with SSD's four further blocks.

    Args:
        scale: factor on the number of channels, at least 1/32 (the paper's width multiplier).
        feature_maps: after which blocks, counted from 1, a feature map is given; the further blocks are 14 to 17.
        with_extra_blocks: whether there are further blocks.
        conv_decay: weight decay of the kernels, in place of the optimizer's; None: the optimizer's.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
        own_layers: names of layers that no classifier has: the further blocks.

    Raises:
        ValueError: the scale leaves the first convolution no channel.
    """

    def __init__(
        self,
        scale: float = 1.0,
        feature_maps: Sequence[int] = (4, 6, 13),
        with_extra_blocks: bool = False,
        conv_decay: Optional[float] = None,
    ) -> None:
        super().__init__()
        channels = int(32 * scale)
        if channels < 1:
            raise ValueError(f"scale must be at least 1/32, not {scale}: the first convolution would have no channel")
        self.feature_maps = tuple(feature_maps)
        self.conv1 = ConvNorm(3, channels, 3, 2, weight_decay=conv_decay)
        stride, found = 2, []
        self.blocks: list[Any] = []
        for name, (width, step) in zip(NAMES, BLOCKS):
            block = DepthwiseSeparable(channels, int(width * scale), step, conv_decay)
            self.blocks.append(self.add_sublayer(name, block))
            channels, stride = int(width * scale), stride * step
            found.append((channels, stride))
        for number, (inner, outer) in enumerate(EXTRA_BLOCKS if with_extra_blocks else (), 1):
            self.blocks.append(self.add_sublayer(f"conv7_{number}", ExtraBlock(channels, inner, outer, conv_decay)))
            channels, stride = outer, stride * 2
            found.append((channels, stride))
        self.own_layers = tuple(name for name, _ in self.named_children() if name.startswith("conv7_"))
        self.channels = tuple(found[number - 1][0] for number in self.feature_maps)
        self.strides = tuple(found[number - 1][1] for number in self.feature_maps)

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps, the finest first."""
        x, maps = self.conv1(image), []
        for number, block in enumerate(self.blocks, 1):
            x = block(x)
            if number in self.feature_maps:
                maps.append(x)
        return maps
