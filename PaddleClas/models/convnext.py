"""ConvNeXt: a ResNet with the sizes, kernels and normalisation of a Swin Transformer.

Paper: Liu et al., "A ConvNet for the 2020s", CVPR 2022, https://arxiv.org/abs/2201.03545
Source of parameter names: PaddleClas 2.6, ``model_zoo/convnext.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Constant, TruncatedNormal
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.transformer import linear, stochastic_depth

EPSILON = 1e-6
"""Of the normalisations."""


def convolution(in_channels: int, out_channels: int, kernel_size: int, **options: Any) -> nn.Conv2D:
    """Return a convolution with this family's initial weights."""
    attr = ParamAttr(initializer=TruncatedNormal(std=0.02))
    return nn.Conv2D(in_channels, out_channels, kernel_size, weight_attr=attr, **options)


class ChannelNorm(nn.LayerNorm):
    """Normalise each place over its channels: (N, C, H, W) to the same shape.

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__(channels, EPSILON)

    def forward(self, x: Any) -> Any:
        """Return the normalised maps."""
        return super().forward(x.transpose([0, 2, 3, 1])).transpose([0, 3, 1, 2])


class Block(nn.Layer):
    """A depthwise 7 x 7 convolution, then an MLP of each place, added to the input: (N, C, H, W) to the same shape.

    Args:
        channels: C.
        drop_path: how often the branch is left out in training.
        layer_scale: what the factors of the branch's channels are at first; 0: there are none.
    """

    def __init__(self, channels: int, drop_path: float, layer_scale: float) -> None:
        super().__init__()
        self.dwconv = convolution(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, EPSILON)
        self.pwconv1 = linear(channels, 4 * channels)
        self.pwconv2 = linear(4 * channels, channels)
        self.gamma: Any = None
        if layer_scale > 0:
            self.gamma = self.create_parameter([channels], default_initializer=Constant(layer_scale))
        self.drop_path = stochastic_depth(drop_path)

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        y = self.norm(self.dwconv(x).transpose([0, 2, 3, 1]))
        y = self.pwconv2(F.gelu(self.pwconv1(y)))
        y = y if self.gamma is None else y * self.gamma
        return x + self.drop_path(y.transpose([0, 3, 1, 2]))


class ConvNeXt(ImageClassifier):
    """Patches, four stages of blocks, and a linear layer: (N, C, H, W) to (N, class_num).

    Args:
        in_chans: C.
        class_num: number of classes.
        depths: blocks of each stage.
        dims: channels of each stage.
        drop_path_rate: how often the last block's branch is left out in training; those of earlier ones less.
        layer_scale_init_value: what the factors of the branches are at first; 0: there are none.

    Raises:
        ValueError: there are not as many depths as dims.
    """

    head_names = ("head",)
    head_layers = ("norm", "head")

    def __init__(
        self,
        in_chans: int = 3,
        class_num: int = 1000,
        depths: Sequence[int] = (3, 3, 9, 3),
        dims: Sequence[int] = (96, 192, 384, 768),
        drop_path_rate: float = 0.0,
        layer_scale_init_value: float = 1e-6,
    ) -> None:
        super().__init__()
        if len(depths) != len(dims):
            raise ValueError(f"depths has {len(depths)} stages, but dims has {len(dims)}")
        stem = nn.Sequential(convolution(in_chans, dims[0], 4, stride=4), ChannelNorm(dims[0]))
        halves = [
            nn.Sequential(ChannelNorm(before), convolution(before, after, 2, stride=2))
            for before, after in zip(dims, dims[1:])
        ]
        self.downsample_layers = nn.LayerList([stem, *halves])
        drops = iter(np.linspace(0, drop_path_rate, sum(depths)).tolist())
        self.stages = nn.LayerList(
            [
                nn.Sequential(*[Block(channels, next(drops), layer_scale_init_value) for _ in range(depth)])
                for depth, channels in zip(depths, dims)
            ]
        )
        self.norm = nn.LayerNorm(dims[-1], EPSILON)
        self.head = linear(dims[-1], class_num)
        self.stage_channels = list(dims)
        self.stage_strides = [4 * 2**stage for stage in range(len(dims))]

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the stages, by default (N, 96 to 768, H/4 to H/32, W/4 to W/32)."""
        maps = []
        for downsample, stage in zip(self.downsample_layers, self.stages):
            x = stage(downsample(x))
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.head(self.norm(features.mean([2, 3])))


_TINY: dict[str, Any] = {"depths": (3, 3, 9, 3), "dims": (96, 192, 384, 768)}
_SMALL = {**_TINY, "depths": (3, 3, 27, 3)}
_BASE = {**_SMALL, "dims": (128, 256, 512, 1024)}
_LARGE = {**_SMALL, "dims": (192, 384, 768, 1536)}


def ConvNeXt_tiny(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ConvNeXt:
    """Return ConvNeXt-T; arguments as of :class:`ConvNeXt`."""
    return build("ConvNeXt_tiny", ConvNeXt, pretrained, class_num=class_num, **_TINY, **kwargs)


def ConvNeXt_small(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ConvNeXt:
    """Return ConvNeXt-S; arguments as of :class:`ConvNeXt`."""
    return build("ConvNeXt_small", ConvNeXt, pretrained, class_num=class_num, **_SMALL, **kwargs)


def ConvNeXt_base_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ConvNeXt:
    """Return ConvNeXt-B, for images of 224 pixels; arguments as of :class:`ConvNeXt`."""
    return build("ConvNeXt_base_224", ConvNeXt, pretrained, class_num=class_num, **_BASE, **kwargs)


def ConvNeXt_base_384(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ConvNeXt:
    """Return ConvNeXt-B, for images of 384 pixels; arguments as of :class:`ConvNeXt`."""
    return build("ConvNeXt_base_384", ConvNeXt, pretrained, class_num=class_num, **_BASE, **kwargs)


def ConvNeXt_large_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ConvNeXt:
    """Return ConvNeXt-L, for images of 224 pixels; arguments as of :class:`ConvNeXt`."""
    return build("ConvNeXt_large_224", ConvNeXt, pretrained, class_num=class_num, **_LARGE, **kwargs)


def ConvNeXt_large_384(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ConvNeXt:
    """Return ConvNeXt-L, for images of 384 pixels; arguments as of :class:`ConvNeXt`."""
    return build("ConvNeXt_large_384", ConvNeXt, pretrained, class_num=class_num, **_LARGE, **kwargs)
