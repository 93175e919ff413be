"""GhostNet: half of the feature maps come from cheap filters of the other half.

Paper: Han et al., "GhostNet: more features from cheap operations", CVPR 2020, https://arxiv.org/abs/1911.11907
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. As there, the gates
are clipped to [0, 1].
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, SqueezeExcite, fully_connected, round_channels
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class Row(NamedTuple):
    """One block, with its channels at scale 1."""

    kernel_size: int
    inner: int
    out_channels: int
    squeeze: bool
    stride: int


ROWS = (
    Row(3, 16, 16, False, 1),
    Row(3, 48, 24, False, 2),
    Row(3, 72, 24, False, 1),
    Row(5, 72, 40, True, 2),
    Row(5, 120, 40, True, 1),
    Row(3, 240, 80, False, 2),
    Row(3, 200, 80, False, 1),
    Row(3, 184, 80, False, 1),
    Row(3, 184, 80, False, 1),
    Row(3, 480, 112, True, 1),
    Row(3, 672, 112, True, 1),
    Row(5, 672, 160, True, 2),
    Row(5, 960, 160, False, 1),
    Row(5, 960, 160, True, 1),
    Row(5, 960, 160, False, 1),
    Row(5, 960, 160, True, 1),
)

STAGE_ENDS = (1, 3, 5, 11, 16)
"""How many blocks there are up to the end of each size of feature maps."""

LAST_CHANNELS = 1280


def convolution(
    in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, groups: int = 1, activation: Any = None
) -> ConvBatchNorm:
    """Return a normalised convolution with this family's names and initial weights."""
    return ConvBatchNorm(
        in_channels,
        out_channels,
        kernel_size,
        stride,
        groups,
        activation=activation,
        initializer=KaimingNormal(),
        names=EARLIER_NAMES,
        decay_norm=False,
    )


class GhostModule(nn.Layer):
    """Half of the maps by a 1 x 1 convolution, half by filtering those: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C', even.
        activation: function after both, or None.
    """

    def __init__(self, in_channels: int, out_channels: int, activation: Any = None) -> None:
        super().__init__()
        half = out_channels // 2
        self.primary_conv = convolution(in_channels, half, 1, activation=activation)
        self.cheap_operation = convolution(half, half, 3, groups=half, activation=activation)

    def forward(self, x: Any) -> Any:
        """Return the module's feature maps."""
        primary = self.primary_conv(x)
        return core.concat([primary, self.cheap_operation(primary)], axis=1)


class GhostBottleneck(nn.Layer):
    """Two ghost modules, between them what changes the size, and a shortcut: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        inner: channels between the modules.
        out_channels: C'.
        row: the block's kernel, stride, and whether the inner channels are weighed.
    """

    def __init__(self, in_channels: int, inner: int, out_channels: int, row: Row) -> None:
        super().__init__()
        kernel_size, stride = row.kernel_size, row.stride
        self.ghost_module_1 = GhostModule(in_channels, inner, F.relu)
        self.depthwise_conv = convolution(inner, inner, kernel_size, stride, inner) if stride == 2 else None
        self.se_block = None
        if row.squeeze:
            self.se_block = SqueezeExcite(inner, inner // 4, gate=functools.partial(core.clip, min=0.0, max=1.0))
        self.ghost_module_2 = GhostModule(inner, out_channels)
        self.shortcut_depthwise = None
        if stride != 1 or in_channels != out_channels:
            self.shortcut_depthwise = convolution(in_channels, in_channels, kernel_size, stride, in_channels)
            self.shortcut_conv = convolution(in_channels, out_channels, 1)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.ghost_module_1(x)
        if self.depthwise_conv is not None:
            y = self.depthwise_conv(y)
        if self.se_block is not None:
            y = self.se_block(y)
        y = self.ghost_module_2(y)
        return y + (x if self.shortcut_depthwise is None else self.shortcut_conv(self.shortcut_depthwise(x)))


class GhostNet(ImageClassifier):
    """A convolution, sixteen bottlenecks and two 1 x 1 convolutions: (N, 3, H, W) to (N, class_num).

    Args:
        scale: factor on the number of channels, all but those of the last convolution.
        class_num: number of classes.

    Raises:
        ValueError: the scale is not positive.
    """

    head_names = ("fc_1",)
    head_layers = ("conv_last", "fc_0", "dropout", "fc_1")
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, scale: float = 1.0, class_num: int = 1000) -> None:
        super().__init__()
        if not scale > 0:
            raise ValueError(f"scale must be positive, not {scale}")
        channels = round_channels(16 * scale, 4)
        self.conv1 = convolution(3, channels, 3, stride=2, activation=F.relu)
        inner = channels
        for number, row in enumerate(ROWS):
            inner, out_channels = round_channels(row.inner * scale, 4), round_channels(row.out_channels * scale, 4)
            self.add_sublayer(f"_ghostbottleneck_{number}", GhostBottleneck(channels, inner, out_channels, row))
            channels = out_channels
        self.stage_channels = [round_channels(ROWS[end - 1].out_channels * scale, 4) for end in STAGE_ENDS]
        self.conv_last = convolution(channels, inner, 1, activation=F.relu)
        self.fc_0 = convolution(inner, LAST_CHANNELS, 1, activation=F.relu)
        self.dropout = nn.Dropout(0.2)
        self.fc_1 = fully_connected(LAST_CHANNELS, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 16 to 160 * scale, H/2 to H/32, W/2 to W/32)."""
        x = self.conv1(x)
        maps = []
        for number in range(len(ROWS)):
            x = getattr(self, f"_ghostbottleneck_{number}")(x)
            if number + 1 in STAGE_ENDS:
                maps.append(x)
        return maps

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps of the last convolution but one, (N, 960 * scale, H/32, W/32)."""
        return self.conv_last(self.forward_stages(x)[-1])

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        x = self.fc_0(F.adaptive_avg_pool2d(features, 1))
        return self.fc_1(core.flatten(self.dropout(x), 1))


def GhostNet_x0_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> GhostNet:
    """Return GhostNet of half the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("GhostNet_x0_5", GhostNet, pretrained, scale=0.5, class_num=class_num, **kwargs)


def GhostNet_x1_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> GhostNet:
    """Return GhostNet (Han et al. 2020); arguments as of :func:`PaddleClas.create_model`."""
    return build("GhostNet_x1_0", GhostNet, pretrained, scale=1.0, class_num=class_num, **kwargs)


def GhostNet_x1_3(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> GhostNet:
    """Return GhostNet of 1.3 times the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("GhostNet_x1_3", GhostNet, pretrained, scale=1.3, class_num=class_num, **kwargs)
