"""Dual path networks: one part of the feature maps is added to, as in ResNet, the other grows, as in DenseNet.

Paper: Chen et al., "Dual path networks", NIPS 2017, https://arxiv.org/abs/1707.01629
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.vision.models.blocks import EARLIER_NAMES, BatchNormConv, ConvBatchNorm
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class Sizes(NamedTuple):
    """What tells one dual path network from another.

    Attributes:
        stem: channels and kernel size of the first convolution.
        groups: of the 3 x 3 convolutions.
        width: channels of the 3 x 3 convolutions in the first stage; each further stage doubles it.
        added: channels of the part that is added to, in the first stage; each further stage doubles it.
        blocks: how many, in each stage.
        growth: channels that each block appends to the other part, in each stage.
    """

    stem: tuple[int, int]
    groups: int
    width: int
    added: int
    blocks: tuple[int, ...]
    growth: tuple[int, ...]


SIZES = {
    68: Sizes((10, 3), 32, 128, 64, (3, 4, 12, 3), (16, 32, 32, 64)),
    92: Sizes((64, 7), 32, 96, 256, (3, 4, 20, 3), (16, 32, 24, 128)),
    98: Sizes((96, 7), 40, 160, 256, (3, 6, 20, 3), (16, 32, 32, 128)),
    107: Sizes((128, 7), 50, 200, 256, (4, 8, 20, 3), (20, 64, 64, 128)),
    131: Sizes((128, 7), 40, 160, 256, (4, 8, 28, 3), (16, 32, 32, 128)),
}
"""By the number of layers with weights."""

Paths = tuple[Any, Any]
"""The feature maps of the two paths: that which is added to, that which grows."""


class DualPathBlock(nn.Layer):
    """1 x 1, grouped 3 x 3 and 1 x 1 convolutions, whose result is partly added, partly appended.

    Args:
        in_channels: channels of the input, both paths together.
        width: channels of the 3 x 3 convolution.
        added: channels of the path that is added to.
        growth: channels appended to the other path; where a stage begins, that path starts with twice as many.
        groups: of the 3 x 3 convolution.
        stride: step of the block, pixels.
        first: whether the block is the first of its stage, so that a convolution makes both paths.
    """

    def __init__(
        self, in_channels: int, width: int, added: int, growth: int, groups: int, stride: int, first: bool
    ) -> None:
        super().__init__()
        self.added = added
        self.c1x1_w_func = BatchNormConv(in_channels, added + 2 * growth, 1, stride) if first else None
        self.c1x1_a_func = BatchNormConv(in_channels, width, 1)
        self.c3x3_b_func = BatchNormConv(width, width, 3, stride, groups)
        self.c1x1_c_func = BatchNormConv(width, added + growth, 1)

    def forward(self, x: Union[Any, Paths]) -> Paths:
        """Return the feature maps of both paths."""
        whole = core.concat(list(x), 1) if isinstance(x, tuple) else x
        shortcut = x if self.c1x1_w_func is None else self._parts(self.c1x1_w_func(whole))
        branch = self._parts(self.c1x1_c_func(self.c3x3_b_func(self.c1x1_a_func(whole))))
        return shortcut[0] + branch[0], core.concat([shortcut[1], branch[1]], 1)

    def _parts(self, x: Any) -> Paths:
        return x[:, : self.added], x[:, self.added :]


class DualPathNetwork(ImageClassifier):
    """A stem, four stages of dual path blocks and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        depth: 68, 92, 98, 107 or 131 layers with weights.
        class_num: number of classes.

    Raises:
        ValueError: there is no such network of this depth.
    """

    head_names = ("out",)
    head_layers = ("conv5_x_x_bn", "out")
    stage_strides = (4, 8, 16, 32)

    def __init__(self, depth: int, class_num: int = 1000) -> None:
        super().__init__()
        if depth not in SIZES:
            raise ValueError(f"DPN has {', '.join(map(str, SIZES))} layers, not {depth}")
        sizes = SIZES[depth]
        channels, kernel_size = sizes.stem
        self.conv1_x_1_func = ConvBatchNorm(3, channels, kernel_size, 2, activation=F.relu, names=EARLIER_NAMES)
        self.stages: list[list[str]] = []
        self.stage_channels = []
        for stage, (count, growth) in enumerate(zip(sizes.blocks, sizes.growth)):
            before = sum(map(len, self.stages))
            self.stages.append([f"dpn{before + number}" for number in range(1, count + 1)])
            width, added = sizes.width * 2**stage, sizes.added * 2**stage
            for name in self.stages[-1]:
                first = name == self.stages[-1][0]
                stride = 2 if first and stage > 0 else 1
                block = DualPathBlock(channels, width, added, growth, sizes.groups, stride, first)
                self.add_sublayer(name, block)
                channels = added + 3 * growth if first else channels + growth
            self.stage_channels.append(channels)
        self.conv5_x_x_bn = nn.BatchNorm2D(channels)
        self.out = nn.Linear(channels, class_num, weight_attr=ParamAttr(initializer=Uniform(-0.01, 0.01)))

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, both paths together, (N, C, H/4 to H/32, W/4 to W/32)."""
        x = F.max_pool2d(self.conv1_x_1_func(x), 3, 2, padding=1)
        maps = []
        for names in self.stages:
            for name in names:
                x = getattr(self, name)(x)
            maps.append(core.concat(list(x), 1))
        return maps

    def forward_features(self, x: Any) -> Any:
        """Return the normalised feature maps of the last stage, (N, C, H/32, W/32)."""
        return F.relu(self.conv5_x_x_bn(self.forward_stages(x)[-1]))

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def DPN68(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DualPathNetwork:
    """Return DPN-68; arguments as of :func:`PaddleClas.create_model`."""
    return build("DPN68", DualPathNetwork, pretrained, depth=68, class_num=class_num, **kwargs)


def DPN92(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DualPathNetwork:
    """Return DPN-92; arguments as of :func:`PaddleClas.create_model`."""
    return build("DPN92", DualPathNetwork, pretrained, depth=92, class_num=class_num, **kwargs)


def DPN98(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DualPathNetwork:
    """Return DPN-98; arguments as of :func:`PaddleClas.create_model`."""
    return build("DPN98", DualPathNetwork, pretrained, depth=98, class_num=class_num, **kwargs)


def DPN107(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DualPathNetwork:
    """Return DPN-107; arguments as of :func:`PaddleClas.create_model`."""
    return build("DPN107", DualPathNetwork, pretrained, depth=107, class_num=class_num, **kwargs)


def DPN131(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DualPathNetwork:
    """Return DPN-131; arguments as of :func:`PaddleClas.create_model`."""
    return build("DPN131", DualPathNetwork, pretrained, depth=131, class_num=class_num, **kwargs)
