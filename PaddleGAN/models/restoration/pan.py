"""PAN: super-resolution by attention to pixels, with few parameters.

Paper: Zhao et al., "Efficient image super-resolution using pixel attention", ECCV workshops 2020,
https://arxiv.org/abs/2010.01073
Source of parameter names: ppgan 2.1 (PAN).
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image, conv

SLOPE = 0.2
"""Of the leaky ReLUs."""

SCALES = (2, 3, 4)


class PixelAttention(nn.Layer):
    """Each number of a feature map times its own weight, 0 to 1: (N, nf, H, W).

    Args:
        nf: channels.
    """

    def __init__(self, nf: int) -> None:
        super().__init__()
        self.conv = conv(nf, nf, 1, uniform=True)

    def forward(self, x: Any) -> Any:
        """Return the weighted feature maps."""
        return x * F.sigmoid(self.conv(x))


class PixelAttentionConv(nn.Layer):
    """A 3 x 3 convolution, pixel attention by the input, and another 3 x 3 convolution: (N, nf, H, W).

    Args:
        nf: channels.
    """

    def __init__(self, nf: int) -> None:
        super().__init__()
        self.k2 = conv(nf, nf, 1, uniform=True)
        self.k3 = conv(nf, nf, 3, bias=False, uniform=True, padding=1)
        self.k4 = conv(nf, nf, 3, bias=False, uniform=True, padding=1)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return self.k4(self.k3(x) * F.sigmoid(self.k2(x)))


class SCPA(nn.Layer):
    """Two branches of half the channels, one of them with pixel attention, added to their input: (N, nf, H, W).

    Args:
        nf: channels, an even number.
    """

    def __init__(self, nf: int) -> None:
        super().__init__()
        width = nf // 2
        self.conv1_a = conv(nf, width, 1, bias=False, uniform=True)
        self.conv1_b = conv(nf, width, 1, bias=False, uniform=True)
        self.k1 = nn.Sequential(conv(width, width, 3, bias=False, uniform=True, padding=1))
        self.PAConv = PixelAttentionConv(width)
        self.conv3 = conv(2 * width, nf, 1, bias=False, uniform=True)

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        plain = self.k1(F.leaky_relu(self.conv1_a(x), SLOPE))
        attended = self.PAConv(F.leaky_relu(self.conv1_b(x), SLOPE))
        both = core.concat([F.leaky_relu(plain, SLOPE), F.leaky_relu(attended, SLOPE)], axis=1)
        return x + self.conv3(both)


class PAN(nn.Layer):
    """Pictures to larger ones: (N, in_nc, H, W) to (N, out_nc, scale H, scale W), 0 to 1.

    What it returns is added to the input enlarged bilinearly, so both have as many channels.

    Args:
        in_nc: channels of the pictures received.
        out_nc: channels of the pictures returned, as many.
        nf: channels of the feature maps, an even number.
        unf: channels of the enlarged feature maps.
        nb: number of blocks.
        scale: 2, 3 or 4.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self, in_nc: int = 3, out_nc: int = 3, nf: int = 40, unf: int = 24, nb: int = 16, scale: int = 4
    ) -> None:
        super().__init__()
        positive_numbers("PAN", in_nc=in_nc, out_nc=out_nc, nf=nf, unf=unf, nb=nb)
        if scale not in SCALES:
            raise ValueError(f"PAN: scale must be 2, 3 or 4, not {scale}")
        if nf % 2 or in_nc != out_nc:
            raise ValueError(f"PAN: nf must be even and out_nc be in_nc, not {nf}, {out_nc} and {in_nc}")
        self.in_nc, self.scale = in_nc, scale
        self.conv_first = conv(in_nc, nf, 3, uniform=True, padding=1)
        self.SCPA_trunk = nn.Sequential(*((f"block{number}", SCPA(nf)) for number in range(nb)))
        self.trunk_conv = conv(nf, nf, 3, uniform=True, padding=1)
        self.factors = (2, 2) if scale == 4 else (scale,)
        for number in range(1, len(self.factors) + 1):
            setattr(self, f"upconv{number}", conv(nf if number == 1 else unf, unf, 3, uniform=True, padding=1))
            setattr(self, f"att{number}", PixelAttention(unf))
            setattr(self, f"HRconv{number}", conv(unf, unf, 3, uniform=True, padding=1))
        self.conv_last = conv(unf, out_nc, 3, uniform=True, padding=1)

    def forward(self, x: Any) -> Any:
        """Return the larger pictures; they may leave 0 to 1 a little."""
        check_image("PAN", x, self.in_nc)
        features = self.conv_first(x)
        features = features + self.trunk_conv(self.SCPA_trunk(features))
        for number, factor in enumerate(self.factors, start=1):
            enlarged = F.interpolate(features, scale_factor=factor, mode="nearest")
            features = getattr(self, f"att{number}")(getattr(self, f"upconv{number}")(enlarged))
            features = F.leaky_relu(getattr(self, f"HRconv{number}")(F.leaky_relu(features, SLOPE)), SLOPE)
        return self.conv_last(features) + F.interpolate(
            x, scale_factor=self.scale, mode="bilinear", align_corners=False
        )
