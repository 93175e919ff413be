"""MobileNetV3: inverted residuals with squeeze-and-excitation and hard swish, found by a search.

Paper: Howard et al., "Searching for MobileNetV3", ICCV 2019, https://arxiv.org/abs/1905.02244
Source of arguments and parameter names: Paddle 2.6.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

from core import nn
from core.nn import functional as F
from core.operators import flatten
from core.vision.models.base import ImageNetwork, build, check_scale
from core.vision.models.blocks import SqueezeExcite, pointwise, round_channels
from core.vision.ops import ConvNormActivation

_HOST = "https://paddle-hapi.bj.bcebos.com/models/"

model_urls = {
    "mobilenet_v3_small_x1.0": (f"{_HOST}mobilenet_v3_small_x1.0.pdparams", "34fe0e7c1f8b00b2b056ad6788d0590c"),
    "mobilenet_v3_large_x1.0": (f"{_HOST}mobilenet_v3_large_x1.0.pdparams", "118db5792b4e183b925d8e8e334db3df"),
}
"""The published weight files and their MD5, by the scale."""


class Row(NamedTuple):
    """One block, with its channels at scale 1."""

    kernel_size: int
    inner: int
    out_channels: int
    squeeze: bool
    activation: str
    stride: int


LARGE = (
    Row(3, 16, 16, False, "relu", 1),
    Row(3, 64, 24, False, "relu", 2),
    Row(3, 72, 24, False, "relu", 1),
    Row(5, 72, 40, True, "relu", 2),
    Row(5, 120, 40, True, "relu", 1),
    Row(5, 120, 40, True, "relu", 1),
    Row(3, 240, 80, False, "hardswish", 2),
    Row(3, 200, 80, False, "hardswish", 1),
    Row(3, 184, 80, False, "hardswish", 1),
    Row(3, 184, 80, False, "hardswish", 1),
    Row(3, 480, 112, True, "hardswish", 1),
    Row(3, 672, 112, True, "hardswish", 1),
    Row(5, 672, 160, True, "hardswish", 2),
    Row(5, 960, 160, True, "hardswish", 1),
    Row(5, 960, 160, True, "hardswish", 1),
)

SMALL = (
    Row(3, 16, 16, True, "relu", 2),
    Row(3, 72, 24, False, "relu", 2),
    Row(3, 88, 24, False, "relu", 1),
    Row(5, 96, 40, True, "hardswish", 2),
    Row(5, 240, 40, True, "hardswish", 1),
    Row(5, 240, 40, True, "hardswish", 1),
    Row(5, 120, 48, True, "hardswish", 1),
    Row(5, 144, 48, True, "hardswish", 1),
    Row(5, 288, 96, True, "hardswish", 2),
    Row(5, 576, 96, True, "hardswish", 1),
    Row(5, 576, 96, True, "hardswish", 1),
)

STEM_CHANNELS = 16

ACTIVATIONS = {"relu": nn.ReLU, "hardswish": nn.Hardswish}

Norm = Callable[[int], nn.Layer]
"""Makes the normalisation of a number of channels."""


class InvertedResidual(nn.Layer):
    """Expand (1 x 1), filter each channel, weigh the channels, project (1 x 1): (N, C, H, W) to (N, C', H', W').

    The input is added where stride and channels leave its size; the expansion is left out where it changes nothing.

    Args:
        in_channels: C.
        expanded_channels: channels of the filtered maps.
        out_channels: C'.
        filter_size: height and width of the kernel, pixels; odd.
        stride: its step, pixels.
        use_se: whether the channels are weighed.
        activation_layer: makes the activations.
        norm_layer: makes the normalisation of a number of channels.
    """

    def __init__(
        self,
        in_channels: int,
        expanded_channels: int,
        out_channels: int,
        filter_size: int,
        stride: int,
        use_se: bool,
        activation_layer: Callable[[], nn.Layer],
        norm_layer: Norm,
    ) -> None:
        super().__init__()
        self.use_res_connect = stride == 1 and in_channels == out_channels
        self.use_se = use_se
        self.expand = in_channels != expanded_channels
        options: dict[str, Any] = {"norm_layer": norm_layer, "activation_layer": activation_layer}
        if self.expand:
            self.expand_conv = ConvNormActivation(in_channels, expanded_channels, 1, **options)
        self.bottleneck_conv = ConvNormActivation(
            expanded_channels, expanded_channels, filter_size, stride, groups=expanded_channels, **options
        )
        if use_se:
            squeezed = round_channels(expanded_channels // 4)
            self.mid_se = SqueezeExcite(
                expanded_channels, squeezed, gate=F.hardsigmoid, layer=pointwise, names=("fc1", "fc2")
            )
        self.linear_conv = ConvNormActivation(
            expanded_channels, out_channels, 1, norm_layer=norm_layer, activation_layer=None
        )

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.bottleneck_conv(self.expand_conv(x) if self.expand else x)
        y = self.linear_conv(self.mid_se(y) if self.use_se else y)
        return x + y if self.use_res_connect else y


class MobileNetV3(ImageNetwork):
    """A convolution, inverted residuals, a convolution and two linear layers: (N, 3, H, W) to (N, num_classes).

    Without the head the result is the feature maps, (N, C, 1, 1), or (N, C, H/32, W/32) without pooling.

    Args:
        rows: the blocks, :data:`LARGE` or :data:`SMALL`.
        last_channels: features between the two linear layers at scale 1.
        scale: factor on the numbers of channels, which are rounded to multiples of 8.
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.

    Raises:
        ValueError: the scale is not positive.
    """

    head_names = ("classifier",)

    def __init__(
        self,
        rows: Sequence[Row],
        last_channels: int,
        scale: float = 1.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__(num_classes, with_pool)
        check_scale(type(self).__name__, scale)
        self.scale = scale
        norm = functools.partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)
        channels = round_channels(STEM_CHANNELS * scale)
        self.conv = ConvNormActivation(3, channels, 3, 2, norm_layer=norm, activation_layer=nn.Hardswish)
        blocks = []
        for row in rows:
            inner, out_channels = round_channels(row.inner * scale), round_channels(row.out_channels * scale)
            activation = ACTIVATIONS[row.activation]
            blocks.append(
                InvertedResidual(
                    channels, inner, out_channels, row.kernel_size, row.stride, row.squeeze, activation, norm
                )
            )
            channels = out_channels
        self.blocks = nn.Sequential(*blocks)
        self.lastconv = ConvNormActivation(
            channels, 6 * channels, 1, norm_layer=norm, activation_layer=nn.Hardswish
        )
        self.last_channel = round_channels(last_channels * scale)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if self.num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(6 * channels, self.last_channel),
                nn.Hardswish(),
                nn.Dropout(0.2),
                nn.Linear(self.last_channel, self.num_classes),
            )

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


class MobileNetV3Small(MobileNetV3):
    """The small one of the paper's two networks; see :class:`MobileNetV3`.

    Args:
        scale: factor on the numbers of channels.
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(SMALL, 1024, scale, num_classes, with_pool)


class MobileNetV3Large(MobileNetV3):
    """The large one of the paper's two networks; arguments as of :class:`MobileNetV3Small`."""

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(LARGE, 1280, scale, num_classes, with_pool)


def mobilenet_v3_small(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV3Small:
    """Return MobileNetV3-Small.

    Args:
        pretrained: whether to load the published weights; there are some for the scale 1.
        scale: factor on the numbers of channels.
        **kwargs: further arguments of :class:`MobileNetV3Small`.
    """
    name = f"mobilenet_v3_small_x{float(scale)}"
    network: MobileNetV3Small = build(name, MobileNetV3Small, model_urls, pretrained, scale=scale, **kwargs)
    return network


def mobilenet_v3_large(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV3Large:
    """Return MobileNetV3-Large; arguments as of :func:`mobilenet_v3_small`."""
    name = f"mobilenet_v3_large_x{float(scale)}"
    network: MobileNetV3Large = build(name, MobileNetV3Large, model_urls, pretrained, scale=scale, **kwargs)
    return network
