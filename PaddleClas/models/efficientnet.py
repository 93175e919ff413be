"""EfficientNet: one searched network, scaled in width, depth and image size together.

Paper: Tan and Le, "EfficientNet: rethinking model scaling for convolutional neural networks", ICML 2019,
https://arxiv.org/abs/1905.11946
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. As there, the zeros
around an image are those that the network's own image size asks for, at every size; EfficientNetB0_small, of PaddleClas
alone, pads evenly and does without squeeze-and-excitation.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, NamedTuple, Union

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import SqueezeExcite, pointwise, round_channels
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class Row(NamedTuple):
    """One stage, before it is scaled."""

    repeats: int
    kernel_size: int
    stride: int
    expansion: int
    out_channels: int


STAGES = (
    Row(1, 3, 1, 1, 16),
    Row(2, 3, 2, 6, 24),
    Row(2, 5, 2, 6, 40),
    Row(3, 3, 2, 6, 80),
    Row(3, 5, 1, 6, 112),
    Row(4, 5, 2, 6, 192),
    Row(1, 3, 1, 6, 320),
)

STAGE_ENDS = (1, 2, 3, 5, 7)
"""The last stages of each size of feature maps."""

STEM_CHANNELS, LAST_CHANNELS = 32, 1280

Padding = Union[int, list[int]]


def padding(size: int, kernel_size: int, stride: int) -> list[int]:
    """Return the zeros above, below, left and right of feature maps, for those of one size.

    Before them there are as many as TensorFlow's "SAME" puts there; behind them enough for any size.

    Args:
        size: height and width that the maps would have in the network's own image size.
        kernel_size: of the convolution.
        stride: of the convolution.
    """
    total = max(kernel_size - (size % stride or stride), 0)
    before = total // 2
    behind = before if total % 2 == 0 else before + stride
    return [before, behind, before, behind]


def convolution(in_channels: int, out_channels: int, kernel_size: int, **options: Any) -> nn.Sequential:
    """Return a convolution without bias and its normalisation, as official weight files name them."""
    layer = nn.Conv2D(in_channels, out_channels, kernel_size, bias_attr=False, **options)
    normalisation = nn.BatchNorm2D(out_channels, momentum=0.99, epsilon=1e-3)
    return nn.Sequential(("_conv", nn.Sequential(("_conv", layer))), ("_bn", normalisation))


def gate_layer(in_channels: int, out_channels: int) -> nn.Sequential:
    """Return a 1 x 1 convolution with bias, as official weight files name it."""
    return nn.Sequential(("_conv", pointwise(in_channels, out_channels)))


class MobileBottleneck(nn.Layer):
    """Expand (1 x 1), filter each channel, weigh the channels, project (1 x 1): (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        row: the block's kernel, stride and expansion.
        out_channels: C'.
        filter_padding: zeros around the maps that are filtered.
        squeeze: whether the inner channels are weighed.
        drop: probability that training leaves a sample's branch out, where there is a shortcut.
    """

    def __init__(
        self, in_channels: int, row: Row, out_channels: int, filter_padding: Padding, squeeze: bool, drop: float
    ) -> None:
        super().__init__()
        inner = in_channels * row.expansion
        self._ecn = nn.Sequential(("_conv", convolution(in_channels, inner, 1))) if row.expansion != 1 else None
        depthwise = convolution(inner, inner, row.kernel_size, stride=row.stride, padding=filter_padding, groups=inner)
        self._dcn = nn.Sequential(("_conv", depthwise))
        self._se = None
        if squeeze:
            squeezed = max(1, in_channels // 4)
            self._se = SqueezeExcite(inner, squeezed, F.swish, layer=gate_layer, names=("_conv1", "_conv2"))
        self._pcn = nn.Sequential(("_conv", convolution(inner, out_channels, 1)))
        self.drop = nn.Dropout(drop, axis=0) if row.stride == 1 and in_channels == out_channels else None

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = x if self._ecn is None else F.swish(self._ecn(x))
        y = F.swish(self._dcn(y))
        if self._se is not None:
            y = self._se(y)
        y = self._pcn(y)
        return y if self.drop is None else x + self.drop(y)


class EfficientNet(ImageClassifier):
    """A convolution, seven stages of bottlenecks and a 1 x 1 convolution: (N, 3, H, W) to (N, class_num).

    Args:
        width: factor on the number of channels.
        depth: factor on the number of blocks.
        image_size: the network's own image size, pixels, which decides the zeros around its maps.
        dropout: of the features before the linear layer.
        squeeze: whether blocks weigh their channels.
        even: whether the zeros are as many on all sides, whatever the image size.
        drop_connect: probability that training leaves the last block's branch out; earlier ones have less.
        class_num: number of classes.
    """

    head_names = ("_fc",)
    head_layers = ("_conv", "_drop", "_fc")
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(
        self,
        width: float = 1.0,
        depth: float = 1.0,
        image_size: int = 224,
        dropout: float = 0.2,
        squeeze: bool = True,
        even: bool = False,
        drop_connect: float = 0.2,
        class_num: int = 1000,
    ) -> None:
        super().__init__()

        def zeros(kernel_size: int, stride: int) -> Padding:
            return (kernel_size - 1) // 2 if even else padding(size, kernel_size, stride)

        size, channels = image_size, round_channels(STEM_CHANNELS * width)
        stem = convolution(3, channels, 3, stride=2, padding=zeros(3, 2))
        layers: list[tuple[str, nn.Layer]] = [("_conv_stem", nn.Sequential(("_conv", stem)))]
        size = -(-size // 2)
        self.block_counts = [math.ceil(row.repeats * depth) for row in STAGES]
        for row, count in zip(STAGES, self.block_counts):
            out_channels = round_channels(row.out_channels * width)
            for repeat in range(count):
                row = row._replace(stride=1 if repeat else row.stride)
                number = len(layers) - 1
                drop = drop_connect * number / sum(self.block_counts)
                around = zeros(row.kernel_size, row.stride)
                block = MobileBottleneck(channels, row, out_channels, around, squeeze, drop)
                layers.append((f"block.{number}." if repeat else f"_blocks.{number}.", block))
                channels, size = out_channels, -(-size // row.stride)
        self._ef = nn.Sequential(*layers)
        self.stage_channels = [round_channels(STAGES[end - 1].out_channels * width) for end in STAGE_ENDS]
        last = round_channels(LAST_CHANNELS * width)
        self._conv = convolution(channels, last, 1)
        self._drop = nn.Dropout(dropout)
        self._fc = nn.Linear(last, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 16 to 320 * width, H/2 to H/32, W/2 to W/32)."""
        stem, *blocks = self._ef.children()
        x = F.swish(stem(x))
        maps, remaining = [], iter(blocks)
        for number, count in enumerate(self.block_counts, 1):
            for _ in range(count):
                x = next(remaining)(x)
            if number in STAGE_ENDS:
                maps.append(x)
        return maps

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps of the last convolution, (N, 1280 * width, H/32, W/32)."""
        return F.swish(self._conv(self.forward_stages(x)[-1]))

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self._fc(self._drop(core.flatten(F.adaptive_avg_pool2d(features, 1), 1)))


SCALES = {
    "B0": (1.0, 1.0, 224, 0.2),
    "B1": (1.0, 1.1, 240, 0.2),
    "B2": (1.1, 1.2, 260, 0.3),
    "B3": (1.2, 1.4, 300, 0.3),
    "B4": (1.4, 1.8, 380, 0.4),
    "B5": (1.6, 2.2, 456, 0.4),
    "B6": (1.8, 2.6, 528, 0.5),
    "B7": (2.0, 3.1, 600, 0.5),
}
"""Width, depth, image size and dropout."""


def _scaled(scale: str) -> Callable[..., EfficientNet]:
    return functools.partial(EfficientNet, *SCALES[scale])


def EfficientNetB0_small(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B0 without squeeze-and-excitation; arguments as of :func:`PaddleClas.create_model`."""
    network = functools.partial(_scaled("B0"), squeeze=False, even=True)
    return build("EfficientNetB0_small", network, pretrained, class_num=class_num, **kwargs)


def EfficientNetB0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B0, for images of 224 x 224; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB0", _scaled("B0"), pretrained, class_num=class_num, **kwargs)


def EfficientNetB1(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B1, for images of 240 x 240; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB1", _scaled("B1"), pretrained, class_num=class_num, **kwargs)


def EfficientNetB2(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B2, for images of 260 x 260; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB2", _scaled("B2"), pretrained, class_num=class_num, **kwargs)


def EfficientNetB3(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B3, for images of 300 x 300; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB3", _scaled("B3"), pretrained, class_num=class_num, **kwargs)


def EfficientNetB4(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B4, for images of 380 x 380; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB4", _scaled("B4"), pretrained, class_num=class_num, **kwargs)


def EfficientNetB5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B5, for images of 456 x 456; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB5", _scaled("B5"), pretrained, class_num=class_num, **kwargs)


def EfficientNetB6(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B6, for images of 528 x 528; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB6", _scaled("B6"), pretrained, class_num=class_num, **kwargs)


def EfficientNetB7(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EfficientNet:
    """Return EfficientNet-B7, for images of 600 x 600; arguments as of :func:`PaddleClas.create_model`."""
    return build("EfficientNetB7", _scaled("B7"), pretrained, class_num=class_num, **kwargs)
