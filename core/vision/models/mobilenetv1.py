"""MobileNetV1: depthwise separable convolutions.

Paper: Howard et al., "MobileNets: efficient convolutional neural networks for mobile vision applications", 2017,
https://arxiv.org/abs/1704.04861
Source of arguments and parameter names: Paddle 2.6.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.operators import flatten
from core.vision.models.base import ImageNetwork, build, check_scale
from core.vision.ops import ConvNormActivation

model_urls = {
    "mobilenetv1_1.0": (
        "https://paddle-hapi.bj.bcebos.com/models/mobilenetv1_1.0.pdparams",
        "3033ab1975b1670bef51545feb65fc45",
    ),
}
"""The published weight file and its MD5, by the scale."""

BLOCKS = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1), (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1)),
)
"""Output channels (at scale 1) and stride of each block."""

NAMES = (
    *("conv2_1", "conv2_2", "conv3_1", "conv3_2", "conv4_1", "conv4_2"),
    *("conv5_1", "conv5_2", "conv5_3", "conv5_4", "conv5_5", "conv5_6", "conv6"),
)
"""What each block is called."""

STEM_CHANNELS = 32


class DepthwiseSeparable(nn.Layer):
    """A 3 x 3 convolution of each channel by itself, then a 1 x 1 convolution: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the 3 x 3 convolution, pixels.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self._depthwise_conv = ConvNormActivation(in_channels, in_channels, 3, stride, groups=in_channels)
        self._pointwise_conv = ConvNormActivation(in_channels, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(ImageNetwork):
    """A convolution, thirteen depthwise separable blocks and a linear layer: (N, 3, H, W) to (N, num_classes).

    Without the head the result is the feature maps, (N, C, 1, 1), or (N, C, H/32, W/32) without pooling.

    Args:
        scale: factor on the number of channels, at least 1/32 (the paper's width multiplier).
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.

    Raises:
        ValueError: the scale leaves the first convolution no channel.
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(num_classes, with_pool)
        check_scale("MobileNetV1", scale, STEM_CHANNELS)
        self.scale = scale
        channels = int(STEM_CHANNELS * scale)
        self.conv1 = ConvNormActivation(3, channels, 3, stride=2)
        for name, (width, stride) in zip(NAMES, BLOCKS):
            self.add_sublayer(name, DepthwiseSeparable(channels, int(width * scale), stride))
            channels = int(width * scale)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if self.num_classes > 0:
            self.fc = nn.Linear(channels, self.num_classes)

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        x = self.conv1(x)
        for name in NAMES:
            x = getattr(self, name)(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v1(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV1:
    """Return MobileNetV1.

    Args:
        pretrained: whether to load the published weights; there are some for the scale 1.
        scale: factor on the number of channels.
        **kwargs: further arguments of :class:`MobileNetV1`.
    """
    network: MobileNetV1 = build(
        f"mobilenetv1_{float(scale)}", MobileNetV1, model_urls, pretrained, scale=scale, **kwargs
    )
    return network
