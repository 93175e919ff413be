"""Inception-v4: a deeper and more uniform Inception.

Paper: Szegedy et al., "Inception-v4, Inception-ResNet and the impact of residual connections on learning", AAAI 2017,
https://arxiv.org/abs/1602.07261
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, fully_connected
from core.vision.models.inception_blocks import Branches, Filter, largest
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


def average(x: Any) -> Any:
    """Return the mean of the 3 x 3 pixels around each one, of those that are within the image."""
    return F.avg_pool2d(x, 3, 1, padding=1)


def _convolution(in_channels: int, channels: int, size: Any, stride: int = 1, padding: Any = None) -> ConvBatchNorm:
    return ConvBatchNorm(in_channels, channels, size, stride, activation=F.relu, padding=padding, names=EARLIER_NAMES)


def block_a() -> Branches:
    """Return a block for maps of 35 x 35 pixels: 384 to 384 channels."""
    branches: tuple[list[Any], ...] = (
        [average, Filter("_conv1", 96, 1)],
        [Filter("_conv2", 96, 1)],
        [Filter("_conv3_1", 64, 1), Filter("_conv3_2", 96, 3)],
        [Filter("_conv4_1", 64, 1), Filter("_conv4_2", 96, 3), Filter("_conv4_3", 96, 3)],
    )
    return Branches(384, branches, _convolution)


def reduction_a() -> Branches:
    """Return the block from 35 x 35 to 17 x 17 pixels: 384 to 1024 channels."""
    branches: tuple[list[Any], ...] = (
        [largest],
        [Filter("_conv2", 384, 3, 2, 0)],
        [Filter("_conv3_1", 192, 1), Filter("_conv3_2", 224, 3), Filter("_conv3_3", 256, 3, 2, 0)],
    )
    return Branches(384, branches, _convolution)


def block_b() -> Branches:
    """Return a block for maps of 17 x 17 pixels: 1024 to 1024 channels."""
    branches: tuple[list[Any], ...] = (
        [average, Filter("_conv1", 128, 1)],
        [Filter("_conv2", 384, 1)],
        [Filter("_conv3_1", 192, 1), Filter("_conv3_2", 224, (1, 7)), Filter("_conv3_3", 256, (7, 1))],
        [
            *(Filter("_conv4_1", 192, 1), Filter("_conv4_2", 192, (1, 7)), Filter("_conv4_3", 224, (7, 1))),
            *(Filter("_conv4_4", 224, (1, 7)), Filter("_conv4_5", 256, (7, 1))),
        ],
    )
    return Branches(1024, branches, _convolution)


def reduction_b() -> Branches:
    """Return the block from 17 x 17 to 8 x 8 pixels: 1024 to 1536 channels."""
    branches: tuple[list[Any], ...] = (
        [largest],
        [Filter("_conv2_1", 192, 1), Filter("_conv2_2", 192, 3, 2, 0)],
        [
            *(Filter("_conv3_1", 256, 1), Filter("_conv3_2", 256, (1, 7))),
            *(Filter("_conv3_3", 320, (7, 1)), Filter("_conv3_4", 320, 3, 2, 0)),
        ],
    )
    return Branches(1024, branches, _convolution)


def block_c() -> Branches:
    """Return a block for maps of 8 x 8 pixels: 1536 to 1536 channels."""
    branches: tuple[list[Any], ...] = (
        [average, Filter("_conv1", 256, 1)],
        [Filter("_conv2", 256, 1)],
        [Filter("_conv3_0", 384, 1), (Filter("_conv3_1", 256, (1, 3)), Filter("_conv3_2", 256, (3, 1)))],
        [
            *(Filter("_conv4_0", 384, 1), Filter("_conv4_00", 448, (1, 3)), Filter("_conv4_000", 512, (3, 1))),
            (Filter("_conv4_1", 256, (1, 3)), Filter("_conv4_2", 256, (3, 1))),
        ],
    )
    return Branches(1536, branches, _convolution)


class Stem(nn.Layer):
    """Convolutions beside poolings and beside one another: (N, 3, 299, 299) to (N, 384, 35, 35)."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_1 = _convolution(3, 32, 3, 2, padding=0)
        self._conv_2 = _convolution(32, 32, 3, padding=0)
        self._conv_3 = _convolution(32, 64, 3)
        self._conv2 = _convolution(64, 96, 3, 2, padding=0)
        self._conv1_1 = _convolution(160, 64, 1)
        self._conv1_2 = _convolution(64, 96, 3, padding=0)
        self._conv2_1 = _convolution(160, 64, 1)
        self._conv2_2 = _convolution(64, 64, (7, 1))
        self._conv2_3 = _convolution(64, 64, (1, 7))
        self._conv2_4 = _convolution(64, 96, 3, padding=0)
        self._conv3 = _convolution(192, 192, 3, 2, padding=0)

    def forward(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size."""
        first = self._conv_3(self._conv_2(self._conv_1(x)))
        x = core.concat([largest(first), self._conv2(first)], 1)
        short = self._conv1_2(self._conv1_1(x))
        long = self._conv2_4(self._conv2_3(self._conv2_2(self._conv2_1(x))))
        second = core.concat([short, long], 1)
        return [first, second, core.concat([self._conv3(second), largest(second)], 1)]


class InceptionV4Network(ImageClassifier):
    """A stem, sixteen blocks and a linear layer: (N, 3, 299, 299) to (N, class_num); other sizes from 75 on do too.

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        class_num: number of classes.
    """

    head_names = ("out",)
    head_layers = ("_drop", "out")
    stage_channels = (64, 192, 384, 1024, 1536)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, class_num: int = 1000) -> None:
        super().__init__()
        self._inception_stem = Stem()
        blocks = {f"_inceptionA_{number}": block_a() for number in range(1, 5)}
        blocks["_reductionA"] = reduction_a()
        blocks.update({f"_inceptionB_{number}": block_b() for number in range(1, 8)})
        blocks["_reductionB"] = reduction_b()
        blocks.update({f"_inceptionC_{number}": block_c() for number in range(1, 4)})
        for name, block in blocks.items():
            self.add_sublayer(name, block)
        self.block_names = list(blocks)
        self._drop = nn.Dropout(0.2, mode="downscale_in_infer")
        self.out = fully_connected(1536, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 1536, H/2 to H/32, W/2 to W/32), about."""
        first, second, x = self._inception_stem(x)
        maps = [first, second]
        for name in self.block_names:
            if name.startswith("_reduction"):
                maps.append(x)
            x = getattr(self, name)(x)
        return [*maps, x]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(self._drop(core.flatten(F.adaptive_avg_pool2d(features, 1), 1)))


def InceptionV4(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> InceptionV4Network:
    """Return Inception-v4 (Szegedy et al. 2017); arguments as of :func:`PaddleClas.create_model`."""
    return build("InceptionV4", InceptionV4Network, pretrained, class_num=class_num, **kwargs)
