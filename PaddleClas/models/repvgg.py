"""RepVGG: 3 x 3 and 1 x 1 convolutions and the input side by side, which are one 3 x 3 convolution in evaluation.

Paper: Ding et al., "RepVGG: making VGG-style ConvNets great again", CVPR 2021, https://arxiv.org/abs/2101.03697
Source of parameter names: PaddleClas 2.6, ``model_zoo/repvgg.py``. Its merged blocks leave the gates of D2se out; here
they have them, as the separate ones do there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, fully_connected, pointwise, scale_and_offset
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

WIDTHS = (64, 128, 256, 512)
"""Of the stages, at width 1."""


class RepVGGBlock(nn.Layer):
    """Branches of 3 x 3, of 1 x 1 and of no convolution, added, then ReLU: (N, C, H, W) to (N, C', H', W').

    In evaluation they are one 3 x 3 convolution, whose weight an exported program holds ready made.

    Args:
        in_channels: C.
        out_channels: C'; the third branch is there if it is C and the stride 1.
        stride: of the convolutions.
        groups: of channels that do not see one another.
        use_se: whether channels are weighed before the ReLU.
    """

    def __init__(
        self, in_channels: int, out_channels: int, stride: int = 1, groups: int = 1, use_se: bool = False
    ) -> None:
        super().__init__()
        self.stride = stride
        self.groups = groups
        self.se: Any = None
        if use_se:
            self.se = SqueezeExcite(out_channels, out_channels // 16, layer=pointwise, names=("down", "up"))
        self.rbr_identity: Any = None
        if in_channels == out_channels and stride == 1:
            self.rbr_identity = nn.BatchNorm2D(in_channels)
        self.rbr_dense = ConvBatchNorm(in_channels, out_channels, 3, stride, groups)
        self.rbr_1x1 = ConvBatchNorm(in_channels, out_channels, 1, stride, groups)

    def merged(self) -> tuple[Any, Any]:
        """Return the weight (C', C / groups, 3, 3) and the bias of the convolution that the branches are."""
        weight, bias = self.rbr_dense.fused()
        point, offset = self.rbr_1x1.fused()
        if self.rbr_identity is not None:
            factor, shift = scale_and_offset(self.rbr_identity)
            channels, within = point.shape[:2]
            itself = np.eye(within, dtype=np.float32)[np.arange(channels) % within][:, :, None, None]
            point = point + core.to_tensor(itself).astype(point.dtype) * factor.reshape([-1, 1, 1, 1])
            offset = offset + shift
        return weight + F.pad(point, [1, 1, 1, 1]), bias + offset

    def separately(self, x: Any) -> Any:
        """Return the sum of the branches."""
        y = self.rbr_dense(x) + self.rbr_1x1(x)
        return y if self.rbr_identity is None else y + self.rbr_identity(x)

    def forward(self, x: Any) -> Any:
        """Return (N, C', H', W')."""
        if self.training:
            y = self.separately(x)
        else:
            weight, bias = self.merged()
            y = F.conv2d(x, weight, bias, self.stride, 1, groups=self.groups)
        return F.relu(y if self.se is None else self.se(y))


class RepVGG(ImageClassifier):
    """A block, four stages of blocks, and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        num_blocks: of each stage.
        width_multiplier: factors on the channels of each stage.
        groups: of every second block.
        class_num: number of classes.
        use_se: whether the blocks weigh their channels.

    Raises:
        ValueError: there are not four numbers of blocks, or factors.
    """

    head_names = head_layers = ("linear",)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(
        self,
        num_blocks: Sequence[int],
        width_multiplier: Sequence[float],
        groups: int = 1,
        class_num: int = 1000,
        use_se: bool = False,
    ) -> None:
        super().__init__()
        for name, values in (("num_blocks", num_blocks), ("width_multiplier", width_multiplier)):
            if len(values) != len(WIDTHS):
                raise ValueError(f"{name} must hold {len(WIDTHS)} numbers, not {len(values)}")
        channels = min(64, int(64 * width_multiplier[0]))
        widths = [int(width * factor) for width, factor in zip(WIDTHS, width_multiplier)]
        self.stage_channels = [channels, *widths]
        self.stage0 = RepVGGBlock(3, channels, 2, use_se=use_se)
        self.stages: list[Any] = [self.stage0]
        place = 1
        for stage, (count, width) in enumerate(zip(num_blocks, widths), 1):
            blocks = []
            for number in range(count):
                shared = 1 if place % 2 else groups
                blocks.append(RepVGGBlock(channels, width, 1 if number else 2, shared, use_se))
                channels, place = width, place + 1
            self.stages.append(self.add_sublayer(f"stage{stage}", nn.Sequential(*blocks)))
        self.linear = fully_connected(channels, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the first block and of the four stages, (N, ..., H/2 to H/32, W/2 to W/32)."""
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.linear(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


_A: dict[str, Any] = {"num_blocks": (2, 4, 14, 1)}
_B: dict[str, Any] = {"num_blocks": (4, 6, 16, 1)}


def RepVGG_A0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-A0; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_A0", RepVGG, pretrained, class_num=class_num, **_A, width_multiplier=(0.75, 0.75, 0.75, 2.5), **kwargs
    )


def RepVGG_A1(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-A1; arguments as of :class:`RepVGG`."""
    return build("RepVGG_A1", RepVGG, pretrained, class_num=class_num, **_A, width_multiplier=(1, 1, 1, 2.5), **kwargs)


def RepVGG_A2(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-A2; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_A2", RepVGG, pretrained, class_num=class_num, **_A, width_multiplier=(1.5, 1.5, 1.5, 2.75), **kwargs
    )


def RepVGG_B0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B0; arguments as of :class:`RepVGG`."""
    return build("RepVGG_B0", RepVGG, pretrained, class_num=class_num, **_B, width_multiplier=(1, 1, 1, 2.5), **kwargs)


def RepVGG_B1(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B1; arguments as of :class:`RepVGG`."""
    return build("RepVGG_B1", RepVGG, pretrained, class_num=class_num, **_B, width_multiplier=(2, 2, 2, 4), **kwargs)


def RepVGG_B1g2(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B1g2; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_B1g2", RepVGG, pretrained, class_num=class_num, **_B, width_multiplier=(2, 2, 2, 4), groups=2, **kwargs
    )


def RepVGG_B1g4(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B1g4; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_B1g4", RepVGG, pretrained, class_num=class_num, **_B, width_multiplier=(2, 2, 2, 4), groups=4, **kwargs
    )


def RepVGG_B2(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B2; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_B2", RepVGG, pretrained, class_num=class_num, **_B, width_multiplier=(2.5, 2.5, 2.5, 5), **kwargs
    )


def RepVGG_B2g4(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B2g4; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_B2g4",
        RepVGG,
        pretrained,
        class_num=class_num,
        **_B,
        width_multiplier=(2.5, 2.5, 2.5, 5),
        groups=4,
        **kwargs,
    )


def RepVGG_B3(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B3; arguments as of :class:`RepVGG`."""
    return build("RepVGG_B3", RepVGG, pretrained, class_num=class_num, **_B, width_multiplier=(3, 3, 3, 5), **kwargs)


def RepVGG_B3g4(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-B3g4; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_B3g4", RepVGG, pretrained, class_num=class_num, **_B, width_multiplier=(3, 3, 3, 5), groups=4, **kwargs
    )


def RepVGG_D2se(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> RepVGG:
    """Return RepVGG-D2 with gates; arguments as of :class:`RepVGG`."""
    return build(
        "RepVGG_D2se",
        RepVGG,
        pretrained,
        class_num=class_num,
        num_blocks=(8, 14, 24, 1),
        width_multiplier=(2.5, 2.5, 2.5, 5),
        use_se=True,
        **kwargs,
    )
