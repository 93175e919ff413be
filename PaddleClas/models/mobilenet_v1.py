"""MobileNetV1: depthwise separable convolutions.

Paper: Howard et al., "MobileNets: efficient convolutional neural networks for mobile vision applications", 2017,
https://arxiv.org/abs/1704.04861
Source of parameter names: PaddleClas 2.2+.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import ConvBatchNorm
from core.vision.models.mobilenetv1 import BLOCKS
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

STAGE_ENDS = (1, 3, 5, 11, 13)
"""How many blocks there are up to the end of each size of feature maps."""


class DepthwiseSeparable(nn.Layer):
    """A 3 x 3 convolution of each channel by itself, then a 1 x 1 convolution: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the 3 x 3 convolution, pixels.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.depthwise_conv = ConvBatchNorm(
            in_channels, in_channels, 3, stride, in_channels, activation=F.relu, initializer=KaimingNormal()
        )
        self.pointwise_conv = ConvBatchNorm(
            in_channels, out_channels, 1, activation=F.relu, initializer=KaimingNormal()
        )

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return self.pointwise_conv(self.depthwise_conv(x))


class MobileNet(ImageClassifier):
    """A convolution, thirteen depthwise separable blocks and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        scale: factor on the number of channels, at least 1/32 (the paper's width multiplier).
        class_num: number of classes.

    Raises:
        ValueError: the scale leaves the first convolution no channel.
    """

    def __init__(self, scale: float = 1.0, class_num: int = 1000) -> None:
        super().__init__()
        channels = int(32 * scale)
        if channels < 1:
            raise ValueError(f"scale must be at least 1/32, not {scale}: the first convolution would have no channel")
        self.conv = ConvBatchNorm(3, channels, 3, stride=2, activation=F.relu, initializer=KaimingNormal())
        blocks = []
        for width, stride in BLOCKS:
            blocks.append(DepthwiseSeparable(channels, int(width * scale), stride))
            channels = int(width * scale)
        self.blocks = nn.Sequential(*blocks)
        self.stage_channels = [int(BLOCKS[end - 1][0] * scale) for end in STAGE_ENDS]
        self.stage_strides = [2, 4, 8, 16, 32]
        self.fc = nn.Linear(channels, class_num, weight_attr=core.ParamAttr(initializer=KaimingNormal()))

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 1024 * scale, H/2 to H/32, W/2 to W/32)."""
        x = self.conv(x)
        maps = []
        for number, block in enumerate(self.blocks):
            x = block(x)
            if number + 1 in STAGE_ENDS:
                maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.fc(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def MobileNetV1_x0_25(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV1 of a quarter of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV1_x0_25", MobileNet, pretrained, scale=0.25, class_num=class_num, **kwargs)


def MobileNetV1_x0_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV1 of half the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV1_x0_5", MobileNet, pretrained, scale=0.5, class_num=class_num, **kwargs)


def MobileNetV1_x0_75(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV1 of three quarters of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV1_x0_75", MobileNet, pretrained, scale=0.75, class_num=class_num, **kwargs)


def MobileNetV1(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV1 (Howard et al. 2017); arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV1", MobileNet, pretrained, scale=1.0, class_num=class_num, **kwargs)
