"""CSPDarkNet-53: DarkNet-53 whose stages send half of their channels past the residual blocks.

Paper: Wang et al., "CSPNet: a new backbone that can enhance learning capability of CNN", CVPR workshops 2020,
https://arxiv.org/abs/1911.11929
Source of parameter names: PaddleClas 2.6, ``model_zoo/cspnet.py``. Its activation is leaky ReLU of the slope 0.01.
"""

from __future__ import annotations

import functools
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

BLOCKS = (1, 2, 8, 8, 4)
"""Number of residual blocks in each stage."""

Conv = functools.partial(ConvBatchNorm, activation=F.leaky_relu)
"""Convolution, batch normalisation and leaky ReLU: in, out, kernel, stride."""


class DarkBlock(nn.Layer):
    """A 1 x 1 and a 3 x 3 convolution, added to the input: (N, C, H, W) to the same shape.

    Args:
        channels: C.
        middle: channels between the two.
    """

    def __init__(self, channels: int, middle: int) -> None:
        super().__init__()
        self.conv1 = Conv(channels, middle, 1)
        self.conv2 = Conv(middle, channels, 3)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return x + self.conv2(self.conv1(x))


class CrossStage(nn.Layer):
    """Halve the maps; half of the channels go through blocks, the other past: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
        blocks: how many.
        wide: whether each half has C' channels instead of half of them, as in the first stage.
    """

    def __init__(self, in_channels: int, out_channels: int, blocks: int, wide: bool) -> None:
        super().__init__()
        half = out_channels if wide else out_channels // 2
        self.half = half
        self.conv_down = Conv(in_channels, out_channels, 3, 2)
        self.conv_exp = Conv(out_channels, 2 * half, 1)
        self.blocks = nn.Sequential(*[DarkBlock(half, half // 2 if wide else half) for _ in range(blocks)])
        self.conv_transition_b = Conv(half, half, 1)
        self.conv_transition = Conv(2 * half, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return the stage's feature maps."""
        x = self.conv_exp(self.conv_down(x))
        past, through = x[:, : self.half], x[:, self.half :]
        through = self.conv_transition_b(self.blocks(through))
        return self.conv_transition(core.concat([past, through], axis=1))


class CSPDarkNet(ImageClassifier):
    """A convolution, five stages that each halve the image, and a linear layer: (N, C, H, W) to (N, class_num).

    Args:
        in_chans: C.
        class_num: number of classes.
    """

    stage_channels = (64, 128, 256, 512, 1024)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, in_chans: int = 3, class_num: int = 1000) -> None:
        super().__init__()
        sizes = (32, *self.stage_channels)
        self.stem = nn.Sequential(("conv1", Conv(in_chans, sizes[0], 3)))
        self.stages = nn.LayerList(
            [
                CrossStage(before, after, count, wide=number == 0)
                for number, (before, after, count) in enumerate(zip(sizes, sizes[1:], BLOCKS))
            ]
        )
        self.fc = nn.Linear(sizes[-1], class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the five stages, (N, 64 to 1024, H/2 to H/32, W/2 to W/32)."""
        x = self.stem(x)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.fc(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def CSPDarkNet53(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> CSPDarkNet:
    """Return CSPDarkNet-53 (Wang et al. 2020); arguments as of :func:`PaddleClas.create_model`."""
    return build("CSPDarkNet53", CSPDarkNet, pretrained, class_num=class_num, **kwargs)
