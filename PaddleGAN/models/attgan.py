"""AttGAN: edits attributes of faces by decoding the code of an image with other attributes.

Paper: He et al., "AttGAN: facial attribute editing by only changing what you want", IEEE TIP 2019,
https://arxiv.org/abs/1711.10678
Parameter names are this project's own: no toolkit of PaddlePaddle 2 has the model.
Weights start as in the PaddlePaddle 1.5 kit, uniform within 1 / sqrt(fan_in).

Decided where the sources differ: the encoder's leaky ReLU has the kit's slope, 0.01; the discriminator's has the
authors', 0.2, and no normalisation, as in the kit, unless ``norm_type`` asks for the paper's.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import attribute_maps, check_image, conv, deconv, linear, normalization

MAXIMUM_WIDTH = 1024
"""No feature maps have more channels than this."""


def widths(first: int, n_layers: int) -> list[int]:
    """Return the channels of each level: each has twice as many as the one before, up to 1024."""
    return [min(first * 2**level, MAXIMUM_WIDTH) for level in range(n_layers)]


class Encoder(nn.Layer):
    """Convolutions with stride 2, batch normalisation and leaky ReLU: (N, image_nc, H, W) to maps of every level.

    Args:
        image_nc: channels of the images.
        ngf: channels of the first level.
        n_layers: number of levels.
        negative_slope: of leaky ReLU.
    """

    def __init__(self, image_nc: int, ngf: int, n_layers: int, negative_slope: float) -> None:
        super().__init__()
        channels = [image_nc, *widths(ngf, n_layers)]
        self.levels = nn.LayerList(
            nn.Sequential(
                conv(channels[level], channels[level + 1], 4, bias=False, uniform=True, stride=2, padding=1),
                nn.BatchNorm2D(channels[level + 1]),
                nn.LeakyReLU(negative_slope),
            )
            for level in range(n_layers)
        )

    def forward(self, x: Any) -> list[Any]:
        """Return the feature maps, large ones first: (N, width, H / 2, W / 2), then half as high and wide each."""
        maps = []
        for level in self.levels:
            x = level(x)
            maps.append(x)
        return maps


class Decoder(nn.Layer):
    """Transposed convolutions with stride 2, whose results are joined with other maps: to images in [-1, 1].

    Args:
        image_nc: channels of the images.
        joined: channels of what is joined to the input of each level; one number for each level.
        ngf: channels of the last level; doubled from there to the first.
        code: channels of the encoder's last maps.
    """

    def __init__(self, image_nc: int, joined: list[int], ngf: int, code: int) -> None:
        super().__init__()
        n_layers = len(joined)
        stages = []
        channels = code
        for width, extra in zip(reversed(widths(2 * ngf, n_layers - 1)), joined):
            layer = deconv(channels + extra, width, 4, bias=False, uniform=True, stride=2, padding=1)
            stages.append(nn.Sequential(layer, nn.BatchNorm2D(width), nn.ReLU()))
            channels = width
        self.stages = nn.LayerList(stages)
        self.exit = deconv(channels + joined[-1], image_nc, 4, uniform=True, stride=2, padding=1)

    def forward(self, x: Any, joined: list[list[Any]]) -> Any:
        """Return the images.

        Args:
            x: the code (N, code, H, W).
            joined: for each level the maps that are joined to its input.
        """
        for stage, others in zip([*self.stages, self.exit], joined):
            x = stage(core.concat([x, *others], axis=1) if others else x)
        return F.tanh(x)


class AttGANGenerator(nn.Layer):
    """Images and attributes to images: (N, image_nc, H, W) and (N, c_dim) to (N, image_nc, H, W), in [-1, 1].

    Args:
        c_dim: number of attributes.
        image_nc: channels of the images.
        ngf: channels of the first level; doubled at each, up to 1024.
        n_layers: number of levels, each of which halves the images; height and width are multiples of 2^n_layers.
        shortcut_layers: how many levels of the decoder also receive the encoder's maps of their size.
        inject_layers: how many of them, behind the first, receive the attributes once more.

    Raises:
        ValueError: there are fewer than 2 levels, or more shortcuts or injections than levels behind the first.
    """

    def __init__(
        self,
        c_dim: int = 13,
        image_nc: int = 3,
        ngf: int = 64,
        n_layers: int = 5,
        shortcut_layers: int = 1,
        inject_layers: int = 1,
    ) -> None:
        super().__init__()
        positive_numbers("AttGANGenerator", c_dim=c_dim, image_nc=image_nc, ngf=ngf, n_layers=n_layers)
        if n_layers < 2 or not 0 <= shortcut_layers < n_layers or not 0 <= inject_layers < n_layers:
            raise ValueError(
                "AttGANGenerator: n_layers must be at least 2, and shortcut_layers and inject_layers from 0 to "
                f"n_layers - 1, not {n_layers}, {shortcut_layers} and {inject_layers}"
            )
        self.c_dim = c_dim
        self.image_nc = image_nc
        self.n_layers = n_layers
        self.shortcut_layers = shortcut_layers
        self.inject_layers = inject_layers
        self.encoder = Encoder(image_nc, ngf, n_layers, negative_slope=0.01)
        sizes = widths(ngf, n_layers)
        joined = [c_dim]
        for level in range(n_layers - 1):
            joined.append(
                (sizes[n_layers - 2 - level] if level < shortcut_layers else 0)
                + (c_dim if level < inject_layers else 0)
            )
        self.decoder = Decoder(image_nc, joined, ngf, sizes[-1])

    def encode(self, x: Any) -> list[Any]:
        """Return the feature maps of images, large ones first."""
        check_image("AttGANGenerator", x, self.image_nc, 2**self.n_layers)
        return self.encoder(x)

    def decode(self, maps: list[Any], attributes: Any) -> Any:
        """Return images.

        Args:
            maps: what :meth:`encode` returned.
            attributes: those wanted, (N, c_dim); in the kit (2 y - 1) / 2 for attributes y of 0 and 1.
        """
        joined = [[attribute_maps("AttGANGenerator", attributes, self.c_dim, maps[-1])]]
        for level in range(self.n_layers - 1):
            shortcut = maps[self.n_layers - 2 - level]
            others = [shortcut] if level < self.shortcut_layers else []
            if level < self.inject_layers:
                others.append(attribute_maps("AttGANGenerator", attributes, self.c_dim, shortcut))
            joined.append(others)
        return self.decoder(maps[-1], joined)

    def forward(self, x: Any, attributes: Any) -> Any:
        """Return the images with these attributes; arguments as for :meth:`encode` and :meth:`decode`."""
        return self.decode(self.encode(x), attributes)


class AttGANDiscriminator(nn.Layer):
    """Images to scores and logits of attributes: (N, image_nc, image_size, image_size) to (N, 1) and (N, c_dim).

    Args:
        image_size: height and width of the images, a multiple of 2^n_layers.
        c_dim: number of attributes.
        image_nc: channels of the images.
        ndf: channels of the first level; doubled at each, up to 1024.
        n_layers: number of convolutions, each of which halves the images.
        fc_dim: width of the hidden layer of both heads.
        norm_type: ``"none"``, or ``"instance"``; then the convolutions have no biases.

    Raises:
        ValueError: the size cannot be halved that often, or there is no such normalisation.
    """

    def __init__(
        self,
        image_size: int = 128,
        c_dim: int = 13,
        image_nc: int = 3,
        ndf: int = 64,
        n_layers: int = 5,
        fc_dim: int = 1024,
        norm_type: str = "none",
    ) -> None:
        super().__init__()
        positive_numbers("AttGANDiscriminator", image_size=image_size, c_dim=c_dim, image_nc=image_nc, ndf=ndf)
        positive_numbers("AttGANDiscriminator", n_layers=n_layers, fc_dim=fc_dim)
        if image_size % 2**n_layers:
            raise ValueError(f"AttGANDiscriminator: image_size must be a multiple of {2**n_layers}, not {image_size}")
        if norm_type not in ("none", "instance"):
            raise ValueError(f"AttGANDiscriminator: norm_type must be 'none' or 'instance', not {norm_type!r}")
        self.image_size = image_size
        self.image_nc = image_nc
        layers: list[nn.Layer] = []
        channels = image_nc
        for width in widths(ndf, n_layers):
            layers += [conv(channels, width, 4, bias=norm_type == "none", uniform=True, stride=2, padding=1)]
            if norm_type == "instance":
                layers.append(normalization(norm_type, width))
            layers.append(nn.LeakyReLU(0.2))
            channels = width
        self.trunk = nn.Sequential(*layers)
        features = channels * (image_size // 2**n_layers) ** 2
        self.score, self.classes = (
            nn.Sequential(
                linear(features, fc_dim, uniform=True), nn.LeakyReLU(0.2), linear(fc_dim, outputs, uniform=True)
            )
            for outputs in (1, c_dim)
        )

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return the scores, larger for real images, and the logits of the attributes."""
        check_image("AttGANDiscriminator", x, self.image_nc, size=self.image_size)
        features = self.trunk(x).flatten(1)
        return self.score(features), self.classes(features)
