"""Swin Transformer: attention within windows, which every second block moves by half a window.

Paper: Liu et al., "Swin Transformer: hierarchical vision transformer using shifted windows", ICCV 2021,
https://arxiv.org/abs/2103.14030
Source of parameter names: PaddleClas 2.6, ``legendary_models/swin_transformer.py``. Images and maps of any size are
padded to whole patches and windows, as there; where one side is whole already and the other is not, it pads both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.transformer import Mlp, linear, stochastic_depth
from PaddleClas.models.window_attention import WindowAttention, padded


class SwinBlock(nn.Layer):
    """Attention within windows and an MLP, each after a normalisation and each a residual: (N, H, W, C) to the same.

    Args:
        channels: C.
        heads: of the attention.
        window: the side of a window.
        shift: by how much the maps are moved for the attention.
        mlp_ratio: how much wider the MLP is within.
        qkv_bias: whether queries, keys and values have biases.
        dropout: how often an element of the MLP is left out in training.
        drop_path: how often a branch is.
    """

    def __init__(
        self,
        channels: int,
        heads: int,
        window: int,
        shift: int,
        mlp_ratio: float,
        qkv_bias: bool,
        dropout: float,
        drop_path: float,
    ) -> None:
        super().__init__()
        self.window = window
        self.shift = shift
        self.norm1 = nn.LayerNorm(channels)
        self.attn = WindowAttention(channels, window, heads, shift, qkv_bias)
        self.drop_path = stochastic_depth(drop_path)
        self.norm2 = nn.LayerNorm(channels)
        self.mlp = Mlp(channels, int(channels * mlp_ratio), dropout)

    def attended(self, x: Any) -> Any:
        """Return what the attention finds in maps of any size."""
        height, width = x.shape[1:3]
        y = padded(x, self.window)
        if self.shift:
            y = core.roll(y, [-self.shift, -self.shift], [1, 2])
        y = self.attn(y)
        if self.shift:
            y = core.roll(y, [self.shift, self.shift], [1, 2])
        return y[:, :height, :width] if list(y.shape[1:3]) != [height, width] else y

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        x = x + self.drop_path(self.attended(self.norm1(x)))
        return x + self.drop_path(self.mlp(self.norm2(x)))


def beside(x: Any) -> Any:
    """Return maps whose channels are those of 2 x 2 places: (N, H, W, C) to (N, H / 2, W / 2, 4 * C), columns first."""
    _, height, width, channels = x.shape
    x = x.reshape([-1, height // 2, 2, width // 2, 2, channels]).transpose([0, 1, 3, 4, 2, 5])
    return x.reshape([-1, height // 2, width // 2, 4 * channels])


class PatchMerging(nn.Layer):
    """Halve maps and double their channels: (N, H, W, C) to (N, H / 2, W / 2, 2 * C), rounded up.

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.reduction = linear(4 * channels, 2 * channels, bias=False)
        self.norm = nn.LayerNorm(4 * channels)

    def forward(self, x: Any) -> Any:
        """Return the smaller maps."""
        return self.reduction(self.norm(beside(padded(x, 2))))


class PatchEmbed(nn.Layer):
    """Patches to vectors, normalised: images (N, C, H, W) to (N, H / patch_size, W / patch_size, channels).

    Args:
        patch_size: height and width of a patch, pixels.
        in_channels: C.
        channels: length of a patch's vector.
    """

    def __init__(self, patch_size: int, in_channels: int, channels: int) -> None:
        super().__init__()
        self.patch_size = patch_size
        self.proj = nn.Conv2D(in_channels, channels, patch_size, stride=patch_size)
        self.norm = nn.LayerNorm(channels)

    def forward(self, images: Any) -> Any:
        """Return the vectors.

        Raises:
            ValueError: a program is made for images of any size, which the windows do not allow.
        """
        height, width = images.shape[2:]
        if not (isinstance(height, int) and isinstance(width, int)) or min(height, width) < 0:
            raise ValueError(
                "a program of this network is for one size of images: give height and width in the InputSpec"
            )
        down, right = -height % self.patch_size, -width % self.patch_size
        if down or right:
            images = F.pad(images, [0, right, 0, down])
        return self.norm(self.proj(images).transpose([0, 2, 3, 1]))


class Stage(nn.Layer):
    """Blocks, and what halves the maps for the next stage.

    Args:
        blocks: the blocks, every second of which moves its maps.
        downsample: halves the maps; None after the last stage.
    """

    def __init__(self, blocks: Iterator[nn.Layer], downsample: Any) -> None:
        super().__init__()
        self.blocks = nn.LayerList(list(blocks))
        self.downsample = downsample

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return the maps of the stage, and what the next one takes."""
        for block in self.blocks:
            x = block(x)
        return x, x if self.downsample is None else self.downsample(x)


class SwinTransformer(ImageClassifier):
    """Patches through four stages of attention within windows, then a linear layer: (N, C, H, W) to (N, class_num).

    Images may have any size; an exported program is for one.

    Args:
        patch_size: of the patches, pixels.
        in_chans: C.
        class_num: number of classes.
        embed_dim: channels of the first stage; each further one has twice as many.
        depths: blocks of each stage.
        num_heads: of the attentions of each stage.
        window_size: the side of a window, patches.
        mlp_ratio: how much wider the MLPs are within.
        qkv_bias: whether queries, keys and values have biases.
        drop_rate: how often an element is left out after the embedding and in the MLPs, in training.
        drop_path_rate: how often the last block's branches are; those of earlier ones less.

    Raises:
        ValueError: the stages of ``depths`` and ``num_heads`` are not as many.
    """

    head_layers = ("norm", "head")
    head_names = ("head",)

    def __init__(
        self,
        patch_size: int = 4,
        in_chans: int = 3,
        class_num: int = 1000,
        embed_dim: int = 96,
        depths: Sequence[int] = (2, 2, 6, 2),
        num_heads: Sequence[int] = (3, 6, 12, 24),
        window_size: int = 7,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
    ) -> None:
        super().__init__()
        if len(depths) != len(num_heads):
            raise ValueError(f"depths has {len(depths)} stages, but num_heads has {len(num_heads)}")
        self.patch_embed = PatchEmbed(patch_size, in_chans, embed_dim)
        self.pos_drop = nn.Dropout(drop_rate)
        drops = iter(np.linspace(0, drop_path_rate, sum(depths)).tolist())
        self.stage_channels = [embed_dim * 2**stage for stage in range(len(depths))]
        self.stage_strides = [patch_size * 2**stage for stage in range(len(depths))]
        self.layers = nn.LayerList()
        for stage, (channels, depth, heads) in enumerate(zip(self.stage_channels, depths, num_heads)):
            blocks = (
                SwinBlock(
                    channels,
                    heads,
                    window_size,
                    window_size // 2 if number % 2 else 0,
                    mlp_ratio,
                    qkv_bias,
                    drop_rate,
                    next(drops),
                )
                for number in range(depth)
            )
            self.layers.append(Stage(blocks, PatchMerging(channels) if stage + 1 < len(depths) else None))
        self.norm = nn.LayerNorm(self.stage_channels[-1])
        self.head = linear(self.stage_channels[-1], class_num)

    def forward_layers(self, images: Any) -> list[Any]:
        """Return the maps of the stages with their channels last."""
        x = self.pos_drop(self.patch_embed(images))
        found = []
        for stage in self.layers:
            y, x = stage(x)
            found.append(y)
        return found

    def forward_stages(self, images: Any) -> list[Any]:
        """Return the feature maps of the stages, (N, embed_dim * 2**i, H / (4 * 2**i), W / (4 * 2**i))."""
        return [x.transpose([0, 3, 1, 2]) for x in self.forward_layers(images)]

    def forward_features(self, images: Any) -> Any:
        """Return the last stage's feature maps, normalised over their channels."""
        return self.norm(self.forward_layers(images)[-1]).transpose([0, 3, 1, 2])

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.head(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


_TINY: dict[str, Any] = {"embed_dim": 96, "depths": (2, 2, 6, 2), "num_heads": (3, 6, 12, 24), "window_size": 7}
_SMALL = {**_TINY, "depths": (2, 2, 18, 2)}
_BASE = {**_SMALL, "embed_dim": 128, "num_heads": (4, 8, 16, 32)}
_LARGE = {**_SMALL, "embed_dim": 192, "num_heads": (6, 12, 24, 48)}


def SwinTransformer_tiny_patch4_window7_224(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformer:
    """Return Swin-T for images of 224 pixels; arguments as of :class:`SwinTransformer`."""
    return build(
        "SwinTransformer_tiny_patch4_window7_224",
        SwinTransformer,
        pretrained,
        class_num=class_num,
        **_TINY,
        drop_path_rate=0.2,
        **kwargs,
    )


def SwinTransformer_small_patch4_window7_224(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformer:
    """Return Swin-S for images of 224 pixels; arguments as of :class:`SwinTransformer`."""
    return build(
        "SwinTransformer_small_patch4_window7_224",
        SwinTransformer,
        pretrained,
        class_num=class_num,
        **_SMALL,
        drop_path_rate=0.3,
        **kwargs,
    )


def SwinTransformer_base_patch4_window7_224(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformer:
    """Return Swin-B for images of 224 pixels; arguments as of :class:`SwinTransformer`."""
    return build(
        "SwinTransformer_base_patch4_window7_224",
        SwinTransformer,
        pretrained,
        class_num=class_num,
        **_BASE,
        drop_path_rate=0.5,
        **kwargs,
    )


def SwinTransformer_base_patch4_window12_384(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformer:
    """Return Swin-B with wider windows, for images of 384 pixels; arguments as of :class:`SwinTransformer`."""
    return build(
        "SwinTransformer_base_patch4_window12_384",
        SwinTransformer,
        pretrained,
        class_num=class_num,
        **{**_BASE, "window_size": 12},
        drop_path_rate=0.5,
        **kwargs,
    )


def SwinTransformer_large_patch4_window7_224(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformer:
    """Return Swin-L for images of 224 pixels; arguments as of :class:`SwinTransformer`."""
    return build(
        "SwinTransformer_large_patch4_window7_224",
        SwinTransformer,
        pretrained,
        class_num=class_num,
        **_LARGE,
        **kwargs,
    )


def SwinTransformer_large_patch4_window12_384(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformer:
    """Return Swin-L with wider windows, for images of 384 pixels; arguments as of :class:`SwinTransformer`."""
    return build(
        "SwinTransformer_large_patch4_window12_384",
        SwinTransformer,
        pretrained,
        class_num=class_num,
        **{**_LARGE, "window_size": 12},
        **kwargs,
    )
