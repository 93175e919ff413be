"""U-Net generator of Pix2Pix: halves images down to a point and doubles them again, each level with a shortcut.

Paper: Isola et al., "Image-to-image translation with conditional adversarial networks", CVPR 2017,
https://arxiv.org/abs/1611.07004, after Ronneberger, Fischer and Brox, https://arxiv.org/abs/1505.04597
Source of parameter names: ppgan 2.1 (UnetGenerator).
Weights start normal with standard deviation 0.02. Batch normalisation uses the statistics of the batch in evaluation
too, as the paper wants it.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image, conv, deconv, normalization


class UnetSkipConnectionBlock(nn.Layer):
    """A level of the U-Net: halve, run the levels within, double; (N, C, H, W) to (N, 2 C, H, W), its input first.

    Args:
        outer_nc: C, also the channels that doubling gives.
        inner_nc: channels within.
        submodule: the levels within; None for the innermost.
        norm_type: ``"batch"``, ``"instance"`` or ``"none"``.
        use_dropout: whether half of what doubling gives is dropped in training.
    """

    def __init__(
        self, outer_nc: int, inner_nc: int, submodule: Optional[nn.Layer], norm_type: str, use_dropout: bool = False
    ) -> None:
        super().__init__()
        bias = norm_type == "instance"
        layers = [nn.LeakyReLU(0.2), conv(outer_nc, inner_nc, 4, stride=2, padding=1, bias=bias)]
        if submodule is not None:
            layers += [normalization(norm_type, inner_nc), submodule]
        received = inner_nc if submodule is None else 2 * inner_nc
        doubling = deconv(received, outer_nc, 4, stride=2, padding=1, bias=bias)
        layers += [nn.ReLU(), doubling, normalization(norm_type, outer_nc)]
        if use_dropout:
            layers.append(nn.Dropout(0.5))
        self.model = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return the input and the level's result, joined along the channels."""
        return core.concat([x, self.model(x)], axis=1)


class OutermostBlock(nn.Layer):
    """The outermost level: images (N, input_nc, H, W) to images (N, output_nc, H, W), in [-1, 1].

    Args:
        input_nc: channels of the images received.
        output_nc: channels of the images returned.
        inner_nc: channels within.
        submodule: the levels within.
        norm_type: decides whether the first convolution has a bias.
    """

    def __init__(self, input_nc: int, output_nc: int, inner_nc: int, submodule: nn.Layer, norm_type: str) -> None:
        super().__init__()
        self.model = nn.Sequential(
            conv(input_nc, inner_nc, 4, stride=2, padding=1, bias=norm_type == "instance"),
            submodule,
            nn.ReLU(),
            deconv(2 * inner_nc, output_nc, 4, stride=2, padding=1),
            nn.Tanh(),
        )

    def forward(self, x: Any) -> Any:
        """Return the images."""
        return self.model(x)


class UnetGenerator(nn.Layer):
    """Images to images of the same size: (N, input_nc, H, W) to (N, output_nc, H, W), in [-1, 1].

    Args:
        input_nc: channels of the images received.
        output_nc: channels of the images returned.
        num_downs: how often images are halved, at least 5; height and width are multiples of 2^num_downs.
        ngf: channels of the outermost level; 2, 4 and 8 times as many within.
        norm_type: ``"batch"``, ``"instance"`` or ``"none"``.
        use_dropout: whether the levels between the innermost and the fourth drop half of their results in training; it
            is Pix2Pix's noise.

    Raises:
        ValueError: ``num_downs`` is below 5, or there is no such normalisation.
    """

    def __init__(
        self,
        input_nc: int = 3,
        output_nc: int = 3,
        num_downs: int = 8,
        ngf: int = 64,
        norm_type: str = "batch",
        use_dropout: bool = False,
    ) -> None:
        super().__init__()
        positive_numbers("UnetGenerator", input_nc=input_nc, output_nc=output_nc, num_downs=num_downs, ngf=ngf)
        if num_downs < 5:
            raise ValueError(f"UnetGenerator: num_downs must be at least 5, not {num_downs}")
        self.input_nc = input_nc
        self.multiple = 2**num_downs
        block = UnetSkipConnectionBlock(8 * ngf, 8 * ngf, None, norm_type)
        for _ in range(num_downs - 5):
            block = UnetSkipConnectionBlock(8 * ngf, 8 * ngf, block, norm_type, use_dropout)
        for outer, inner in ((4 * ngf, 8 * ngf), (2 * ngf, 4 * ngf), (ngf, 2 * ngf)):
            block = UnetSkipConnectionBlock(outer, inner, block, norm_type)
        self.model = OutermostBlock(input_nc, output_nc, ngf, block, norm_type)

    def forward(self, x: Any) -> Any:
        """Return the images."""
        check_image("UnetGenerator", x, self.input_nc, self.multiple)
        return self.model(x)


def unet_128(
    input_nc: int = 3, output_nc: int = 3, ngf: int = 64, norm_type: str = "batch", use_dropout: bool = False
) -> UnetGenerator:
    """Return the U-Net for images of 128 pixels; arguments as for :class:`UnetGenerator`."""
    return UnetGenerator(input_nc, output_nc, 7, ngf, norm_type, use_dropout)


def unet_256(
    input_nc: int = 3, output_nc: int = 3, ngf: int = 64, norm_type: str = "batch", use_dropout: bool = False
) -> UnetGenerator:
    """Return the U-Net for images of 256 pixels; arguments as for :class:`UnetGenerator`."""
    return UnetGenerator(input_nc, output_nc, 8, ngf, norm_type, use_dropout)
