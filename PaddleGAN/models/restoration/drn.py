"""DRN: super-resolution by a network that shrinks and grows again, and networks that lead back to the small picture.

Paper: Guo et al., "Closed-loop matters: dual regression networks for single image super-resolution", CVPR 2020,
https://arxiv.org/abs/2003.07018
Source of parameter names: ppgan 2.1 (DRNGenerator, DownBlock). Numbers are 0 to 255 (rgb_range), as there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image
from PaddleGAN.models.restoration.lesrcnn import MEAN, shift_of_colors

REDUCTION = 16
"""How many times fewer channels there are within channel attention."""


class DownBlock(nn.Layer):
    """Halves pictures or feature maps, once or several times; with its defaults DRN's way back from large to small.

    Args:
        negval: slope of the leaky ReLU.
        n_feats: channels within, where ``width`` says no other.
        n_colors: channels of input and output, where these say no other.
        scale: 2 or a power of it.
        width: channels within.
        in_channels: of the input.
        out_channels: of the output.
    """

    def __init__(
        self,
        negval: float = 0.2,
        n_feats: int = 16,
        n_colors: int = 3,
        scale: int = 2,
        width: Optional[int] = None,
        in_channels: Optional[int] = None,
        out_channels: Optional[int] = None,
    ) -> None:
        super().__init__()
        width = width or n_feats
        layers: list[nn.Layer] = []
        for number in range(int(math.log2(scale))):
            received = (in_channels or n_colors) if number == 0 else width
            strided = nn.Conv2D(received, width, 3, stride=2, padding=1, bias_attr=False)
            layers.append(nn.Sequential(strided, nn.LeakyReLU(negval)))
        layers.append(nn.Conv2D(width, out_channels or n_colors, 3, padding=1, bias_attr=False))
        self.dual_module = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return (N, out_channels, H / scale, W / scale)."""
        return self.dual_module(x)


class ChannelAttention(nn.Layer):
    """Each channel times a weight that its mean and those of the others give: (N, width, H, W).

    Args:
        width: channels.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.avg_pool = nn.AdaptiveAvgPool2D(1)
        self.conv_du = nn.Sequential(
            nn.Conv2D(width, width // REDUCTION, 1), nn.ReLU(), nn.Conv2D(width // REDUCTION, width, 1), nn.Sigmoid()
        )

    def forward(self, x: Any) -> Any:
        """Return the weighted feature maps."""
        return x * self.conv_du(self.avg_pool(x))


class RCAB(nn.Layer):
    """Two 3 x 3 convolutions and channel attention, added to their input: (N, width, H, W).

    Args:
        width: channels.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2D(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2D(width, width, 3, padding=1),
            ChannelAttention(width),
        )

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.body(x)


class DRNGenerator(nn.Layer):
    """Pictures to larger ones, at all sizes on the way: (N, 3, H, W), 0 to rgb_range.

    Args:
        scale: the sizes to return, such as [2, 4]: powers of 2 in order, each twice the last.
        n_blocks: residual blocks at each size.
        n_feats: channels of the feature maps of the largest size, at least 8.
        n_colors: channels of the pictures: 3.
        rgb_range: the number of white.
        negval: slope of the leaky ReLUs.

    Attributes:
        peak: rgb_range.
        scales: the sizes returned, as multiples of what is received.
        scale: the largest of them.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        scale: Sequence[int] = (2, 4),
        n_blocks: int = 30,
        n_feats: int = 16,
        n_colors: int = 3,
        rgb_range: int = 255,
        negval: float = 0.2,
    ) -> None:
        super().__init__()
        positive_numbers("DRNGenerator", n_blocks=n_blocks, n_feats=n_feats, rgb_range=rgb_range)
        if not scale or list(scale) != [2**number for number in range(1, len(scale) + 1)]:
            raise ValueError(f"DRNGenerator: scale must be [2], [2, 4] or [2, 4, 8], not {list(scale)}")
        if n_colors != 3 or n_feats < REDUCTION // 2:
            raise ValueError(f"DRNGenerator: n_colors must be 3 and n_feats at least 8, not {n_colors} and {n_feats}")
        self.scales, self.phase = tuple(scale), len(scale)
        self.peak, self.scale = float(rgb_range), max(scale)
        self.sub_mean = shift_of_colors([-rgb_range * part for part in MEAN])
        self.head = nn.Conv2D(n_colors, n_feats, 3, padding=1)
        widths = [n_feats * 2**number for number in range(self.phase + 1)]
        self.down = nn.LayerList(
            [DownBlock(negval, width=width, in_channels=width, out_channels=2 * width) for width in widths[:-1]]
        )
        self.up_blocks = nn.LayerList()
        for number in range(self.phase):
            # behind the first growth the features are joined by those of the way down, which are as wide
            width, returned = widths[self.phase - max(number - 1, 0)], widths[self.phase - 1 - number]
            blocks = [RCAB(width) for _ in range(n_blocks)]
            grow = nn.Sequential(nn.Conv2D(width, 4 * width, 3, padding=1), nn.PixelShuffle(2))
            self.up_blocks.append(nn.Sequential(*blocks, grow, nn.Conv2D(width, returned, 1)))
        tails = [widths[-1], *reversed(widths[1:])]
        self.tail = nn.LayerList([nn.Conv2D(width, n_colors, 3, padding=1) for width in tails])
        self.add_mean = shift_of_colors([rgb_range * part for part in MEAN])

    def forward(self, x: Any) -> list[Any]:
        """Return pictures of the size received and of each larger one, in order."""
        check_image("DRNGenerator", x, 3)
        x = F.interpolate(x, scale_factor=self.scale, mode="bicubic", align_corners=False)
        x = self.head(self.sub_mean(x))
        passed = []
        for down in self.down:
            passed.append(x)
            x = down(x)
        results = [self.add_mean(self.tail[0](x))]
        for number, up in enumerate(self.up_blocks, start=1):
            x = core.concat([up(x), passed[-number]], axis=1)
            results.append(self.add_mean(self.tail[number](x)))
        return results
