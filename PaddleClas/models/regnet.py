"""RegNetX: bottlenecks with grouped convolutions, whose widths follow a rounded straight line.

Paper: Radosavovic et al., "Designing network design spaces", CVPR 2020, https://arxiv.org/abs/2003.13678
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any, Callable

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

STEM_CHANNELS = 32


def stage_widths(slope: float, start: int, factor: float, depth: int, group_width: int) -> list[tuple[int, int]]:
    """Return the channels and the number of blocks of each stage.

    Block i would have ``start + slope * i`` channels; that is rounded to the nearest ``start * factor ** k``, then to a
    multiple of 8. Blocks of the same width are a stage, and its width is at last rounded to whole groups.

    Args:
        slope: channels that each block has more than the one before.
        start: channels of the first block.
        factor: between the widths of neighbouring stages.
        depth: number of blocks.
        group_width: channels of a group; groups of narrower stages have all of the stage's.
    """
    line = start + slope * np.arange(depth)
    powers = np.round(np.log(line / start) / np.log(factor))
    widths = (np.round(start * factor**powers / 8) * 8).astype(int).tolist()
    stages = [(width, len(list(blocks))) for width, blocks in itertools.groupby(widths)]
    return [(round(width / min(group_width, width)) * min(group_width, width), count) for width, count in stages]


class Bottleneck(nn.Layer):
    """1 x 1, grouped 3 x 3 and 1 x 1 convolutions of one width, plus a shortcut: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the block, pixels.
        groups: of the 3 x 3 convolution.
        project: whether the shortcut is a 1 x 1 convolution.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int, groups: int, project: bool) -> None:
        super().__init__()
        self.conv0 = ConvBatchNorm(in_channels, out_channels, 1, activation=F.relu, names=EARLIER_NAMES)
        self.conv1 = ConvBatchNorm(
            out_channels, out_channels, 3, stride, groups, activation=F.relu, names=EARLIER_NAMES
        )
        self.conv2 = ConvBatchNorm(out_channels, out_channels, 1, names=EARLIER_NAMES)
        self.short = ConvBatchNorm(in_channels, out_channels, 1, stride, names=EARLIER_NAMES) if project else None

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.conv2(self.conv1(self.conv0(x)))
        return F.relu(y + (x if self.short is None else self.short(x)))


class RegNet(ImageClassifier):
    """A convolution, four stages of bottlenecks and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        slope: channels that each block has more than the one before, before rounding.
        start: channels of the first block, before rounding.
        factor: between the widths of neighbouring stages.
        depth: number of blocks.
        group_width: channels of a group.
        class_num: number of classes.
    """

    head_names = ("out",)
    head_layers = ("out",)

    def __init__(
        self, slope: float, start: int, factor: float, depth: int, group_width: int, class_num: int = 1000
    ) -> None:
        super().__init__()
        self.conv = ConvBatchNorm(3, STEM_CHANNELS, 3, 2, activation=F.relu, names=EARLIER_NAMES)
        channels = STEM_CHANNELS
        self.stages = stage_widths(slope, start, factor, depth, group_width)
        for stage, (width, count) in enumerate(self.stages, start=1):
            groups = width // min(group_width, width)
            for number in range(1, count + 1):
                first = number == 1
                block = Bottleneck(channels, width, 2 if first else 1, groups, project=first)
                self.add_sublayer(f"s{stage}_b{number}", block)
                channels = width
        self.stage_channels = [width for width, _ in self.stages]
        self.stage_strides = [4 << stage for stage in range(len(self.stages))]
        self.out = fully_connected(channels, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the stages, (N, channels, H/4 to H/32, W/4 to W/32)."""
        x = self.conv(x)
        maps = []
        for stage, (_, count) in enumerate(self.stages, start=1):
            for number in range(1, count + 1):
                x = getattr(self, f"s{stage}_b{number}")(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


LINES = {
    "200MF": (36.44, 24, 2.49, 13, 8),
    "400MF": (24.48, 24, 2.54, 22, 16),
    "600MF": (36.97, 48, 2.24, 16, 24),
    "800MF": (35.73, 56, 2.28, 16, 16),
    "1600MF": (34.01, 80, 2.25, 18, 24),
    "3200MF": (26.31, 88, 2.25, 25, 48),
    "4GF": (38.65, 96, 2.43, 23, 40),
    "6400MF": (60.83, 184, 2.07, 17, 56),
    "8GF": (49.56, 80, 2.88, 23, 120),
    "12GF": (73.36, 168, 2.37, 19, 112),
    "16GF": (55.59, 216, 2.1, 22, 128),
    "32GF": (69.86, 320, 2.0, 23, 168),
}
"""Slope, start, factor, depth and group width, by the multiplications and additions for one image."""


def _on_line(work: str) -> Callable[..., RegNet]:
    return functools.partial(RegNet, *LINES[work])


def RegNetX_200MF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 200 million multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_200MF", _on_line("200MF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_400MF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 400 million multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_400MF", _on_line("400MF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_600MF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 600 million multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_600MF", _on_line("600MF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_800MF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 800 million multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_800MF", _on_line("800MF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_1600MF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 1600 million multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_1600MF", _on_line("1600MF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_3200MF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 3200 million multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_3200MF", _on_line("3200MF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_4GF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 4 billion multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_4GF", _on_line("4GF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_6400MF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 6400 million multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_6400MF", _on_line("6400MF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_8GF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 8 billion multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_8GF", _on_line("8GF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_12GF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 12 billion multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_12GF", _on_line("12GF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_16GF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 16 billion multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_16GF", _on_line("16GF"), pretrained, class_num=class_num, **kwargs)


def RegNetX_32GF(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RegNet:
    """Return the RegNetX of 32 billion multiply-adds; arguments as of :func:`PaddleClas.create_model`."""
    return build("RegNetX_32GF", _on_line("32GF"), pretrained, class_num=class_num, **kwargs)
