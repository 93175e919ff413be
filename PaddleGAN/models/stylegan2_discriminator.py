"""StyleGAN2's discriminator: residual blocks that halve images, and how much images of a batch differ.

Paper: Karras et al., "Analyzing and improving the image quality of StyleGAN", CVPR 2020,
https://arxiv.org/abs/1912.04958
Source of parameter names: ppgan 2.1 (discriminator_styleganv2.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import core
from core import nn
from PaddleGAN.models.blocks import check_image
from PaddleGAN.models.stylegan2_layers import (
    BLUR,
    EqualConv2D,
    EqualLinear,
    FusedLeakyReLU,
    Upfirdn2dBlur,
    widths,
)


class ConvLayer(nn.Sequential):
    """A convolution, after blurring where it halves images, and a leaky ReLU.

    Args:
        in_channel: channels received.
        out_channel: channels returned.
        kernel_size: pixels of a side.
        downsample: whether images are halved.
        blur_kernel: the filter's taps.
        activate: whether there are a bias and a leaky ReLU.
    """

    def __init__(
        self,
        in_channel: int,
        out_channel: int,
        kernel_size: int,
        downsample: bool = False,
        blur_kernel: Sequence[float] = BLUR,
        activate: bool = True,
    ) -> None:
        layers: list[nn.Layer] = []
        if downsample:
            beyond = len(blur_kernel) - 2 + kernel_size - 1
            layers.append(Upfirdn2dBlur(blur_kernel, ((beyond + 1) // 2, beyond // 2)))
        stride, padding = (2, 0) if downsample else (1, kernel_size // 2)
        layers.append(EqualConv2D(in_channel, out_channel, kernel_size, stride, padding, bias=False))
        if activate:
            layers.append(FusedLeakyReLU(out_channel))
        super().__init__(*layers)


class ResBlock(nn.Layer):
    """Two convolutions and a shortcut, halved: (N, in_channel, H, W) to (N, out_channel, H / 2, W / 2).

    Args:
        in_channel: channels received.
        out_channel: channels returned.
        blur_kernel: the filter's taps.
    """

    def __init__(self, in_channel: int, out_channel: int, blur_kernel: Sequence[float]) -> None:
        super().__init__()
        self.conv1 = ConvLayer(in_channel, in_channel, 3)
        self.conv2 = ConvLayer(in_channel, out_channel, 3, True, blur_kernel)
        self.skip = ConvLayer(in_channel, out_channel, 1, True, blur_kernel, activate=False)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return (self.conv2(self.conv1(x)) + self.skip(x)) / math.sqrt(2)


class StyleGANv2Discriminator(nn.Layer):
    """Images (N, 3, size, size) to scores (N, 1).

    It sees how much images differ within groups of four, or of all where there are fewer; N is a multiple of that.

    Args:
        size: pixels of a side, a power of 2 from 8 to 1024.
        channel_multiplier: as of the generator.
        blur_kernel: the taps of the filter that images are halved with.
        max_channels: the most channels of feature maps.

    Raises:
        ValueError: a number is out of range.
    """

    stddev_group = 4

    def __init__(
        self,
        size: int = 256,
        channel_multiplier: int = 2,
        blur_kernel: Sequence[float] = BLUR,
        max_channels: int = 512,
    ) -> None:
        super().__init__()
        channels = widths("StyleGANv2Discriminator", size, channel_multiplier, max_channels)
        self.size = size
        sides = sorted(channels, reverse=True)
        blocks = [ResBlock(channels[side], channels[half], blur_kernel) for side, half in zip(sides, sides[1:])]
        self.convs = nn.Sequential(ConvLayer(3, channels[size], 1), *blocks)
        width = channels[4]
        self.final_conv = ConvLayer(width + 1, width, 3)
        self.final_linear = nn.Sequential(EqualLinear(16 * width, width, activation=True), EqualLinear(width, 1))

    def forward(self, x: Any) -> Any:
        """Return the scores."""
        check_image("StyleGANv2Discriminator", x, 3, size=self.size)
        count = x.shape[0]
        group = min(count, self.stddev_group)
        if count % group:
            raise ValueError(
                f"StyleGANv2Discriminator compares groups of {group} images: {count} images are no multiple of that"
            )
        x = self.convs(x)
        _, channels, height, width = x.shape
        groups = x.reshape([group, -1, channels, height, width])
        apart = groups - groups.mean(axis=0, keepdim=True)
        deviation = core.sqrt((apart * apart).mean(axis=0) + 1e-8).mean(axis=[1, 2, 3])
        channel = deviation.reshape([-1, 1, 1, 1]).tile([group, 1, height, width])
        return self.final_linear(core.flatten(self.final_conv(core.concat([x, channel], axis=1)), 1))
