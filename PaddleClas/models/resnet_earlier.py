"""Residual networks that kept the parameter names of PaddleClas 2.0: -vc, ResNeXt, and those with squeeze-excite.

One network for the families resnet_vc, resnext, se_resnet_vd and se_resnext, whose files name the papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.nn import functional as F
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.resnet import BLOCKS, block_type

FIRST_WIDTHS = {1: 64, 32: 128, 64: 256}
"""Width of the 3 x 3 convolutions of the first stage, by their number of groups; each stage doubles it."""


class EarlierResNet(ImageClassifier):
    """A stem, four stages of residual blocks and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        depth: 18, 34, 50, 101, 152 or 200 layers with weights.
        stem: channels of the three 3 x 3 convolutions at the beginning; without them it is one of 7 x 7 to 64 channels.
        shortcut: what stages 2 to 4 begin with, ``"conv"`` or ``"pool"``, see
            :class:`PaddleClas.models.resnet.ResidualBlock`.
        groups: number of groups of the 3 x 3 convolutions: 1, or from 50 layers on 32 or 64.
        squeeze_excite: whether each branch ends with squeeze-and-excitation.
        class_num: number of classes.

    Raises:
        ValueError: there is no such depth or number of groups.
    """

    head_names = head_layers = ("out",)
    stage_strides = (4, 8, 16, 32)

    def __init__(
        self,
        depth: int,
        stem: Sequence[int] = (),
        shortcut: str = "conv",
        groups: int = 1,
        squeeze_excite: bool = False,
        class_num: int = 1000,
    ) -> None:
        super().__init__()
        kind = block_type(depth)
        if groups not in FIRST_WIDTHS or (groups > 1 and depth < 50):
            raise ValueError(f"groups must be 1, or from 50 layers on 32 or 64, not {groups} with {depth} layers")
        self._build_stem(stem)
        channels = stem[-1] if stem else 64
        expansion = kind.expansion * 64 // FIRST_WIDTHS[groups]
        self.blocks_of_stages = []
        self.stage_channels = []
        for stage, count in enumerate(BLOCKS[depth]):
            names = [f"bb_{stage}_{number}" for number in range(count)]
            for number, name in enumerate(names):
                block = kind(
                    channels,
                    FIRST_WIDTHS[groups] * 2**stage,
                    stride=2 if number == 0 and stage > 0 else 1,
                    shortcut="identity" if number else shortcut if stage else "conv",
                    expansion=expansion,
                    groups=groups,
                    squeeze_excite=squeeze_excite,
                    names=EARLIER_NAMES,
                )
                channels = block.out_channels
                self.add_sublayer(name, block)
            self.blocks_of_stages.append(names)
            self.stage_channels.append(channels)
        self.out = fully_connected(channels, class_num)

    def _build_stem(self, widths: Sequence[int]) -> None:
        sizes = {f"conv1_{number}": (width, 3) for number, width in enumerate(widths, start=1)} or {"conv": (64, 7)}
        self.stem_names = list(sizes)
        channels, stride = 3, 2
        for name, (width, kernel_size) in sizes.items():
            layer = ConvBatchNorm(channels, width, kernel_size, stride, activation=F.relu, names=EARLIER_NAMES)
            self.add_sublayer(name, layer)
            channels, stride = width, 1

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, (N, 256 to 2048, H/4 to H/32, W/4 to W/32)."""
        for name in self.stem_names:
            x = getattr(self, name)(x)
        x = F.max_pool2d(x, 3, 2, padding=1)
        maps = []
        for names in self.blocks_of_stages:
            for name in names:
                x = getattr(self, name)(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))
