"""ResNeXt-101 trained on a billion labelled pictures of a photo platform (weakly supervised learning), up to 48d wide.

Papers: Mahajan et al., "Exploring the limits of weakly supervised pretraining", ECCV 2018,
https://arxiv.org/abs/1805.00932; for Fix_ResNeXt101_32x48d_wsl, whose classifier was tuned on larger images, Touvron et
al., "Fixing the train-test resolution discrepancy", NeurIPS 2019, https://arxiv.org/abs/1906.06423
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.resnet import BLOCKS

GROUPS = 32
NAMES = ("_conv", "_bn")


class Shortcut(nn.Layer):
    """A 1 x 1 convolution where a stage begins, else nothing: (N, C, H, W) to (N, C', H/stride, W/stride).

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the convolution, pixels.
        convolve: whether there is one.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int, convolve: bool) -> None:
        super().__init__()
        self._conv = ConvBatchNorm(in_channels, out_channels, 1, stride, names=NAMES) if convolve else None

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return x if self._conv is None else self._conv(x)


class BottleneckBlock(nn.Layer):
    """1 x 1, grouped 3 x 3 and 1 x 1 convolutions, added to a shortcut: (N, C, H, W) to (N, C', H/stride, W/stride).

    Args:
        in_channels: C.
        width: channels of the 3 x 3 convolution.
        out_channels: C'.
        stride: step of the block, pixels.
        first: whether the block is the first of its stage.
    """

    def __init__(self, in_channels: int, width: int, out_channels: int, stride: int, first: bool) -> None:
        super().__init__()
        self._conv0 = ConvBatchNorm(in_channels, width, 1, activation=F.relu, names=NAMES)
        self._conv1 = ConvBatchNorm(width, width, 3, stride, GROUPS, activation=F.relu, names=NAMES)
        self._conv2 = ConvBatchNorm(width, out_channels, 1, names=NAMES)
        self._short = Shortcut(in_channels, out_channels, stride, convolve=first)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return F.relu(self._conv2(self._conv1(self._conv0(x))) + self._short(x))


class ResNeXt101WSL(ImageClassifier):
    """A stem, four stages of residual blocks and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        width: channels of each of the 32 groups in the first stage; each further stage doubles it.
        class_num: number of classes.
    """

    head_names = head_layers = ("_out",)
    stage_channels = (256, 512, 1024, 2048)
    stage_strides = (4, 8, 16, 32)

    def __init__(self, width: int, class_num: int = 1000) -> None:
        super().__init__()
        self._conv_stem = ConvBatchNorm(3, 64, 7, 2, activation=F.relu, names=NAMES)
        channels = 64
        for stage, (out_channels, count) in enumerate(zip(self.stage_channels, BLOCKS[101])):
            for number in range(count):
                stride = 2 if stage > 0 and number == 0 else 1
                block = BottleneckBlock(channels, GROUPS * width * 2**stage, out_channels, stride, number == 0)
                self.add_sublayer(f"_conv{stage + 1}_{number}", block)
                channels = out_channels
        self._out = nn.Linear(channels, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, (N, 256 to 2048, H/4 to H/32, W/4 to W/32)."""
        x = F.max_pool2d(self._conv_stem(x), 3, 2, padding=1)
        maps = []
        for stage, count in enumerate(BLOCKS[101], start=1):
            for number in range(count):
                x = getattr(self, f"_conv{stage}_{number}")(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self._out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def ResNeXt101_32x8d_wsl(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeXt101WSL:
    """Return ResNeXt-101, 32 groups of 8 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt101_32x8d_wsl", ResNeXt101WSL, pretrained, width=8, class_num=class_num, **kwargs)


def ResNeXt101_32x16d_wsl(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeXt101WSL:
    """Return ResNeXt-101, 32 groups of 16 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt101_32x16d_wsl", ResNeXt101WSL, pretrained, width=16, class_num=class_num, **kwargs)


def ResNeXt101_32x32d_wsl(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeXt101WSL:
    """Return ResNeXt-101, 32 groups of 32 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt101_32x32d_wsl", ResNeXt101WSL, pretrained, width=32, class_num=class_num, **kwargs)


def ResNeXt101_32x48d_wsl(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeXt101WSL:
    """Return ResNeXt-101, 32 groups of 48 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt101_32x48d_wsl", ResNeXt101WSL, pretrained, width=48, class_num=class_num, **kwargs)


def Fix_ResNeXt101_32x48d_wsl(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeXt101WSL:
    """Return ResNeXt-101, 32 groups of 48 channels, for 320 x 320; arguments as of :func:`PaddleClas.create_model`."""
    return build("Fix_ResNeXt101_32x48d_wsl", ResNeXt101WSL, pretrained, width=48, class_num=class_num, **kwargs)
