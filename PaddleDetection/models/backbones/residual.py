"""Residual blocks of detectors' ResNets, with the variants a to d, groups, deformable kernels and channel attention.

Papers: He et al., "Deep residual learning for image recognition", arXiv 1512.03385; He et al., "Bag of tricks for image
classification with convolutional neural networks", arXiv 1812.01187; Xie et al., "Aggregated residual transformations
for deep neural networks", arXiv 1611.05431; Hu et al., "Squeeze-and-excitation networks", arXiv 1709.01507.
Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import abc
from typing import Any

from core import nn
from core.nn import functional as F
from core.vision.models.blocks import SqueezeExcite
from PaddleDetection.models.backbones.conv_norm import ConvNorm
from PaddleDetection.models.non_local import NonLocal


class ResidualBlock(nn.Layer, abc.ABC):
    """ReLU of a branch plus a shortcut: (N, C, H, W) to (N, width * expansion, H / stride, W / stride).

    Args:
        in_channels: C.
        width: of the stage.
        stride: step of the block, pixels.
        shortcut: whether the input itself is added, not a 1 x 1 convolution of it.
        variant: "a": a bottleneck's stride lies on its first convolution; "b" and "c": on the 3 x 3 one; "d": there,
            and a shortcut averages 2 x 2 pixels rather than leaving some out.
        groups: number of groups of the 3 x 3 convolution of a bottleneck.
        base_width: channels of each group, where the stage's width is 64.
        std_senet: whether the branch ends with squeeze and excitation.
        dcn_v2: whether a 3 x 3 convolution, of two the second, is deformable.
        **options: further arguments of every :class:`ConvNorm`: norm, learning_rate.
    """

    expansion = 1

    def __init__(
        self,
        in_channels: int,
        width: int,
        stride: int,
        shortcut: bool,
        variant: str = "b",
        groups: int = 1,
        base_width: int = 64,
        std_senet: bool = False,
        dcn_v2: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        out_channels = width * self.expansion
        self.short: Any = None
        if not shortcut and variant == "d" and stride == 2:
            conv = ConvNorm(in_channels, out_channels, 1, **options)
            self.short = nn.Sequential(("pool", nn.AvgPool2D(2, 2, ceil_mode=True)), ("conv", conv))
        elif not shortcut:
            self.short = ConvNorm(in_channels, out_channels, 1, stride, **options)
        inner = int(width * (base_width / 64)) * groups
        strides = (stride, 1) if variant == "a" else (1, stride)
        layers = self.convolutions(in_channels, width, inner, strides, groups, dcn_v2, options)
        self.branch = [self.add_sublayer(f"branch2{letter}", layer) for letter, layer in zip("abc", layers)]
        self.se = None
        if std_senet:
            self.se = SqueezeExcite(out_channels, out_channels // 16, names=("squeeze", "extract"))

    @abc.abstractmethod
    def convolutions(
        self,
        in_channels: int,
        width: int,
        inner: int,
        strides: tuple[int, int],
        groups: int,
        dcn_v2: bool,
        options: dict[str, Any],
    ) -> list[ConvNorm]:
        """Return the branch's convolutions.

        Args:
            in_channels: of the first one.
            width: of the stage.
            inner: channels between a bottleneck's convolutions.
            strides: of a bottleneck's first and second convolution.
            groups: of a bottleneck's 3 x 3 convolution.
            dcn_v2: whether a 3 x 3 convolution is deformable.
            options: further arguments.
        """

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        out = x
        for layer in self.branch:
            out = layer(out)
        if self.se is not None:
            out = self.se(out)
        return F.relu(out + (x if self.short is None else self.short(x)))


class BasicBlock(ResidualBlock):
    """Two 3 x 3 convolutions."""

    def convolutions(
        self,
        in_channels: int,
        width: int,
        inner: int,
        strides: tuple[int, int],
        groups: int,
        dcn_v2: bool,
        options: dict[str, Any],
    ) -> list[ConvNorm]:
        """Return the branch's convolutions."""
        return [
            ConvNorm(in_channels, width, 3, max(strides), activation=F.relu, **options),
            ConvNorm(width, width, 3, dcn_v2=dcn_v2, **options),
        ]


class BottleNeck(ResidualBlock):
    """A 3 x 3 convolution between two of 1 x 1, the last of which has four times the stage's width."""

    expansion = 4

    def convolutions(
        self,
        in_channels: int,
        width: int,
        inner: int,
        strides: tuple[int, int],
        groups: int,
        dcn_v2: bool,
        options: dict[str, Any],
    ) -> list[ConvNorm]:
        """Return the branch's convolutions."""
        return [
            ConvNorm(in_channels, inner, 1, strides[0], activation=F.relu, **options),
            ConvNorm(inner, inner, 3, strides[1], groups, F.relu, dcn_v2=dcn_v2, **options),
            ConvNorm(inner, width * self.expansion, 1, **options),
        ]


class Blocks(nn.Layer):
    """The residual blocks of a stage: (N, C, H, W) to (N, width * expansion, H / stride, W / stride).

    Args:
        kind: of the blocks.
        in_channels: C.
        width: of the stage.
        count: how many blocks.
        stage: the stage's number, from 2, which is part of the blocks' names; the second has stride 1, the others 2.
        nonlocal_every: after so many blocks there is a non-local one; 0: there is none.
        **settings: further arguments of the blocks.
    """

    def __init__(
        self,
        kind: type[ResidualBlock],
        in_channels: int,
        width: int,
        count: int,
        stage: int,
        nonlocal_every: int = 0,
        **settings: Any,
    ) -> None:
        super().__init__()
        for number in range(count):
            letter = chr(ord("a") + number)
            if stage == 4 and count > 10 and number:
                letter = f"b{number}"
            stride = 2 if number == 0 and stage > 2 else 1
            block = kind(in_channels, width, stride, number > 0, **settings)
            self.add_sublayer(f"res{stage}{letter}", block)
            in_channels = width * kind.expansion
            if nonlocal_every and number % nonlocal_every == nonlocal_every - 1:
                self.add_sublayer(f"nonlocal_conv{stage}_{number}", NonLocal(in_channels, in_channels // 2))

    def forward(self, x: Any) -> Any:
        """Return the stage's feature maps."""
        for block in self.children():
            x = block(x)
        return x
