"""StarGAN: one generator translates images between many domains, named by a vector of attributes.

Paper: Choi et al., "StarGAN: unified generative adversarial networks for multi-domain image-to-image translation",
CVPR 2018, https://arxiv.org/abs/1711.09020
Parameter names are this project's own: no toolkit of PaddlePaddle 2 has the model.
Weights start as in the authors' implementation, uniform within 1 / sqrt(fan_in).

Decided where the sources differ: the discriminator's leaky ReLU has the authors' slope, 0.01, and its convolutions have
biases (the PaddlePaddle 1.5 kit had slope 0 and no biases, its 1.8 kit slope 0.2: ``negative_slope`` is an argument).
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import attribute_maps, check_image, conv, deconv


def conv_norm_relu(in_channels: int, out_channels: int, kernel_size: int, stride: int, padding: int) -> nn.Sequential:
    """Return a convolution, instance normalisation with a learned scale and shift, and ReLU."""
    layer = conv(in_channels, out_channels, kernel_size, bias=False, uniform=True, stride=stride, padding=padding)
    return nn.Sequential(layer, nn.InstanceNorm2D(out_channels), nn.ReLU())


class ResidualBlock(nn.Layer):
    """Two 3 x 3 convolutions with instance normalisation, added to their input: (N, channels, H, W).

    Args:
        channels: number of channels.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = conv_norm_relu(channels, channels, 3, 1, 1)
        self.conv = conv(channels, channels, 3, bias=False, uniform=True, padding=1)
        self.norm = nn.InstanceNorm2D(channels)

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.norm(self.conv(self.first(x)))


class StarGANGenerator(nn.Layer):
    """Images and the domain wanted to images: (N, image_nc, H, W) and (N, c_dim) to (N, image_nc, H, W), in [-1, 1].

    Args:
        c_dim: number of attributes.
        image_nc: channels of the images.
        ngf: channels of the outer feature maps; 4 times as many within.
        n_blocks: number of residual blocks.
    """

    def __init__(self, c_dim: int = 5, image_nc: int = 3, ngf: int = 64, n_blocks: int = 6) -> None:
        super().__init__()
        positive_numbers("StarGANGenerator", c_dim=c_dim, image_nc=image_nc, ngf=ngf, n_blocks=n_blocks)
        self.c_dim = c_dim
        self.image_nc = image_nc
        self.entrance = conv_norm_relu(image_nc + c_dim, ngf, 7, 1, 3)
        self.down = nn.Sequential(*[conv_norm_relu(width // 2, width, 4, 2, 1) for width in (2 * ngf, 4 * ngf)])
        self.blocks = nn.Sequential(*[ResidualBlock(4 * ngf) for _ in range(n_blocks)])
        up: list[nn.Layer] = []
        for width in (2 * ngf, ngf):
            up += [deconv(2 * width, width, 4, bias=False, uniform=True, stride=2, padding=1)]
            up += [nn.InstanceNorm2D(width), nn.ReLU()]
        self.up = nn.Sequential(*up)
        self.exit = conv(ngf, image_nc, 7, bias=False, uniform=True, padding=3)

    def forward(self, x: Any, attributes: Any) -> Any:
        """Return the translated images.

        Args:
            x: images, whose height and width are multiples of 4.
            attributes: the domain wanted, 0 or 1 for each attribute, (N, c_dim).
        """
        check_image("StarGANGenerator", x, self.image_nc, 4)
        maps = attribute_maps("StarGANGenerator", attributes, self.c_dim, x)
        x = self.down(self.entrance(core.concat([x, maps], axis=1)))
        return F.tanh(self.exit(self.up(self.blocks(x))))


class StarGANDiscriminator(nn.Layer):
    """Images to scores of patches and logits of attributes: (N, image_nc, image_size, image_size) to two Tensors.

    Args:
        image_size: height and width of the images, a multiple of 2^n_layers.
        c_dim: number of attributes.
        image_nc: channels of the images.
        ndf: channels of the first feature maps; each layer doubles them.
        n_layers: number of convolutions, each of which halves the images.
        negative_slope: of leaky ReLU.

    Raises:
        ValueError: the size cannot be halved that often.
    """

    def __init__(
        self,
        image_size: int = 128,
        c_dim: int = 5,
        image_nc: int = 3,
        ndf: int = 64,
        n_layers: int = 6,
        negative_slope: float = 0.01,
    ) -> None:
        super().__init__()
        positive_numbers("StarGANDiscriminator", image_size=image_size, c_dim=c_dim, image_nc=image_nc, ndf=ndf)
        positive_numbers("StarGANDiscriminator", n_layers=n_layers)
        if image_size % 2**n_layers:
            raise ValueError(f"StarGANDiscriminator: image_size must be a multiple of {2**n_layers}, not {image_size}")
        self.image_size = image_size
        self.image_nc = image_nc
        self.c_dim = c_dim
        layers: list[nn.Layer] = []
        channels = image_nc
        for layer in range(n_layers):
            layers += [conv(channels, ndf * 2**layer, 4, uniform=True, stride=2, padding=1)]
            layers += [nn.LeakyReLU(negative_slope)]
            channels = ndf * 2**layer
        self.trunk = nn.Sequential(*layers)
        self.score = conv(channels, 1, 3, bias=False, uniform=True, padding=1)
        self.classes = conv(channels, c_dim, image_size // 2**n_layers, bias=False, uniform=True)

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return the scores of patches (N, 1, H / 2^n_layers, W / 2^n_layers) and the logits (N, c_dim)."""
        check_image("StarGANDiscriminator", x, self.image_nc, size=self.image_size)
        features = self.trunk(x)
        return self.score(features), self.classes(features).reshape([-1, self.c_dim])
