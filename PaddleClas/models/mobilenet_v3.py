"""MobileNetV3: inverted residuals with squeeze-and-excitation and hard swish, found by a search.

Paper: Howard et al., "Searching for MobileNetV3", ICCV 2019, https://arxiv.org/abs/1905.02244
Source of parameter names: PaddleClas 2.2+. As there, the gates' hard sigmoid has the slope 1/5 where the paper has 1/6,
the last convolution keeps 1280 channels at every width (the paper: 1024 in the small network), and the dropout scales
in evaluation instead of training.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, pointwise, round_channels
from core.vision.models.mobilenetv3 import LARGE, SMALL, STEM_CHANNELS, Row
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

LAST_CHANNELS = 1280


class InvertedResidual(nn.Layer):
    """Expand (1 x 1), filter each channel, weigh the channels, project (1 x 1): (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        inner: channels of the filtered maps.
        out_channels: C'.
        row: the block's kernel, activation, stride, and whether the channels are weighed.
        layer: makes each of the two layers that weigh the channels from its numbers of channels.
        **options: further arguments of every :class:`ConvBatchNorm`.
    """

    def __init__(
        self,
        in_channels: int,
        inner: int,
        out_channels: int,
        row: Row,
        layer: Callable[[int, int], nn.Layer] = pointwise,
        **options: Any,
    ) -> None:
        super().__init__()
        options = {"decay_norm": False, **options}
        activation = getattr(F, row.activation)
        self.add_input = row.stride == 1 and in_channels == out_channels
        self.expand_conv = ConvBatchNorm(in_channels, inner, 1, activation=activation, **options)
        self.bottleneck_conv = ConvBatchNorm(
            inner, inner, row.kernel_size, row.stride, groups=inner, activation=activation, **options
        )
        self.mid_se = None
        if row.squeeze:
            gate = functools.partial(F.hardsigmoid, slope=0.2, offset=0.5)
            self.mid_se = SqueezeExcite(inner, inner // 4, gate=gate, layer=layer, names=("conv1", "conv2"))
        self.linear_conv = ConvBatchNorm(inner, out_channels, 1, **options)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return self.project(x, self.expand_conv(x))

    def project(self, x: Any, expanded: Any) -> Any:
        """Return the block's feature maps.

        Args:
            x: the block's input.
            expanded: what ``expand_conv`` makes of it.
        """
        y = self.bottleneck_conv(expanded)
        if self.mid_se is not None:
            y = self.mid_se(y)
        y = self.linear_conv(y)
        return x + y if self.add_input else y


class MobileNetV3(ImageClassifier):
    """A convolution, inverted residuals and two 1 x 1 convolutions: (N, 3, H, W) to (N, class_num).

    Args:
        rows: the blocks, :data:`LARGE` or :data:`SMALL`.
        scale: factor on the number of channels, all but those of the last convolution.
        class_num: number of classes.
        dropout_prob: of the features before the linear layer.

    Raises:
        ValueError: the scale is not positive.
    """

    head_layers = ("last_second_conv", "last_conv", "dropout", "fc")

    def __init__(
        self, rows: Sequence[Row], scale: float = 1.0, class_num: int = 1000, dropout_prob: float = 0.2
    ) -> None:
        super().__init__()
        if not scale > 0:
            raise ValueError(f"scale must be positive, not {scale}")
        channels = round_channels(STEM_CHANNELS * scale)
        self.conv = ConvBatchNorm(3, channels, 3, stride=2, activation=F.hardswish, decay_norm=False)
        blocks = []
        for row in rows:
            out_channels = round_channels(row.out_channels * scale)
            blocks.append(InvertedResidual(channels, round_channels(row.inner * scale), out_channels, row))
            channels = out_channels
        self.blocks = nn.Sequential(*blocks)
        self.stage_ends = [number for number in range(1, len(rows)) if rows[number].stride == 2] + [len(rows)]
        self.stage_channels = [round_channels(rows[end - 1].out_channels * scale) for end in self.stage_ends]
        self.stage_strides = [32 >> halvings for halvings in reversed(range(len(self.stage_ends)))]
        last = round_channels(rows[-1].inner * scale)
        self.last_second_conv = ConvBatchNorm(channels, last, 1, activation=F.hardswish, decay_norm=False)
        self.last_conv = nn.Conv2D(last, LAST_CHANNELS, 1, bias_attr=False)
        self.dropout = nn.Dropout(dropout_prob, mode="downscale_in_infer")
        self.fc = nn.Linear(LAST_CHANNELS, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 16 to 160 * scale, H/2 or H/4 to H/32, ...)."""
        x = self.conv(x)
        maps = []
        for number, block in enumerate(self.blocks, 1):
            x = block(x)
            if number in self.stage_ends:
                maps.append(x)
        return maps

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps of the last convolution but one, (N, 576 or 960 * scale, H/32, W/32)."""
        return self.last_second_conv(self.forward_stages(x)[-1])

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        x = F.hardswish(self.last_conv(F.adaptive_avg_pool2d(features, 1)))
        return self.fc(core.flatten(self.dropout(x), 1))


def MobileNetV3_small_x0_35(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Small of 0.35 of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_small_x0_35", MobileNetV3, pretrained, rows=SMALL, scale=0.35, class_num=class_num, **kwargs
    )


def MobileNetV3_small_x0_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Small of half the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_small_x0_5", MobileNetV3, pretrained, rows=SMALL, scale=0.5, class_num=class_num, **kwargs
    )


def MobileNetV3_small_x0_75(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Small of three quarters of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_small_x0_75", MobileNetV3, pretrained, rows=SMALL, scale=0.75, class_num=class_num, **kwargs
    )


def MobileNetV3_small_x1_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Small (Howard et al. 2019); arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_small_x1_0", MobileNetV3, pretrained, rows=SMALL, scale=1.0, class_num=class_num, **kwargs
    )


def MobileNetV3_small_x1_25(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Small of 1.25 times the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_small_x1_25", MobileNetV3, pretrained, rows=SMALL, scale=1.25, class_num=class_num, **kwargs
    )


def MobileNetV3_large_x0_35(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Large of 0.35 of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_large_x0_35", MobileNetV3, pretrained, rows=LARGE, scale=0.35, class_num=class_num, **kwargs
    )


def MobileNetV3_large_x0_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Large of half the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_large_x0_5", MobileNetV3, pretrained, rows=LARGE, scale=0.5, class_num=class_num, **kwargs
    )


def MobileNetV3_large_x0_75(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Large of three quarters of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_large_x0_75", MobileNetV3, pretrained, rows=LARGE, scale=0.75, class_num=class_num, **kwargs
    )


def MobileNetV3_large_x1_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Large (Howard et al. 2019); arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_large_x1_0", MobileNetV3, pretrained, rows=LARGE, scale=1.0, class_num=class_num, **kwargs
    )


def MobileNetV3_large_x1_25(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNetV3:
    """Return MobileNetV3-Large of 1.25 times the width; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "MobileNetV3_large_x1_25", MobileNetV3, pretrained, rows=LARGE, scale=1.25, class_num=class_num, **kwargs
    )
