"""StyleGAN2: images from noise that becomes a style for each level, and a discriminator with residual blocks.

Paper: Karras et al., "Analyzing and improving the image quality of StyleGAN", CVPR 2020,
https://arxiv.org/abs/1912.04958
Source of parameter names: ppgan 2.1 (generator_styleganv2.py, discriminator_styleganv2.py).
The networks of ppgan have the paper's channels; ``max_channels`` bounds them further, for small experiments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import core
from core import nn
from core.nn.initializer import Constant, Normal
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image
from PaddleGAN.models.stylegan2_layers import (
    BLUR,
    EqualConv2D,
    EqualLinear,
    FusedLeakyReLU,
    ModulatedConv2D,
    Upfirdn2dBlur,
    Upfirdn2dUpsample,
)

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)


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


class PixelNorm(nn.Layer):
    """Divides vectors by their root mean square: (N, D)."""

    def forward(self, x: Any) -> Any:
        """Return the vectors."""
        return x * core.rsqrt((x * x).mean(axis=1, keepdim=True) + 1e-8)


class NoiseInjection(nn.Layer):
    """Adds noise, the same for all channels, times a number that is learned."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.create_parameter((1,), default_initializer=Constant(0.0))

    def forward(self, x: Any, noise: Optional[Any] = None) -> Any:
        """Return feature maps (N, C, H, W); ``noise`` is (N or 1, 1, H, W), or drawn."""
        if noise is None:
            noise = core.randn([x.shape[0], 1, *x.shape[2:]], dtype=x.dtype)
        return x + self.weight * noise


class ConstantInput(nn.Layer):
    """The learned feature maps that every image begins with: styles (N, L, D) to (N, channel, 4, 4).

    Args:
        channel: number of channels.
    """

    def __init__(self, channel: int) -> None:
        super().__init__()
        self.input = self.create_parameter((1, channel, 4, 4), default_initializer=Normal())

    def forward(self, like: Any) -> Any:
        """Return them, once for each of N."""
        return self.input + core.zeros_like(like[:, :1, :1]).unsqueeze(3)


class StyledConv(nn.Layer):
    """A modulated 3 x 3 convolution, noise, leaky ReLU.

    Args:
        in_channel: channels received.
        out_channel: channels returned.
        style_dim: numbers of a style.
        upsample: whether images are doubled.
        blur_kernel: the filter's taps.
    """

    def __init__(
        self, in_channel: int, out_channel: int, style_dim: int, upsample: bool, blur_kernel: Sequence[float]
    ) -> None:
        super().__init__()
        self.conv = ModulatedConv2D(in_channel, out_channel, 3, style_dim, upsample=upsample, blur_kernel=blur_kernel)
        self.noise = NoiseInjection()
        self.activate = FusedLeakyReLU(out_channel)

    def forward(self, x: Any, style: Any, noise: Optional[Any] = None) -> Any:
        """Return the feature maps."""
        return self.activate(self.noise(self.conv(x, style), noise))


class ToRGB(nn.Layer):
    """Feature maps to colors, added to the doubled image of the level before.

    Args:
        in_channel: channels received.
        style_dim: numbers of a style.
        upsample: whether there is a level before.
        blur_kernel: the filter's taps.
    """

    def __init__(self, in_channel: int, style_dim: int, upsample: bool, blur_kernel: Sequence[float]) -> None:
        super().__init__()
        if upsample:
            self.upsample = Upfirdn2dUpsample(blur_kernel)
        self.conv = ModulatedConv2D(in_channel, 3, 1, style_dim, demodulate=False)
        self.bias = self.create_parameter((1, 3, 1, 1), default_initializer=Constant(0.0))

    def forward(self, x: Any, style: Any, skip: Optional[Any] = None) -> Any:
        """Return the image."""
        image = self.conv(x, style) + self.bias
        return image if skip is None else image + self.upsample(skip)


class StyleGANv2Generator(nn.Layer):
    """Noise (N, style_dim) to images (N, 3, size, size), about -1 to 1.

    Args:
        size: pixels of a side, a power of 2 from 8 to 1024.
        style_dim: numbers of noise, and of a style.
        n_mlp: layers between noise and style.
        channel_multiplier: of the channels at 64 pixels and more; 2 is the paper's.
        blur_kernel: the taps of the filter that images are doubled with.
        lr_mlp: how fast those layers learn in relation to others.
        max_channels: the most channels of feature maps.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self,
        size: int = 256,
        style_dim: int = 512,
        n_mlp: int = 8,
        channel_multiplier: int = 2,
        blur_kernel: Sequence[float] = BLUR,
        lr_mlp: float = 0.01,
        max_channels: int = 512,
    ) -> None:
        super().__init__()
        owner = "StyleGANv2Generator"
        channels = widths(owner, size, channel_multiplier, max_channels)
        positive_numbers(owner, style_dim=style_dim, n_mlp=n_mlp)
        self.size, self.style_dim, self.n_latent = size, style_dim, 2 * int(math.log2(size)) - 2
        self.latent_dim = style_dim
        layers = (EqualLinear(style_dim, style_dim, lr_mul=lr_mlp, activation=True) for _ in range(n_mlp))
        self.style = nn.Sequential(PixelNorm(), *layers)
        width = channels[4]
        self.input = ConstantInput(width)
        self.conv1 = StyledConv(width, width, style_dim, False, blur_kernel)
        self.to_rgb1 = ToRGB(width, style_dim, False, blur_kernel)
        self.convs, self.upsamples, self.to_rgbs = nn.LayerList(), nn.LayerList(), nn.LayerList()
        self.noises = nn.Layer()
        for number in range(self.n_latent - 1):
            side = 2 ** ((number + 5) // 2)
            self.noises.register_buffer(f"noise_{number}", core.randn([1, 1, side, side]))
        for side in list(channels)[1:]:
            before, width = width, channels[side]
            self.convs.append(StyledConv(before, width, style_dim, True, blur_kernel))
            self.convs.append(StyledConv(width, width, style_dim, False, blur_kernel))
            self.to_rgbs.append(ToRGB(width, style_dim, True, blur_kernel))

    def forward(self, noise: Any) -> Any:
        """Return the images of noise, one style for all levels; in evaluation details come from the network's noise."""
        if len(noise.shape) != 2 or noise.shape[1] != self.style_dim:
            raise ValueError(f"StyleGANv2Generator takes noise (N, {self.style_dim}), not {list(noise.shape)}")
        return self.synthesize(self.at_levels(self.style(noise)), random=self.training)

    def at_levels(self, style: Any, other: Optional[Any] = None, level: Optional[Any] = None) -> Any:
        """Return styles for each level, (N, n_latent, style_dim).

        Args:
            style: (N, style_dim).
            other: the style of the levels from ``level`` on; None: the same.
            level: a number, or a Tensor of shape ().
        """
        levels = style.unsqueeze(1).tile([1, self.n_latent, 1])
        if other is None:
            return levels
        first = (core.arange(self.n_latent) < level).astype(style.dtype).reshape([1, -1, 1])
        return levels * first + other.unsqueeze(1) * (1.0 - first)

    def synthesize(self, levels: Any, random: bool = True) -> Any:
        """Return the images of styles.

        Args:
            levels: (N, n_latent, style_dim).
            random: whether the noise of details is drawn, or is the network's own.
        """
        if list(levels.shape[1:]) != [self.n_latent, self.style_dim]:
            wanted = f"(N, {self.n_latent}, {self.style_dim})"
            raise ValueError(f"StyleGANv2Generator takes styles {wanted}, not {list(levels.shape)}")
        noises = [None if random else getattr(self.noises, f"noise_{i}") for i in range(self.n_latent - 1)]
        x = self.conv1(self.input(levels), levels[:, 0], noises[0])
        image = self.to_rgb1(x, levels[:, 1])
        for number, to_rgb in enumerate(self.to_rgbs):
            first = 2 * number + 1
            x = self.convs[first - 1](x, levels[:, first], noises[first])
            x = self.convs[first](x, levels[:, first + 1], noises[first + 1])
            image = to_rgb(x, levels[:, first + 2], image)
        return image


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
        told = deviation.reshape([-1, 1, 1, 1]).tile([group, 1, height, width])
        return self.final_linear(core.flatten(self.final_conv(core.concat([x, told], axis=1)), 1))
