"""SqueezeNet: few parameters through fire modules, which squeeze the channels before a 3 x 3 convolution sees them.

Paper: Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size", 2016,
https://arxiv.org/abs/1602.07360
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

STEMS = {"1.0": (96, 7, 0), "1.1": (64, 3, 1)}
"""Channels, kernel size and padding of the first convolution, by version."""

FIRES = ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))
"""Channels of each fire module: squeezed ones, and those that each of the two expanding convolutions makes."""

POOLED_FIRES = {"1.0": (0, 3, 7), "1.1": (0, 2, 4)}
"""Which fire modules have a max pooling before them, counted from 0, by version."""


class ReluConv(nn.Layer):
    """A convolution with bias that keeps the image's size, then ReLU; arguments as of :class:`core.nn.Conv2D`."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int) -> None:
        super().__init__()
        self._conv = nn.Conv2D(in_channels, out_channels, kernel_size, padding=kernel_size // 2)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return F.relu(self._conv(x))


class Fire(nn.Layer):
    """Squeeze by 1 x 1, expand by 1 x 1 and by 3 x 3 side by side: (N, C, H, W) to (N, 2 * expanded, H, W).

    Args:
        in_channels: C.
        squeezed: channels between.
        expanded: channels of each of the two expanding convolutions.
    """

    def __init__(self, in_channels: int, squeezed: int, expanded: int) -> None:
        super().__init__()
        self._conv = ReluConv(in_channels, squeezed, 1)
        self._conv_path1 = ReluConv(squeezed, expanded, 1)
        self._conv_path2 = ReluConv(squeezed, expanded, 3)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        x = self._conv(x)
        return core.concat([self._conv_path1(x), self._conv_path2(x)], 1)


class SqueezeNet(ImageClassifier):
    """A convolution, eight fire modules and a 1 x 1 convolution: (N, 3, H, W) to (N, class_num).

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        version: ``"1.0"`` or ``"1.1"``, whose first convolution is smaller and which pools earlier.
        class_num: number of classes.

    Raises:
        ValueError: there is no such version.
    """

    head_names = ("_conv9",)
    head_layers = ("_drop", "_conv9")

    def __init__(self, version: str, class_num: int = 1000) -> None:
        super().__init__()
        if version not in STEMS:
            raise ValueError(f"version must be '1.0' or '1.1', not {version!r}")
        channels, kernel_size, padding = STEMS[version]
        self.pooled_fires = POOLED_FIRES[version]
        self._conv = nn.Conv2D(3, channels, kernel_size, stride=2, padding=padding)
        self.stage_channels = []
        for index, (squeezed, expanded) in enumerate(FIRES):
            if index in self.pooled_fires:
                self.stage_channels.append(channels)
            self.add_sublayer(f"_conv{index + 1}", Fire(channels, squeezed, expanded))
            channels = 2 * expanded
        self.stage_channels.append(channels)
        self.stage_strides = [2, 4, 8, 16]
        self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
        self._conv9 = nn.Conv2D(channels, class_num, 1)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps before each pooling and at the end, (N, C, H/2 to H/16, W/2 to W/16), about."""
        x = F.relu(self._conv(x))
        maps = []
        for index in range(len(FIRES)):
            if index in self.pooled_fires:
                maps.append(x)
                x = F.max_pool2d(x, 3, 2)
            x = getattr(self, f"_conv{index + 1}")(x)
        return [*maps, x]

    def forward_head(self, features: Any) -> Any:
        """Return the logits, none below 0, for feature maps of any size: (N, class_num)."""
        x = F.relu(self._conv9(self._drop(features)))
        return core.flatten(F.adaptive_avg_pool2d(x, 1), 1)


def SqueezeNet1_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.0 (Iandola et al. 2016); arguments as of :func:`PaddleClas.create_model`."""
    return build("SqueezeNet1_0", SqueezeNet, pretrained, version="1.0", class_num=class_num, **kwargs)


def SqueezeNet1_1(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.1, less than half the work of 1.0; arguments as of :func:`PaddleClas.create_model`."""
    return build("SqueezeNet1_1", SqueezeNet, pretrained, version="1.1", class_num=class_num, **kwargs)
