"""PP-HGNetV2: PP-HGNet with another stem, light convolutions in its later stages, and learned scales.

It has no paper of its own: its blocks are those of VoVNetV2, Lee and Park, "CenterMask: real-time anchor-free instance
segmentation", https://arxiv.org/abs/1911.06667; its best known use is as the backbone of RT-DETR,
https://arxiv.org/abs/2304.08069.
Source of parameter names: PaddleClas 2.6, ``legendary_models/pp_hgnet_v2.py``; the dropout scales in evaluation instead
of training, as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Constant, KaimingNormal
from core.vision.models.blocks import ConvBatchNorm
from PaddleClas.models.expanded_head import ExpandedHead
from PaddleClas.models.pretrained import Pretrained, build

AFFINE_RATE = 0.01
"""Factor on the learning rate of the learned scales."""


class LearnableAffine(nn.Layer):
    """A learned scale and offset of all elements: any shape to the same.

    Args:
        learning_rate: factor on the optimizer's learning rate, beside :data:`AFFINE_RATE`.
    """

    def __init__(self, learning_rate: float = 1.0) -> None:
        super().__init__()
        attr = ParamAttr(learning_rate=learning_rate * AFFINE_RATE)
        self.scale = self.create_parameter([1], attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([1], attr, default_initializer=Constant(0.0))

    def forward(self, x: Any) -> Any:
        """Return the scaled elements."""
        return self.scale * x + self.bias


class Conv(ConvBatchNorm):
    """Convolution, batch normalisation, ReLU and perhaps a learned scale: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: height and width.
        stride: of the convolution.
        groups: of channels that do not see one another.
        activated: whether there is the ReLU, which the scale needs.
        use_lab: whether there is the scale.
        learning_rate: factor on the optimizer's learning rate.
        padding: as of :class:`ConvBatchNorm`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        groups: int = 1,
        activated: bool = True,
        use_lab: bool = False,
        learning_rate: float = 1.0,
        padding: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            groups,
            activation=F.relu if activated else None,
            learning_rate=learning_rate,
            initializer=KaimingNormal(),
            decay_norm=False,
            padding=padding,
        )
        self.lab: Any = LearnableAffine(learning_rate) if use_lab and activated else None

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        x = self.bn(self.conv(x))
        if self.activation is not None:
            x = self.activation(x)
        return x if self.lab is None else self.lab(x)


class LightConv(nn.Layer):
    """A pointwise and a depthwise convolution: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: of the depthwise one.
        options: of :class:`Conv`.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, **options: Any) -> None:
        super().__init__()
        self.conv1 = Conv(in_channels, out_channels, 1, activated=False, **options)
        self.conv2 = Conv(out_channels, out_channels, kernel_size, groups=out_channels, **options)

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        return self.conv2(self.conv1(x))


class Stem(nn.Layer):
    """Convolutions beside a max pooling: images (N, C, H, W) to (N, C', H / 4, W / 4).

    Args:
        in_channels: C.
        middle: channels within.
        out_channels: C'.
        options: of :class:`Conv`.
    """

    def __init__(self, in_channels: int, middle: int, out_channels: int, **options: Any) -> None:
        super().__init__()
        self.stem1 = Conv(in_channels, middle, 3, 2, **options)
        self.stem2a = Conv(middle, middle // 2, 2, padding="SAME", **options)
        self.stem2b = Conv(middle // 2, middle, 2, padding="SAME", **options)
        self.stem3 = Conv(2 * middle, middle, 3, 2, **options)
        self.stem4 = Conv(middle, out_channels, 1, **options)
        self.pool = nn.MaxPool2D(2, 1, padding="SAME", ceil_mode=True)

    def forward(self, images: Any) -> Any:
        """Return the maps."""
        x = self.stem1(images)
        x = core.concat([self.pool(x), self.stem2b(self.stem2a(x))], axis=1)
        return self.stem4(self.stem3(x))


class Block(nn.Layer):
    """Convolutions one after another, their concatenation narrowed twice: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        middle: channels of each convolution.
        out_channels: C'.
        count: how many convolutions.
        kernel_size: theirs.
        light: whether they are :class:`LightConv`.
        identity: whether the input is added.
        options: of :class:`Conv`.
    """

    def __init__(
        self,
        in_channels: int,
        middle: int,
        out_channels: int,
        count: int,
        kernel_size: int,
        light: bool,
        identity: bool,
        **options: Any,
    ) -> None:
        super().__init__()
        kind: Any = LightConv if light else Conv
        self.layers = nn.LayerList(
            [kind(middle if number else in_channels, middle, kernel_size, **options) for number in range(count)]
        )
        total = in_channels + count * middle
        self.aggregation_squeeze_conv = Conv(total, out_channels // 2, 1, **options)
        self.aggregation_excitation_conv = Conv(out_channels // 2, out_channels, 1, **options)
        self.identity = identity

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        found = [x]
        for layer in self.layers:
            found.append(layer(found[-1]))
        y = self.aggregation_excitation_conv(self.aggregation_squeeze_conv(core.concat(found, axis=1)))
        return x + y if self.identity else y


class Stage(nn.Layer):
    """What halves the maps, and blocks: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        middle: channels of each convolution of a block.
        out_channels: C'.
        blocks: how many.
        downsample: whether the maps are halved.
        light: as in :class:`Block`.
        kernel_size: likewise.
        count: likewise.
        options: of :class:`Conv`.
    """

    def __init__(
        self,
        in_channels: int,
        middle: int,
        out_channels: int,
        blocks: int,
        downsample: bool,
        light: bool,
        kernel_size: int,
        count: int,
        **options: Any,
    ) -> None:
        super().__init__()
        self.downsample: Any = None
        if downsample:
            self.downsample = Conv(in_channels, in_channels, 3, 2, in_channels, activated=False, **options)
        made = []
        for number in range(blocks):
            received = out_channels if number else in_channels
            made.append(Block(received, middle, out_channels, count, kernel_size, light, number > 0, **options))
        self.blocks = nn.Sequential(*made)

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        return self.blocks(x if self.downsample is None else self.downsample(x))


StageSizes = tuple[int, int, int, int, bool, bool, int, int]
"""Channels before it, of its convolutions and after it; blocks; halves? light? kernel; convolutions of a block."""


class PPHGNetV2(ExpandedHead):
    """A stem, four stages, a 1 x 1 convolution of the means and a linear layer: (N, C, H, W) to (N, class_num).

    Args:
        stages: the sizes of each.
        stem_channels: C, and the channels within and after the stem.
        use_lab: whether a learned scale follows each ReLU.
        use_last_conv: whether there is the last convolution.
        class_expand: its channels.
        dropout_prob: how often one of them is left out in training.
        class_num: number of classes.
        lr_mult_list: factors on the learning rate of the stem and of the four stages.

    Raises:
        ValueError: ``lr_mult_list`` has another length.
    """

    stage_strides = (4, 8, 16, 32)

    def __init__(
        self,
        stages: Sequence[StageSizes],
        stem_channels: Sequence[int] = (3, 32, 64),
        use_lab: bool = False,
        use_last_conv: bool = True,
        class_expand: int = 2048,
        dropout_prob: float = 0.0,
        class_num: int = 1000,
        lr_mult_list: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0),
    ) -> None:
        super().__init__()
        if len(lr_mult_list) != 1 + len(stages):
            raise ValueError(
                f"lr_mult_list must hold {1 + len(stages)} numbers (stem, stages), not {len(lr_mult_list)}"
            )
        self.stem = Stem(*stem_channels, use_lab=use_lab, learning_rate=lr_mult_list[0])
        self.stages = nn.LayerList(
            [Stage(*sizes, use_lab=use_lab, learning_rate=rate) for sizes, rate in zip(stages, lr_mult_list[1:])]
        )
        self.stage_channels = [sizes[2] for sizes in stages]
        expand = class_expand if use_last_conv else None
        affine = LearnableAffine() if use_lab else None
        features = self.stage_channels[-1]
        self._create_head(features, class_num, expand, dropout_prob, F.relu, KaimingNormal(), affine)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the four stages, (N, ..., H/4 to H/32, W/4 to W/32)."""
        x = self.stem(x)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps


def _sizes(middle: Sequence[int], after: Sequence[int], blocks: Sequence[int], count: int, before: int) -> Any:
    """Return the sizes of four stages, of which the last two are light and look 5 places far."""
    received = (before, *after)
    return tuple(
        (
            received[stage],
            middle[stage],
            after[stage],
            blocks[stage],
            stage > 0,
            stage > 1,
            5 if stage > 1 else 3,
            count,
        )
        for stage in range(4)
    )


SIZES: dict[str, dict[str, Any]] = {
    "B0": {
        "stem_channels": (3, 16, 16),
        "stages": _sizes((16, 32, 64, 128), (64, 256, 512, 1024), (1, 1, 2, 1), 3, 16),
        "use_lab": True,
    },
    "B1": {
        "stem_channels": (3, 24, 32),
        "stages": _sizes((32, 48, 96, 192), (64, 256, 512, 1024), (1, 1, 2, 1), 3, 32),
        "use_lab": True,
    },
    "B2": {
        "stem_channels": (3, 24, 32),
        "stages": _sizes((32, 64, 128, 256), (96, 384, 768, 1536), (1, 1, 3, 1), 4, 32),
        "use_lab": True,
    },
    "B3": {
        "stem_channels": (3, 24, 32),
        "stages": _sizes((32, 64, 128, 256), (128, 512, 1024, 2048), (1, 1, 3, 1), 5, 32),
        "use_lab": True,
    },
    "B4": {
        "stem_channels": (3, 32, 48),
        "stages": _sizes((48, 96, 192, 384), (128, 512, 1024, 2048), (1, 1, 3, 1), 6, 48),
        "use_lab": False,
    },
    "B5": {
        "stem_channels": (3, 32, 64),
        "stages": _sizes((64, 128, 256, 512), (128, 512, 1024, 2048), (1, 2, 5, 2), 6, 64),
        "use_lab": False,
    },
    "B6": {
        "stem_channels": (3, 48, 96),
        "stages": _sizes((96, 192, 384, 768), (192, 512, 1024, 2048), (2, 3, 6, 3), 6, 96),
        "use_lab": False,
    },
}
"""What tells the members of the family apart."""


def PPHGNetV2_B0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNetV2:
    """Return PP-HGNetV2-B0; arguments as of :class:`PPHGNetV2`."""
    return build("PPHGNetV2_B0", PPHGNetV2, pretrained, class_num=class_num, **SIZES["B0"], **kwargs)


def PPHGNetV2_B1(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNetV2:
    """Return PP-HGNetV2-B1; arguments as of :class:`PPHGNetV2`."""
    return build("PPHGNetV2_B1", PPHGNetV2, pretrained, class_num=class_num, **SIZES["B1"], **kwargs)


def PPHGNetV2_B2(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNetV2:
    """Return PP-HGNetV2-B2; arguments as of :class:`PPHGNetV2`."""
    return build("PPHGNetV2_B2", PPHGNetV2, pretrained, class_num=class_num, **SIZES["B2"], **kwargs)


def PPHGNetV2_B3(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNetV2:
    """Return PP-HGNetV2-B3; arguments as of :class:`PPHGNetV2`."""
    return build("PPHGNetV2_B3", PPHGNetV2, pretrained, class_num=class_num, **SIZES["B3"], **kwargs)


def PPHGNetV2_B4(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNetV2:
    """Return PP-HGNetV2-B4; arguments as of :class:`PPHGNetV2`."""
    return build("PPHGNetV2_B4", PPHGNetV2, pretrained, class_num=class_num, **SIZES["B4"], **kwargs)


def PPHGNetV2_B5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNetV2:
    """Return PP-HGNetV2-B5; arguments as of :class:`PPHGNetV2`."""
    return build("PPHGNetV2_B5", PPHGNetV2, pretrained, class_num=class_num, **SIZES["B5"], **kwargs)


def PPHGNetV2_B6(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PPHGNetV2:
    """Return PP-HGNetV2-B6; arguments as of :class:`PPHGNetV2`."""
    return build("PPHGNetV2_B6", PPHGNetV2, pretrained, class_num=class_num, **SIZES["B6"], **kwargs)
