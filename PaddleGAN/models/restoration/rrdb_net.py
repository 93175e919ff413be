"""RRDBNet, the generator of ESRGAN and RealSR: dense blocks within residual blocks, and two doublings.

Papers: Wang et al., "ESRGAN: Enhanced super-resolution generative adversarial networks", ECCV workshops 2018,
https://arxiv.org/abs/1809.00219; Ji et al., "Real-world super-resolution via kernel estimation and noise injection",
CVPR workshops 2020, which trains the same network on other data
Source of parameter names: ppgan 2.1 (RRDBNet).
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image

SLOPE = 0.2
"""Of the leaky ReLUs."""

SHARE = 0.2
"""Of a block's result that is added to its input."""


class ResidualDenseBlock(nn.Layer):
    """Five 3 x 3 convolutions, each of which sees the results of all before it: (N, nf, H, W).

    Args:
        nf: channels of the feature maps.
        gc: channels that each of the first four convolutions adds.
    """

    def __init__(self, nf: int, gc: int) -> None:
        super().__init__()
        for number in range(1, 6):
            convolution = nn.Conv2D(nf + (number - 1) * gc, gc if number < 5 else nf, 3, padding=1)
            setattr(self, f"conv{number}", convolution)

    def forward(self, x: Any) -> Any:
        """Return the input and a fifth of what the block adds."""
        seen = x
        for number in range(1, 5):
            new = F.leaky_relu(getattr(self, f"conv{number}")(seen), SLOPE)
            seen = core.concat([seen, new], axis=1)
        return self.conv5(seen) * SHARE + x


class RRDB(nn.Layer):
    """Three dense blocks within a residual block: (N, nf, H, W).

    Args:
        nf: channels of the feature maps.
        gc: growth of the dense blocks.
    """

    def __init__(self, nf: int, gc: int) -> None:
        super().__init__()
        self.RDB1 = ResidualDenseBlock(nf, gc)
        self.RDB2 = ResidualDenseBlock(nf, gc)
        self.RDB3 = ResidualDenseBlock(nf, gc)

    def forward(self, x: Any) -> Any:
        """Return the input and a fifth of what the blocks add."""
        return self.RDB3(self.RDB2(self.RDB1(x))) * SHARE + x


class RRDBNet(nn.Layer):
    """Pictures to pictures of four times the size: (N, in_nc, H, W) to (N, out_nc, 4 H, 4 W), 0 to 1.

    Args:
        in_nc: channels of the pictures received.
        out_nc: channels of the pictures returned.
        nf: channels of the feature maps.
        nb: number of residual blocks.
        gc: channels that a convolution of a dense block adds.

    Attributes:
        scale: 4.

    Raises:
        ValueError: a number is not positive.
    """

    scale = 4

    def __init__(self, in_nc: int = 3, out_nc: int = 3, nf: int = 64, nb: int = 23, gc: int = 32) -> None:
        super().__init__()
        positive_numbers("RRDBNet", in_nc=in_nc, out_nc=out_nc, nf=nf, nb=nb, gc=gc)
        self.in_nc = in_nc
        self.conv_first = nn.Conv2D(in_nc, nf, 3, padding=1)
        self.RRDB_trunk = nn.Sequential(*(RRDB(nf, gc) for _ in range(nb)))
        self.trunk_conv = nn.Conv2D(nf, nf, 3, padding=1)
        self.upconv1 = nn.Conv2D(nf, nf, 3, padding=1)
        self.upconv2 = nn.Conv2D(nf, nf, 3, padding=1)
        self.HRconv = nn.Conv2D(nf, nf, 3, padding=1)
        self.conv_last = nn.Conv2D(nf, out_nc, 3, padding=1)

    def forward(self, x: Any) -> Any:
        """Return the larger pictures; they may leave 0 to 1 a little."""
        check_image("RRDBNet", x, self.in_nc)
        features = self.conv_first(x)
        features = features + self.trunk_conv(self.RRDB_trunk(features))
        for convolution in (self.upconv1, self.upconv2):
            doubled = F.interpolate(features, scale_factor=2, mode="nearest")
            features = F.leaky_relu(convolution(doubled), SLOPE)
        return self.conv_last(F.leaky_relu(self.HRconv(features), SLOPE))
