"""ShuffleNetV2: each block filters half of the channels, then the halves are shuffled.

Paper: Ma et al., "ShuffleNet V2: practical guidelines for efficient CNN architecture design", ECCV 2018,
https://arxiv.org/abs/1807.11164
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. The widths 0.25 and
0.33, and swish in place of ReLU, are its own.
"""

from __future__ import annotations

from typing import Any, Callable

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm
from core.vision.models.shufflenetv2 import BLOCKS
from core.vision.models.shufflenetv2 import CHANNELS as PADDLE_CHANNELS
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

CHANNELS = {**PADDLE_CHANNELS, 2.0: (24, 244, 488, 976, 2048)}
"""Channels of the first convolution, of the three stages and of the last convolution, by the scale."""

Activation = Callable[[Any], Any]


def convolution(
    in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, groups: int = 1, **options: Any
) -> ConvBatchNorm:
    """Return a normalised convolution with this family's names and initial weights."""
    return ConvBatchNorm(
        in_channels,
        out_channels,
        kernel_size,
        stride,
        groups,
        initializer=KaimingNormal(),
        names=EARLIER_NAMES,
        **options,
    )


class Block(nn.Layer):
    """Half of the channels pass, the others are filtered, both are shuffled: (N, C, H, W) to the same shape.

    Args:
        channels: C.
        activation: function after the 1 x 1 convolutions.
    """

    def __init__(self, channels: int, activation: Activation) -> None:
        super().__init__()
        half = channels // 2
        self._conv_pw = convolution(half, half, 1, activation=activation)
        self._conv_dw = convolution(half, half, 3, groups=half)
        self._conv_linear = convolution(half, half, 1, activation=activation)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        untouched, y = core.split(x, 2, axis=1)
        y = self._conv_linear(self._conv_dw(self._conv_pw(y)))
        return F.channel_shuffle(core.concat([untouched, y], axis=1), 2)


class HalvingBlock(nn.Layer):
    """Two branches filter all channels and halve the size: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
        activation: function after the 1 x 1 convolutions.
    """

    def __init__(self, in_channels: int, out_channels: int, activation: Activation) -> None:
        super().__init__()
        half = out_channels // 2
        self._conv_dw_1 = convolution(in_channels, in_channels, 3, stride=2, groups=in_channels)
        self._conv_linear_1 = convolution(in_channels, half, 1, activation=activation)
        self._conv_pw_2 = convolution(in_channels, half, 1, activation=activation)
        self._conv_dw_2 = convolution(half, half, 3, stride=2, groups=half)
        self._conv_linear_2 = convolution(half, half, 1, activation=activation)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        first = self._conv_linear_1(self._conv_dw_1(x))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(x)))
        return F.channel_shuffle(core.concat([first, second], axis=1), 2)


class ShuffleNet(ImageClassifier):
    """A convolution, three stages and a 1 x 1 convolution: (N, 3, H, W) to (N, class_num).

    Args:
        scale: one of the widths of :data:`CHANNELS`.
        activation: ``F.relu`` or ``F.swish``.
        class_num: number of classes.

    Raises:
        ValueError: there is no such width.
    """

    head_names = ("_fc",)
    head_layers = ("_last_conv", "_fc")
    stage_strides = (8, 16, 32)

    def __init__(self, scale: float = 1.0, activation: Activation = F.relu, class_num: int = 1000) -> None:
        super().__init__()
        if scale not in CHANNELS:
            raise ValueError(f"scale must be one of {', '.join(map(str, CHANNELS))}, not {scale}")
        channels, *self.stage_channels, last = CHANNELS[scale]
        self._conv1 = convolution(3, channels, 3, stride=2, activation=activation)
        self._max_pool = nn.MaxPool2D(3, 2, padding=1)
        for stage, (out_channels, count) in enumerate(zip(self.stage_channels, BLOCKS), start=2):
            self.add_sublayer(f"{stage}_1", HalvingBlock(channels, out_channels, activation))
            for number in range(2, count + 1):
                self.add_sublayer(f"{stage}_{number}", Block(out_channels, activation))
            channels = out_channels
        self._last_conv = convolution(channels, last, 1, activation=activation)
        self._fc = nn.Linear(last, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the three stages, (N, 24 to 976, H/8 to H/32, W/8 to W/32)."""
        x = self._max_pool(self._conv1(x))
        maps = []
        for stage, count in enumerate(BLOCKS, start=2):
            for number in range(1, count + 1):
                x = getattr(self, f"{stage}_{number}")(x)
            maps.append(x)
        return maps

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps of the last convolution, (N, 512 to 2048, H/32, W/32)."""
        return self._last_conv(self.forward_stages(x)[-1])

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self._fc(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def ShuffleNetV2_x0_25(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ShuffleNet:
    """Return ShuffleNetV2 of a quarter of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("ShuffleNetV2_x0_25", ShuffleNet, pretrained, scale=0.25, class_num=class_num, **kwargs)


def ShuffleNetV2_x0_33(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ShuffleNet:
    """Return ShuffleNetV2 of a third of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("ShuffleNetV2_x0_33", ShuffleNet, pretrained, scale=0.33, class_num=class_num, **kwargs)


def ShuffleNetV2_x0_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ShuffleNet:
    """Return ShuffleNetV2 of half the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("ShuffleNetV2_x0_5", ShuffleNet, pretrained, scale=0.5, class_num=class_num, **kwargs)


def ShuffleNetV2_x1_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ShuffleNet:
    """Return ShuffleNetV2 (Ma et al. 2018); arguments as of :func:`PaddleClas.create_model`."""
    return build("ShuffleNetV2_x1_0", ShuffleNet, pretrained, scale=1.0, class_num=class_num, **kwargs)


def ShuffleNetV2_x1_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ShuffleNet:
    """Return ShuffleNetV2 of one and a half times the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("ShuffleNetV2_x1_5", ShuffleNet, pretrained, scale=1.5, class_num=class_num, **kwargs)


def ShuffleNetV2_x2_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ShuffleNet:
    """Return ShuffleNetV2 of twice the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("ShuffleNetV2_x2_0", ShuffleNet, pretrained, scale=2.0, class_num=class_num, **kwargs)


def ShuffleNetV2_swish(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ShuffleNet:
    """Return ShuffleNetV2 with swish in place of ReLU; arguments as of :func:`PaddleClas.create_model`."""
    return build("ShuffleNetV2_swish", ShuffleNet, pretrained, activation=F.swish, class_num=class_num, **kwargs)
