"""The neck of TTFNet (Liu et al., "Training-Time-Friendly Network", arXiv 1909.00700): one fine feature map.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal, Uniform
from core.regularizer import L2Decay
from PaddleDetection.models.deformable import TAPS, DeformableConvV2, free_bias


class Upsample(nn.Layer):
    """A deformable convolution, and a map of twice the size: (N, C, H, W) to (N, C', 2 H, 2 W).

    Args:
        in_channels: C.
        out_channels: C'.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        bound = 1 / math.sqrt(TAPS * in_channels)
        self.dcn = DeformableConvV2(in_channels, out_channels, Uniform(-bound, bound))
        plain = {name: ParamAttr(regularizer=L2Decay(0.0)) for name in ("weight_attr", "bias_attr")}
        self.bn = nn.BatchNorm2D(out_channels, **plain)

    def forward(self, x: Any) -> Any:
        """Return the larger feature maps."""
        return F.interpolate(F.relu(self.bn(self.dcn(x))), scale_factor=2.0, mode="bilinear")


class ShortCut(nn.Layer):
    """A chain of 3 x 3 convolutions with ReLU between them: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        count: how many.
        name: what the convolutions' names begin with.
    """

    def __init__(self, in_channels: int, out_channels: int, count: int, name: str) -> None:
        super().__init__()
        std = math.sqrt(2 / (TAPS * out_channels))
        self.shortcut = nn.Sequential()
        for number in range(count):
            conv = nn.Conv2D(
                out_channels if number else in_channels,
                out_channels,
                3,
                padding=1,
                weight_attr=ParamAttr(initializer=Normal(0.0, std)),
                bias_attr=free_bias(),
            )
            self.shortcut.add_sublayer(f"{name}.conv.{number}", conv)
            if number < count - 1:
                self.shortcut.add_sublayer(f"{name}.conv.{number}.act", nn.ReLU())

    def forward(self, x: Any) -> Any:
        """Return (N, C', H, W)."""
        return self.shortcut(x)


class TTFFPN(nn.Layer):
    """Doubles the coarsest feature map again and again, and adds the finer ones.

    Args:
        in_channels: of the backbone's feature maps, the finest first.
        strides: pixels of the image for each of their cells.
        planes: channels after each doubling.
        shortcut_num: convolutions that each finer map goes through, the finest first.

    Attributes:
        channels: of the one feature map that is given.
        strides: pixels of the image for each of its cells.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        strides: Sequence[int],
        planes: Sequence[int] = (256, 128, 64),
        shortcut_num: Sequence[int] = (3, 2, 1),
    ) -> None:
        super().__init__()
        self.channels, self.strides = (planes[-1],), (strides[-1] // 2 ** len(planes),)
        self.steps = []
        before = in_channels[-1]
        for number, (after, own, count) in enumerate(zip(planes, in_channels[-2::-1], shortcut_num[::-1])):
            upsample = self.add_sublayer(f"upsample.{number}", Upsample(before, after))
            shortcut = ShortCut(own, after, count, f"shortcut.{number}")
            self.steps.append((upsample, self.add_sublayer(f"shortcut.{number}", shortcut)))
            before = after

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the one feature map, in a list."""
        x = features[-1]
        for feature, (upsample, shortcut) in zip(features[-2::-1], self.steps):
            x = upsample(x) + shortcut(feature)
        return [x]
