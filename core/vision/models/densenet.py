"""DenseNet: every layer of a block sees the feature maps of all layers before it.

Paper: Huang et al., "Densely connected convolutional networks", CVPR 2017, https://arxiv.org/abs/1608.06993
Source of arguments and parameter names: Paddle 2.6.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn import functional as F
from core.operators import concat, flatten
from core.vision.models.base import ImageNetwork, build, choice
from core.vision.models.blocks import EARLIER_NAMES, BatchNormConv, ConvBatchNorm, fully_connected

_HOST = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/"

model_urls = {
    "densenet121": (f"{_HOST}DenseNet121_pretrained.pdparams", "db1b239ed80a905290fd8b01d3af08e4"),
    "densenet161": (f"{_HOST}DenseNet161_pretrained.pdparams", "62158869cb315098bd25ddbfd308a853"),
    "densenet169": (f"{_HOST}DenseNet169_pretrained.pdparams", "82cc7c635c3f19098c748850efb2d796"),
    "densenet201": (f"{_HOST}DenseNet201_pretrained.pdparams", "16ca29565a7712329cf9e36e02caaf58"),
    "densenet264": (f"{_HOST}DenseNet264_pretrained.pdparams", "3270ce516b85370bba88cfdd9f60bff4"),
}
"""The published weight files and their MD5."""

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
        bottleneck: how many times as many channels lie between the two convolutions.
        dropout: share of the new maps' numbers that is dropped in training.
    """

    def __init__(self, in_channels: int, growth: int, bottleneck: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        self.bn_ac_func1 = BatchNormConv(in_channels, bottleneck * growth, 1)
        self.bn_ac_func2 = BatchNormConv(bottleneck * growth, growth, 3)
        self.dropout_func = nn.Dropout(dropout, mode="downscale_in_infer") if dropout else None

    def forward(self, x: Any) -> Any:
        """Return the input and the new feature maps, one after another."""
        new = self.bn_ac_func2(self.bn_ac_func1(x))
        return concat([x, new if self.dropout_func is None else self.dropout_func(new)], 1)


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


class DenseNet(ImageNetwork):
    """A stem, four dense blocks with transitions between them, and a linear layer: (N, 3, H, W) to (N, num_classes).

    Without the head the result is the feature maps, (N, C, 1, 1), or (N, C, H/32, W/32) without pooling.

    Args:
        layers: 121, 161, 169, 201 or 264 layers with weights.
        bn_size: how many times the channels that a layer adds lie between its two convolutions.
        dropout: share of the numbers that each layer adds that is dropped in training.
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.

    Raises:
        ValueError: there is no DenseNet of this depth.
    """

    head_names = ("out",)

    def __init__(
        self,
        layers: int = 121,
        bn_size: int = 4,
        dropout: float = 0.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__(num_classes, with_pool)
        channels, growth, self.layers_of_blocks = choice(
            SIZES, layers, f"DenseNet has {', '.join(map(str, SIZES))} layers"
        )
        self.conv1_func = ConvBatchNorm(3, channels, 7, 2, activation=F.relu, names=EARLIER_NAMES)
        self.pool2d_max = nn.MaxPool2D(3, 2, padding=1)
        self.block_channels = []
        for number, count in enumerate(self.layers_of_blocks, start=2):
            if number > 2:
                self.add_sublayer(f"tr_conv{number - 1}_blk", Transition(channels))
                channels //= 2
            block = [
                (f"conv{number}_{i + 1}", DenseLayer(channels + i * growth, growth, bn_size, dropout))
                for i in range(count)
            ]
            self.add_sublayer(f"db_conv_{number}", nn.Sequential(*block))
            channels += count * growth
            self.block_channels.append(channels)
        self.batch_norm = nn.BatchNorm2D(channels)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if self.num_classes > 0:
            self.out = fully_connected(channels, self.num_classes)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four blocks, (N, C, H/4 to H/32, W/4 to W/32)."""
        x = self.pool2d_max(self.conv1_func(x))
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
        """Return the logits for feature maps of any size, (N, num_classes)."""
        x = self.pool2d_avg(features) if self.with_pool else features
        return self.out(flatten(x, 1)) if self.num_classes > 0 else x

    def forward(self, input: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        return self.forward_head(self.forward_features(input))


def _densenet(layers: int, pretrained: bool, **kwargs: Any) -> DenseNet:
    network: DenseNet = build(f"densenet{layers}", DenseNet, model_urls, pretrained, layers=layers, **kwargs)
    return network


def densenet121(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-121, with its weights of ImageNet if ``pretrained``; arguments as of :class:`DenseNet`."""
    return _densenet(121, pretrained, **kwargs)


def densenet161(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-161; arguments as of :func:`densenet121`."""
    return _densenet(161, pretrained, **kwargs)


def densenet169(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-169; arguments as of :func:`densenet121`."""
    return _densenet(169, pretrained, **kwargs)


def densenet201(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-201; arguments as of :func:`densenet121`."""
    return _densenet(201, pretrained, **kwargs)


def densenet264(pretrained: bool = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-264; arguments as of :func:`densenet121`."""
    return _densenet(264, pretrained, **kwargs)
