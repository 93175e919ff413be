"""PP-LCNet: depthwise separable convolutions, hard swish, large kernels and gates near the end, for CPUs.

Paper: Cui et al., "PP-LCNet: a lightweight CPU convolutional neural network", 2021, https://arxiv.org/abs/2109.15099
Source of parameter names: PaddleClas 2.6, ``legendary_models/pp_lcnet.py``; its dropout scales in evaluation instead of
training, here too. PaddleDetection's PicoDet is built of the same blocks.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, round_channels
from PaddleClas.models.expanded_head import ExpandedHead
from PaddleClas.models.pretrained import Pretrained, build

STAGES: tuple[tuple[tuple[Any, ...], ...], ...] = (
    ((3, 16, 32, 1, False),),
    ((3, 32, 64, 2, False), (3, 64, 64, 1, False)),
    ((3, 64, 128, 2, False), (3, 128, 128, 1, False)),
    ((3, 128, 256, 2, False), *((5, 256, 256, 1, False),) * 5),
    ((5, 256, 512, 2, True), (5, 512, 512, 1, True)),
)
"""Of each block of each stage, counted from 2: kernel, channels before and after, stride, squeeze and excitation."""

HardSwishConv = functools.partial(ConvBatchNorm, activation=F.hardswish, initializer=KaimingNormal(), decay_norm=False)
"""Convolution, batch normalisation and hard swish: in, out, kernel, stride, groups."""


class DepthwiseSeparable(nn.Layer):
    """A depthwise and a pointwise convolution: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: of the depthwise one.
        stride: likewise.
        use_se: whether channels are weighed between the two.
        learning_rate: factor on the optimizer's learning rate.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        use_se: bool = False,
        learning_rate: float = 1.0,
    ) -> None:
        super().__init__()
        self.dw_conv = HardSwishConv(
            in_channels, in_channels, kernel_size, stride, in_channels, learning_rate=learning_rate
        )
        self.se: Any = None
        if use_se:
            layer = functools.partial(
                nn.Conv2D,
                kernel_size=1,
                weight_attr=ParamAttr(learning_rate=learning_rate),
                bias_attr=ParamAttr(learning_rate=learning_rate),
            )
            self.se = SqueezeExcite(in_channels, in_channels // 4, F.relu, F.hardsigmoid, layer, ("conv1", "conv2"))
        self.pw_conv = HardSwishConv(in_channels, out_channels, 1, learning_rate=learning_rate)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H', W')."""
        x = self.dw_conv(x)
        return self.pw_conv(x if self.se is None else self.se(x))


class PPLCNet(ExpandedHead):
    """A convolution, five stages, a 1 x 1 convolution of the means and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        scale: factor on the number of channels, all but those of the last convolution.
        class_num: number of classes.
        dropout_prob: how often a feature of the last convolution is left out in training.
        class_expand: channels of the last convolution.
        lr_mult_list: factors on the learning rate of the first convolution and of the five stages.
        stride_list: steps of the first convolution and of stages 3 to 6, pixels.
        use_last_conv: whether there is the last convolution.

    Raises:
        ValueError: the scale is not positive, or a list has another length.
    """

    def __init__(
        self,
        scale: float = 1.0,
        class_num: int = 1000,
        dropout_prob: float = 0.2,
        class_expand: int = 1280,
        lr_mult_list: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
        stride_list: Sequence[int] = (2, 2, 2, 2, 2),
        use_last_conv: bool = True,
    ) -> None:
        super().__init__()
        if not scale > 0:
            raise ValueError(f"scale must be positive, not {scale}")
        if len(lr_mult_list) != 6:
            raise ValueError(f"lr_mult_list must hold 6 numbers (convolution, five stages), not {len(lr_mult_list)}")
        if len(stride_list) != 5:
            raise ValueError(f"stride_list must hold 5 numbers (convolution, stages 3 to 6), not {len(stride_list)}")
        self.conv1 = HardSwishConv(3, round_channels(16 * scale), 3, stride_list[0], learning_rate=lr_mult_list[0])
        self.stages = []
        for number, blocks in enumerate(STAGES):
            made = [
                DepthwiseSeparable(
                    round_channels(before * scale),
                    round_channels(after * scale),
                    kernel,
                    stride_list[number] if place == 0 and number else stride,
                    use_se,
                    lr_mult_list[number + 1],
                )
                for place, (kernel, before, after, stride, use_se) in enumerate(blocks)
            ]
            self.stages.append(self.add_sublayer(f"blocks{number + 2}", nn.Sequential(*made)))
        self.stage_channels = [round_channels(blocks[-1][2] * scale) for blocks in STAGES]
        self.stage_strides = list(itertools.accumulate(stride_list, operator.mul))
        expand = class_expand if use_last_conv else None
        self._create_head(self.stage_channels[-1], class_num, expand, dropout_prob, F.hardswish)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the five stages, by default (N, 32 to 512 * scale, H/2 to H/32, W/2 to W/32)."""
        x = self.conv1(x)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


def PPLCNet_x0_25(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet of a quarter of the width; arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x0_25", PPLCNet, pretrained, scale=0.25, class_num=class_num, **kwargs)


def PPLCNet_x0_35(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet of 0.35 times the width; arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x0_35", PPLCNet, pretrained, scale=0.35, class_num=class_num, **kwargs)


def PPLCNet_x0_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet of half the width; arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x0_5", PPLCNet, pretrained, scale=0.5, class_num=class_num, **kwargs)


def PPLCNet_x0_75(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet of three quarters of the width; arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x0_75", PPLCNet, pretrained, scale=0.75, class_num=class_num, **kwargs)


def PPLCNet_x1_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet (Cui et al. 2021); arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x1_0", PPLCNet, pretrained, scale=1.0, class_num=class_num, **kwargs)


def PPLCNet_x1_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet of 1.5 times the width; arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x1_5", PPLCNet, pretrained, scale=1.5, class_num=class_num, **kwargs)


def PPLCNet_x2_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet of twice the width; arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x2_0", PPLCNet, pretrained, scale=2.0, class_num=class_num, **kwargs)


def PPLCNet_x2_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPLCNet:
    """Return PP-LCNet of 2.5 times the width; arguments as of :class:`PPLCNet`."""
    return build("PPLCNet_x2_5", PPLCNet, pretrained, scale=2.5, class_num=class_num, **kwargs)
