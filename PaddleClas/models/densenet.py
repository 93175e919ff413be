"""DenseNet: every layer of a block sees the feature maps of all layers before it.

Paper: Huang et al., "Densely connected convolutional networks", CVPR 2017, https://arxiv.org/abs/1608.06993
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.blocks import EARLIER_NAMES, BatchNormConv, ConvBatchNorm, fully_connected
from PaddleClas.models.pretrained import Pretrained, build

SIZES = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
    264: (64, 32, (6, 12, 64, 48)),
}
"""Channels of the stem, channels that each layer adds, layers of each block, by the number of layers with weights."""


class DenseLayer(nn.Layer):
    """A 1 x 1 and a 3 x 3 convolution whose maps are appended to the input: (N, C, H, W) to (N, C + growth, H, W).

    Args:
        in_channels: C.
        growth: how many channels are appended.
    """

    def __init__(self, in_channels: int, growth: int) -> None:
        super().__init__()
        self.bn_ac_func1 = BatchNormConv(in_channels, 4 * growth, 1)
        self.bn_ac_func2 = BatchNormConv(4 * growth, growth, 3)

    def forward(self, x: Any) -> Any:
        """Return the input and the new feature maps, one after another."""
        return core.concat([x, self.bn_ac_func2(self.bn_ac_func1(x))], 1)


class Transition(nn.Layer):
    """Half the channels, then half the size: (N, C, H, W) to (N, C/2, H/2, W/2).

    Args:
        in_channels: C.
    """

    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.conv_ac_func = BatchNormConv(in_channels, in_channels // 2, 1)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return F.avg_pool2d(self.conv_ac_func(x), 2, 2)


class DenseNet(ImageClassifier):
    """A stem, four dense blocks with transitions between them, and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        depth: 121, 161, 169, 201 or 264 layers with weights.
        class_num: number of classes.

    Raises:
        ValueError: there is no DenseNet of this depth.
    """

    head_names = ("out",)
    head_layers = ("batch_norm", "out")
    stage_strides = (4, 8, 16, 32)

    def __init__(self, depth: int, class_num: int = 1000) -> None:
        super().__init__()
        if depth not in SIZES:
            raise ValueError(f"DenseNet has {', '.join(map(str, SIZES))} layers, not {depth}")
        channels, growth, self.layers_of_blocks = SIZES[depth]
        self.conv1_func = ConvBatchNorm(3, channels, 7, 2, activation=F.relu, names=EARLIER_NAMES)
        self.stage_channels = []
        for number, count in enumerate(self.layers_of_blocks, start=2):
            if number > 2:
                self.add_sublayer(f"tr_conv{number - 1}_blk", Transition(channels))
                channels //= 2
            layers = [(f"conv{number}_{i + 1}", DenseLayer(channels + i * growth, growth)) for i in range(count)]
            self.add_sublayer(f"db_conv_{number}", nn.Sequential(*layers))
            channels += count * growth
            self.stage_channels.append(channels)
        self.batch_norm = nn.BatchNorm2D(channels)
        self.out = fully_connected(channels, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four blocks, (N, C, H/4 to H/32, W/4 to W/32)."""
        x = F.max_pool2d(self.conv1_func(x), 3, 2, padding=1)
        maps = []
        for number in range(2, 6):
            if number > 2:
                x = getattr(self, f"tr_conv{number - 1}_blk")(x)
            x = getattr(self, f"db_conv_{number}")(x)
            maps.append(x)
        return maps

    def forward_features(self, x: Any) -> Any:
        """Return the normalised feature maps of the last block, (N, C, H/32, W/32)."""
        return F.relu(self.batch_norm(self.forward_stages(x)[-1]))

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def DenseNet121(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-121; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet121", DenseNet, pretrained, depth=121, class_num=class_num, **kwargs)


def DenseNet161(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-161; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet161", DenseNet, pretrained, depth=161, class_num=class_num, **kwargs)


def DenseNet169(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-169; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet169", DenseNet, pretrained, depth=169, class_num=class_num, **kwargs)


def DenseNet201(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-201; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet201", DenseNet, pretrained, depth=201, class_num=class_num, **kwargs)


def DenseNet264(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-264; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet264", DenseNet, pretrained, depth=264, class_num=class_num, **kwargs)
