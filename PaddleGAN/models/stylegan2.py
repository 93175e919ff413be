"""StyleGAN2's generator: images from noise that becomes a style for each level.

Paper: Karras et al., "Analyzing and improving the image quality of StyleGAN", CVPR 2020,
https://arxiv.org/abs/1912.04958
Source of parameter names: ppgan 2.1 (generator_styleganv2.py).
ppgan's network has the paper's channels; ``max_channels`` bounds them further, for small experiments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import core
from core import nn
from core.nn.initializer import Constant, Normal
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.stylegan2_layers import (
    BLUR,
    EqualLinear,
    FusedLeakyReLU,
    ModulatedConv2D,
    Upfirdn2dUpsample,
    widths,
)


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
