"""ResNet generator of CycleGAN: halves images twice, runs residual blocks, doubles twice.

Papers: Zhu et al., "Unpaired image-to-image translation using cycle-consistent adversarial networks", ICCV 2017,
https://arxiv.org/abs/1703.10593, after Johnson, Alahi and Fei-Fei, https://arxiv.org/abs/1603.08155
Source of parameter names: ppgan 2.1 (ResnetGenerator).
Weights start normal with standard deviation 0.02. The defaults are the paper's, 64 channels and instance normalisation;
the script of the PaddlePaddle 1.5 kit had 32 and batch normalisation.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image, conv, deconv, normalization


class ResnetBlock(nn.Layer):
    """Two 3 x 3 convolutions, added to their input: (N, dim, H, W).

    Args:
        dim: number of channels.
        padding_type: what is beyond the border: ``"reflect"``, ``"replicate"`` or ``"zero"``.
        norm_type: ``"batch"``, ``"instance"`` or ``"none"``.
        use_dropout: whether half of the first one's results are dropped in training.
    """

    def __init__(self, dim: int, padding_type: str, norm_type: str, use_dropout: bool) -> None:
        super().__init__()
        bias = norm_type == "instance"
        zero = padding_type == "zero"
        layers: list[nn.Layer] = []
        for first in (True, False):
            if not zero:
                layers.append(nn.Pad2D(1, mode=padding_type))
            layers += [conv(dim, dim, 3, padding=int(zero), bias=bias), normalization(norm_type, dim)]
            if first:
                layers.append(nn.ReLU())
            if first and use_dropout:
                layers.append(nn.Dropout(0.5))
        self.conv_block = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.conv_block(x)


class ResnetGenerator(nn.Layer):
    """Images to images of the same size: (N, input_nc, H, W) to (N, output_nc, H, W), in [-1, 1].

    Args:
        input_nc: channels of the images received.
        output_nc: channels of the images returned.
        ngf: channels of the outer feature maps; 4 times as many within.
        norm_type: ``"batch"``, ``"instance"`` or ``"none"``.
        use_dropout: whether the residual blocks drop half of their inner results in training.
        n_blocks: number of residual blocks.
        padding_type: what their convolutions find beyond the border: ``"reflect"``, ``"replicate"`` or ``"zero"``.

    Raises:
        ValueError: there is no such normalisation or padding, or a number is not positive.
    """

    def __init__(
        self,
        input_nc: int = 3,
        output_nc: int = 3,
        ngf: int = 64,
        norm_type: str = "instance",
        use_dropout: bool = False,
        n_blocks: int = 6,
        padding_type: str = "reflect",
    ) -> None:
        super().__init__()
        positive_numbers("ResnetGenerator", input_nc=input_nc, output_nc=output_nc, ngf=ngf, n_blocks=n_blocks)
        if padding_type not in ("reflect", "replicate", "zero"):
            raise ValueError(f"padding_type must be 'reflect', 'replicate' or 'zero', not {padding_type!r}")
        self.input_nc = input_nc
        bias = norm_type == "instance"
        layers = [nn.Pad2D(3, mode="reflect"), conv(input_nc, ngf, 7, bias=bias)]
        layers += [normalization(norm_type, ngf), nn.ReLU()]
        for width in (2 * ngf, 4 * ngf):
            layers += [conv(width // 2, width, 3, stride=2, padding=1, bias=bias)]
            layers += [normalization(norm_type, width), nn.ReLU()]
        layers += [ResnetBlock(4 * ngf, padding_type, norm_type, use_dropout) for _ in range(n_blocks)]
        for width in (2 * ngf, ngf):
            layers += [deconv(2 * width, width, 3, stride=2, padding=1, output_padding=1, bias=bias)]
            layers += [normalization(norm_type, width), nn.ReLU()]
        layers += [nn.Pad2D(3, mode="reflect"), conv(ngf, output_nc, 7), nn.Tanh()]
        self.model = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return the images; their height and width must be multiples of 4."""
        check_image("ResnetGenerator", x, self.input_nc, 4)
        return self.model(x)


def resnet_6block(
    input_nc: int = 3,
    output_nc: int = 3,
    ngf: int = 64,
    norm_type: str = "instance",
    use_dropout: bool = False,
    padding_type: str = "reflect",
) -> ResnetGenerator:
    """Return the generator for images of 128 pixels; arguments as for :class:`ResnetGenerator`."""
    return ResnetGenerator(input_nc, output_nc, ngf, norm_type, use_dropout, 6, padding_type)


def resnet_9block(
    input_nc: int = 3,
    output_nc: int = 3,
    ngf: int = 64,
    norm_type: str = "instance",
    use_dropout: bool = False,
    padding_type: str = "reflect",
) -> ResnetGenerator:
    """Return the generator for images of 256 pixels; arguments as for :class:`ResnetGenerator`."""
    return ResnetGenerator(input_nc, output_nc, ngf, norm_type, use_dropout, 9, padding_type)
