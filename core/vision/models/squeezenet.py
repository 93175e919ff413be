"""SqueezeNet: few parameters through fire modules, which squeeze the channels before a 3 x 3 convolution sees them.

Paper: Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size", 2016,
https://arxiv.org/abs/1602.07360
Source of arguments and parameter names: Paddle 2.6.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn import functional as F
from core.operators import concat, flatten
from core.vision.models.base import ImageNetwork, build, choice

_HOST = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/"

model_urls = {
    "squeezenet1_0": (f"{_HOST}SqueezeNet1_0_pretrained.pdparams", "30b95af60a2178f03cf9b66cd77e1db1"),
    "squeezenet1_1": (f"{_HOST}SqueezeNet1_1_pretrained.pdparams", "a11250d3a1f91d7131fd095ebbf09eee"),
}
"""The published weight files and their MD5."""

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
        return concat([self._conv_path1(x), self._conv_path2(x)], 1)


class SqueezeNet(ImageNetwork):
    """A convolution, eight fire modules and a 1 x 1 convolution: (N, 3, H, W) to (N, num_classes).

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        version: ``"1.0"`` or ``"1.1"``, whose first convolution is smaller and which pools earlier.
        num_classes: number of classes; where it is not positive, the last convolution is left out.
        with_pool: whether ReLU and an average over the image come last; without, the result is (N, C, H/16, W/16),
            about.

    Raises:
        ValueError: there is no such version.
    """

    head_names = ("_conv9",)

    def __init__(self, version: str, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(num_classes, with_pool)
        channels, kernel_size, padding = choice(STEMS, version, "SqueezeNet: version must be '1.0' or '1.1'")
        self.version = version
        self._conv = nn.Conv2D(3, channels, kernel_size, stride=2, padding=padding)
        self._pool = nn.MaxPool2D(3, 2)
        for index, (squeezed, expanded) in enumerate(FIRES):
            self.add_sublayer(f"_conv{index + 1}", Fire(channels, squeezed, expanded))
            channels = 2 * expanded
        self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
        if self.num_classes > 0:
            self._conv9 = nn.Conv2D(channels, self.num_classes, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps before each pooling and at the end, (N, C, H/2 to H/16, W/2 to W/16), about."""
        x = F.relu(self._conv(x))
        maps = []
        for index in range(len(FIRES)):
            if index in POOLED_FIRES[self.version]:
                maps.append(x)
                x = self._pool(x)
            x = getattr(self, f"_conv{index + 1}")(x)
        return [*maps, x]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, num_classes): none below 0, as ReLU comes last."""
        x = self._conv9(self._drop(features)) if self.num_classes > 0 else features
        return flatten(self._avg_pool(F.relu(x)), 1) if self.with_pool else x

    def forward(self, inputs: Any) -> Any:
        """Return the logits for images, (N, num_classes), or what is left of the head makes of their feature maps."""
        return self.forward_head(self.forward_stages(inputs)[-1])


def squeezenet1_0(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.0, with its weights of ImageNet if ``pretrained``; arguments as of :class:`SqueezeNet`."""
    network: SqueezeNet = build("squeezenet1_0", SqueezeNet, model_urls, pretrained, version="1.0", **kwargs)
    return network


def squeezenet1_1(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.1, less than half the work of 1.0; arguments as of :func:`squeezenet1_0`."""
    network: SqueezeNet = build("squeezenet1_1", SqueezeNet, model_urls, pretrained, version="1.1", **kwargs)
    return network
