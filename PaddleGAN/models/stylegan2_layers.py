"""What StyleGAN2's networks are made of: layers whose rates are equal, blurring, convolutions that a style modulates.

Papers: Karras et al., "Analyzing and improving the image quality of StyleGAN", CVPR 2020,
https://arxiv.org/abs/1912.04958; equalised rates: Karras et al., "Progressive growing of GANs", ICLR 2018,
https://arxiv.org/abs/1710.10196
Source of parameter names: ppgan 2.1 (equalized.py, fused_act.py, upfirdn2d.py, generator_styleganv2.py).
All of it is composed of public functions, so that it can be differentiated twice, as R1 and path lengths need.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from core.nn.layer.checks import positive_numbers

BLUR = (1.0, 3.0, 3.0, 1.0)
"""The filter, once along rows and once along columns."""

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)

SLOPE = 0.2


def widths(owner: str, size: int, channel_multiplier: int, max_channels: int) -> dict[int, int]:
    """Return the channels of the feature maps of each size, from 4 pixels to those of the images.

    Raises:
        ValueError: the size is none of :data:`SIZES`, or a number is not positive.
    """
    positive_numbers(owner, channel_multiplier=channel_multiplier, max_channels=max_channels)
    if size not in SIZES:
        raise ValueError(f"{owner}: size must be one of {', '.join(map(str, SIZES))}, not {size}")
    full = {side: 512 if side <= 32 else 2**14 // side * channel_multiplier for side in (4, *SIZES)}
    return {side: min(width, max_channels) for side, width in full.items() if side <= size}


def filter_of(taps: Sequence[float], gain: float = 1.0) -> np.ndarray:
    """Return the filter that is the product of one along rows and one along columns, float32 (K, K).

    Args:
        taps: K numbers.
        gain: what its entries add up to.
    """
    line = np.asarray(taps, np.float64)
    square = np.outer(line, line)
    return (square * (gain / square.sum())).astype(np.float32)


def upfirdn2d(x: Any, kernel: Any, up: int = 1, down: int = 1, pad: tuple[int, int] = (0, 0)) -> Any:
    """Return images after zeros were put between pixels, a filter was applied, and pixels were left out.

    Args:
        x: (N, C, H, W).
        kernel: the filter, (K, K).
        up: each pixel becomes up x up, all but one of them 0.
        down: one of down pixels stays, in both directions.
        pad: pixels of 0 before and behind, in both directions.

    Returns:
        (N, C, H', W'), where H' = (H up + pad - K) / down + 1, rounded down.
    """
    _, channels, height, width = x.shape
    if up > 1:
        x = F.pad(x.reshape([-1, channels * height, 1, width, 1]), [0, up - 1, 0, 0, 0, up - 1], data_format="NCDHW")
        x = x.reshape([-1, channels, height * up, width * up])
    before, behind = pad
    if before or behind:
        x = F.pad(x, [before, behind, before, behind])
    size = kernel.shape[0]
    filters = core.flip(kernel, [0, 1]).reshape([1, 1, size, size]).tile([channels, 1, 1, 1])
    return F.conv2d(x, filters, stride=down, groups=channels)


def fused_leaky_relu(x: Any, bias: Optional[Any] = None) -> Any:
    """Return the leaky ReLU of inputs and a bias, times the root of 2, which keeps variances.

    Args:
        x: (N, C, ...).
        bias: (C,).
    """
    if bias is not None:
        x = x + bias.reshape([1, -1, *(1 for _ in x.shape[2:])])
    return F.leaky_relu(x, SLOPE) * math.sqrt(2)


class FusedLeakyReLU(nn.Layer):
    """:func:`fused_leaky_relu` with a bias that is learned.

    Args:
        channel: C.
        bias: whether there is one.
    """

    def __init__(self, channel: int, bias: bool = True) -> None:
        super().__init__()
        self.bias = self.create_parameter((channel,), default_initializer=Constant(0.0)) if bias else None

    def forward(self, x: Any) -> Any:
        """Return the result."""
        return fused_leaky_relu(x, self.bias)


class EqualConv2D(nn.Layer):
    """A convolution whose kernel starts standard normal and is multiplied by what keeps variances.

    Args:
        in_channel: channels received.
        out_channel: channels returned.
        kernel_size: pixels of a side.
        stride: pixels between results.
        padding: pixels around the border.
        bias: whether there is a bias.
    """

    def __init__(
        self, in_channel: int, out_channel: int, kernel_size: int, stride: int = 1, padding: int = 0, bias: bool = True
    ) -> None:
        super().__init__()
        shape = (out_channel, in_channel, kernel_size, kernel_size)
        self.weight = self.create_parameter(shape, default_initializer=Normal())
        self.bias = self.create_parameter((out_channel,), default_initializer=Constant(0.0)) if bias else None
        self.scale, self.stride, self.padding = (in_channel * kernel_size**2) ** -0.5, stride, padding

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return F.conv2d(x, self.weight * self.scale, self.bias, self.stride, self.padding)


class EqualLinear(nn.Layer):
    """A fully connected layer whose weights are multiplied by what keeps variances, and by a rate.

    Args:
        in_dim: numbers received.
        out_dim: numbers returned.
        bias_init: where the bias starts.
        lr_mul: the rate: how fast the layer learns in relation to others.
        activation: whether :func:`fused_leaky_relu` follows.
    """

    def __init__(
        self, in_dim: int, out_dim: int, bias_init: float = 0.0, lr_mul: float = 1.0, activation: bool = False
    ) -> None:
        super().__init__()
        self.weight = self.create_parameter((in_dim, out_dim), default_initializer=Normal(0.0, 1.0 / lr_mul))
        self.bias = self.create_parameter((out_dim,), default_initializer=Constant(bias_init))
        self.scale, self.lr_mul, self.activation = lr_mul / math.sqrt(in_dim), lr_mul, activation

    def forward(self, x: Any) -> Any:
        """Return (N, out_dim)."""
        weight, bias = self.weight * self.scale, self.bias * self.lr_mul
        return fused_leaky_relu(F.linear(x, weight), bias) if self.activation else F.linear(x, weight, bias)


class Upfirdn2dUpsample(nn.Layer):
    """Doubles images: (N, C, H, W) to (N, C, 2 H, 2 W).

    Args:
        kernel: the filter's taps.
    """

    def __init__(self, kernel: Sequence[float]) -> None:
        super().__init__()
        self.register_buffer("kernel", core.to_tensor(filter_of(kernel, 4.0), dtype=core.get_default_dtype()))
        beyond = len(kernel) - 2
        self.pad = ((beyond + 1) // 2 + 1, beyond // 2)

    def forward(self, x: Any) -> Any:
        """Return the images."""
        return upfirdn2d(x, self.kernel, up=2, pad=self.pad)


class Upfirdn2dBlur(nn.Layer):
    """Blurs images: (N, C, H, W) to about the same size.

    Args:
        kernel: the filter's taps.
        pad: pixels of 0 before and behind.
        gain: what the filter adds up to.
    """

    def __init__(self, kernel: Sequence[float], pad: tuple[int, int], gain: float = 1.0) -> None:
        super().__init__()
        self.register_buffer(
            "kernel", core.to_tensor(filter_of(kernel, gain), dtype=core.get_default_dtype()), persistable=False
        )
        self.pad = pad

    def forward(self, x: Any) -> Any:
        """Return the images."""
        return upfirdn2d(x, self.kernel, pad=self.pad)


class ModulatedConv2D(nn.Layer):
    """A convolution whose kernel a style multiplies, channel by channel, for each image of its own.

    The style multiplies what the convolution receives, and what keeps variances multiplies what it returns: the same as
    a kernel for each image, without having one.

    Args:
        in_channel: channels received.
        out_channel: channels returned.
        kernel_size: pixels of a side.
        style_dim: numbers of a style.
        demodulate: whether variances are kept.
        upsample: whether images are doubled.
        blur_kernel: the filter's taps.
    """

    def __init__(
        self,
        in_channel: int,
        out_channel: int,
        kernel_size: int,
        style_dim: int,
        demodulate: bool = True,
        upsample: bool = False,
        blur_kernel: Sequence[float] = BLUR,
    ) -> None:
        super().__init__()
        if upsample:
            beyond = len(blur_kernel) - 2 - (kernel_size - 1)
            self.blur = Upfirdn2dBlur(blur_kernel, ((beyond + 1) // 2 + 1, beyond // 2 + 1), 4.0)
        shape = (1, out_channel, in_channel, kernel_size, kernel_size)
        self.weight = self.create_parameter(shape, default_initializer=Normal())
        self.modulation = EqualLinear(style_dim, in_channel, bias_init=1.0)
        self.scale, self.padding = (in_channel * kernel_size**2) ** -0.5, kernel_size // 2
        self.demodulate, self.upsample = demodulate, upsample

    def forward(self, x: Any, style: Any) -> Any:
        """Return feature maps (N, out_channel, H, W), or twice as high and wide; ``style`` is (N, style_dim)."""
        factors, kernel = self.modulation(style), self.weight[0] * self.scale
        x = x * factors.unsqueeze([2, 3])
        if self.upsample:
            x = self.blur(F.conv2d_transpose(x, kernel.transpose([1, 0, 2, 3]), stride=2))
        else:
            x = F.conv2d(x, kernel, padding=self.padding)
        if not self.demodulate:
            return x
        power = core.matmul(factors * factors, (kernel * kernel).sum(axis=[2, 3]), transpose_y=True)
        return x * core.rsqrt(power + 1e-8).unsqueeze([2, 3])
