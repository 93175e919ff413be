"""MobileViT: inverted residuals, between which transformers let every patch of a map see all others.

Paper: Mehta and Rastegari, "MobileViT: light-weight, general-purpose, and mobile-friendly vision transformer",
ICLR 2022, https://arxiv.org/abs/2110.02178
Source of parameter names: PaddleClas 2.6, ``model_zoo/mobilevit.py``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingUniform
from core.vision.models.blocks import ConvBatchNorm, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.transformer import Block

PATCH = 2
"""Side of a patch, places."""

DROPOUT = 0.1

DEPTHS = (2, 4, 3)
"""Blocks of the three transformers."""

Conv = functools.partial(ConvBatchNorm, activation=F.silu, initializer=KaimingUniform(), names=("conv", "norm"))
"""Convolution, batch normalisation and SiLU: in, out, kernel, stride, groups."""


class InvertedResidual(nn.Layer):
    """Expand (1 x 1), filter each channel, project (1 x 1): (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        stride: of the filter; where it is 1 and C' is C, the input is added.
        expansion: how many times as wide the filtered maps are.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = in_channels * expansion
        self.conv = nn.Sequential(
            Conv(in_channels, hidden, 1),
            Conv(hidden, hidden, 3, stride, hidden),
            nn.Conv2D(hidden, out_channels, 1, bias_attr=False),
            nn.BatchNorm2D(out_channels),
        )
        self.adds_input = stride == 1 and in_channels == out_channels

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return x + self.conv(x) if self.adds_input else self.conv(x)


class Transformer(nn.Layer):
    """Blocks of attention, and a normalisation: (N, L, C) to the same shape.

    Args:
        channels: C.
        depth: number of blocks.
    """

    def __init__(self, channels: int, depth: int) -> None:
        super().__init__()
        options: dict[str, Any] = {"qkv_bias": True, "dropout": DROPOUT, "activation": F.silu}
        names = ("attn_norm", "mlp_norm")
        self.layers = nn.LayerList([Block(channels, 4, 2.0, names=names, **options) for _ in range(depth)])
        self.norm = nn.LayerNorm(channels, 1e-6)

    def forward(self, x: Any) -> Any:
        """Return the tokens."""
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class MobileViTBlock(nn.Layer):
    """Convolutions around a transformer over the patches: (N, C, H, W) to the same shape.

    Places that lie alike in their patches see each other. Maps that are not whole patches are resized for it.

    Args:
        channels: C.
        hidden: channels of the transformer.
        depth: its blocks.
    """

    def __init__(self, channels: int, hidden: int, depth: int) -> None:
        super().__init__()
        self.conv1 = Conv(channels, channels, 3)
        self.conv2 = nn.Conv2D(channels, hidden, 1, bias_attr=False)
        self.transformer = Transformer(hidden, depth)
        self.conv3 = Conv(hidden, channels, 1)
        self.conv4 = Conv(2 * channels, channels, 3)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self.conv2(self.conv1(x))
        height, width = y.shape[2:]
        rows, columns = math.ceil(height / PATCH), math.ceil(width / PATCH)
        whole = height == rows * PATCH and width == columns * PATCH
        if not whole:
            y = F.interpolate(y, [rows * PATCH, columns * PATCH], mode="bilinear")
        y = self._over_patches(y, rows, columns)
        if not whole:
            y = F.interpolate(y, [height, width])
        return self.conv4(core.concat([x, self.conv3(y)], axis=1))

    def _over_patches(self, x: Any, rows: Any, columns: Any) -> Any:
        """Return what the transformer makes of maps of so many patches."""
        channels = x.shape[1]
        places = x.reshape([-1, channels, rows, PATCH, columns, PATCH]).transpose([0, 3, 5, 2, 4, 1])
        x = self.transformer(places.reshape([-1, rows * columns, channels]))
        places = x.reshape([-1, PATCH, PATCH, rows, columns, channels]).transpose([0, 5, 3, 1, 4, 2])
        return places.reshape([-1, channels, rows * PATCH, columns * PATCH])


class MobileViT(ImageClassifier):
    """A convolution, five stages, a 1 x 1 convolution and a linear layer: (N, C, H, W) to (N, class_num).

    Args:
        in_channels: C.
        dims: channels of the first convolution, of the seven inverted residuals' results, and of the last convolution.
        hidden_dims: channels of the three transformers.
        mv2_expansion: of the inverted residuals.
        class_num: number of classes.

    Raises:
        ValueError: a list has another length.
    """

    head_names = ("linear",)
    head_layers = ("conv1x1", "dropout", "linear")
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(
        self,
        in_channels: int = 3,
        dims: Sequence[int] = (16, 32, 48, 48, 48, 64, 80, 96, 384),
        hidden_dims: Sequence[int] = (96, 120, 144),
        mv2_expansion: int = 4,
        class_num: int = 1000,
    ) -> None:
        super().__init__()
        for name, values, count in (("dims", dims, 9), ("hidden_dims", hidden_dims, 3)):
            if len(values) != count:
                raise ValueError(f"{name} must hold {count} numbers, not {len(values)}")
        self.conv3x3 = Conv(in_channels, dims[0], 3, 2)
        stages: list[list[nn.Layer]] = [[], [], [], [], []]
        strides = (1, 2, 1, 1, 2, 2, 2)
        stage = 0
        for number, stride in enumerate(strides, 1):
            stage += stride == 2
            residual = InvertedResidual(dims[number - 1], dims[number], stride, mv2_expansion)
            stages[stage].append(self.add_sublayer(f"mv2_block_{number}", residual))
            if number > 4:
                place = number - 5
                block = MobileViTBlock(dims[number], hidden_dims[place], DEPTHS[place])
                stages[stage].append(self.add_sublayer(f"mvit_block_{place + 1}", block))
        self.stages = stages
        self.conv1x1 = Conv(dims[7], dims[8], 1)
        self.dropout = nn.Dropout(DROPOUT)
        self.linear = fully_connected(dims[8], class_num)
        self.stage_channels = [dims[1], dims[4], *dims[5:8]]

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the five stages, (N, ..., H/2 to H/32, W/2 to W/32)."""
        x = self.conv3x3(x)
        maps = []
        for stage in self.stages:
            for layer in stage:
                x = layer(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        x = F.adaptive_avg_pool2d(self.conv1x1(features), 1)
        return self.linear(self.dropout(core.flatten(x, 1)))


def MobileViT_XXS(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileViT:
    """Return MobileViT-XXS; arguments as of :class:`MobileViT`."""
    return build(
        "MobileViT_XXS",
        MobileViT,
        pretrained,
        class_num=class_num,
        dims=(16, 16, 24, 24, 24, 48, 64, 80, 320),
        hidden_dims=(64, 80, 96),
        mv2_expansion=2,
        **kwargs,
    )


def MobileViT_XS(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileViT:
    """Return MobileViT-XS; arguments as of :class:`MobileViT`."""
    return build(
        "MobileViT_XS",
        MobileViT,
        pretrained,
        class_num=class_num,
        dims=(16, 32, 48, 48, 48, 64, 80, 96, 384),
        hidden_dims=(96, 120, 144),
        mv2_expansion=4,
        **kwargs,
    )


def MobileViT_S(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileViT:
    """Return MobileViT-S; arguments as of :class:`MobileViT`."""
    return build(
        "MobileViT_S",
        MobileViT,
        pretrained,
        class_num=class_num,
        dims=(16, 32, 64, 64, 64, 96, 128, 160, 640),
        hidden_dims=(144, 192, 240),
        mv2_expansion=4,
        **kwargs,
    )
