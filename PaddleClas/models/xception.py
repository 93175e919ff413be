"""Xception: depthwise separable convolutions throughout, as PaddleClas has them; see also xception_deeplab.py.

Papers: Chollet, "Xception: deep learning with depthwise separable convolutions", CVPR 2017,
https://arxiv.org/abs/1610.02357; Chen et al., "Encoder-decoder with atrous separable convolution for semantic image
segmentation", ECCV 2018, https://arxiv.org/abs/1802.02611, for the deeper ones.
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. Its separable
convolutions mix the channels first and filter each one afterwards, the other way round than the paper's.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

ENTRY_FLOWS = {
    3: ((128, 2), (256, 2), (728, 2)),
    5: ((128, 2), (256, 1), (256, 2), (728, 1), (728, 2)),
}
"""Channels and stride of each block of the entry flow, by the number of blocks."""


class SeparableConv(nn.Layer):
    """A 1 x 1 convolution, then a 3 x 3 one of each channel by itself: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self._pointwise_conv = ConvBatchNorm(in_channels, out_channels, 1, names=EARLIER_NAMES)
        self._depthwise_conv = ConvBatchNorm(out_channels, out_channels, 3, groups=out_channels, names=EARLIER_NAMES)

    def forward(self, x: Any) -> Any:
        """Return the filtered images."""
        return self._depthwise_conv(self._pointwise_conv(x))


class PoolingBlock(nn.Layer):
    """Two separable convolutions and a pooling, added to a 1 x 1 convolution: (N, C, H, W) to (N, C', H/s, W/s).

    Args:
        in_channels: C.
        inner: channels between the two.
        out_channels: C'.
        stride: s, pixels.
        relu_first: whether the first convolution sees only what is above 0.
        names: attribute names of the two.
    """

    def __init__(
        self,
        in_channels: int,
        inner: int,
        out_channels: int,
        stride: int,
        relu_first: bool,
        names: tuple[str, str] = ("_conv1", "_conv2"),
    ) -> None:
        super().__init__()
        self.stride = stride
        self.relu_first = relu_first
        self._short = nn.Conv2D(in_channels, out_channels, 1, stride, bias_attr=False)
        self.add_sublayer(names[0], SeparableConv(in_channels, inner))
        self.add_sublayer(names[1], SeparableConv(inner, out_channels))

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        short, first, second = self.children()
        y = second(F.relu(first(F.relu(x) if self.relu_first else x)))
        return short(x) + F.max_pool2d(y, 3, self.stride, padding=1)


class EntryFlow(nn.Layer):
    """Two convolutions and the blocks that shrink the images: (N, 3, H, W) to (N, 728, H/16, W/16).

    Args:
        blocks: how many, 3 or 5.
    """

    def __init__(self, blocks: int) -> None:
        super().__init__()
        self.strides = [stride for _, stride in ENTRY_FLOWS[blocks]]
        self._conv1 = ConvBatchNorm(3, 32, 3, 2, activation=F.relu, names=EARLIER_NAMES)
        self._conv2 = ConvBatchNorm(32, 64, 3, activation=F.relu, names=EARLIER_NAMES)
        channels = 64
        for number, (width, stride) in enumerate(ENTRY_FLOWS[blocks]):
            self.add_sublayer(f"_conv_{number}", PoolingBlock(channels, width, width, stride, relu_first=number > 0))
            channels = width

    def forward(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size."""
        maps = [self._conv2(self._conv1(x))]
        for number, stride in enumerate(self.strides):
            y = getattr(self, f"_conv_{number}")(maps[-1])
            maps = [*maps, y] if stride == 2 else [*maps[:-1], y]
        return maps


class ResidualBlock(nn.Layer):
    """Three separable convolutions of what is above 0, added to the input: (N, C, H, W) to the same shape.

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        for number in range(3):
            self.add_sublayer(f"_conv_{number}", SeparableConv(channels, channels))

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = x
        for convolution in self.children():
            y = convolution(F.relu(y))
        return x + y


class ExitFlow(nn.Layer):
    """A last pooling, two separable convolutions and a linear layer: (N, 728, H, W) to (N, class_num).

    Args:
        class_num: number of classes.
    """

    def __init__(self, class_num: int) -> None:
        super().__init__()
        self._conv_0 = PoolingBlock(728, 728, 1024, 2, relu_first=True, names=("_conv_1", "_conv_2"))
        self._conv_1 = SeparableConv(1024, 1536)
        self._conv_2 = SeparableConv(1536, 2048)
        self._out = fully_connected(2048, class_num)

    def forward(self, x: Any) -> Any:
        """Return the feature maps that the linear layer takes the means of, (N, 2048, H/2, W/2)."""
        return F.relu(self._conv_2(F.relu(self._conv_1(self._conv_0(x)))))


class Xception(ImageClassifier):
    """Entry, middle and exit flow: (N, 3, H, W) to (N, class_num).

    Args:
        entry_blocks: number of blocks of the entry flow, 3 or 5.
        middle_blocks: number of blocks of the middle flow.
        class_num: number of classes.
    """

    head_names = head_layers = ("_exit_flow._out",)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, entry_blocks: int, middle_blocks: int, class_num: int = 1000) -> None:
        super().__init__()
        self._entry_flow = EntryFlow(entry_blocks)
        self._middle_flow = nn.Sequential(*[(f"_conv_{n}", ResidualBlock(728)) for n in range(middle_blocks)])
        self._exit_flow = ExitFlow(class_num)
        self.stage_channels = (64, 128, 256, 728, 2048) if entry_blocks == 3 else (64, 256, 728, 728, 2048)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 2048, H/2 to H/32, W/2 to W/32)."""
        *maps, x = self._entry_flow(x)
        x = self._middle_flow(x)
        return [*maps, x, self._exit_flow(x)]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self._exit_flow._out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def Xception41(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Xception:
    """Return Xception-41; arguments as of :func:`PaddleClas.create_model`."""
    return build("Xception41", Xception, pretrained, entry_blocks=3, middle_blocks=8, class_num=class_num, **kwargs)


def Xception65(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Xception:
    """Return Xception-65; arguments as of :func:`PaddleClas.create_model`."""
    return build("Xception65", Xception, pretrained, entry_blocks=3, middle_blocks=16, class_num=class_num, **kwargs)


def Xception71(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> Xception:
    """Return Xception-71; arguments as of :func:`PaddleClas.create_model`."""
    return build("Xception71", Xception, pretrained, entry_blocks=5, middle_blocks=16, class_num=class_num, **kwargs)
