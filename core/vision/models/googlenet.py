"""GoogLeNet: inception blocks, and two further classifiers that help the lower layers to learn.

Paper: Szegedy et al., "Going deeper with convolutions", CVPR 2015, https://arxiv.org/abs/1409.4842
Source of arguments and parameter names: Paddle 2.6. Its convolutions have no bias, and no activation of their own: ReLU
follows where the branches of a block come together.
"""

from __future__ import annotations

import math
from typing import Any

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.operators import concat, flatten
from core.vision.models.base import ImageNetwork, build

model_urls = {
    "googlenet": (
        "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/GoogLeNet_pretrained.pdparams",
        "80c06f038e905c53ab32c40eca6e26ae",
    ),
}
"""The published weight file and its MD5."""

BLOCKS = {
    "3a": (64, 96, 128, 16, 32, 32),
    "3b": (128, 128, 192, 32, 96, 64),
    "4a": (192, 96, 208, 16, 48, 64),
    "4b": (160, 112, 224, 24, 64, 64),
    "4c": (128, 128, 256, 24, 64, 64),
    "4d": (112, 144, 288, 32, 64, 64),
    "4e": (256, 160, 320, 32, 128, 128),
    "5a": (256, 160, 320, 32, 128, 128),
    "5b": (384, 192, 384, 48, 128, 128),
}
"""Channels of each block's convolutions: 1 x 1; before 3 x 3, 3 x 3; before 5 x 5, 5 x 5; after the pooling."""


class ConvLayer(nn.Layer):
    """A bare convolution that keeps the image's size at stride 1; arguments as of :class:`core.nn.Conv2D`."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1) -> None:
        super().__init__()
        self._conv = nn.Conv2D(
            in_channels, out_channels, kernel_size, stride, padding=(kernel_size - 1) // 2, bias_attr=False
        )

    def forward(self, x: Any) -> Any:
        """Return the filtered images."""
        return self._conv(x)


class Inception(nn.Layer):
    """Four branches side by side, then ReLU: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        widths: channels of the convolutions, see :data:`BLOCKS`.
    """

    def __init__(self, in_channels: int, widths: tuple[int, ...]) -> None:
        super().__init__()
        point, before_three, three, before_five, five, pooled = widths
        self.out_channels = point + three + five + pooled
        self._conv1 = ConvLayer(in_channels, point, 1)
        self._conv3r = ConvLayer(in_channels, before_three, 1)
        self._conv3 = ConvLayer(before_three, three, 3)
        self._conv5r = ConvLayer(in_channels, before_five, 1)
        self._conv5 = ConvLayer(before_five, five, 5)
        self._convprj = ConvLayer(in_channels, pooled, 1)

    def forward(self, x: Any) -> Any:
        """Return the branches' feature maps, one after another."""
        three = self._conv3(self._conv3r(x))
        five = self._conv5(self._conv5r(x))
        pooled = self._convprj(F.max_pool2d(x, 3, 1, padding=1))
        return F.relu(concat([self._conv1(x), three, five, pooled], 1))


def _linear(in_features: int, out_features: int, fan_in: int) -> nn.Linear:
    bound = math.sqrt(3 / fan_in)
    return nn.Linear(in_features, out_features, weight_attr=ParamAttr(initializer=Uniform(-bound, bound)))


class GoogLeNet(ImageNetwork):
    """A stem, nine inception blocks and three heads: (N, 3, 224, 224) to three times (N, num_classes).

    The result is a list, in training and in evaluation: of the head at the end, of that after block 4a, of that after
    block 4d. Without the heads it is their feature maps. Dropout scales in evaluation instead of training
    (``downscale_in_infer``), as the official weights expect.

    Args:
        num_classes: number of classes; without the heads where it is not positive.
        with_pool: whether the feature maps are averaged; the heads need it.
    """

    head_names: tuple[str, ...] = ("_fc_out", "_conv_o1", "_fc_o1", "_out1", "_conv_o2", "_fc_o2", "_out2")

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(num_classes, with_pool)
        self._conv = ConvLayer(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(3, 2)
        self._conv_1 = ConvLayer(64, 64, 1)
        self._conv_2 = ConvLayer(64, 192, 3)
        channels = 192
        for name, widths in BLOCKS.items():
            block = self.add_sublayer(f"_ince{name}", Inception(channels, widths))
            channels = block.out_channels
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1 = nn.AvgPool2D(5, 3)
            self._pool_o2 = nn.AvgPool2D(5, 3)
        if self.num_classes > 0:
            self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
            self._fc_out = _linear(channels, self.num_classes, channels)
            for number, block in ((1, self._ince4a), (2, self._ince4d)):
                self.add_sublayer(f"_conv_o{number}", ConvLayer(block.out_channels, 128, 1))
                self.add_sublayer(f"_fc_o{number}", _linear(128 * 3 * 3, 1024, 2048))
                self.add_sublayer(f"_drop_o{number}", nn.Dropout(0.7, mode="downscale_in_infer"))
                self.add_sublayer(f"_out{number}", _linear(1024, self.num_classes, 1024))

    def _forward_blocks(self, x: Any) -> dict[str, Any]:
        """Return the feature maps of the two convolutions of the stem and of each block, by name."""
        maps = {"1": self._conv(x)}
        maps["2"] = x = self._conv_2(self._conv_1(self._pool(maps["1"])))
        for name in BLOCKS:
            if name in ("3a", "4a", "5a"):
                x = self._pool(x)
            maps[name] = x = getattr(self, f"_ince{name}")(x)
        return maps

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 1024, H/2 to H/32, W/2 to W/32), about."""
        maps = self._forward_blocks(x)
        return [maps[name] for name in ("1", "2", "3b", "4e", "5b")]

    def forward_head(self, features: Any) -> Any:
        """Return the logits of the last head for feature maps of any size, (N, num_classes)."""
        return self._fc_out(flatten(self._drop(self._pool_5(features)), 1))

    def forward(self, inputs: Any) -> list[Any]:
        """Return the logits of all three heads, each (N, num_classes): the main one's, then two further ones'.

        Raises:
            ValueError: the images are of another size than the further heads take; or the heads have no pooling.
        """
        if self.num_classes > 0 and not self.with_pool:
            raise ValueError("GoogLeNet: the heads take averaged feature maps: with_pool=False needs num_classes=0")
        maps = self._forward_blocks(inputs)
        first, second = maps["4a"], maps["4d"]
        if self.num_classes <= 0:
            features = [maps["5b"], first, second]
            pools = [self._pool_5, self._pool_o1, self._pool_o2] if self.with_pool else []
            return [pool(x) for pool, x in zip(pools, features)] or features
        if any(not 11 <= extent <= 13 for extent in first.shape[2:]):  # pooled to 3 x 3, as the linear layers need
            height, width = inputs.shape[2:]
            raise ValueError(f"GoogLeNet takes images of 224 x 224 pixels, not {height} x {width}")
        first = self._fc_o1(flatten(self._conv_o1(self._pool_o1(first)), 1))
        first = self._out1(self._drop_o1(F.relu(first)))
        second = self._fc_o2(flatten(self._conv_o2(self._pool_o2(second)), 1))
        second = self._out2(self._drop_o2(second))  # without an activation, as the official weights expect
        return [self.forward_head(maps["5b"]), first, second]


def googlenet(pretrained: bool = False, **kwargs: Any) -> GoogLeNet:
    """Return GoogLeNet, with its weights of ImageNet if ``pretrained``; further arguments as of :class:`GoogLeNet`."""
    network: GoogLeNet = build("googlenet", GoogLeNet, model_urls, pretrained, **kwargs)
    return network
