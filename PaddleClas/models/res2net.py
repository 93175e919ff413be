"""Res2Net: bottlenecks whose 3 x 3 convolution is a chain of narrow ones, each of which sees the one before.

Papers: Gao et al., "Res2Net: a new multi-scale backbone architecture", PAMI 2021, https://arxiv.org/abs/1904.01169;
He et al., "Bag of tricks for image classification with convolutional neural networks", CVPR 2019,
https://arxiv.org/abs/1812.01187 (-vd).
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

import itertools
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

BLOCKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 200: (3, 12, 48, 3)}
"""Number of blocks in each of the four stages, by the number of layers with weights."""

EXPANSION = 4


class Bottleneck(nn.Layer):
    """1 x 1, a chain of narrow 3 x 3, and 1 x 1 convolutions, plus a shortcut: (N, C, H, W) to (N, C', H', W').

    Args:
        name: the block's name in official weight files of 1.x; the chain's layers still have it.
        in_channels: C.
        width: channels of each of the narrow convolutions.
        scales: into how many parts the channels are split; one of them is not convolved.
        out_channels: C'.
        stride: step of the block, pixels.
        shortcut: ``"identity"``; ``"conv"``, a 1 x 1 convolution; or ``"pool"``, 2 x 2 averages before it.
    """

    def __init__(
        self, name: str, in_channels: int, width: int, scales: int, out_channels: int, stride: int, shortcut: str
    ) -> None:
        super().__init__()
        self.scales = scales
        self.stride = stride
        self.shortcut = shortcut
        self.conv0 = ConvBatchNorm(in_channels, width * scales, 1, activation=F.relu, names=EARLIER_NAMES)
        self.chain = [f"{name}_branch2b_{number}" for number in range(1, scales)]
        for link in self.chain:
            convolution = ConvBatchNorm(width, width, 3, stride, activation=F.relu, names=EARLIER_NAMES)
            self.add_sublayer(link, convolution)
        self.conv2 = ConvBatchNorm(width * scales, out_channels, 1, names=EARLIER_NAMES)
        if shortcut != "identity":
            stride = 1 if shortcut == "pool" else stride
            self.short = ConvBatchNorm(in_channels, out_channels, 1, stride, names=EARLIER_NAMES)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        *parts, last = core.split(self.conv0(x), self.scales, axis=1)
        results: list[Any] = []
        for link, part in zip(self.chain, parts):
            see_previous = results and self.stride == 1
            results.append(getattr(self, link)(part + results[-1] if see_previous else part))
        results.append(last if self.stride == 1 else F.avg_pool2d(last, 3, self.stride, padding=1))
        y = self.conv2(core.concat(results, axis=1))
        short = x
        if self.shortcut == "pool":
            short = F.avg_pool2d(short, 2, 2, ceil_mode=True)
        if self.shortcut != "identity":
            short = self.short(short)
        return F.relu(short + y)


class Res2Net(ImageClassifier):
    """A stem, four stages of bottlenecks and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        depth: 50, 101 or 200 layers with weights.
        width: channels of each narrow convolution in the first stage; the next ones have twice as many each.
        scales: into how many parts a block splits its channels.
        version: ``"vb"`` (plain) or ``"vd"`` (three convolutions as stem, averaged shortcuts).
        class_num: number of classes.

    Raises:
        ValueError: there is no such depth or version.
    """

    head_names = ("out",)
    head_layers = ("out",)
    stage_channels = (256, 512, 1024, 2048)
    stage_strides = (4, 8, 16, 32)

    def __init__(
        self, depth: int = 50, width: int = 26, scales: int = 4, version: str = "vb", class_num: int = 1000
    ) -> None:
        super().__init__()
        if depth not in BLOCKS:
            raise ValueError(f"Res2Net has {', '.join(map(str, BLOCKS))} layers, not {depth}")
        if version not in ("vb", "vd"):
            raise ValueError(f"version must be 'vb' or 'vd', not {version!r}")
        stem = {"conv1": (3, 64, 7, 2)}
        if version == "vd":
            stem = {"conv1_1": (3, 32, 3, 2), "conv1_2": (32, 32, 3, 1), "conv1_3": (32, 64, 3, 1)}
        for name, sizes in stem.items():
            self.add_sublayer(name, ConvBatchNorm(*sizes, activation=F.relu, names=EARLIER_NAMES))
        self.stem = list(stem)
        self.pool2d_max = nn.MaxPool2D(3, 2, padding=1)
        in_channels = 64
        self.blocks = []
        for stage, count in enumerate(BLOCKS[depth]):
            out_channels = self.stage_channels[stage]
            for number in range(count):
                shortcut = "identity" if number else "pool" if version == "vd" and stage else "conv"
                stride = 2 if stage and not number else 1
                name = _name(stage, number, depth)
                block = Bottleneck(name, in_channels, width << stage, scales, out_channels, stride, shortcut)
                self.add_sublayer(f"bb_{stage}_{number}", block)
                self.blocks.append(f"bb_{stage}_{number}")
                in_channels = out_channels
        self.stage_ends = list(itertools.accumulate(BLOCKS[depth]))
        self.out = fully_connected(in_channels, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, (N, 256 to 2048, H/4 to H/32, W/4 to W/32)."""
        for name in self.stem:
            x = getattr(self, name)(x)
        x = self.pool2d_max(x)
        maps = []
        for number, name in enumerate(self.blocks, start=1):
            x = getattr(self, name)(x)
            if number in self.stage_ends:
                maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def _name(stage: int, number: int, depth: int) -> str:
    """Return what weight files of 1.x call a block: res4b12 in the long stages, res4c in the others."""
    if depth > 50 and stage == 2:
        return f"res4b{number}" if number else "res4a"
    return f"res{stage + 2}{chr(ord('a') + number)}"


def Res2Net50_26w_4s(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Res2Net:
    """Return Res2Net-50, four parts of 26 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("Res2Net50_26w_4s", Res2Net, pretrained, class_num=class_num, **kwargs)


def Res2Net50_14w_8s(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Res2Net:
    """Return Res2Net-50, eight parts of 14 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("Res2Net50_14w_8s", Res2Net, pretrained, width=14, scales=8, class_num=class_num, **kwargs)


def Res2Net50_vd_26w_4s(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Res2Net:
    """Return Res2Net-50-D, four parts of 26 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("Res2Net50_vd_26w_4s", Res2Net, pretrained, version="vd", class_num=class_num, **kwargs)


def Res2Net101_vd_26w_4s(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Res2Net:
    """Return Res2Net-101-D, four parts of 26 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("Res2Net101_vd_26w_4s", Res2Net, pretrained, depth=101, version="vd", class_num=class_num, **kwargs)


def Res2Net200_vd_26w_4s(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Res2Net:
    """Return Res2Net-200-D, four parts of 26 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("Res2Net200_vd_26w_4s", Res2Net, pretrained, depth=200, version="vd", class_num=class_num, **kwargs)
