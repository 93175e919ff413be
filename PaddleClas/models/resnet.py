"""ResNet, and its variant -vd (deep stem, averaged shortcuts); -vc is in resnet_vc.py.

Papers: He et al., "Deep residual learning for image recognition", CVPR 2016, https://arxiv.org/abs/1512.03385;
He et al., "Bag of tricks for image classification with convolutional neural networks", CVPR 2019,
https://arxiv.org/abs/1812.01187 (-vd is its ResNet-D; plain ones here are its ResNet-B: a bottleneck's stride
lies on the 3 x 3 convolution).
Source of parameter names: PaddleClas 2.2+.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple, Optional

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

BLOCKS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 12, 48, 3),
}
"""Number of residual blocks in each of the four stages, by the number of layers with weights."""

WIDTHS = (64, 128, 256, 512)


class ResidualBlock(nn.Layer):
    """An activation of a branch plus a shortcut; the subclasses say what the branch is.

    Args:
        in_channels: channels of the input.
        width: channels of the 3 x 3 convolutions; the output has ``expansion`` times as many.
        stride: step of the block, pixels.
        shortcut: ``"identity"``; ``"conv"``, a 1 x 1 convolution; or ``"pool"``, 2 x 2 averages before a
            1 x 1 convolution, which then skips no pixel.
        expansion: another factor than that of the kind of block.
        groups: number of groups of the 3 x 3 convolutions.
        squeeze_excite: whether the branch ends with a :class:`SqueezeExcite`, called ``scale``.
        activation: the function of all activations.
        options: further arguments of every :class:`ConvBatchNorm`.
    """

    expansion = 1

    def __init__(
        self,
        in_channels: int,
        width: int,
        stride: int,
        shortcut: str,
        expansion: Optional[int] = None,
        groups: int = 1,
        squeeze_excite: bool = False,
        activation: Callable[[Any], Any] = F.relu,
        **options: Any,
    ) -> None:
        super().__init__()
        self.activation = activation
        self.stride = stride
        self.shortcut = shortcut
        self.out_channels = width * (expansion or self.expansion)
        self._build_branch(in_channels, width, stride, groups, options)
        self.scale = SqueezeExcite(self.out_channels, self.out_channels // 16) if squeeze_excite else None
        if shortcut != "identity":
            stride = 1 if shortcut == "pool" else stride
            self.short = ConvBatchNorm(in_channels, self.out_channels, 1, stride, **options)

    def _build_branch(self, in_channels: int, width: int, stride: int, groups: int, options: dict[str, Any]) -> None:
        raise NotImplementedError

    def branch(self, x: Any) -> Any:
        """Return what is added to the shortcut."""
        raise NotImplementedError

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps, (N, width * expansion, H / stride, W / stride)."""
        y, short = self.branch(x), x
        if self.shortcut == "pool":
            short = F.avg_pool2d(short, 2, self.stride, padding="SAME")
        if self.shortcut != "identity":
            short = self.short(short)
        return self.activation((y if self.scale is None else self.scale(y)) + short)


class BasicBlock(ResidualBlock):
    """Two 3 x 3 convolutions; see :class:`ResidualBlock`."""

    def _build_branch(self, in_channels: int, width: int, stride: int, groups: int, options: dict[str, Any]) -> None:
        self.conv0 = ConvBatchNorm(in_channels, width, 3, stride, groups, activation=self.activation, **options)
        self.conv1 = ConvBatchNorm(width, self.out_channels, 3, groups=groups, **options)

    def branch(self, x: Any) -> Any:
        """Return what is added to the shortcut."""
        return self.conv1(self.conv0(x))


class BottleneckBlock(ResidualBlock):
    """1 x 1, 3 x 3 and 1 x 1 convolutions, the last one four times as wide; see :class:`ResidualBlock`."""

    expansion = 4

    def _build_branch(self, in_channels: int, width: int, stride: int, groups: int, options: dict[str, Any]) -> None:
        self.conv0 = ConvBatchNorm(in_channels, width, 1, activation=self.activation, **options)
        self.conv1 = ConvBatchNorm(width, width, 3, stride, groups, activation=self.activation, **options)
        self.conv2 = ConvBatchNorm(width, self.out_channels, 1, **options)

    def branch(self, x: Any) -> Any:
        """Return what is added to the shortcut."""
        return self.conv2(self.conv1(self.conv0(x)))


class Position(NamedTuple):
    """Where a block is: its stage and number there, from 0, and the channels that it receives."""

    stage: int
    number: int
    in_channels: int


def block_type(depth: int) -> type[ResidualBlock]:
    """Return the kind of block of a ResNet.

    Raises:
        ValueError: there is no ResNet of this depth.
    """
    if depth not in BLOCKS:
        raise ValueError(f"ResNet has {', '.join(map(str, BLOCKS))} layers, not {depth}")
    return BottleneckBlock if depth >= 50 else BasicBlock


def positions(depth: int) -> Iterator[Position]:
    """Yield the position of each block of a ResNet, in order."""
    in_channels = WIDTHS[0]
    for stage, count in enumerate(BLOCKS[depth]):
        for number in range(count):
            yield Position(stage, number, in_channels)
            in_channels = WIDTHS[stage] * block_type(depth).expansion


class ResNet(ImageClassifier):
    """A stem, four stages of residual blocks and a linear layer: (N, C, H, W) to (N, class_num).

    Args:
        depth: 18, 34, 50, 101, 152 or 200 layers with weights.
        version: ``"vb"`` (plain) or ``"vd"``.
        class_num: number of classes.
        input_image_channel: C.
        stride_list: steps of the stem, of the max pooling and of stages 2 to 4, pixels. ``(1, 1, 2, 2, 2)`` with
            ``max_pool=False`` keeps small images (32 x 32, say) large enough.
        max_pool: whether a 3 x 3 max pooling follows the stem; without it stage 1 takes the second stride.
        lr_mult_list: factors on the learning rate of the stem and of the four stages.
        use_first_short_conv: whether the first block of stage 1 has a convolution in its shortcut, as official
            weights expect; without it ResNet-18 and -34 have the shapes of torchvision's.

    Raises:
        ValueError: an argument is out of its range, or the arguments do not fit together.
    """

    def __init__(
        self,
        depth: int,
        version: str = "vb",
        class_num: int = 1000,
        input_image_channel: int = 3,
        stride_list: Sequence[int] = (2, 2, 2, 2, 2),
        max_pool: bool = True,
        lr_mult_list: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0),
        use_first_short_conv: bool = True,
    ) -> None:
        super().__init__()
        kind = block_type(depth)
        if version not in ("vb", "vd"):
            raise ValueError(f"version must be 'vb' or 'vd', not {version!r}")
        for name, values in (("stride_list", stride_list), ("lr_mult_list", lr_mult_list)):
            if len(values) != 5:
                raise ValueError(f"{name} must hold 5 numbers (stem, then four stages), not {len(values)}")
        first_stride = 1 if max_pool else stride_list[1]
        if not use_first_short_conv and (kind.expansion != 1 or first_stride != 1):
            raise ValueError(
                "use_first_short_conv=False needs ResNet-18 or -34 and a stage 1 of stride 1: "
                "elsewhere the first shortcut changes the shape"
            )
        stem = [(input_image_channel, 64, 7, stride_list[0])]
        if version == "vd":
            stem = [(input_image_channel, 32, 3, stride_list[0]), (32, 32, 3, 1), (32, 64, 3, 1)]
        self.stem = nn.Sequential(
            *[ConvBatchNorm(*sizes, activation=F.relu, learning_rate=lr_mult_list[0]) for sizes in stem]
        )
        self.max_pool = nn.MaxPool2D(3, stride_list[1], padding=1) if max_pool else None
        blocks = []
        self.stage_ends = list(itertools.accumulate(BLOCKS[depth]))
        for stage, number, in_channels in positions(depth):
            first_of_all = stage == number == 0
            shortcut = "identity"
            if number == 0 and not (first_of_all and not use_first_short_conv):
                shortcut = "pool" if version == "vd" and not first_of_all else "conv"
            stride = 1 if number else (first_stride, *stride_list[2:])[stage]
            blocks.append(kind(in_channels, WIDTHS[stage], stride, shortcut, learning_rate=lr_mult_list[stage + 1]))
        self.blocks = nn.Sequential(*blocks)
        self.fc = fully_connected(WIDTHS[-1] * kind.expansion, class_num)
        self.stage_channels = [width * kind.expansion for width in WIDTHS]
        first = stride_list[0] * stride_list[1]
        self.stage_strides = list(itertools.accumulate((first, *stride_list[2:]), operator.mul))

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, with the default strides (N, 64 to 2048, H/4 to H/32, ...)."""
        x = self.stem(x)
        if self.max_pool is not None:
            x = self.max_pool(x)
        maps = []
        for number, block in enumerate(self.blocks):
            x = block(x)
            if number + 1 in self.stage_ends:
                maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.fc(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def ResNet18(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-18; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet18", ResNet, pretrained, depth=18, class_num=class_num, **kwargs)


def ResNet34(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-34; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet34", ResNet, pretrained, depth=34, class_num=class_num, **kwargs)


def ResNet50(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-50; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet50", ResNet, pretrained, depth=50, class_num=class_num, **kwargs)


def ResNet101(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-101; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet101", ResNet, pretrained, depth=101, class_num=class_num, **kwargs)


def ResNet152(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-152; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet152", ResNet, pretrained, depth=152, class_num=class_num, **kwargs)


def ResNet18_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-18-D; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet18_vd", ResNet, pretrained, depth=18, version="vd", class_num=class_num, **kwargs)


def ResNet34_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-34-D; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet34_vd", ResNet, pretrained, depth=34, version="vd", class_num=class_num, **kwargs)


def ResNet50_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-50-D; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet50_vd", ResNet, pretrained, depth=50, version="vd", class_num=class_num, **kwargs)


def ResNet101_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-101-D; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet101_vd", ResNet, pretrained, depth=101, version="vd", class_num=class_num, **kwargs)


def ResNet152_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-152-D; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet152_vd", ResNet, pretrained, depth=152, version="vd", class_num=class_num, **kwargs)


def ResNet200_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNet:
    """Return ResNet-200-D; arguments as of :func:`PaddleClas.create_model` and :class:`ResNet`."""
    return build("ResNet200_vd", ResNet, pretrained, depth=200, version="vd", class_num=class_num, **kwargs)
