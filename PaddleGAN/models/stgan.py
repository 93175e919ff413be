"""STGAN: edits attributes of faces from the difference wanted, with units that select what of the encoder to transfer.

Paper: Liu et al., "STGAN: a unified selective transfer network for arbitrary image attribute editing", CVPR 2019,
https://arxiv.org/abs/1904.09709
Parameter names are this project's own: no toolkit of PaddlePaddle 2 has the model. Its discriminator is AttGAN's.
Weights start as in the PaddlePaddle 1.5 kit, uniform within 1 / sqrt(fan_in). The convolutions of the selective
transfer units have no normalisation, and so biases.

The generator takes the difference of the attributes, target minus source, never the attributes themselves: with those
scaled to -0.5 and 0.5 it has the values -1, 0 and 1, and 0 asks for a reconstruction.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.attgan import Decoder, Encoder, widths
from PaddleGAN.models.blocks import attribute_maps, check_image, conv, deconv


class SelectiveTransferUnit(nn.Layer):
    """A gated recurrent unit whose state comes from the level below: feature maps (N, width, H, W) to the same shape.

    Args:
        state_channels: channels of the state.
        width: channels of the feature maps.
    """

    def __init__(self, state_channels: int, width: int) -> None:
        super().__init__()
        self.upsample = deconv(state_channels, width, 4, uniform=True, stride=2, padding=1)
        self.reset, self.update, self.candidate = (
            conv(2 * width, width, 3, uniform=True, padding=1) for _ in ("reset", "update", "candidate")
        )

    def forward(self, features: Any, state: Any) -> tuple[Any, Any]:
        """Return the maps that the decoder receives, and the state for the level above.

        Args:
            features: the encoder's maps (N, width, H, W).
            state: (N, state_channels, H / 2, W / 2).
        """
        state = self.upsample(state)
        both = core.concat([features, state], axis=1)
        reset, update = F.sigmoid(self.reset(both)), F.sigmoid(self.update(both))
        kept = reset * state
        candidate = F.tanh(self.candidate(core.concat([features, kept], axis=1)))
        return (1.0 - update) * state + update * candidate, kept


class STGANGenerator(nn.Layer):
    """Images and differences of attributes, (N, image_nc, H, W) and (N, c_dim), to images of the same size in [-1, 1].

    Args:
        c_dim: number of attributes.
        image_nc: channels of the images.
        ngf: channels of the first level; doubled at each, up to 1024.
        n_layers: number of levels, at least 2; height and width are multiples of 2^n_layers.

    Raises:
        ValueError: there are fewer than 2 levels, or a number is not positive.
    """

    def __init__(self, c_dim: int = 13, image_nc: int = 3, ngf: int = 64, n_layers: int = 5) -> None:
        super().__init__()
        positive_numbers("STGANGenerator", c_dim=c_dim, image_nc=image_nc, ngf=ngf, n_layers=n_layers)
        if n_layers < 2:
            raise ValueError(f"STGANGenerator: n_layers must be at least 2, not {n_layers}")
        self.c_dim = c_dim
        self.image_nc = image_nc
        self.n_layers = n_layers
        self.encoder = Encoder(image_nc, ngf, n_layers, negative_slope=0.2)
        *upper, code = widths(ngf, n_layers)
        upper.reverse()
        self.units = nn.LayerList(
            SelectiveTransferUnit(below + c_dim, width) for below, width in zip([code, *upper], upper)
        )
        self.decoder = Decoder(image_nc, [c_dim, *(width + c_dim for width in upper)], ngf, code)

    def encode(self, x: Any) -> list[Any]:
        """Return the feature maps of images, large ones first."""
        check_image("STGANGenerator", x, self.image_nc, 2**self.n_layers)
        return self.encoder(x)

    def decode(self, maps: list[Any], difference: Any) -> Any:
        """Return images.

        Args:
            maps: what :meth:`encode` returned.
            difference: target minus source attributes, (N, c_dim).
        """

        def wanted(like: Any) -> Any:
            return attribute_maps("STGANGenerator", difference, self.c_dim, like)

        state = maps[-1]
        joined = [[wanted(state)]]
        for unit, features in zip(self.units, reversed(maps[:-1])):
            selected, state = unit(features, core.concat([state, wanted(state)], axis=1))
            joined.append([selected, wanted(selected)])
        return self.decoder(maps[-1], joined)

    def forward(self, x: Any, difference: Any) -> Any:
        """Return the edited images; arguments as for :meth:`encode` and :meth:`decode`."""
        return self.decode(self.encode(x), difference)
