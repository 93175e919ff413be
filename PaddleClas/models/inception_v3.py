"""Inception-v3: convolutions taken apart into smaller and one-sided ones.

Paper: Szegedy et al., "Rethinking the inception architecture for computer vision", CVPR 2016,
https://arxiv.org/abs/1512.00567
Source of parameter names: PaddleClas 2.2+, which leaves out the paper's auxiliary classifier.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.blocks import CURRENT_NAMES, ConvBatchNorm, fully_connected
from PaddleClas.models.inception_blocks import Branches, Filter, largest
from PaddleClas.models.pretrained import Pretrained, build


def average(x: Any) -> Any:
    """Return the mean of the 3 x 3 pixels around each one; those outside of the image count as 0."""
    return F.avg_pool2d(x, 3, 1, padding=1, exclusive=False)


def block_a(in_channels: int, pooled: int) -> Branches:
    """Return a block for maps of 35 x 35 pixels: C to 224 + ``pooled`` channels."""
    branches = (
        [Filter("branch1x1", 64, 1)],
        [Filter("branch5x5_1", 48, 1), Filter("branch5x5_2", 64, 5)],
        [Filter("branch3x3dbl_1", 64, 1), Filter("branch3x3dbl_2", 96, 3), Filter("branch3x3dbl_3", 96, 3)],
        [average, Filter("branch_pool_conv", pooled, 1)],
    )
    return Branches(in_channels, branches, CURRENT_NAMES)


def block_b(in_channels: int) -> Branches:
    """Return the block from 35 x 35 to 17 x 17 pixels: C to C + 480 channels."""
    branches = (
        [Filter("branch3x3", 384, 3, 2, 0)],
        [Filter("branch3x3dbl_1", 64, 1), Filter("branch3x3dbl_2", 96, 3), Filter("branch3x3dbl_3", 96, 3, 2, 0)],
        [largest],
    )
    return Branches(in_channels, branches, CURRENT_NAMES)


def block_c(in_channels: int, inner: int) -> Branches:
    """Return a block for maps of 17 x 17 pixels: C to 768 channels, ``inner`` ones between one-sided convolutions."""
    branches = (
        [Filter("branch1x1", 192, 1)],
        [
            *(Filter("branch7x7_1", inner, 1), Filter("branch7x7_2", inner, (1, 7))),
            Filter("branch7x7_3", 192, (7, 1)),
        ],
        [
            *(Filter("branch7x7dbl_1", inner, 1), Filter("branch7x7dbl_2", inner, (7, 1))),
            *(Filter("branch7x7dbl_3", inner, (1, 7)), Filter("branch7x7dbl_4", inner, (7, 1))),
            Filter("branch7x7dbl_5", 192, (1, 7)),
        ],
        [average, Filter("branch_pool_conv", 192, 1)],
    )
    return Branches(in_channels, branches, CURRENT_NAMES)


def block_d(in_channels: int) -> Branches:
    """Return the block from 17 x 17 to 8 x 8 pixels: C to C + 512 channels."""
    branches = (
        [Filter("branch3x3_1", 192, 1), Filter("branch3x3_2", 320, 3, 2, 0)],
        [
            *(Filter("branch7x7x3_1", 192, 1), Filter("branch7x7x3_2", 192, (1, 7))),
            *(Filter("branch7x7x3_3", 192, (7, 1)), Filter("branch7x7x3_4", 192, 3, 2, 0)),
        ],
        [largest],
    )
    return Branches(in_channels, branches, CURRENT_NAMES)


def block_e(in_channels: int) -> Branches:
    """Return a block for maps of 8 x 8 pixels: C to 2048 channels."""
    branches = (
        [Filter("branch1x1", 320, 1)],
        [
            Filter("branch3x3_1", 384, 1),
            (Filter("branch3x3_2a", 384, (1, 3)), Filter("branch3x3_2b", 384, (3, 1))),
        ],
        [
            *(Filter("branch3x3dbl_1", 448, 1), Filter("branch3x3dbl_2", 384, 3)),
            (Filter("branch3x3dbl_3a", 384, (1, 3)), Filter("branch3x3dbl_3b", 384, (3, 1))),
        ],
        [average, Filter("branch_pool_conv", 192, 1)],
    )
    return Branches(in_channels, branches, CURRENT_NAMES)


class Stem(nn.Layer):
    """Five convolutions and two poolings: (N, 3, 299, 299) to (N, 192, 35, 35)."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_1a_3x3 = ConvBatchNorm(3, 32, 3, 2, activation=F.relu, padding=0)
        self.conv_2a_3x3 = ConvBatchNorm(32, 32, 3, activation=F.relu, padding=0)
        self.conv_2b_3x3 = ConvBatchNorm(32, 64, 3, activation=F.relu)
        self.conv_3b_1x1 = ConvBatchNorm(64, 80, 1, activation=F.relu)
        self.conv_4a_3x3 = ConvBatchNorm(80, 192, 3, activation=F.relu, padding=0)

    def forward(self, x: Any) -> list[Any]:
        """Return the feature maps before each pooling, and at the end."""
        first = self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x)))
        second = self.conv_4a_3x3(self.conv_3b_1x1(largest(first)))
        return [first, second, largest(second)]


class InceptionV3Network(ImageClassifier):
    """A stem, eleven blocks and a linear layer: (N, 3, 299, 299) to (N, class_num); other sizes from 75 on do too.

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        class_num: number of classes.
    """

    head_layers = ("dropout", "fc")
    stage_channels = (64, 192, 288, 768, 2048)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, class_num: int = 1000) -> None:
        super().__init__()
        self.inception_stem = Stem()
        self.inception_block_list = nn.LayerList(
            [
                *(block_a(192, 32), block_a(256, 64), block_a(288, 64)),
                *(block_b(288), block_c(768, 128), block_c(768, 160), block_c(768, 160), block_c(768, 192)),
                *(block_d(768), block_e(1280), block_e(2048)),
            ]
        )
        self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
        self.fc = fully_connected(2048, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 2048, H/2 to H/32, W/2 to W/32), about."""
        first, second, x = self.inception_stem(x)
        maps = [first, second]
        for index, block in enumerate(self.inception_block_list):
            x = block(x)
            if index in (2, 7, 10):
                maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.fc(self.dropout(core.flatten(F.adaptive_avg_pool2d(features, 1), 1)))


def InceptionV3(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> InceptionV3Network:
    """Return Inception-v3 (Szegedy et al. 2016); arguments as of :func:`PaddleClas.create_model`."""
    return build("InceptionV3", InceptionV3Network, pretrained, class_num=class_num, **kwargs)
