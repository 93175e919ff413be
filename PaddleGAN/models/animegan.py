"""AnimeGAN v2: photographs to pictures like animated films; a small generator, and a discriminator of patches.

Paper: Chen, Liu and Chen, "AnimeGAN: a novel lightweight GAN for photo animation", ISICA 2019,
https://doi.org/10.1007/978-981-15-5577-0_18; version 2: https://github.com/TachibanaYoshino/AnimeGANv2
Source of parameter names: ppgan 2.1 (generater_animegan.py, discriminator_animegan.py).
Weights start normal with standard deviation 0.02. As in ppgan, whose weights rely on it, the 1 x 1 convolutions that
begin an inverted block are padded by a pixel, which the convolution behind them takes off, and nothing is added to its
result.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn.layer.checks import positive_numbers
from core.nn.utils import spectral_norm
from PaddleGAN.models.blocks import check_image, conv


class Conv2DNormLReLU(nn.Layer):
    """A convolution without bias, layer normalisation, leaky ReLU.

    Args:
        in_channels: channels received.
        out_channels: channels returned.
        kernel_size: pixels of a side.
        stride: pixels between results.
        padding: pixels around the border.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int = 3, stride: int = 1, padding: int = 1
    ) -> None:
        super().__init__()
        self.conv = conv(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=False)
        self.norm = nn.GroupNorm(1, out_channels)
        self.lrelu = nn.LeakyReLU(0.2)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return self.lrelu(self.norm(self.conv(x)))


class ResBlock(nn.Layer):
    """Three convolutions, added to their input: (N, in_channels, H, W).

    Args:
        in_channels: channels received and returned.
        out_channels: channels within, twice as many.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            Conv2DNormLReLU(in_channels, out_channels, 1, padding=0),
            Conv2DNormLReLU(out_channels, out_channels, 3),
            conv(out_channels, out_channels // 2, 1, bias=False),
        )

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.body(x)


class InvertedresBlock(nn.Layer):
    """A convolution within each of twice as many channels, between two 1 x 1 convolutions.

    Args:
        in_channels: channels received.
        out_channels: channels returned.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        width = 2 * in_channels
        self.body = nn.Sequential(
            Conv2DNormLReLU(in_channels, width, 1),
            conv(width, width, 3, groups=width),
            nn.GroupNorm(1, width),
            nn.LeakyReLU(0.2),
            conv(width, out_channels, 1, bias=False),
            nn.GroupNorm(1, out_channels),
        )

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return self.body(x)


class AnimeGenerator(nn.Layer):
    """Photographs (N, 3, H, W) to pictures of the same size, both in [-1, 1]; sides are multiples of 4."""

    def __init__(self) -> None:
        super().__init__()
        block = Conv2DNormLReLU
        self.A = nn.Sequential(block(3, 32, 7, padding=3), block(32, 64, stride=2), block(64, 64))
        self.B = nn.Sequential(block(64, 128, stride=2), block(128, 128), block(128, 128))
        inner = [InvertedresBlock(128, 256), *(InvertedresBlock(256, 256) for _ in range(3))]
        self.C = nn.Sequential(*inner, block(256, 128))
        self.D = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), block(128, 128), block(128, 128))
        last = block(64, 32, 7, padding=3)
        self.E = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), block(128, 64), block(64, 64), last)
        self.out = nn.Sequential(conv(32, 3, 1, bias=False), nn.Tanh())

    def forward(self, x: Any) -> Any:
        """Return the pictures."""
        check_image(type(self).__name__, x, 3, 4)
        for part in (self.A, self.B, self.C, self.D, self.E):
            x = part(x)
        return self.out(x)


class AnimeGeneratorLite(AnimeGenerator):
    """The same with fewer channels and residual blocks."""

    def __init__(self) -> None:
        nn.Layer.__init__(self)
        block = Conv2DNormLReLU
        self.A = nn.Sequential(block(3, 32, 7, padding=3), block(32, 32, stride=2), block(32, 32))
        self.B = nn.Sequential(block(32, 64, stride=2), block(64, 64), block(64, 64))
        self.C = nn.Sequential(*(ResBlock(64, 128) for _ in range(4)))
        up = (nn.Upsample(scale_factor=2, mode="bilinear") for _ in range(2))
        self.D = nn.Sequential(next(up), block(64, 64), block(64, 64), block(64, 64))
        self.E = nn.Sequential(next(up), block(64, 32), block(32, 32), block(32, 32, 7, padding=3))
        self.out = nn.Sequential(conv(32, 3, 1, bias=False), nn.Tanh())


class AnimeDiscriminator(nn.Layer):
    """Pictures (N, 3, H, W) to scores of patches; all kernels are divided by their largest singular value.

    Args:
        channel: twice the channels of the first feature maps.
        nblocks: levels; each further one halves the picture and doubles the channels.

    Raises:
        ValueError: a number is not positive, or ``channel`` is odd.
    """

    def __init__(self, channel: int = 64, nblocks: int = 3) -> None:
        super().__init__()
        positive_numbers("AnimeDiscriminator", channel=channel, nblocks=nblocks)
        if channel % 2:
            raise ValueError(f"AnimeDiscriminator: channel must be even, not {channel}")

        def divided(before: int, after: int, stride: int = 1) -> nn.Layer:
            return spectral_norm(conv(before, after, 3, stride=stride, padding=1, bias=False))

        width = last = channel // 2
        layers = [divided(3, width), nn.LeakyReLU(0.2)]
        for _ in range(1, nblocks):
            layers += [divided(last, 2 * width, 2), nn.LeakyReLU(0.2), divided(2 * width, 4 * width)]
            layers += [nn.GroupNorm(1, 4 * width), nn.LeakyReLU(0.2)]
            last, width = 4 * width, 2 * width
        self.body = nn.Sequential(*layers)
        ends = [divided(last, 2 * width), nn.GroupNorm(1, 2 * width), nn.LeakyReLU(0.2), divided(2 * width, 1)]
        self.head = nn.Sequential(*ends)

    def forward(self, x: Any) -> Any:
        """Return the scores, (N, 1, H', W')."""
        check_image("AnimeDiscriminator", x, 3)
        return self.head(self.body(x))
