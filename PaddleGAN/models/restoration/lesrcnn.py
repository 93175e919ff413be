"""LESRCNN: super-resolution by a chain of 3 x 3 and 1 x 1 convolutions whose results add up.

Paper: Tian et al., "Lightweight image super-resolution with enhanced CNN", Knowledge-Based Systems 2020,
https://arxiv.org/abs/2007.04344
Source of parameter names: ppgan 2.1 (LESRCNNGenerator).
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Assign
from PaddleGAN.models.blocks import check_image

WIDTH = 64
MEAN = (0.4488, 0.4371, 0.4040)
"""Of the pictures of DIV2K, red, green, blue, 0 to 1."""

SCALES = (2, 3, 4)


def shift_of_colors(offset: Any) -> nn.Conv2D:
    """Return a convolution that adds a number to each of three channels, and does not learn.

    Args:
        offset: three numbers.
    """
    unit = np.eye(3, dtype=np.float32).reshape(3, 3, 1, 1)
    return nn.Conv2D(
        3,
        3,
        1,
        weight_attr=ParamAttr(initializer=Assign(unit), trainable=False),
        bias_attr=ParamAttr(initializer=Assign(np.asarray(offset, np.float32)), trainable=False),
    )


class MeanShift(nn.Layer):
    """Adds a color to pictures, or takes it away: (N, 3, H, W).

    Args:
        sign: 1 or -1.
    """

    def __init__(self, sign: int) -> None:
        super().__init__()
        self.shifter = shift_of_colors([sign * part for part in MEAN])

    def forward(self, x: Any) -> Any:
        """Return the shifted pictures."""
        return self.shifter(x)


class PixelShuffler(nn.Layer):
    """Enlarges feature maps: convolutions that make room, and shuffles of channels into pixels.

    Args:
        width: channels.
        scale: 2, 3 or 4.
        group: groups of the convolutions.
    """

    def __init__(self, width: int, scale: int, group: int) -> None:
        super().__init__()
        layers: list[nn.Layer] = []
        for factor in (2, 2) if scale == 4 else (scale,):
            layers += [nn.Conv2D(width, factor**2 * width, 3, padding=1, groups=group), nn.PixelShuffle(factor)]
        self.body = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return (N, width, scale H, scale W)."""
        return self.body(x)


class UpsampleBlock(nn.Layer):
    """What enlarges, for one scale or for each of three.

    Args:
        width: channels.
        scale: 2, 3 or 4.
        multi_scale: whether there is one for each of these.
        group: groups of the convolutions.
    """

    def __init__(self, width: int, scale: int, multi_scale: bool, group: int) -> None:
        super().__init__()
        self.names = {each: f"up{each}" for each in SCALES} if multi_scale else {scale: "up"}
        for each, name in self.names.items():
            setattr(self, name, PixelShuffler(width, each, group))

    def forward(self, x: Any, scale: int) -> Any:
        """Return (N, width, scale H, scale W)."""
        return getattr(self, self.names[scale])(x)


class LESRCNNGenerator(nn.Layer):
    """Pictures to larger ones: (N, 3, H, W) to (N, 3, scale H, scale W), 0 to 1.

    Args:
        scale: 2, 3 or 4.
        multi_scale: whether one network serves all three scales.
        group: groups of the convolutions that enlarge.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(self, scale: int = 4, multi_scale: bool = False, group: int = 1) -> None:
        super().__init__()
        if scale not in SCALES:
            raise ValueError(f"LESRCNNGenerator: scale must be 2, 3 or 4, not {scale}")
        if group < 1 or WIDTH % group:
            raise ValueError(f"LESRCNNGenerator: group must divide {WIDTH}, not be {group}")
        self.scale = scale
        self.sub_mean = MeanShift(-1)
        self.add_mean = MeanShift(1)
        self.conv1 = nn.Sequential(nn.Conv2D(3, WIDTH, 3, padding=1, bias_attr=False))
        for number in range(2, 18):  # in turn 3 x 3 with ReLU and 1 x 1 without
            setattr(self, f"conv{number}", _step(3 if number % 2 == 0 else 1))
        for number in range(1, 5):
            setattr(self, f"conv17_{number}", _step(3))
        self.conv18 = nn.Sequential(nn.Conv2D(WIDTH, 3, 3, padding=1, bias_attr=False))
        self.upsample = UpsampleBlock(WIDTH, scale, multi_scale, group)

    def forward(self, x: Any, scale: Optional[int] = None) -> Any:
        """Return the larger pictures; they may leave 0 to 1 a little.

        Args:
            x: (N, 3, H, W).
            scale: which one, of a network that serves several; None: the network's own.

        Raises:
            ValueError: the network does not serve this scale.
        """
        check_image("LESRCNNGenerator", x, 3)
        wanted = self.scale if scale is None else scale
        if wanted not in self.upsample.names:
            known = ", ".join(map(str, self.upsample.names))
            raise ValueError(f"LESRCNNGenerator: the network enlarges by {known}, not {wanted}")
        first = self.conv1(self.sub_mean(x))
        total = first
        for number in range(2, 18, 2):
            deeper = getattr(self, f"conv{number}")(F.relu(total))
            total = total + getattr(self, f"conv{number + 1}")(deeper)
        enlarged = self.upsample(F.relu(first), wanted) + self.upsample(F.relu(total), wanted)
        features = F.relu(enlarged)
        for number in range(1, 5):
            features = getattr(self, f"conv17_{number}")(features)
        return self.add_mean(self.conv18(features))


def _step(kernel: int) -> nn.Sequential:
    convolution = nn.Conv2D(WIDTH, WIDTH, kernel, padding=kernel // 2, bias_attr=False)
    return nn.Sequential(convolution, nn.ReLU()) if kernel == 3 else nn.Sequential(convolution)
