"""U-GAT-IT: translation that looks where the kinds differ, with a normalisation that learns how much to keep of shape.

Paper: Kim et al., "U-GAT-IT: unsupervised generative attentional networks with adaptive layer-instance normalization
for image-to-image translation", ICLR 2020, https://arxiv.org/abs/1907.10830
Source of parameter names: ppgan 2.1 (resnet_ugatit.py, discriminator_ugatit.py).
Weights start normal with standard deviation 0.02. Variances are those of a sample (divided by n - 1), as in ppgan.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Constant
from core.nn.layer.checks import positive_numbers
from core.nn.utils import spectral_norm
from PaddleGAN.models.blocks import check_image, conv, initial, normalization


def linear(in_features: int, out_features: int) -> nn.Linear:
    """Return a fully connected layer without bias."""
    return nn.Linear(in_features, out_features, **initial(in_features, False, False))


def padded_conv(in_channels: int, out_channels: int, kernel_size: int = 3, stride: int = 1) -> list[nn.Layer]:
    """Return a convolution without bias behind the mirror images of its border."""
    border = nn.Pad2D(kernel_size // 2, mode="reflect")
    return [border, conv(in_channels, out_channels, kernel_size, stride=stride, bias=False)]


def layer_instance_norm(x: Any, rho: Any, epsilon: float = 1e-5) -> Any:
    """Return feature maps normalised by image and channel, and by image, mixed.

    Args:
        x: (N, C, H, W).
        rho: the share of the former in each channel, (1, C, 1, 1).
        epsilon: added to variances.
    """
    parts = []
    for axes in ([2, 3], [1, 2, 3]):
        mean, variance = x.mean(axis=axes, keepdim=True), x.var(axis=axes, keepdim=True)
        parts.append((x - mean) / core.sqrt(variance + epsilon))
    return rho * parts[0] + (1 - rho) * parts[1]


class ILN(nn.Layer):
    """Layer-instance normalisation with a scale and a shift that are learned: (N, C, H, W).

    Args:
        num_features: C.
    """

    def __init__(self, num_features: int) -> None:
        super().__init__()
        for name, value in (("rho", 0.0), ("gamma", 1.0), ("beta", 0.0)):
            setattr(self, name, self.create_parameter((1, num_features, 1, 1), default_initializer=Constant(value)))

    def forward(self, x: Any) -> Any:
        """Return the normalised feature maps."""
        return layer_instance_norm(x, self.rho) * self.gamma + self.beta


class AdaILN(nn.Layer):
    """Layer-instance normalisation whose scale and shift are given: (N, C, H, W).

    Args:
        num_features: C.
    """

    def __init__(self, num_features: int) -> None:
        super().__init__()
        self.rho = self.create_parameter((1, num_features, 1, 1), default_initializer=Constant(0.9))

    def forward(self, x: Any, gamma: Any, beta: Any) -> Any:
        """Return the normalised feature maps; ``gamma`` and ``beta`` are (N, C)."""
        scale, shift = (value.unsqueeze([2, 3]) for value in (gamma, beta))
        return layer_instance_norm(x, self.rho) * scale + shift


class ResnetBlock(nn.Layer):
    """Two 3 x 3 convolutions, added to their input: (N, dim, H, W).

    Args:
        dim: number of channels.
        norm_type: ``"batch"``, ``"instance"`` or ``"none"``.
    """

    def __init__(self, dim: int, norm_type: str) -> None:
        super().__init__()
        first = [*padded_conv(dim, dim), normalization(norm_type, dim), nn.ReLU()]
        self.conv_block = nn.Sequential(*first, *padded_conv(dim, dim), normalization(norm_type, dim))

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.conv_block(x)


class ResnetAdaILNBlock(nn.Layer):
    """Two 3 x 3 convolutions, each with :class:`AdaILN`, added to their input: (N, dim, H, W).

    Args:
        dim: number of channels.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.pad1, self.conv1 = padded_conv(dim, dim)
        self.norm1, self.relu1 = AdaILN(dim), nn.ReLU()
        self.pad2, self.conv2 = padded_conv(dim, dim)
        self.norm2 = AdaILN(dim)

    def forward(self, x: Any, gamma: Any, beta: Any) -> Any:
        """Return the sum."""
        out = self.relu1(self.norm1(self.conv1(self.pad1(x)), gamma, beta))
        return x + self.norm2(self.conv2(self.pad2(out)), gamma, beta)


def attended(x: Any, gap_fc: Any, gmp_fc: Any, gap_weight: Any, gmp_weight: Any) -> tuple[Any, Any]:
    """Return feature maps weighted as a classifier of the kinds weighs them, and what it says.

    Args:
        x: (N, C, H, W).
        gap_fc: the classifier of mean features, C to 1.
        gmp_fc: that of the largest.
        gap_weight: the weights that the former has for the maps, (C, 1).
        gmp_weight: the latter's.

    Returns:
        (N, 2 C, H, W) and the logits of both, (N, 2).
    """
    maps, logits = [], []
    for pooled, layer, weight in (
        (F.adaptive_avg_pool2d(x, 1), gap_fc, gap_weight),
        (F.adaptive_max_pool2d(x, 1), gmp_fc, gmp_weight),
    ):
        logits.append(layer(core.flatten(pooled, 1)))
        maps.append(x * weight.transpose([1, 0]).unsqueeze([2, 3]))
    return core.concat(maps, axis=1), core.concat(logits, axis=1)


class ResnetUGATITGenerator(nn.Layer):
    """Images to images of the same size: (N, input_nc, H, W) to (N, output_nc, H, W), in [-1, 1].

    Args:
        input_nc: channels of the images received.
        output_nc: channels of the images returned.
        ngf: channels of the outer feature maps; 4 times as many within.
        n_blocks: residual blocks on the way in, and on the way out.
        img_size: pixels of a side; only the network that is not light depends on it.
        light: whether scale and shift follow from the mean of the feature maps, instead of from all of their pixels,
            which takes many parameters.
        norm_type: on the way in: ``"batch"``, ``"instance"`` or ``"none"``.

    Raises:
        ValueError: a number is not positive, there is no such normalisation, or the side is no multiple of 4.
    """

    def __init__(
        self,
        input_nc: int = 3,
        output_nc: int = 3,
        ngf: int = 64,
        n_blocks: int = 6,
        img_size: int = 256,
        light: bool = False,
        norm_type: str = "instance",
    ) -> None:
        super().__init__()
        owner = "ResnetUGATITGenerator"
        positive_numbers(owner, input_nc=input_nc, output_nc=output_nc, ngf=ngf, n_blocks=n_blocks, img_size=img_size)
        if img_size % 4:
            raise ValueError(f"{owner}: img_size must be a multiple of 4, not {img_size}")
        self.input_nc, self.n_blocks, self.img_size, self.light = input_nc, n_blocks, img_size, light
        width = 4 * ngf
        down = [*padded_conv(input_nc, ngf, 7), normalization(norm_type, ngf), nn.ReLU()]
        for channels in (2 * ngf, 4 * ngf):
            down += [*padded_conv(channels // 2, channels, stride=2), normalization(norm_type, channels), nn.ReLU()]
        down += [ResnetBlock(width, norm_type) for _ in range(n_blocks)]
        self.gap_fc, self.gmp_fc = linear(width, 1), linear(width, 1)
        self.conv1x1 = conv(2 * width, width, 1)
        self.relu = nn.ReLU()
        seen = width if light else (img_size // 4) ** 2 * width
        self.gamma, self.beta = linear(width, width), linear(width, width)
        for number in range(1, n_blocks + 1):
            setattr(self, f"UpBlock1_{number}", ResnetAdaILNBlock(width))
        up: list[nn.Layer] = []
        for channels in (4 * ngf, 2 * ngf):
            up += [nn.Upsample(scale_factor=2, mode="nearest"), *padded_conv(channels, channels // 2)]
            up += [ILN(channels // 2), nn.ReLU()]
        self.DownBlock = nn.Sequential(*down)
        self.FC = nn.Sequential(linear(seen, width), nn.ReLU(), linear(width, width), nn.ReLU())
        self.UpBlock2 = nn.Sequential(*up, *padded_conv(ngf, output_nc, 7), nn.Tanh())

    def forward(self, x: Any) -> tuple[Any, Any, Any]:
        """Return images, logits of their kind, (N, 2), and where the network looks, (N, 1, H / 4, W / 4)."""
        check_image("ResnetUGATITGenerator", x, self.input_nc, 4, None if self.light else self.img_size)
        x, logits = attended(self.DownBlock(x), self.gap_fc, self.gmp_fc, self.gap_fc.weight, self.gmp_fc.weight)
        x = self.relu(self.conv1x1(x))
        seen = self.FC(core.flatten(F.adaptive_avg_pool2d(x, 1) if self.light else x, 1))
        gamma, beta, heatmap = self.gamma(seen), self.beta(seen), x.sum(axis=1, keepdim=True)
        for number in range(1, self.n_blocks + 1):
            x = getattr(self, f"UpBlock1_{number}")(x, gamma, beta)
        return self.UpBlock2(x), logits, heatmap


class UGATITDiscriminator(nn.Layer):
    """Images (N, input_nc, H, W) to scores of patches; all weights are divided by their largest singular value.

    Args:
        input_nc: channels of the images.
        ndf: channels of the first feature maps.
        n_layers: convolutions; two more see patches four times as wide. The paper has two discriminators, with 7 and 5.

    Raises:
        ValueError: a number is not positive, or there are fewer than 3 layers.
    """

    def __init__(self, input_nc: int = 3, ndf: int = 64, n_layers: int = 5) -> None:
        super().__init__()
        positive_numbers("UGATITDiscriminator", input_nc=input_nc, ndf=ndf, n_layers=n_layers)
        if n_layers < 3:
            raise ValueError(f"UGATITDiscriminator: n_layers must be at least 3, not {n_layers}")
        self.input_nc = input_nc
        widths = [input_nc, *(ndf * 2**number for number in range(n_layers - 1))]
        layers: list[nn.Layer] = []
        for number, (before, after) in enumerate(zip(widths, widths[1:])):
            stride = 1 if number == n_layers - 2 else 2
            layers += [nn.Pad2D(1, mode="reflect"), spectral_norm(conv(before, after, 4, stride=stride))]
            layers.append(nn.LeakyReLU(0.2))
        width = widths[-1]
        self.gap_fc, self.gmp_fc = spectral_norm(linear(width, 1)), spectral_norm(linear(width, 1))
        self.conv1x1 = conv(2 * width, width, 1)
        self.leaky_relu = nn.LeakyReLU(0.2)
        self.pad = nn.Pad2D(1, mode="reflect")
        self.conv = spectral_norm(conv(width, 1, 4, bias=False))
        self.model = nn.Sequential(*layers)

    def forward(self, x: Any) -> tuple[Any, Any, Any]:
        """Return scores, logits of the classifier within, (N, 2), and where the network looks."""
        check_image("UGATITDiscriminator", x, self.input_nc)
        weights = (self.gap_fc.weight_orig, self.gmp_fc.weight_orig)  # undivided, as ppgan takes them
        x, logits = attended(self.model(x), self.gap_fc, self.gmp_fc, *weights)
        x = self.leaky_relu(self.conv1x1(x))
        return self.conv(self.pad(x)), logits, x.sum(axis=1, keepdim=True)
