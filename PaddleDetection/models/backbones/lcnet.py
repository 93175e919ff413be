"""PP-LCNet (Cui et al., "PP-LCNet: A Lightweight CPU Convolutional Neural Network", arXiv 2109.15099).

Source of parameter names: PaddleDetection 2.x. Its blocks are the classifier's, :mod:`PaddleClas.models.pp_lcnet`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import nn
from core.vision.models.blocks import round_channels
from PaddleClas.models.pp_lcnet import STAGES, DepthwiseSeparable, HardSwishConv


class LCNet(nn.Layer):
    """A convolution and five stages of depthwise separable ones.

    Args:
        scale: factor on the number of channels.
        feature_maps: the stages, from 2 to 5 for strides 4 to 32, whose feature maps are given.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
    """

    def __init__(self, scale: float = 1.0, feature_maps: Sequence[int] = (3, 4, 5)) -> None:
        super().__init__()
        self.feature_maps = tuple(feature_maps)
        self.conv1 = HardSwishConv(3, round_channels(16 * scale), 3, 2)
        self.stages = []
        for number, blocks in enumerate(STAGES, 2):
            made = [
                DepthwiseSeparable(round_channels(before * scale), round_channels(after * scale), kernel, *others)
                for kernel, before, after, *others in blocks
            ]
            self.stages.append(self.add_sublayer(f"blocks{number}", nn.Sequential(*made)))
        self.channels = tuple(round_channels(STAGES[stage - 1][-1][2] * scale) for stage in self.feature_maps)
        self.strides = tuple(2**stage for stage in self.feature_maps)

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps of the chosen stages, the finest first."""
        x, maps = self.conv1(image), []
        for number, stage in enumerate(self.stages, 1):
            x = stage(x)
            if number in self.feature_maps:
                maps.append(x)
        return maps
