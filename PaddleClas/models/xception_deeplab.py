"""Xception as DeepLab uses it: three separable convolutions a block, and strides in place of poolings.

Papers: Chen et al., "Encoder-decoder with atrous separable convolution for semantic image segmentation", ECCV 2018,
https://arxiv.org/abs/1802.02611, after Chollet, "Xception: deep learning with depthwise separable convolutions",
CVPR 2017, https://arxiv.org/abs/1610.02357
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

NORMALISATION: dict[str, Any] = {"momentum": 0.99, "epsilon": 1e-3}
"""Settings of every batch normalisation."""

MIDDLE_BLOCKS = {41: 8, 65: 16}
"""Number of blocks of the middle flow, by the number of layers with weights."""


class SeparableConv(nn.Layer):
    """A 3 x 3 convolution of each channel by itself, then a 1 x 1 one: (N, C, H, W) to (N, C', H/stride, W/stride).

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the first convolution, pixels.
        dilation: distance of the pixels that it sees.
        activate: whether ReLU follows each convolution.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int, dilation: int, activate: bool) -> None:
        super().__init__()
        self.activate = activate
        self._conv1 = nn.Conv2D(
            *(in_channels, in_channels, 3, stride, dilation, dilation, in_channels), bias_attr=False
        )
        self._bn1 = nn.BatchNorm2D(in_channels, **NORMALISATION)
        self._conv2 = nn.Conv2D(in_channels, out_channels, 1, bias_attr=False)
        self._bn2 = nn.BatchNorm2D(out_channels, **NORMALISATION)

    def forward(self, x: Any) -> Any:
        """Return the filtered images."""
        x = self._bn1(self._conv1(x))
        x = self._bn2(self._conv2(F.relu(x) if self.activate else x))
        return F.relu(x) if self.activate else x


class Block(nn.Layer):
    """Three separable convolutions, perhaps added to a shortcut: (N, C, H, W) to (N, C', H/stride, W/stride).

    Args:
        in_channels: C.
        widths: channels of the three; the last number is C'.
        stride: step of the last one, pixels.
        shortcut: ``"conv"``, ``"identity"`` or ``"none"``; without one, ReLU follows each convolution instead of coming
            before each separable one.
        dilation: distance of the pixels that the convolutions see.
    """

    def __init__(
        self, in_channels: int, widths: Sequence[int], stride: int = 1, shortcut: str = "conv", dilation: int = 1
    ) -> None:
        super().__init__()
        self.shortcut = shortcut
        channels = in_channels
        for number, (width, step) in enumerate(zip(widths, (1, 1, stride)), start=1):
            layer = SeparableConv(channels, width, step, dilation, activate=shortcut == "none")
            self.add_sublayer(f"_conv{number}", layer)
            channels = width
        if shortcut == "conv":
            self._short = ConvBatchNorm(in_channels, channels, 1, stride, names=("_conv", "_bn"), **NORMALISATION)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = x
        for convolution in (self._conv1, self._conv2, self._conv3):
            y = convolution(y if self.shortcut == "none" else F.relu(y))
        if self.shortcut == "none":
            return y
        return y + (self._short(x) if self.shortcut == "conv" else x)


class XceptionDeeplab(ImageClassifier):
    """Two convolutions, entry, middle and exit flow, and a linear layer: (N, 3, H, W) to (N, class_num).

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        depth: 41 or 65 layers with weights.
        class_num: number of classes.

    Raises:
        ValueError: there is no such network of this depth.
    """

    head_names = ("_fc",)
    head_layers = ("_drop", "_fc")
    stage_channels = (64, 128, 256, 728, 2048)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, depth: int, class_num: int = 1000) -> None:
        super().__init__()
        if depth not in MIDDLE_BLOCKS:
            raise ValueError(f"Xception-deeplab has 41 or 65 layers, not {depth}")
        for name, sizes in (("_conv1", (3, 32, 3, 2)), ("_conv2", (32, 64, 3, 1))):
            layer = ConvBatchNorm(*sizes, activation=F.relu, names=("_conv", "_bn"), **NORMALISATION)
            self.add_sublayer(name, layer)
        self.entry_names = [f"xception_{depth}/entry_flow/block{number}" for number in range(1, 4)]
        self.middle_names = [f"xception_{depth}/middle_flow/block{n + 1}" for n in range(MIDDLE_BLOCKS[depth])]
        channels = 64
        for name, width in zip(self.entry_names, (128, 256, 728)):
            self.add_sublayer(name, Block(channels, (width, width, width), 2))
            channels = width
        for name in self.middle_names:
            self.add_sublayer(name, Block(728, (728, 728, 728), shortcut="identity"))
        self._exit_flow_1 = Block(728, (728, 1024, 1024), 2)
        self._exit_flow_2 = Block(1024, (1536, 1536, 2048), shortcut="none", dilation=2)
        self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
        self._fc = nn.Linear(2048, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 2048, H/2 to H/32, W/2 to W/32)."""
        maps = [self._conv2(self._conv1(x))]
        for name in self.entry_names:
            maps.append(getattr(self, name)(maps[-1]))
        x = maps.pop()
        for name in self.middle_names:
            x = getattr(self, name)(x)
        return [*maps, x, self._exit_flow_2(self._exit_flow_1(x))]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self._fc(core.flatten(F.adaptive_avg_pool2d(self._drop(features), 1), 1))


def Xception41_deeplab(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> XceptionDeeplab:
    """Return the Xception-41 of DeepLab; arguments as of :func:`PaddleClas.create_model`."""
    return build("Xception41_deeplab", XceptionDeeplab, pretrained, depth=41, class_num=class_num, **kwargs)


def Xception65_deeplab(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> XceptionDeeplab:
    """Return the Xception-65 of DeepLab; arguments as of :func:`PaddleClas.create_model`."""
    return build("Xception65_deeplab", XceptionDeeplab, pretrained, depth=65, class_num=class_num, **kwargs)
