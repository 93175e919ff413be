"""MobileNetV3 (Howard et al., "Searching for MobileNetV3", arXiv 1905.02244) as detectors look through it.

SSDLite has further blocks, and its first feature map is the expanded one inside a block.
Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from core import ParamAttr, nn
from core.nn import functional as F
from core.regularizer import L2Decay
from core.vision.models.blocks import ConvBatchNorm, round_channels
from core.vision.models.mobilenetv3 import LARGE, SMALL, STEM_CHANNELS
from PaddleClas.models.mobilenet_v3 import InvertedResidual
from PaddleDetection.models.backbones.mobilenet_v1 import EXTRA_BLOCKS

ROWS = {"large": LARGE, "small": SMALL}


class ExtraBlockDW(nn.Layer):
    """A 1 x 1 convolution, a 3 x 3 one of stride 2 of each channel by itself, and another 1 x 1 one.

    Args:
        in_channels: of the input.
        inner: after the first convolution.
        out_channels: of the output, a multiple of it.
        **options: further arguments of every :class:`ConvBatchNorm`.
    """

    def __init__(self, in_channels: int, inner: int, out_channels: int, **options: Any) -> None:
        super().__init__()
        options = {"activation": F.relu6, "padding": "SAME", **options}
        self.pointwise_conv = ConvBatchNorm(in_channels, inner, 1, **options)
        self.depthwise_conv = ConvBatchNorm(inner, out_channels, 3, 2, inner, **options)
        self.normal_conv = ConvBatchNorm(out_channels, out_channels, 1, **options)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps, (N, out_channels, H / 2, W / 2)."""
        return self.normal_conv(self.depthwise_conv(self.pointwise_conv(x)))


class MobileNetV3(nn.Layer):
    """A convolution and inverted residuals, perhaps with SSD's further blocks.

    Args:
        scale: factor on the number of channels.
        model_name: "large" or "small".
        feature_maps: after which blocks a feature map is given, counted from 2, as the convolution before them is 1.
            With further blocks, an inverted residual gives its expanded feature map.
        with_extra_blocks: whether there are a 1 x 1 convolution and four further blocks.
        lr_mult_list: factors on the learning rate of the convolution with the first three blocks, of the next three,
            and so on; the last one is of all that follow.
        conv_decay: weight decay of the convolutions, in place of the optimizer's.
        multiplier: factor on the number of channels of the last three inverted residuals.

    Attributes:
        channels: of the feature maps.
        strides: pixels of the image for each of their cells.
        own_layers: names of layers that no classifier has, or has of other shapes: the further blocks, and those that
            multiplier changes.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(
        self,
        scale: float = 1.0,
        model_name: str = "large",
        feature_maps: Sequence[int] = (7, 13, 16),
        with_extra_blocks: bool = False,
        lr_mult_list: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0),
        conv_decay: float = 0.0,
        multiplier: float = 1.0,
    ) -> None:
        super().__init__()
        if model_name not in ROWS:
            raise ValueError(f"model_name must be 'large' or 'small', not {model_name!r}")
        if not scale > 0:
            raise ValueError(f"scale must be positive, not {scale}")
        rows = list(ROWS[model_name])
        for place, inner in ((-3, 1.0), (-2, multiplier), (-1, multiplier)):
            row = rows[place]
            channels = int(row.out_channels * multiplier)
            rows[place] = row._replace(inner=int(row.inner * inner), out_channels=channels)
        self.feature_maps = tuple(feature_maps)
        self.with_extra_blocks = with_extra_blocks

        def options(number: int) -> dict[str, Any]:
            rate = lr_mult_list[min(number // 3, len(lr_mult_list) - 1)]
            return {"learning_rate": rate, "weight_decay": conv_decay, "decay_norm": False}

        channels, stride = round_channels(STEM_CHANNELS * scale), 2
        self.conv1 = ConvBatchNorm(3, channels, 3, stride, activation=F.hardswish, **options(0))
        self.blocks: list[Any] = []
        found = []
        for number, row in enumerate(rows):
            inner, outer = round_channels(row.inner * scale), round_channels(row.out_channels * scale)
            settings = options(number)
            gate = functools.partial(_gate, settings["learning_rate"], conv_decay)
            block = InvertedResidual(channels, inner, outer, row, gate, **settings)
            self.blocks.append(self.add_sublayer(f"conv{number + 2}", block))
            inside = (inner, stride)
            channels, stride = outer, stride * row.stride
            found.append(inside if with_extra_blocks else (channels, stride))
        if with_extra_blocks:
            settings, last = options(len(rows)), round_channels(rows[-1].inner * scale)
            layers: list[Any] = [ConvBatchNorm(channels, last, 1, activation=F.hardswish, **settings)]
            found.append((last, stride))
            for inner, outer in EXTRA_BLOCKS:
                layers.append(ExtraBlockDW(last, inner, outer, **settings))
                last, stride = outer, stride * 2
                found.append((last, stride))
            for layer in layers:
                self.blocks.append(self.add_sublayer(f"conv{len(self.blocks) + 2}", layer))
        first = len(rows) - (0 if multiplier == 1.0 else 3)
        self.own_layers = tuple(name for name, _ in self.named_children())[1 + first :]
        self.channels = tuple(found[number - 2][0] for number in self.feature_maps)
        self.strides = tuple(found[number - 2][1] for number in self.feature_maps)

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps, the finest first.

        Args:
            image: float32 (N, 3, H, W).
        """
        x, maps = self.conv1(image), []
        for number, block in enumerate(self.blocks, 2):
            if number not in self.feature_maps:
                x = block(x)
            elif self.with_extra_blocks and isinstance(block, InvertedResidual):
                maps.append(block.expand_conv(x))
                x = block.project(x, maps[-1])
            else:
                x = block(x)
                maps.append(x)
        return maps


def _gate(learning_rate: float, decay: float, in_channels: int, out_channels: int) -> nn.Conv2D:
    """Return one of the two layers of a squeeze and excitation."""
    weight, bias = (ParamAttr(learning_rate=learning_rate, regularizer=L2Decay(decay)) for _ in range(2))
    return nn.Conv2D(in_channels, out_channels, 1, weight_attr=weight, bias_attr=bias)
