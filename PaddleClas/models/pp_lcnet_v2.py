"""PP-LCNetV2: PP-LCNet with depthwise kernels of several sizes side by side, which are one in evaluation.

It has no paper of its own: PP-LCNet is of Cui et al., https://arxiv.org/abs/2109.15099, the kernels side by side are of
RepVGG, Ding et al., https://arxiv.org/abs/2101.03697.
Source of parameter names: PaddleClas 2.6, ``legendary_models/pp_lcnet_v2.py``. As there, the dropout scales in
evaluation instead of training, and the gates are sigmoids.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, pointwise, round_channels
from PaddleClas.models.expanded_head import ExpandedHead
from PaddleClas.models.pretrained import Pretrained, build

STAGES: tuple[tuple[Any, ...], ...] = (
    # channels before the stage; kernel; two pointwise convolutions, several kernels, gates, shortcuts?
    (64, 3, False, False, False, False),
    (128, 3, False, False, False, False),
    (256, 5, True, True, True, False),
    (512, 5, False, True, False, True),
)
"""The stages at scale 1; each doubles the channels."""

Conv = functools.partial(ConvBatchNorm, activation=F.relu, initializer=KaimingNormal(), decay_norm=False)
"""Convolution, batch normalisation and ReLU: in, out, kernel, stride, groups."""


class SeveralKernels(nn.Layer):
    """Depthwise convolutions of 5 x 5, 3 x 3 and 1 x 1 pixels, added: (N, C, H, W) to (N, C, H / stride, W / stride).

    In evaluation they are one convolution, whose weight an exported program holds ready made.

    Args:
        channels: C.
        kernel_size: of the largest.
        stride: of all; the 1 x 1 convolution is there only if it is 1.
    """

    def __init__(self, channels: int, kernel_size: int, stride: int) -> None:
        super().__init__()
        self.stride = stride
        sizes = [size for size in range(kernel_size, 0, -2) if size > 1 or stride == 1]
        for number, size in enumerate(sizes):
            self.add_sublayer(str(number), Conv(channels, channels, size, stride, channels, activation=None))

    def forward(self, x: Any) -> Any:
        """Return the sum of what the convolutions find."""
        branches = list(self.children())
        if self.training:
            return sum((branch(x) for branch in branches[1:]), branches[0](x))
        weight, bias = branches[0].fused()
        width, channels = weight.shape[-1], weight.shape[0]
        for branch in branches[1:]:
            smaller, offset = branch.fused()
            weight = weight + F.pad(smaller, [(width - smaller.shape[-1]) // 2] * 4)
            bias = bias + offset
        return F.conv2d(x, weight, bias, self.stride, width // 2, groups=channels)


class RepDepthwiseSeparable(nn.Layer):
    """A depthwise convolution and one or two pointwise ones: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        stride: of the depthwise one.
        kernel_size: likewise.
        split_pw: whether there are two pointwise convolutions, with half of the channels between them.
        use_rep: whether the depthwise one is :class:`SeveralKernels`.
        use_se: whether channels are weighed after it.
        use_shortcut: whether the input is added where the shapes allow.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        stride: int,
        kernel_size: int = 3,
        split_pw: bool = False,
        use_rep: bool = False,
        use_se: bool = False,
        use_shortcut: bool = False,
    ) -> None:
        super().__init__()
        self.adds_input = use_shortcut and stride == 1 and in_channels == out_channels
        self.dw_conv_list: Any = None
        self.dw_conv: nn.Layer
        if use_rep:
            self.dw_conv_list = SeveralKernels(in_channels, kernel_size, stride)
            frozen = ParamAttr(trainable=False)  # official files have room for the one kernel, which nothing reads here
            self.dw_conv = nn.Conv2D(
                in_channels, in_channels, kernel_size, stride, groups=in_channels, weight_attr=frozen, bias_attr=frozen
            )
        else:
            self.dw_conv = Conv(in_channels, in_channels, kernel_size, stride, in_channels)
        self.se: Any = None
        if use_se:
            self.se = SqueezeExcite(in_channels, in_channels // 4, F.relu, F.sigmoid, pointwise, ("conv1", "conv2"))
        if split_pw:
            self.pw_conv_1 = Conv(in_channels, out_channels // 2, 1)
            self.pw_conv_2 = Conv(out_channels // 2, out_channels, 1)
        else:
            self.pw_conv = Conv(in_channels, out_channels, 1)
        self.split = split_pw

    def forward(self, x: Any) -> Any:
        """Return (N, C', H', W')."""
        y = self.dw_conv(x) if self.dw_conv_list is None else F.relu(self.dw_conv_list(x))
        if self.se is not None:
            y = self.se(y)
        y = self.pw_conv_2(self.pw_conv_1(y)) if self.split else self.pw_conv(y)
        return y + x if self.adds_input else y


class PPLCNetV2(ExpandedHead):
    """A stem, four stages, a 1 x 1 convolution of the means and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        scale: factor on the number of channels, all but those of the last convolution.
        depths: blocks of each stage.
        class_num: number of classes.
        dropout_prob: how often a feature of the last convolution is left out in training.
        use_last_conv: whether there is the last convolution.
        class_expand: its channels.

    Raises:
        ValueError: the scale is not positive, or there are not four depths.
    """

    stage_strides = (4, 8, 16, 32)

    def __init__(
        self,
        scale: float = 1.0,
        depths: Sequence[int] = (2, 2, 6, 2),
        class_num: int = 1000,
        dropout_prob: float = 0.2,
        use_last_conv: bool = True,
        class_expand: int = 1280,
    ) -> None:
        super().__init__()
        if not scale > 0:
            raise ValueError(f"scale must be positive, not {scale}")
        if len(depths) != len(STAGES):
            raise ValueError(f"depths must hold {len(STAGES)} numbers, not {len(depths)}")
        stem = round_channels(32 * scale)
        self.stem = nn.Sequential(Conv(3, stem, 3, 2), RepDepthwiseSeparable(stem, round_channels(64 * scale), 1))
        self.stages = nn.LayerList()
        self.stage_channels = [round_channels(2 * channels * scale) for channels, *_ in STAGES]
        for depth, after, (before, *options) in zip(depths, self.stage_channels, STAGES):
            first = RepDepthwiseSeparable(round_channels(before * scale), after, 2, *options)
            others = [RepDepthwiseSeparable(after, after, 1, *options) for _ in range(depth - 1)]
            self.stages.append(nn.Sequential(first, *others))
        expand = class_expand if use_last_conv else None
        self._create_head(self.stage_channels[-1], class_num, expand, dropout_prob, F.relu)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, (N, 128 to 1024 * scale, H/4 to H/32, W/4 to W/32)."""
        x = self.stem(x)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


def PPLCNetV2_small(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNetV2:
    """Return PP-LCNetV2-small; arguments as of :func:`PaddleClas.create_model` and :class:`PPLCNetV2`."""
    depths = (2, 2, 4, 2)
    return build("PPLCNetV2_small", PPLCNetV2, pretrained, scale=0.75, depths=depths, class_num=class_num, **kwargs)


def PPLCNetV2_base(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNetV2:
    """Return PP-LCNetV2-base; arguments as of :func:`PaddleClas.create_model` and :class:`PPLCNetV2`."""
    depths = (2, 2, 6, 2)
    return build("PPLCNetV2_base", PPLCNetV2, pretrained, scale=1.0, depths=depths, class_num=class_num, **kwargs)


def PPLCNetV2_large(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNetV2:
    """Return PP-LCNetV2-large; arguments as of :func:`PaddleClas.create_model` and :class:`PPLCNetV2`."""
    depths = (2, 2, 8, 2)
    return build("PPLCNetV2_large", PPLCNetV2, pretrained, scale=1.25, depths=depths, class_num=class_num, **kwargs)
