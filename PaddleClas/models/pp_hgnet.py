"""PP-HGNet: blocks that concatenate what each of their 3 x 3 convolutions finds, for GPUs.

It has no paper of its own: its blocks are those of VoVNetV2, Lee and Park, "CenterMask: real-time anchor-free instance
segmentation", https://arxiv.org/abs/1911.06667.
Source of parameter names: PaddleClas 2.6, ``legendary_models/pp_hgnet.py``; the dropout scales in evaluation instead of
training, as there.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import ConvBatchNorm, EffectiveSqueezeExcite
from PaddleClas.models.expanded_head import ExpandedHead
from PaddleClas.models.pretrained import Pretrained, build

Conv = functools.partial(ConvBatchNorm, activation=F.relu, initializer=KaimingNormal(), decay_norm=False)
"""Convolution, batch normalisation and ReLU: in, out, kernel, stride, groups."""


class Block(nn.Layer):
    """Convolutions one after another, their concatenation weighed and narrowed: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        middle: channels of each convolution.
        out_channels: C'.
        count: how many convolutions.
        identity: whether the input is added.
    """

    def __init__(self, in_channels: int, middle: int, out_channels: int, count: int, identity: bool) -> None:
        super().__init__()
        self.layers = nn.LayerList([Conv(middle if number else in_channels, middle, 3) for number in range(count)])
        self.aggregation_conv = Conv(in_channels + count * middle, out_channels, 1)
        self.att = EffectiveSqueezeExcite(out_channels, F.sigmoid, "conv")
        self.identity = identity

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        found = [x]
        for layer in self.layers:
            found.append(layer(found[-1]))
        y = self.att(self.aggregation_conv(core.concat(found, axis=1)))
        return x + y if self.identity else y


class Stage(nn.Layer):
    """What halves the maps, and blocks: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        middle: channels of each convolution of a block.
        out_channels: C'.
        blocks: how many.
        count: convolutions of a block.
        downsample: whether the maps are halved.
    """

    def __init__(
        self, in_channels: int, middle: int, out_channels: int, blocks: int, count: int, downsample: bool
    ) -> None:
        super().__init__()
        self.downsample: Any = None
        if downsample:
            self.downsample = Conv(in_channels, in_channels, 3, 2, in_channels, activation=None)
        self.blocks = nn.Sequential(
            *[
                Block(out_channels if number else in_channels, middle, out_channels, count, number > 0)
                for number in range(blocks)
            ]
        )

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        return self.blocks(x if self.downsample is None else self.downsample(x))


class PPHGNet(ExpandedHead):
    """A stem, four stages, a 1 x 1 convolution of the means and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        stem_channels: of the stem's three convolutions.
        stages: of each stage: channels before it, of its convolutions and after it, and blocks.
        layer_num: convolutions of a block.
        use_last_conv: whether there is the last convolution.
        class_expand: its channels.
        dropout_prob: how often one of them is left out in training.
        class_num: number of classes.
    """

    stage_strides = (4, 8, 16, 32)

    def __init__(
        self,
        stem_channels: Sequence[int],
        stages: Sequence[tuple[int, int, int, int]],
        layer_num: int,
        use_last_conv: bool = True,
        class_expand: int = 2048,
        dropout_prob: float = 0.0,
        class_num: int = 1000,
    ) -> None:
        super().__init__()
        sizes = (3, *stem_channels)
        self.stem = nn.Sequential(
            *[
                Conv(before, after, 3, 1 if number else 2)
                for number, (before, after) in enumerate(zip(sizes, sizes[1:]))
            ]
        )
        self.pool = nn.MaxPool2D(3, 2, padding=1)
        self.stages = nn.LayerList(
            [Stage(*stage, layer_num, downsample=number > 0) for number, stage in enumerate(stages)]
        )
        self.stage_channels = [after for _, _, after, _ in stages]
        expand = class_expand if use_last_conv else None
        self._create_head(self.stage_channels[-1], class_num, expand, dropout_prob, F.relu, KaimingNormal())

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, (N, ..., H/4 to H/32, W/4 to W/32)."""
        x = self.pool(self.stem(x))
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


_TINY: dict[str, Any] = {
    "stem_channels": (48, 48, 96),
    "stages": ((96, 96, 224, 1), (224, 128, 448, 1), (448, 160, 512, 2), (512, 192, 768, 1)),
    "layer_num": 5,
}
_SMALL: dict[str, Any] = {
    "stem_channels": (64, 64, 128),
    "stages": ((128, 128, 256, 1), (256, 160, 512, 1), (512, 192, 768, 2), (768, 224, 1024, 1)),
    "layer_num": 6,
}
_BASE: dict[str, Any] = {
    "stem_channels": (96, 96, 160),
    "stages": ((160, 192, 320, 1), (320, 224, 640, 2), (640, 256, 960, 3), (960, 288, 1280, 2)),
    "layer_num": 7,
    "dropout_prob": 0.2,
}


def PPHGNet_tiny(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNet:
    """Return PP-HGNet-tiny; arguments as of :class:`PPHGNet`."""
    return build("PPHGNet_tiny", PPHGNet, pretrained, class_num=class_num, **_TINY, **kwargs)


def PPHGNet_small(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNet:
    """Return PP-HGNet-small; arguments as of :class:`PPHGNet`."""
    return build("PPHGNet_small", PPHGNet, pretrained, class_num=class_num, **_SMALL, **kwargs)


def PPHGNet_base(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNet:
    """Return PP-HGNet-base; arguments as of :class:`PPHGNet`."""
    return build("PPHGNet_base", PPHGNet, pretrained, class_num=class_num, **_BASE, **kwargs)
