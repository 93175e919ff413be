"""ResNeSt: bottlenecks whose 3 x 3 convolution is split, and whose splits are weighed against one another.

Paper: Zhang et al., "ResNeSt: split-attention networks", 2020, https://arxiv.org/abs/2004.08955
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. Maps of odd sizes, which
its shortcuts cannot take, are averaged with what there is at the border, as in the paper's own code.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.regularizer import L2Decay
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

BLOCKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 200: (3, 24, 36, 3), 269: (3, 30, 48, 8)}
"""Number of blocks in each of the four stages, by the number of layers with weights."""

WIDTHS = (64, 128, 256, 512)
EXPANSION = 4

convolution = functools.partial(ConvBatchNorm, names=EARLIER_NAMES, decay_norm=False)
"""A normalised convolution with this family's names; its normalisation is not regularised."""


class SplitAttention(nn.Layer):
    """A 3 x 3 convolution for each split, and their weighted sum: (N, C, H, W) to the same shape.

    Args:
        channels: C.
        radix: number of splits. For one its channels are weighed by themselves, as squeeze-and-excitation does.
    """

    def __init__(self, channels: int, radix: int) -> None:
        super().__init__()
        self.radix = radix
        inner = max(channels * radix // 4, 32)
        self.conv1 = convolution(channels, channels * radix, 3, groups=radix, activation=F.relu)
        self.conv2 = convolution(channels, inner, 1, activation=F.relu)
        self.conv3 = nn.Conv2D(inner, channels * radix, 1, weight_attr=ParamAttr(initializer=KaimingNormal()))

    def forward(self, x: Any) -> Any:
        """Return the weighted sum of the splits."""
        x = self.conv1(x)
        splits = core.split(x, self.radix, axis=1) if self.radix > 1 else [x]
        scores = self.conv3(self.conv2(F.adaptive_avg_pool2d(_sum(splits), 1)))
        if self.radix == 1:
            return x * F.sigmoid(scores)
        by_split = core.reshape(scores, [scores.shape[0], self.radix, -1, 1, 1])
        weights = core.unbind(F.softmax(by_split, axis=1), axis=1)
        return _sum([split * weight for split, weight in zip(splits, weights)])


def _sum(terms: Any) -> Any:
    return functools.reduce(lambda total, term: total + term, terms)


class Kind(NamedTuple):
    """What all blocks of a network share: the number of splits, and whether averages precede the splits."""

    radix: int
    average_first: bool


class Bottleneck(nn.Layer):
    """1 x 1, split 3 x 3 and 1 x 1 convolutions, plus a shortcut: (N, C, H, W) to (N, 4 * width, H', W').

    Args:
        in_channels: C.
        width: channels of the 3 x 3 convolution.
        stride: step of the block, pixels; averages of 3 x 3 pixels take it, in the shortcut of stride x stride.
        kind: of the network's blocks.
    """

    def __init__(self, in_channels: int, width: int, stride: int, kind: Kind) -> None:
        super().__init__()
        out_channels = width * EXPANSION
        self.stride = stride
        self.average_first = kind.average_first
        self.conv1 = convolution(in_channels, width, 1, activation=F.relu)
        self.conv2 = SplitAttention(width, kind.radix)
        self.conv3 = convolution(width, out_channels, 1)
        self.project = stride != 1 or in_channels != out_channels
        if self.project:
            weight = ParamAttr(initializer=KaimingNormal())
            self.conv4 = nn.Conv2D(in_channels, out_channels, 1, weight_attr=weight, bias_attr=False)
            self._batch_norm = nn.BatchNorm2D(out_channels, weight_attr=_undecayed(), bias_attr=_undecayed())

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.conv1(x)
        if self.average_first:
            y = self.conv2(self._averages(y))
        else:
            y = self._averages(self.conv2(y))
        y = self.conv3(y)
        if self.project:
            averages = x if self.stride == 1 else F.avg_pool2d(x, self.stride, self.stride, ceil_mode=True)
            x = self._batch_norm(self.conv4(averages))
        return F.relu(x + y)

    def _averages(self, x: Any) -> Any:
        return x if self.stride == 1 else F.avg_pool2d(x, 3, self.stride, padding=1)


class Stage(nn.Layer):
    """A block that may change size and width, then blocks that do not.

    Args:
        name: the stage's own name, ``layer1`` say; its first block is called ``layer1_bottleneck_0``.
        in_channels: channels of the input.
        width: channels of the blocks' 3 x 3 convolutions.
        blocks: how many.
        stride: step of the first block, pixels.
        kind: of the network's blocks.
    """

    def __init__(self, name: str, in_channels: int, width: int, blocks: int, stride: int, kind: Kind) -> None:
        super().__init__()
        for number in range(blocks):
            block = Bottleneck(in_channels, width, 1 if number else stride, kind)
            self.add_sublayer(f"{name}_bottleneck_{number}", block)
            in_channels = width * EXPANSION

    def forward(self, x: Any) -> Any:
        """Return the stage's feature maps."""
        for block in self.children():
            x = block(x)
        return x


class ResNeSt(ImageClassifier):
    """A stem of three convolutions, four stages and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        depth: 50, 101, 200 or 269 layers with weights.
        radix: number of splits in each block.
        average_first: whether the averages that halve the maps precede the splits instead of following them.
        stem_width: channels of the stem's first two convolutions; the third has twice as many.
        class_num: number of classes.

    Raises:
        ValueError: there is no such depth, or ``radix`` is not positive.
    """

    head_names = ("out",)
    head_layers = ("out",)
    stage_channels = tuple(width * EXPANSION for width in WIDTHS)
    stage_strides = (4, 8, 16, 32)

    def __init__(
        self,
        depth: int = 50,
        radix: int = 2,
        average_first: bool = False,
        stem_width: int = 32,
        class_num: int = 1000,
    ) -> None:
        super().__init__()
        if depth not in BLOCKS:
            raise ValueError(f"ResNeSt has {', '.join(map(str, BLOCKS))} layers, not {depth}")
        if radix < 1:
            raise ValueError(f"radix must be at least 1, not {radix}")
        channels = 2 * stem_width
        self.stem = nn.Sequential(
            ("conv1", convolution(3, stem_width, 3, 2, activation=F.relu)),
            ("conv2", convolution(stem_width, stem_width, 3, activation=F.relu)),
            ("conv3", convolution(stem_width, channels, 3, activation=F.relu)),
        )
        self.max_pool2d = nn.MaxPool2D(3, 2, padding=1)
        for number, (width, blocks) in enumerate(zip(WIDTHS, BLOCKS[depth]), start=1):
            name, stride = f"layer{number}", 1 if number == 1 else 2
            self.add_sublayer(name, Stage(name, channels, width, blocks, stride, Kind(radix, average_first)))
            channels = width * EXPANSION
        self.out = fully_connected(channels, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, (N, 256 to 2048, H/4 to H/32, W/4 to W/32).

        Raises:
            ValueError: H or W is no multiple of 32, so that a shortcut would not fit its branch.
        """
        if x.shape[2] % 32 or x.shape[3] % 32:
            raise ValueError(
                f"ResNeSt takes images whose height and width are multiples of 32, not {list(x.shape[2:])}"
            )
        x = self.max_pool2d(self.stem(x))
        maps = []
        for number in range(1, len(WIDTHS) + 1):
            x = getattr(self, f"layer{number}")(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def _undecayed() -> ParamAttr:
    return ParamAttr(regularizer=L2Decay(0.0))


def ResNeSt50_fast_1s1x64d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeSt:
    """Return ResNeSt-50 with one split, averaged first; arguments as of :func:`PaddleClas.create_model`."""
    network = functools.partial(ResNeSt, radix=1, average_first=True)
    return build("ResNeSt50_fast_1s1x64d", network, pretrained, class_num=class_num, **kwargs)


def ResNeSt50(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeSt:
    """Return ResNeSt-50; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeSt50", ResNeSt, pretrained, class_num=class_num, **kwargs)


def ResNeSt101(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeSt:
    """Return ResNeSt-101; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeSt101", ResNeSt, pretrained, depth=101, stem_width=64, class_num=class_num, **kwargs)


def ResNeSt200(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeSt:
    """Return ResNeSt-200; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeSt200", ResNeSt, pretrained, depth=200, stem_width=64, class_num=class_num, **kwargs)


def ResNeSt269(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNeSt:
    """Return ResNeSt-269; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeSt269", ResNeSt, pretrained, depth=269, stem_width=64, class_num=class_num, **kwargs)
