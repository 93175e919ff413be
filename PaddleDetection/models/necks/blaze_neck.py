"""Necks of BlazeFace: a small feature pyramid, and the context module of SSH (Najibi et al., arXiv 1708.03979).

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleDetection.models.backbones.blazenet import ConvNorm

NECKS = ("None", "only_fpn", "only_ssh", "fpn_ssh")
"""Nothing, the pyramid, the context module, or the pyramid and then the context module."""

LeakyConv = functools.partial(ConvNorm, activation=F.leaky_relu)
"""With leaky ReLU of slope 0.01."""


class FPN(nn.Layer):
    """Halves the channels of two feature maps and adds the coarser one to the finer.

    Args:
        in_channels: of both.
        out_channels: twice those of the results.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        half = out_channels // 2
        self.conv1_fpn = LeakyConv(in_channels, half, 1)
        self.conv2_fpn = LeakyConv(in_channels, half, 1)
        self.conv3_fpn = LeakyConv(half, half, 3)

    def forward(self, fine: Any, coarse: Any) -> tuple[Any, Any]:
        """Return the two feature maps."""
        fine, coarse = self.conv1_fpn(fine), self.conv2_fpn(coarse)
        larger = F.interpolate(coarse, size=fine.shape[2:], mode="nearest")
        return self.conv3_fpn(fine + larger), coarse


class SSH(nn.Layer):
    """Looks at a feature map through one, two and three 3 x 3 convolutions: (N, C, H, W) alike.

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        quarter = channels // 4
        self.conv0_ssh = ConvNorm(channels, channels // 2, 3, activation=None)
        self.conv1_ssh = LeakyConv(channels // 2, quarter, 3)
        self.conv2_ssh = ConvNorm(quarter, quarter, 3, activation=None)
        self.conv3_ssh = LeakyConv(quarter, quarter, 3)
        self.conv4_ssh = ConvNorm(quarter, quarter, 3, activation=None)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        first = self.conv0_ssh(x)
        second = self.conv2_ssh(self.conv1_ssh(first))
        return F.relu(core.concat([first, second, self.conv4_ssh(self.conv3_ssh(second))], 1))


class BlazeNeck(nn.Layer):
    """What lies between BlazeFace's backbone and its head.

    Args:
        in_channels: of the backbone's two feature maps.
        strides: pixels of the image for each of their cells.
        neck_type: one of :data:`NECKS`.

    Attributes:
        channels: of the two feature maps that are given.
        strides: pixels of the image for each of their cells.

    Raises:
        ValueError: there is no such neck, or the channels cannot be divided as it needs.
    """

    def __init__(self, in_channels: Sequence[int], strides: Sequence[int], neck_type: str = "None") -> None:
        super().__init__()
        if neck_type not in NECKS:
            raise ValueError(f"neck_type must be one of {', '.join(NECKS)}, not {neck_type!r}")
        self.channels, self.strides = tuple(in_channels), tuple(strides)
        self.has_fpn, self.has_ssh = "fpn" in neck_type, "ssh" in neck_type
        if self.has_fpn:
            self.fpn = FPN(in_channels[0], in_channels[1])
            self.channels = tuple(channels // 2 for channels in self.channels)
        if self.has_ssh:
            if any(channels % 4 for channels in self.channels):
                raise ValueError(f"the context module needs channels that 4 divides, not {self.channels}")
            self.ssh1, self.ssh2 = SSH(self.channels[0]), SSH(self.channels[1])

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the two feature maps, the finer one first.

        Args:
            features: of the backbone, the finer one first.
        """
        fine, coarse = features
        if self.has_fpn:
            fine, coarse = self.fpn(fine, coarse)
        if self.has_ssh:
            fine, coarse = self.ssh1(fine), self.ssh2(coarse)
        return [fine, coarse]
