"""StarGAN v2: images of other kinds, in styles that come from noise or from a reference image.

Paper: Choi et al., "StarGAN v2: diverse image synthesis for multiple domains", CVPR 2020,
https://arxiv.org/abs/1912.01865
Source of parameter names: ppgan 2.1 (generator_starganv2.py, discriminator_starganv2.py).
Kernels start normal with standard deviation sqrt(2 / fan in), biases 0. ``base`` and ``hidden_dim`` are ours: ppgan's
networks have 2^14 and 512.
"""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image, check_vectors

BASE = 2**14
"""Channels of the outermost feature maps times the pixels of a side."""


def started(fan_in: int, bias: bool = True) -> dict[str, Any]:
    """Return ``weight_attr`` and ``bias_attr`` of a layer whose outputs are computed from ``fan_in`` numbers."""
    return {
        "weight_attr": ParamAttr(initializer=Normal(0.0, math.sqrt(2.0 / fan_in))),
        "bias_attr": ParamAttr(initializer=Constant(0.0)) if bias else False,
    }


def conv(before: int, after: int, kernel_size: int, padding: int = 0, bias: bool = True) -> nn.Conv2D:
    """Return a convolution."""
    return nn.Conv2D(before, after, kernel_size, padding=padding, **started(before * kernel_size**2, bias))


def linear(before: int, after: int) -> nn.Linear:
    """Return a fully connected layer."""
    return nn.Linear(before, after, **started(before))


def halvings(owner: str, img_size: int, base: int) -> int:
    """Return how often an image can be halved, down to a pixel.

    Raises:
        ValueError: the side is no power of 2 from 32, or there would be no channels.
    """
    count = img_size.bit_length() - 1
    if img_size < 32 or img_size != 2**count:
        raise ValueError(f"{owner}: img_size must be a power of 2 from 32, not {img_size}")
    if base < img_size:
        raise ValueError(f"{owner}: base must be at least img_size, {img_size}, not {base}")
    return count


class ResBlk(nn.Layer):
    """Two convolutions, added to their input and divided by the root of 2: (N, dim_in, H, W) to (N, dim_out, H, W).

    Args:
        dim_in: channels received.
        dim_out: channels returned.
        normalize: whether instance normalisation precedes each.
        downsample: whether images are halved.
    """

    def __init__(self, dim_in: int, dim_out: int, normalize: bool = False, downsample: bool = False) -> None:
        super().__init__()
        self.downsample = downsample
        self.conv1, self.conv2 = conv(dim_in, dim_in, 3, 1), conv(dim_in, dim_out, 3, 1)
        self.norm1 = nn.InstanceNorm2D(dim_in) if normalize else None
        self.norm2 = nn.InstanceNorm2D(dim_in) if normalize else None
        self.conv1x1 = conv(dim_in, dim_out, 1, bias=False) if dim_in != dim_out else None

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        way = x if self.norm1 is None else self.norm1(x)
        way = self._halved(self.conv1(F.leaky_relu(way, 0.2)))
        way = way if self.norm2 is None else self.norm2(way)
        shortcut = self._halved(x if self.conv1x1 is None else self.conv1x1(x))
        return (shortcut + self.conv2(F.leaky_relu(way, 0.2))) / math.sqrt(2)

    def _halved(self, x: Any) -> Any:
        return F.avg_pool2d(x, 2) if self.downsample else x


class AdaIN(nn.Layer):
    """Instance normalisation whose scale and shift follow from a style: (N, num_features, H, W).

    Args:
        style_dim: numbers of a style.
        num_features: number of channels.
    """

    def __init__(self, style_dim: int, num_features: int) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm2D(num_features, weight_attr=False, bias_attr=False)
        self.fc = linear(style_dim, 2 * num_features)

    def forward(self, x: Any, style: Any) -> Any:
        """Return the normalised feature maps."""
        scale, shift = core.split(self.fc(style).unsqueeze([2, 3]), 2, axis=1)
        return (1 + scale) * self.norm(x) + shift


class AdainResBlk(nn.Layer):
    """Two convolutions, each after :class:`AdaIN`, added to their input.

    Args:
        dim_in: channels received.
        dim_out: channels returned.
        style_dim: numbers of a style.
        w_hpf: where it is not 0, the input is not added.
        upsample: whether images are doubled.
    """

    def __init__(self, dim_in: int, dim_out: int, style_dim: int, w_hpf: float, upsample: bool = False) -> None:
        super().__init__()
        self.w_hpf, self.upsample = w_hpf, upsample
        self.conv1, self.conv2 = conv(dim_in, dim_out, 3, 1), conv(dim_out, dim_out, 3, 1)
        self.norm1, self.norm2 = AdaIN(style_dim, dim_in), AdaIN(style_dim, dim_out)
        self.conv1x1 = conv(dim_in, dim_out, 1, bias=False) if dim_in != dim_out else None

    def forward(self, x: Any, style: Any) -> Any:
        """Return the feature maps."""
        way = self.conv1(self._doubled(F.leaky_relu(self.norm1(x, style), 0.2)))
        way = self.conv2(F.leaky_relu(self.norm2(way, style), 0.2))
        if self.w_hpf:
            return way
        shortcut = self._doubled(x)
        return (way + (shortcut if self.conv1x1 is None else self.conv1x1(shortcut))) / math.sqrt(2)

    def _doubled(self, x: Any) -> Any:
        return F.interpolate(x, scale_factor=2, mode="nearest") if self.upsample else x


class StarGANv2Generator(nn.Layer):
    """Images (N, 3, img_size, img_size) and styles (N, style_dim) to images of the same size, about -1 to 1.

    Args:
        img_size: pixels of a side, a power of 2 from 32.
        style_dim: numbers of a style.
        max_conv_dim: the most channels of feature maps.
        w_hpf: weight of what a high-pass filter keeps of the image where masks say so, as for faces; 0: nothing.
        base: channels of the outermost feature maps times the pixels of a side.

    Raises:
        ValueError: a number is out of range.
    """

    mask_sizes = (32, 64, 128)

    def __init__(
        self, img_size: int = 256, style_dim: int = 64, max_conv_dim: int = 512, w_hpf: float = 1, base: int = BASE
    ) -> None:
        super().__init__()
        owner = "StarGANv2Generator"
        levels = halvings(owner, img_size, base) - 4 + (w_hpf > 0)
        positive_numbers(owner, style_dim=style_dim, max_conv_dim=max_conv_dim)
        if w_hpf < 0:
            raise ValueError(f"{owner}: w_hpf must not be negative, not {w_hpf}")
        self.img_size, self.style_dim, self.max_conv_dim, self.w_hpf = img_size, style_dim, max_conv_dim, w_hpf
        self.base = base
        before = width = base // img_size
        self.from_rgb = conv(3, width, 3, 1)
        encode: list[nn.Layer] = []
        decode: list[nn.Layer] = []
        for _ in range(levels):
            after = min(2 * before, max_conv_dim)
            encode.append(ResBlk(before, after, normalize=True, downsample=True))
            decode.insert(0, AdainResBlk(after, before, style_dim, w_hpf, upsample=True))
            before = after
        for _ in range(2):
            encode.append(ResBlk(before, before, normalize=True))
            decode.insert(0, AdainResBlk(before, before, style_dim, w_hpf))
        self.encode, self.decode = nn.LayerList(encode), nn.LayerList(decode)
        self.to_rgb = nn.Sequential(nn.InstanceNorm2D(width), nn.LeakyReLU(0.2), conv(width, 3, 1))

    def forward(self, x: Any, style: Any, masks: Optional[tuple[Any, Any]] = None) -> Any:
        """Return the images.

        Args:
            x: images.
            style: of each.
            masks: where the filter is applied, (N, 1, H, W): at 32 pixels, and at 64 and 128; None: nowhere.
        """
        check_image("StarGANv2Generator", x, 3, size=self.img_size)
        check_vectors("StarGANv2Generator", "styles", style, self.style_dim)
        x, kept = self.from_rgb(x), {}
        for block in self.encode:
            kept[x.shape[2]] = x
            x = block(x)
        for block in self.decode:
            x = block(x, style)
            side = x.shape[2]
            if masks is not None and side in self.mask_sizes:
                mask = F.interpolate(masks[side > 32], size=[side, side], mode="bilinear")
                x = x + self._high_pass(mask * kept[side])
        return self.to_rgb(x)

    def _high_pass(self, x: Any) -> Any:
        """Return 9 times each pixel less the sum of it and its neighbours, divided by the weight."""
        kernel = -np.ones((1, 1, 3, 3), np.float32)
        kernel[0, 0, 1, 1] = 8
        channels = x.shape[1]
        filters = core.to_tensor(kernel / np.float32(self.w_hpf)).tile([channels, 1, 1, 1])
        return F.conv2d(x, filters, padding=1, groups=channels)


def of_domain(values: Any, domains: Any) -> Any:
    """Return what belongs to a domain of what there is for all.

    Args:
        values: (N, domains, ...).
        domains: the number of each one's, int64 (N,).
    """
    chosen = F.one_hot(domains, values.shape[1]).astype(values.dtype)
    return (values * chosen.reshape([*chosen.shape, *(1 for _ in values.shape[2:])])).sum(axis=1)


class StarGANv2Mapping(nn.Layer):
    """Noise (N, latent_dim) and domains (N,) to styles (N, style_dim).

    Args:
        latent_dim: numbers of noise.
        style_dim: numbers of a style.
        num_domains: how many domains there are.
        hidden_dim: numbers within.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(self, latent_dim: int = 16, style_dim: int = 64, num_domains: int = 2, hidden_dim: int = 512) -> None:
        super().__init__()
        given = {"latent_dim": latent_dim, "style_dim": style_dim, "num_domains": num_domains}
        positive_numbers("StarGANv2Mapping", **given, hidden_dim=hidden_dim)
        self.latent_dim = latent_dim
        shared: list[nn.Layer] = [linear(latent_dim, hidden_dim), nn.ReLU()]
        for _ in range(3):
            shared += [linear(hidden_dim, hidden_dim), nn.ReLU()]
        self.shared = nn.Sequential(*shared)
        self.unshared = nn.LayerList()
        for _ in range(num_domains):
            own: list[nn.Layer] = []
            for _ in range(3):
                own += [linear(hidden_dim, hidden_dim), nn.ReLU()]
            self.unshared.append(nn.Sequential(*own, linear(hidden_dim, style_dim)))

    def forward(self, noise: Any, domains: Any) -> Any:
        """Return the styles."""
        check_vectors("StarGANv2Mapping", "noise", noise, self.latent_dim)
        shared = self.shared(noise)
        return of_domain(core.stack([layer(shared) for layer in self.unshared], axis=1), domains)


def halved(owner: str, img_size: int, max_conv_dim: int, base: int) -> tuple[list[nn.Layer], int]:
    """Return layers that take images to a vector, and its length: those that style encoder and discriminator share."""
    count, width = halvings(owner, img_size, base) - 2, base // img_size
    positive_numbers(owner, max_conv_dim=max_conv_dim)
    layers: list[nn.Layer] = [conv(3, width, 3, 1)]
    for _ in range(count):
        after = min(2 * width, max_conv_dim)
        layers.append(ResBlk(width, after, downsample=True))
        width = after
    return [*layers, nn.LeakyReLU(0.2), conv(width, width, 4), nn.LeakyReLU(0.2)], width


class StarGANv2Style(nn.Layer):
    """The style encoder: images (N, 3, img_size, img_size) and domains (N,) to styles (N, style_dim).

    Args:
        img_size: pixels of a side, a power of 2 from 32.
        style_dim: numbers of a style.
        num_domains: how many domains there are.
        max_conv_dim: the most channels of feature maps.
        base: channels of the outermost feature maps times the pixels of a side.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self,
        img_size: int = 256,
        style_dim: int = 64,
        num_domains: int = 2,
        max_conv_dim: int = 512,
        base: int = BASE,
    ) -> None:
        super().__init__()
        positive_numbers("StarGANv2Style", style_dim=style_dim, num_domains=num_domains)
        layers, width = halved("StarGANv2Style", img_size, max_conv_dim, base)
        self.img_size = img_size
        self.shared = nn.Sequential(*layers)
        self.unshared = nn.LayerList([linear(width, style_dim) for _ in range(num_domains)])

    def forward(self, x: Any, domains: Any) -> Any:
        """Return the styles."""
        check_image("StarGANv2Style", x, 3, size=self.img_size)
        shared = core.flatten(self.shared(x), 1)
        return of_domain(core.stack([layer(shared) for layer in self.unshared], axis=1), domains)


class StarGANv2Discriminator(nn.Layer):
    """Images (N, 3, img_size, img_size) and domains (N,) to scores (N,): is it a real one of its domain?

    Args:
        img_size: pixels of a side, a power of 2 from 32.
        num_domains: how many domains there are.
        max_conv_dim: the most channels of feature maps.
        base: channels of the outermost feature maps times the pixels of a side.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(self, img_size: int = 256, num_domains: int = 2, max_conv_dim: int = 512, base: int = BASE) -> None:
        super().__init__()
        positive_numbers("StarGANv2Discriminator", num_domains=num_domains)
        layers, width = halved("StarGANv2Discriminator", img_size, max_conv_dim, base)
        self.img_size = img_size
        self.main = nn.Sequential(*layers, conv(width, num_domains, 1))

    def forward(self, x: Any, domains: Any) -> Any:
        """Return the scores."""
        check_image("StarGANv2Discriminator", x, 3, size=self.img_size)
        return of_domain(core.flatten(self.main(x), 1), domains)
