"""Photo2cartoon: U-GAT-IT between two pairs of hourglasses, whose scales and shifts mix content and style.

Paper: Kim et al., "U-GAT-IT", ICLR 2020, https://arxiv.org/abs/1907.10830, as changed by
https://github.com/minivision-ai/photo2cartoon-paddle
Source of parameter names: ppgan 2.1 (resnet_ugatit_p2c.py).
The published weights take a face that is cut out on white, 256 pixels.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Constant
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image, conv
from PaddleGAN.models.ugatit import ILN, AdaILN, attended, linear, padded_conv


def instance_norm(channels: int) -> nn.InstanceNorm2D:
    """Return instance normalisation without scale and shift."""
    return nn.InstanceNorm2D(channels, weight_attr=False, bias_attr=False)


class ConvBlock(nn.Layer):
    """Three convolutions, whose results are joined and added to their input: (N, dim, H, W).

    Args:
        dim: number of channels, a multiple of 4.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        widths = (dim, dim // 2, dim // 4, dim // 4)
        for number, (before, after) in enumerate(zip(widths, widths[1:]), start=1):
            block = nn.Sequential(instance_norm(before), nn.ReLU(), *padded_conv(before, after))
            setattr(self, f"conv_block{number}", block)

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        first = self.conv_block1(x)
        second = self.conv_block2(first)
        return x + core.concat([first, second, self.conv_block3(second)], axis=1)


class HourGlassBlock(nn.Layer):
    """Halves feature maps four times and doubles them again, with a shortcut at each size: (N, dim, H, W).

    Args:
        dim: number of channels.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        for number in range(1, 5):
            setattr(self, f"ConvBlockskip{number}", ConvBlock(dim))
        for number in range(1, 10):
            setattr(self, f"ConvBlock{number}", ConvBlock(dim))

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        skips = []
        for number in range(1, 5):
            skips.append(getattr(self, f"ConvBlockskip{number}")(x))
            x = getattr(self, f"ConvBlock{number}")(F.avg_pool2d(x, 2))
        x = self.ConvBlock5(x)
        for number in range(6, 10):
            x = F.interpolate(getattr(self, f"ConvBlock{number}")(x), scale_factor=2, mode="nearest")
            x = skips.pop() + x
        return x


class HourGlass(nn.Layer):
    """An hourglass with a picture of 3 channels within, which is its result or is added to its input.

    Args:
        dim: number of channels.
        use_res: whether it is added: (N, dim, H, W); else (N, 3, H, W) is returned.
    """

    def __init__(self, dim: int, use_res: bool = True) -> None:
        super().__init__()
        self.use_res = use_res
        layers = [HourGlassBlock(dim), ConvBlock(dim), conv(dim, dim, 1, bias=False), instance_norm(dim), nn.ReLU()]
        self.HG = nn.Sequential(*layers)
        self.Conv1 = conv(dim, 3, 1)
        if use_res:
            self.Conv2, self.Conv3 = conv(dim, dim, 1), conv(3, dim, 1)

    def forward(self, x: Any) -> Any:
        """Return feature maps, or a picture."""
        maps = self.HG(x)
        picture = self.Conv1(maps)
        return x + self.Conv2(maps) + self.Conv3(picture) if self.use_res else picture


class ResnetBlock(nn.Layer):
    """Two 3 x 3 convolutions, added to their input: (N, dim, H, W).

    Args:
        dim: number of channels.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        first = [*padded_conv(dim, dim), instance_norm(dim), nn.ReLU()]
        self.conv_block = nn.Sequential(*first, *padded_conv(dim, dim), instance_norm(dim))

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.conv_block(x)


class SoftAdaLIN(nn.Layer):
    """Layer-instance normalisation whose scale and shift are mixed of those for content and for style.

    Args:
        num_features: C.
    """

    def __init__(self, num_features: int) -> None:
        super().__init__()
        self.norm = AdaILN(num_features)
        for name in ("w_gamma", "w_beta"):
            setattr(self, name, self.create_parameter([1, num_features], default_initializer=Constant(0.0)))
        for name in ("c_gamma", "c_beta"):
            layers = linear(num_features, num_features), nn.ReLU(), linear(num_features, num_features)
            setattr(self, name, nn.Sequential(*layers))
        self.s_gamma, self.s_beta = linear(num_features, num_features), linear(num_features, num_features)

    def forward(self, x: Any, content: Any, style: Any) -> Any:
        """Return the normalised feature maps; ``content`` and ``style`` are (N, C)."""
        gamma = (1.0 - self.w_gamma) * self.s_gamma(style) + self.w_gamma * self.c_gamma(content)
        beta = (1.0 - self.w_beta) * self.s_beta(style) + self.w_beta * self.c_beta(content)
        return self.norm(x, gamma, beta)


class ResnetSoftAdaLINBlock(nn.Layer):
    """Two 3 x 3 convolutions, each with :class:`SoftAdaLIN`, added to their input: (N, dim, H, W).

    Args:
        dim: number of channels.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.pad1, self.conv1 = padded_conv(dim, dim)
        self.norm1, self.relu1 = SoftAdaLIN(dim), nn.ReLU()
        self.pad2, self.conv2 = padded_conv(dim, dim)
        self.norm2 = SoftAdaLIN(dim)

    def forward(self, x: Any, content: Any, style: Any) -> Any:
        """Return the sum."""
        out = self.relu1(self.norm1(self.conv1(self.pad1(x)), content, style))
        return x + self.norm2(self.conv2(self.pad2(out)), content, style)


class ResnetUGATITP2CGenerator(nn.Layer):
    """Images to images of the same size: (N, input_nc, H, W) to (N, output_nc, H, W), in [-1, 1].

    Args:
        input_nc: channels of the images received.
        output_nc: channels of the images returned.
        ngf: channels of the outer feature maps, a multiple of 4; 4 times as many within.
        img_size: pixels of a side; only the network that is not light depends on it.
        n_blocks: residual blocks on the way in, and on the way out.
        light: as of :class:`PaddleGAN.models.ugatit.ResnetUGATITGenerator`.

    Raises:
        ValueError: a number is not positive, or no such multiple.
    """

    def __init__(
        self,
        input_nc: int = 3,
        output_nc: int = 3,
        ngf: int = 32,
        img_size: int = 256,
        n_blocks: int = 4,
        light: bool = True,
    ) -> None:
        super().__init__()
        owner = "ResnetUGATITP2CGenerator"
        positive_numbers(owner, input_nc=input_nc, output_nc=output_nc, ngf=ngf, n_blocks=n_blocks, img_size=img_size)
        if ngf % 4 or img_size % 16:
            raise ValueError(f"{owner}: ngf must be a multiple of 4, and img_size of 16, not {ngf} and {img_size}")
        self.input_nc, self.n_blocks, self.img_size, self.light = input_nc, n_blocks, img_size, light
        width = 4 * ngf
        down = [*padded_conv(input_nc, ngf, 7), instance_norm(ngf), nn.ReLU(), HourGlass(ngf), HourGlass(ngf)]
        for channels in (2 * ngf, 4 * ngf):
            down += [*padded_conv(channels // 2, channels, stride=2), instance_norm(channels), nn.ReLU()]
        for number in range(1, n_blocks + 1):
            setattr(self, f"EncodeBlock{number}", ResnetBlock(width))
        self.gap_fc, self.gmp_fc = linear(width, 1), linear(width, 1)
        self.conv1x1 = conv(2 * width, width, 1)
        self.relu = nn.ReLU()
        seen = width if light else (img_size // 4) ** 2 * width
        for number in range(1, n_blocks + 1):
            setattr(self, f"DecodeBlock{number}", ResnetSoftAdaLINBlock(width))
        up: list[nn.Layer] = []
        for channels in (4 * ngf, 2 * ngf):
            up += [nn.Upsample(scale_factor=2), *padded_conv(channels, channels // 2), ILN(channels // 2), nn.ReLU()]
        up += [HourGlass(ngf), HourGlass(ngf, use_res=False)]
        self.DownBlock = nn.Sequential(*down)
        self.FC = nn.Sequential(linear(seen, width), nn.ReLU(), linear(width, width), nn.ReLU())
        self.UpBlock = nn.Sequential(*up, *padded_conv(3, output_nc, 7), nn.Tanh())

    def forward(self, x: Any) -> tuple[Any, Any, Any]:
        """Return images, logits of their kind, (N, 2), and where the network looks, (N, 1, H / 4, W / 4)."""
        check_image("ResnetUGATITP2CGenerator", x, self.input_nc, 16, None if self.light else self.img_size)
        x, contents = self.DownBlock(x), []
        for number in range(1, self.n_blocks + 1):
            x = getattr(self, f"EncodeBlock{number}")(x)
            contents.append(core.flatten(F.adaptive_avg_pool2d(x, 1), 1))
        x, logits = attended(x, self.gap_fc, self.gmp_fc, self.gap_fc.weight, self.gmp_fc.weight)
        x = self.relu(self.conv1x1(x))
        heatmap = x.sum(axis=1, keepdim=True)
        style = self.FC(core.flatten(F.adaptive_avg_pool2d(x, 1) if self.light else x, 1))
        for number in range(1, self.n_blocks + 1):
            x = getattr(self, f"DecodeBlock{number}")(x, contents.pop(), style)
        return self.UpBlock(x), logits, heatmap
