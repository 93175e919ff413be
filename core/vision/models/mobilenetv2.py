"""MobileNetV2: inverted residuals with linear bottlenecks.

Paper: Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", CVPR 2018,
https://arxiv.org/abs/1801.04381
Source of arguments and parameter names: Paddle 2.6.
"""

from __future__ import annotations

from typing import Any, Callable

from core import nn
from core.operators import flatten
from core.vision.models.base import ImageNetwork, build, check_scale
from core.vision.models.blocks import round_channels
from core.vision.ops import ConvNormActivation

model_urls = {
    "mobilenetv2_1.0": (
        "https://paddle-hapi.bj.bcebos.com/models/mobilenet_v2_x1.0.pdparams",
        "0340af0a901346c8d46f4529882fb63d",
    ),
}
"""The published weight file and its MD5, by the scale."""

STAGES = (
    *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
    *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
)
"""Expansion factor, output channels (at scale 1), number of blocks and stride of the first block of each stage."""

STEM_CHANNELS = 32
LAST_CHANNELS = 1280


class InvertedResidual(nn.Layer):
    """Expand (1 x 1), filter each channel (3 x 3), project (1 x 1, linear): (N, inp, H, W) to (N, oup, H', W').

    The input is added where stride and channels leave its size.

    Args:
        inp: channels of the input.
        oup: channels of the output.
        stride: step of the 3 x 3 convolution, 1 or 2 pixels.
        expand_ratio: the inner width is this multiple of the input's; 1 leaves the expansion out.
        norm_layer: makes the normalisation of a number of channels.

    Raises:
        ValueError: the stride is neither 1 nor 2.
    """

    def __init__(
        self,
        inp: int,
        oup: int,
        stride: int,
        expand_ratio: float,
        norm_layer: Callable[[int], nn.Layer] = nn.BatchNorm2D,
    ) -> None:
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"InvertedResidual: stride must be 1 or 2, not {stride}")
        self.stride = stride
        self.use_res_connect = stride == 1 and inp == oup
        inner = int(round(inp * expand_ratio))
        options: dict[str, Any] = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
        layers: list[nn.Layer] = []
        if expand_ratio != 1:
            layers.append(ConvNormActivation(inp, inner, kernel_size=1, **options))
        layers += [
            ConvNormActivation(inner, inner, stride=stride, groups=inner, **options),
            nn.Conv2D(inner, oup, 1, bias_attr=False),
            norm_layer(oup),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(ImageNetwork):
    """A convolution, seven stages, a 1 x 1 convolution and a linear layer: (N, 3, H, W) to (N, num_classes).

    Without the head the result is the feature maps, (N, C, 1, 1), or (N, C, H/32, W/32) without pooling.

    Args:
        scale: factor on the numbers of channels, which are rounded to multiples of 8; the last convolution never has
            fewer than 1280.
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.

    Raises:
        ValueError: the scale is not positive.
    """

    head_names = ("classifier",)

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(num_classes, with_pool)
        check_scale("MobileNetV2", scale)
        channels = round_channels(STEM_CHANNELS * scale)
        self.last_channel = round_channels(LAST_CHANNELS * max(1.0, scale))
        features: list[nn.Layer] = [ConvNormActivation(3, channels, stride=2, activation_layer=nn.ReLU6)]
        for expansion, width, blocks, stride in STAGES:
            out_channels = round_channels(width * scale)
            for number in range(blocks):
                features.append(InvertedResidual(channels, out_channels, stride if number == 0 else 1, expansion))
                channels = out_channels
        features.append(
            ConvNormActivation(channels, self.last_channel, kernel_size=1, activation_layer=nn.ReLU6)
        )
        self.features = nn.Sequential(*features)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if self.num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(self.last_channel, self.num_classes))

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v2(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV2:
    """Return MobileNetV2.

    Args:
        pretrained: whether to load the published weights; there are some for the scale 1.
        scale: factor on the numbers of channels.
        **kwargs: further arguments of :class:`MobileNetV2`.
    """
    network: MobileNetV2 = build(
        f"mobilenetv2_{float(scale)}", MobileNetV2, model_urls, pretrained, scale=scale, **kwargs
    )
    return network
