"""Inception-v3: convolutions taken apart into smaller and one-sided ones.

Paper: Szegedy et al., "Rethinking the inception architecture for computer vision", CVPR 2016,
https://arxiv.org/abs/1512.00567
Source of arguments and parameter names: Paddle 2.6, which leaves out the paper's auxiliary classifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import functional as F
from core.operators import flatten
from core.vision.models.base import ImageNetwork, build
from core.vision.models.blocks import fully_connected
from core.vision.models.inception_blocks import Branches, Convolution, Filter, Step, largest
from core.vision.ops import ConvNormActivation

model_urls = {
    "inception_v3": (
        "https://paddle-hapi.bj.bcebos.com/models/inception_v3.pdparams",
        "649a4547c3243e8b59c656f41fe330b8",
    ),
}
"""The published weight file and its MD5."""


def average(x: Any) -> Any:
    """Return the mean of the 3 x 3 pixels around each one; those outside of the image count as 0."""
    return F.avg_pool2d(x, 3, 1, padding=1, exclusive=False)


class InceptionStem(nn.Layer):
    """Five convolutions and two poolings: (N, 3, 299, 299) to (N, 192, 35, 35).

    Args:
        convolution: makes a convolution with normalisation and ReLU.
    """

    def __init__(self, convolution: Convolution = ConvNormActivation) -> None:
        super().__init__()
        self.conv_1a_3x3 = convolution(3, 32, 3, stride=2, padding=0)
        self.conv_2a_3x3 = convolution(32, 32, 3, padding=0)
        self.conv_2b_3x3 = convolution(32, 64, 3, padding=1)
        self.conv_3b_1x1 = convolution(64, 80, 1, padding=0)
        self.conv_4a_3x3 = convolution(80, 192, 3, padding=0)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps before each pooling, and at the end."""
        first = self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x)))
        second = self.conv_4a_3x3(self.conv_3b_1x1(largest(first)))
        return [first, second, largest(second)]

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return self.forward_stages(x)[-1]


class InceptionA(Branches):
    """A block for maps of 35 x 35 pixels: (N, C, H, W) to (N, 224 + pool_features, H, W).

    Args:
        num_channels: C.
        pool_features: channels after the pooling.
        convolution: makes a convolution with normalisation and ReLU.
    """

    def __init__(
        self, num_channels: int, pool_features: int, convolution: Convolution = ConvNormActivation
    ) -> None:
        branches: Sequence[Sequence[Step]] = (
            [Filter("branch1x1", 64, 1)],
            [Filter("branch5x5_1", 48, 1), Filter("branch5x5_2", 64, 5)],
            [Filter("branch3x3dbl_1", 64, 1), Filter("branch3x3dbl_2", 96, 3), Filter("branch3x3dbl_3", 96, 3)],
            [average, Filter("branch_pool_conv", pool_features, 1)],
        )
        super().__init__(num_channels, branches, convolution)


class InceptionB(Branches):
    """The block from 35 x 35 to 17 x 17 pixels: C to C + 480 channels; arguments as of :class:`InceptionA`."""

    def __init__(self, num_channels: int, convolution: Convolution = ConvNormActivation) -> None:
        branches: Sequence[Sequence[Step]] = (
            [Filter("branch3x3", 384, 3, 2, 0)],
            [Filter("branch3x3dbl_1", 64, 1), Filter("branch3x3dbl_2", 96, 3), Filter("branch3x3dbl_3", 96, 3, 2, 0)],
            [largest],
        )
        super().__init__(num_channels, branches, convolution)


class InceptionC(Branches):
    """A block for maps of 17 x 17 pixels: (N, C, H, W) to (N, 768, H, W).

    Args:
        num_channels: C.
        channels_7x7: channels between the one-sided convolutions.
        convolution: makes a convolution with normalisation and ReLU.
    """

    def __init__(
        self, num_channels: int, channels_7x7: int, convolution: Convolution = ConvNormActivation
    ) -> None:
        inner = channels_7x7
        branches: Sequence[Sequence[Step]] = (
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
        super().__init__(num_channels, branches, convolution)


class InceptionD(Branches):
    """The block from 17 x 17 to 8 x 8 pixels: C to C + 512 channels; arguments as of :class:`InceptionA`."""

    def __init__(self, num_channels: int, convolution: Convolution = ConvNormActivation) -> None:
        branches: Sequence[Sequence[Step]] = (
            [Filter("branch3x3_1", 192, 1), Filter("branch3x3_2", 320, 3, 2, 0)],
            [
                *(Filter("branch7x7x3_1", 192, 1), Filter("branch7x7x3_2", 192, (1, 7))),
                *(Filter("branch7x7x3_3", 192, (7, 1)), Filter("branch7x7x3_4", 192, 3, 2, 0)),
            ],
            [largest],
        )
        super().__init__(num_channels, branches, convolution)


class InceptionE(Branches):
    """A block for maps of 8 x 8 pixels: C to 2048 channels; arguments as of :class:`InceptionA`."""

    def __init__(self, num_channels: int, convolution: Convolution = ConvNormActivation) -> None:
        branches: Sequence[Sequence[Step]] = (
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
        super().__init__(num_channels, branches, convolution)


class InceptionV3(ImageNetwork):
    """A stem, eleven blocks and a linear layer: (N, 3, 299, 299) to (N, num_classes); other sizes from 75 on do too.

    Without the head the result is the feature maps, (N, 2048, 1, 1), or (N, 2048, H/32, W/32) without pooling. Dropout
    scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.
        convolution: makes the convolutions with normalisation and ReLU.
    """

    def __init__(
        self, num_classes: int = 1000, with_pool: bool = True, convolution: Convolution = ConvNormActivation
    ) -> None:
        super().__init__(num_classes, with_pool)
        make: Any = {"convolution": convolution}
        self.inception_stem = InceptionStem(**make)
        self.inception_block_list = nn.LayerList(
            [
                *(InceptionA(192, 32, **make), InceptionA(256, 64, **make), InceptionA(288, 64, **make)),
                *(InceptionB(288, **make), InceptionC(768, 128, **make), InceptionC(768, 160, **make)),
                *(InceptionC(768, 160, **make), InceptionC(768, 192, **make)),
                *(InceptionD(768, **make), InceptionE(1280, **make), InceptionE(2048, **make)),
            ]
        )
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if self.num_classes > 0:
            self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
            self.fc = fully_connected(2048, self.num_classes)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 2048, H/2 to H/32, W/2 to W/32), about."""
        first, second, x = self.inception_stem.forward_stages(x)
        maps = [first, second]
        for index, block in enumerate(self.inception_block_list):
            x = block(x)
            if index in (2, 7, 10):
                maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, num_classes)."""
        x = self.avg_pool(features) if self.with_pool else features
        return self.fc(self.dropout(flatten(x, 1))) if self.num_classes > 0 else x

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        return self.forward_head(self.forward_stages(x)[-1])


def inception_v3(pretrained: bool = False, **kwargs: Any) -> InceptionV3:
    """Return Inception-v3, with its weights of ImageNet if ``pretrained``; arguments as of :class:`InceptionV3`."""
    network: InceptionV3 = build("inception_v3", InceptionV3, model_urls, pretrained, **kwargs)
    return network
