"""VGG: stacks of 3 x 3 convolutions, with or without batch normalisation.

Paper: Simonyan, Zisserman, "Very deep convolutional networks for large-scale image recognition", ICLR 2015,
https://arxiv.org/abs/1409.1556
Source of arguments and parameter names: Paddle 2.6, whose convolutions have a bias, as the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from core import nn
from core.operators import flatten
from core.vision.models.base import ImageNetwork, build

_HOST = "https://paddle-hapi.bj.bcebos.com/models/"

model_urls = {
    "vgg16": (f"{_HOST}vgg16.pdparams", "89bbffc0f87d260be9b8cdc169c991c4"),
    "vgg19": (f"{_HOST}vgg19.pdparams", "23b18bb13d8894f60f54e642be79a0dd"),
}
"""The published weight files and their MD5."""

CONVOLUTIONS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""Number of convolutions in each of the five blocks, by the number of layers with weights."""

WIDTHS = (64, 128, 256, 512, 512)
"""Channels of each block."""


class VGG(ImageNetwork):
    """Convolutions and three linear layers: (N, 3, H, W) to (N, num_classes).

    Without the head the result is the feature maps, (N, 512, 7, 7), or (N, 512, H/32, W/32) without pooling.

    Args:
        features: the convolutions, such as :func:`make_layers` makes; with the head, of 512 channels.
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged to 7 x 7 pixels.
    """

    head_names = ("classifier",)

    def __init__(self, features: nn.Layer, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(num_classes, with_pool)
        self.features = features
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if self.num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, self.num_classes),
            )

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


def make_layers(cfg: Sequence[Union[int, str]], batch_norm: bool = False) -> nn.Sequential:
    """Return 3 x 3 convolutions with ReLU, and poolings that halve the image.

    Args:
        cfg: for each convolution its number of channels, for each pooling ``"M"``.
        batch_norm: whether each convolution is normalised.
    """
    layers: list[nn.Layer] = []
    channels = 3
    for item in cfg:
        if isinstance(item, str):
            layers.append(nn.MaxPool2D(2, 2))
            continue
        layers.append(nn.Conv2D(channels, item, 3, padding=1))
        channels = item
        if batch_norm:
            layers.append(nn.BatchNorm2D(channels))
        layers.append(nn.ReLU())
    return nn.Sequential(*layers)


def _vgg(depth: int, batch_norm: bool, pretrained: bool, **kwargs: Any) -> VGG:
    cfg: list[Union[int, str]] = []
    for width, convolutions in zip(WIDTHS, CONVOLUTIONS[depth]):
        cfg += [*[width] * convolutions, "M"]

    def network(**arguments: Any) -> VGG:
        return VGG(make_layers(cfg, batch_norm), **arguments)

    found: VGG = build(f"vgg{depth}{'_bn' if batch_norm else ''}", network, model_urls, pretrained, **kwargs)
    return found


def vgg11(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Return VGG-11 (configuration A of the paper); no weights are published.

    Args:
        pretrained: whether to load the published weights; there are some for VGG-16 and -19 without normalisation.
        batch_norm: whether each convolution is normalised.
        **kwargs: further arguments of :class:`VGG`.
    """
    return _vgg(11, batch_norm, pretrained, **kwargs)


def vgg13(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Return VGG-13 (configuration B of the paper); arguments as of :func:`vgg11`."""
    return _vgg(13, batch_norm, pretrained, **kwargs)


def vgg16(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Return VGG-16 (configuration D of the paper); arguments as of :func:`vgg11`."""
    return _vgg(16, batch_norm, pretrained, **kwargs)


def vgg19(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Return VGG-19 (configuration E of the paper); arguments as of :func:`vgg11`."""
    return _vgg(19, batch_norm, pretrained, **kwargs)
