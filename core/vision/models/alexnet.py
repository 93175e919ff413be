"""AlexNet, in one piece instead of the two halves that once ran on two graphics cards.

Papers: Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional neural networks", NIPS 2012,
https://proceedings.neurips.cc/paper/2012/file/c399862d3b9d6b76c8436e924a68c45b-Paper.pdf; its widths are those of
Krizhevsky, "One weird trick for parallelizing convolutional neural networks", 2014, https://arxiv.org/abs/1404.5997
Source of arguments and parameter names: Paddle 2.6. It has no local response normalisation.
"""

from __future__ import annotations

import math
from typing import Any

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.operators import flatten
from core.vision.models.base import ImageNetwork, build

model_urls = {
    "alexnet": (
        "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/AlexNet_pretrained.pdparams",
        "7f0f9f737132e02732d75a1459d98a43",
    ),
}
"""The published weight file and its MD5."""


def convolution(in_channels: int, out_channels: int, kernel_size: int, stride: int, padding: int) -> nn.Conv2D:
    """Return a convolution with uniform weights and offsets, within 1 / sqrt(numbers that a filter sees)."""
    attribute = _uniform(in_channels * kernel_size**2)
    return nn.Conv2D(
        in_channels, out_channels, kernel_size, stride, padding, weight_attr=attribute, bias_attr=attribute
    )


def _uniform(fan_in: int) -> ParamAttr:
    return ParamAttr(initializer=Uniform(-1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in)))


class ConvPool(nn.Layer):
    """A convolution, ReLU, and 3 x 3 max pooling that halves the image; arguments as of :func:`convolution`."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self._conv = convolution(*sizes)

    def forward(self, x: Any) -> Any:
        """Return the halved feature maps."""
        return F.max_pool2d(F.relu(self._conv(x)), 3, 2)


class AlexNet(ImageNetwork):
    """Five convolutions and three linear layers: (N, 3, 224, 224) to (N, num_classes).

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        num_classes: number of classes; where it is not positive, the result is the feature maps, (N, 256, 6, 6).
    """

    head_names: tuple[str, ...] = ("_fc6", "_fc7", "_fc8")

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__(num_classes)
        self._conv1 = ConvPool(3, 64, 11, 4, 2)
        self._conv2 = ConvPool(64, 192, 5, 1, 2)
        self._conv3 = convolution(192, 384, 3, 1, 1)
        self._conv4 = convolution(384, 256, 3, 1, 1)
        self._conv5 = ConvPool(256, 256, 3, 1, 1)
        if self.num_classes > 0:
            attribute = _uniform(256 * 6 * 6)
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = nn.Linear(256 * 6 * 6, 4096, weight_attr=attribute, bias_attr=attribute)
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = nn.Linear(4096, 4096, weight_attr=attribute, bias_attr=attribute)
            self._fc8 = nn.Linear(4096, self.num_classes, weight_attr=attribute, bias_attr=attribute)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps after each pooling, (N, 64 to 256, H/8 to H/32, W/8 to W/32), rounded down."""
        first = self._conv1(x)
        second = self._conv2(first)
        x = F.relu(self._conv4(F.relu(self._conv3(second))))
        return [first, second, self._conv5(x)]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps (N, 256, 6, 6): (N, num_classes)."""
        x = self._drop1(flatten(features, 1))
        x = self._drop2(F.relu(self._fc6(x)))
        return self._fc8(F.relu(self._fc7(x)))

    def forward(self, inputs: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        features = self.forward_stages(inputs)[-1]
        return self.forward_head(features) if self.num_classes > 0 else features


def alexnet(pretrained: bool = False, **kwargs: Any) -> AlexNet:
    """Return AlexNet, with its weights of ImageNet if ``pretrained``; further arguments as of :class:`AlexNet`."""
    network: AlexNet = build("alexnet", AlexNet, model_urls, pretrained, **kwargs)
    return network
