"""HRNet: branches of several sizes side by side, which see one another again and again.

Paper: Wang et al., "Deep high-resolution representation learning for visual recognition", PAMI 2020,
https://arxiv.org/abs/1908.07919
Source of parameter names: PaddleClas 2.2+. The networks with squeeze-and-excitation are its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

HEAD_WIDTHS = (32, 64, 128, 256)
EXPANSION = 4


def _weigher(channels: int) -> SqueezeExcite:
    return SqueezeExcite(channels, channels // 16, names=("fc_squeeze", "fc_excitation"))


class BasicBlock(nn.Layer):
    """Two 3 x 3 convolutions plus their input: (N, C, H, W) to the same shape.

    Args:
        channels: C.
        squeeze: whether the channels of the branch are weighed.
    """

    def __init__(self, channels: int, squeeze: bool) -> None:
        super().__init__()
        self.conv1 = ConvBatchNorm(channels, channels, 3, activation=F.relu)
        self.conv2 = ConvBatchNorm(channels, channels, 3)
        self.se = _weigher(channels) if squeeze else None

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.conv2(self.conv1(x))
        return F.relu(x + (y if self.se is None else self.se(y)))


class Bottleneck(nn.Layer):
    """1 x 1, 3 x 3 and 1 x 1 convolutions plus a shortcut: (N, C, H, W) to (N, 4 * width, H, W).

    Args:
        in_channels: C.
        width: channels of the 3 x 3 convolution.
        squeeze: whether the channels of the branch are weighed.
        project: whether the shortcut is a 1 x 1 convolution.
    """

    def __init__(self, in_channels: int, width: int, squeeze: bool, project: bool) -> None:
        super().__init__()
        out_channels = width * EXPANSION
        self.conv1 = ConvBatchNorm(in_channels, width, 1, activation=F.relu)
        self.conv2 = ConvBatchNorm(width, width, 3, activation=F.relu)
        self.conv3 = ConvBatchNorm(width, out_channels, 1)
        self.conv_down = ConvBatchNorm(in_channels, out_channels, 1) if project else None
        self.se = _weigher(out_channels) if squeeze else None

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.conv3(self.conv2(self.conv1(x)))
        short = x if self.conv_down is None else self.conv_down(x)
        return F.relu(short + (y if self.se is None else self.se(y)))


class Exchange(nn.Layer):
    """Each branch becomes the sum of all, brought to its size and width: a list of maps to a list of the same shapes.

    Args:
        channels: of each branch; each is half as high and wide as the one before.
    """

    def __init__(self, channels: Sequence[int]) -> None:
        super().__init__()
        self.count = len(channels)
        layers: list[nn.Layer] = []
        for target in range(self.count):
            for source in range(self.count):
                if source > target:
                    layers.append(ConvBatchNorm(channels[source], channels[target], 1))
                for step in range(source, target):
                    last = step == target - 1
                    out_channels = channels[target if last else source]
                    activation = None if last else F.relu
                    layers.append(ConvBatchNorm(channels[source], out_channels, 3, 2, activation=activation))
        self.residual_func_list = nn.LayerList(layers)

    def forward(self, maps: Any) -> list[Any]:
        """Return the branches, each with the others added."""
        layers = iter(self.residual_func_list)
        results = []
        for target in range(self.count):
            total = maps[target]
            for source in range(self.count):
                other = maps[source]
                if source > target:
                    other = F.upsample(next(layers)(other), scale_factor=2 ** (source - target), mode="nearest")
                for _ in range(source, target):
                    other = next(layers)(other)
                if source != target:
                    total = total + other
            results.append(F.relu(total))
        return results


class Module(nn.Layer):
    """Four basic blocks in each branch, then an exchange: a list of maps to a list of the same shapes.

    Args:
        channels: of each branch.
        squeeze: whether the blocks weigh their channels.
    """

    def __init__(self, channels: Sequence[int], squeeze: bool) -> None:
        super().__init__()
        self.basic_block_list = nn.LayerList(
            [nn.Sequential(*[BasicBlock(width, squeeze) for _ in range(4)]) for width in channels]
        )
        self.fuse_func = Exchange(channels)

    def forward(self, maps: Any) -> list[Any]:
        """Return the branches' feature maps."""
        return self.fuse_func([blocks(x) for blocks, x in zip(self.basic_block_list, maps)])


class Stage(nn.Layer):
    """Modules one after another: a list of maps to a list of the same shapes.

    Args:
        modules: how many.
        channels: of each branch.
        squeeze: whether the blocks weigh their channels.
    """

    def __init__(self, modules: int, channels: Sequence[int], squeeze: bool) -> None:
        super().__init__()
        self.stage_func_list = nn.LayerList([Module(channels, squeeze) for _ in range(modules)])

    def forward(self, maps: Any) -> list[Any]:
        """Return the branches' feature maps."""
        for module in self.stage_func_list:
            maps = module(maps)
        return maps


class HeadBottlenecks(nn.Layer):
    """Widen each branch to four times what :data:`HEAD_WIDTHS` says.

    Args:
        channels: of each branch.
        squeeze: whether the blocks weigh their channels.
    """

    def __init__(self, channels: Sequence[int], squeeze: bool) -> None:
        super().__init__()
        blocks = [Bottleneck(source, width, squeeze, project=True) for source, width in zip(channels, HEAD_WIDTHS)]
        self.func_list = nn.LayerList(blocks)

    def forward(self, maps: Any) -> list[Any]:
        """Return the widened maps."""
        return [block(x) for block, x in zip(self.func_list, maps)]


class HRNet(ImageClassifier):
    """A stem, three stages of two to four branches, and a head that joins them: (N, 3, H, W) to (N, class_num).

    Args:
        width: channels of the branch of the largest maps; each further one has twice as many.
        squeeze: whether blocks weigh their channels.
        class_num: number of classes.
    """

    head_layers = ("last_cls", "cls_head_conv_list", "conv_last", "fc")
    stage_strides = (4, 8, 16, 32)

    def __init__(self, width: int = 18, squeeze: bool = False, class_num: int = 1000) -> None:
        super().__init__()
        self.stage_channels = channels = [width, 2 * width, 4 * width, 8 * width]
        self.conv_layer1_1 = ConvBatchNorm(3, 64, 3, 2, activation=F.relu)
        self.conv_layer1_2 = ConvBatchNorm(64, 64, 3, 2, activation=F.relu)
        self.layer1 = nn.Sequential(
            *[Bottleneck(256 if number else 64, 64, squeeze, project=number == 0) for number in range(4)]
        )
        self.conv_tr1_1 = ConvBatchNorm(256, channels[0], 3, activation=F.relu)
        self.conv_tr1_2 = ConvBatchNorm(256, channels[1], 3, 2, activation=F.relu)
        self.st2 = Stage(1, channels[:2], squeeze)
        self.conv_tr2 = ConvBatchNorm(channels[1], channels[2], 3, 2, activation=F.relu)
        self.st3 = Stage(4, channels[:3], squeeze)
        self.conv_tr3 = ConvBatchNorm(channels[2], channels[3], 3, 2, activation=F.relu)
        self.st4 = Stage(3, channels, squeeze)
        self.last_cls = HeadBottlenecks(channels, squeeze)
        wide = [EXPANSION * head_width for head_width in HEAD_WIDTHS]
        self.cls_head_conv_list = nn.LayerList(
            [ConvBatchNorm(source, target, 3, 2, activation=F.relu) for source, target in zip(wide, wide[1:])]
        )
        self.conv_last = ConvBatchNorm(wide[-1], 2048, 1, activation=F.relu)
        self.fc = fully_connected(2048, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the maps of the four branches, (N, width to 8 * width, H/4 to H/32, W/4 to W/32).

        Raises:
            ValueError: H or W is no multiple of 32, so that maps of two branches would not fit together.
        """
        if x.shape[2] % 32 or x.shape[3] % 32:
            raise ValueError(f"HRNet takes images whose height and width are multiples of 32, not {list(x.shape[2:])}")
        x = self.layer1(self.conv_layer1_2(self.conv_layer1_1(x)))
        maps = self.st2([self.conv_tr1_1(x), self.conv_tr1_2(x)])
        maps = self.st3([*maps, self.conv_tr2(maps[-1])])
        return self.st4([*maps, self.conv_tr3(maps[-1])])

    def forward_features(self, x: Any) -> Any:
        """Return all branches joined, (N, 2048, H/32, W/32)."""
        first, *others = self.last_cls(self.forward_stages(x))
        for convolution, other in zip(self.cls_head_conv_list, others):
            first = other + convolution(first)
        return self.conv_last(first)

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.fc(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def HRNet_W18_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W18 for classification; arguments as of :func:`PaddleClas.create_model`."""
    return build("HRNet_W18_C", HRNet, pretrained, width=18, class_num=class_num, **kwargs)


def HRNet_W30_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W30 for classification; arguments as of :func:`PaddleClas.create_model`."""
    return build("HRNet_W30_C", HRNet, pretrained, width=30, class_num=class_num, **kwargs)


def HRNet_W32_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W32 for classification; arguments as of :func:`PaddleClas.create_model`."""
    return build("HRNet_W32_C", HRNet, pretrained, width=32, class_num=class_num, **kwargs)


def HRNet_W40_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W40 for classification; arguments as of :func:`PaddleClas.create_model`."""
    return build("HRNet_W40_C", HRNet, pretrained, width=40, class_num=class_num, **kwargs)


def HRNet_W44_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W44 for classification; arguments as of :func:`PaddleClas.create_model`."""
    return build("HRNet_W44_C", HRNet, pretrained, width=44, class_num=class_num, **kwargs)


def HRNet_W48_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W48 for classification; arguments as of :func:`PaddleClas.create_model`."""
    return build("HRNet_W48_C", HRNet, pretrained, width=48, class_num=class_num, **kwargs)


def HRNet_W64_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W64 for classification; arguments as of :func:`PaddleClas.create_model`."""
    return build("HRNet_W64_C", HRNet, pretrained, width=64, class_num=class_num, **kwargs)


def SE_HRNet_W64_C(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> HRNet:
    """Return HRNet-W64 with squeeze-and-excitation; arguments as of :func:`PaddleClas.create_model`."""
    return build("SE_HRNet_W64_C", HRNet, pretrained, width=64, squeeze=True, class_num=class_num, **kwargs)
