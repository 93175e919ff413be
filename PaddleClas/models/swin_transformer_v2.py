"""Swin Transformer V2: attention by the angle of queries and keys, offsets through an MLP, normalisation at the end.

Paper: Liu et al., "Swin Transformer V2: scaling up capacity and resolution", CVPR 2022,
https://arxiv.org/abs/2111.09883
Source of parameter names: PaddleClas 2.6, ``model_zoo/swin_transformer_v2.py``. As there, a network is for images of
one size, and windows are no larger than the maps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Constant
from PaddleClas.models import swin_transformer as first
from PaddleClas.models import window_attention
from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.swin_transformer import PatchEmbed, Stage, SwinTransformer, beside
from PaddleClas.models.transformer import linear

HIDDEN_FEATURES = 512
"""Of the MLP that offsets go through."""

LARGEST_SCALE = 100.0
"""That a head may multiply a cosine by."""


def log_offsets(window: int, trained_window: int) -> np.ndarray:
    """Return what the MLP receives of each offset: float32, (1, 2 * window - 1, 2 * window - 1, 2), in logarithms.

    Args:
        window: the side of a window.
        trained_window: the side of those that the weights learned with, for whose offsets the results lie within 1.
    """
    offsets = np.arange(1 - window, window, dtype=np.float32) * 8 / (trained_window - 1)
    scaled = np.sign(offsets) * np.log2(np.abs(offsets) + 1) / np.log2(8)
    return np.stack(np.meshgrid(scaled, scaled, indexing="ij"), axis=-1)[None].astype(np.float32)


class WindowAttention(window_attention.WindowAttention):
    """Self-attention within windows by cosines, with a number for each offset and head that an MLP gives.

    Args:
        channels: C.
        window: the side of a window, which divides H and W.
        heads: how many heads share the channels.
        shift: by how much the maps were moved.
        qkv_bias: whether queries and values have biases.
        trained_window: as in :func:`log_offsets`.
    """

    def __init__(
        self, channels: int, window: int, heads: int, shift: int, qkv_bias: bool = True, trained_window: int = 0
    ) -> None:
        self.trained_window = trained_window or window
        super().__init__(channels, window, heads, shift, qkv_bias)

    def _create_positions(self) -> None:
        self.logit_scale = self.create_parameter([self.heads, 1, 1], default_initializer=Constant(math.log(10.0)))
        hidden, last = linear(2, HIDDEN_FEATURES), linear(HIDDEN_FEATURES, self.heads, bias=False)
        self.cpb_mlp = nn.Sequential(hidden, nn.ReLU(), last)
        offsets = core.to_tensor(log_offsets(self.window, self.trained_window))
        self.register_buffer("relative_coords_table", offsets)

    def _create_projections(self, channels: int, qkv_bias: bool) -> None:
        self.qkv = linear(channels, 3 * channels, bias=False)
        self.q_bias: Any = None
        if qkv_bias:
            self.q_bias = self.create_parameter([channels], default_initializer=Constant(0.0))
            self.v_bias = self.create_parameter([channels], default_initializer=Constant(0.0))
        self.proj = linear(channels, channels)

    def position_table(self) -> Any:
        """Return what each offset adds to the scaled cosines, ((2 * window - 1)**2, heads), 0 to 16."""
        return 16 * F.sigmoid(self.cpb_mlp(self.relative_coords_table).reshape([-1, self.heads]))

    def projected(self, x: Any) -> Any:
        """Return queries, keys and values, (..., 3 * C); keys have no bias."""
        if self.q_bias is None:
            return self.qkv(x)
        bias = core.concat([self.q_bias, core.zeros_like(self.v_bias), self.v_bias])
        return F.linear(x, self.qkv.weight, bias)

    def scaled(self, queries: Any, keys: Any) -> tuple[Any, Any]:
        """Return queries and keys of length 1, but for the factors of the heads and of the attention."""
        factor = core.exp(core.clip(self.logit_scale, max=math.log(LARGEST_SCALE))).reshape([self.heads, 1])
        return F.normalize(queries, axis=-1) * (factor * queries.shape[-1] ** 0.5), F.normalize(keys, axis=-1)


class SwinBlock(first.SwinBlock):
    """Attention within windows and an MLP, each normalised at its end and each a residual: (N, H, W, C) to the same.

    Args:
        channels: C.
        heads: of the attention.
        window: the side of a window.
        shift: by how much the maps are moved for the attention.
        trained_window: the side of the windows that the weights learned with; 0: the same.
        options: further arguments of the block of the first version.
    """

    def __init__(
        self, channels: int, heads: int, window: int, shift: int, trained_window: int, qkv_bias: bool, **options: Any
    ) -> None:
        super().__init__(channels, heads, window, shift, qkv_bias=qkv_bias, **options)
        self.attn = WindowAttention(channels, window, heads, shift, qkv_bias, trained_window)

    def forward(self, x: Any) -> Any:
        """Return the maps."""
        x = x + self.drop_path(self.norm1(self.attended(x)))
        return x + self.drop_path(self.norm2(self.mlp(x)))


class PatchMerging(nn.Layer):
    """Halve maps and double their channels: (N, H, W, C) to (N, H / 2, W / 2, 2 * C).

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.reduction = linear(4 * channels, 2 * channels, bias=False)
        self.norm = nn.LayerNorm(2 * channels)

    def forward(self, x: Any) -> Any:
        """Return the smaller maps."""
        return self.norm(self.reduction(beside(x)))


class SwinTransformerV2(SwinTransformer):
    """Patches through four stages of attention within windows, then a linear layer: (N, C, H, W) to (N, class_num).

    Args:
        img_size: H and W, pixels; others are refused.
        patch_size: of the patches, pixels.
        in_chans: C.
        class_num: number of classes.
        embed_dim: channels of the first stage; each further one has twice as many.
        depths: blocks of each stage.
        num_heads: of the attentions of each stage.
        window_size: the side of a window, patches.
        mlp_ratio: how much wider the MLPs are within.
        qkv_bias: whether queries and values have biases.
        drop_rate: how often an element is left out after the embedding and in the MLPs, in training.
        drop_path_rate: how often the last block's branches are; those of earlier ones less.
        pretrained_window_sizes: the windows of each stage that the weights learned with first; 0: the same.

    Raises:
        ValueError: the lists of the stages are not as long, or the last stage's maps are no whole number of places.
    """

    def __init__(
        self,
        img_size: int = 256,
        patch_size: int = 4,
        in_chans: int = 3,
        class_num: int = 1000,
        embed_dim: int = 96,
        depths: Sequence[int] = (2, 2, 6, 2),
        num_heads: Sequence[int] = (3, 6, 12, 24),
        window_size: int = 8,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
        pretrained_window_sizes: Sequence[int] = (0, 0, 0, 0),
    ) -> None:
        nn.Layer.__init__(self)
        if not len(depths) == len(num_heads) == len(pretrained_window_sizes):
            lengths = f"{len(depths)}, {len(num_heads)} and {len(pretrained_window_sizes)}"
            raise ValueError(f"depths, num_heads and pretrained_window_sizes must be as long, not {lengths}")
        last = patch_size * 2 ** (len(depths) - 1)
        if img_size % last:
            raise ValueError(f"img_size must be a multiple of {last}, the stride of the last stage, not {img_size}")
        self.img_size = img_size
        self.patch_embed = PatchEmbed(patch_size, in_chans, embed_dim)
        self.pos_drop = nn.Dropout(drop_rate)
        drops = iter(np.linspace(0, drop_path_rate, sum(depths)).tolist())
        self.stage_channels = [embed_dim * 2**stage for stage in range(len(depths))]
        self.stage_strides = [patch_size * 2**stage for stage in range(len(depths))]
        self.layers = nn.LayerList()
        for stage, (channels, stride) in enumerate(zip(self.stage_channels, self.stage_strides)):
            window = min(window_size, img_size // stride)
            shift = window // 2 if window < img_size // stride else 0
            blocks = (
                SwinBlock(
                    channels,
                    num_heads[stage],
                    window,
                    shift if number % 2 else 0,
                    pretrained_window_sizes[stage],
                    qkv_bias,
                    mlp_ratio=mlp_ratio,
                    dropout=drop_rate,
                    drop_path=next(drops),
                )
                for number in range(depths[stage])
            )
            self.layers.append(Stage(blocks, PatchMerging(channels) if stage + 1 < len(depths) else None))
        self.norm = nn.LayerNorm(self.stage_channels[-1])
        self.head = linear(self.stage_channels[-1], class_num)

    def forward_layers(self, images: Any) -> list[Any]:
        """Return the maps of the stages with their channels last.

        Raises:
            ValueError: the images have another size than the network's.
        """
        height, width = images.shape[2:]
        if (height, width) != (self.img_size, self.img_size):
            size = self.img_size
            raise ValueError(
                f"the windows of this network are for images of {size} x {size} pixels, not {height} x {width}: resize "
                f"them, or build it with img_size"
            )
        return super().forward_layers(images)


_TINY: dict[str, Any] = {"depths": (2, 2, 6, 2), "num_heads": (3, 6, 12, 24), "embed_dim": 96, "drop_path_rate": 0.2}
_SMALL = {**_TINY, "depths": (2, 2, 18, 2), "drop_path_rate": 0.3}
_BASE = {**_SMALL, "embed_dim": 128, "num_heads": (4, 8, 16, 32), "drop_path_rate": 0.5}
_BEGUN: dict[str, Any] = {"pretrained_window_sizes": (12, 12, 12, 6), "drop_path_rate": 0.2}
_LARGE = {**_BASE, **_BEGUN, "embed_dim": 192, "num_heads": (6, 12, 24, 48)}


def SwinTransformerV2_tiny_patch4_window8_256(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-T with windows of 8 patches, for images of 256 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_tiny_patch4_window8_256",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_TINY,
        window_size=8,
        **kwargs,
    )


def SwinTransformerV2_tiny_patch4_window16_256(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-T with windows of 16 patches, for images of 256 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_tiny_patch4_window16_256",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_TINY,
        window_size=16,
        **kwargs,
    )


def SwinTransformerV2_small_patch4_window8_256(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-S with windows of 8 patches, for images of 256 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_small_patch4_window8_256",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_SMALL,
        window_size=8,
        **kwargs,
    )


def SwinTransformerV2_small_patch4_window16_256(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-S with windows of 16 patches, for images of 256 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_small_patch4_window16_256",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_SMALL,
        window_size=16,
        **kwargs,
    )


def SwinTransformerV2_base_patch4_window8_256(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-B with windows of 8 patches, for images of 256 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_base_patch4_window8_256",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_BASE,
        window_size=8,
        **kwargs,
    )


def SwinTransformerV2_base_patch4_window16_256(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-B with windows of 16 patches, for images of 256 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_base_patch4_window16_256",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_BASE,
        window_size=16,
        **kwargs,
    )


def SwinTransformerV2_base_patch4_window24_384(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-B with windows of 24 patches, for images of 384 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_base_patch4_window24_384",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **{**_BASE, **_BEGUN},
        window_size=24,
        img_size=384,
        **kwargs,
    )


def SwinTransformerV2_large_patch4_window16_256(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-L with windows of 16 patches, for images of 256 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_large_patch4_window16_256",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_LARGE,
        window_size=16,
        **kwargs,
    )


def SwinTransformerV2_large_patch4_window24_384(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> SwinTransformerV2:
    """Return SwinV2-L with windows of 24 patches, for images of 384 pixels; see :class:`SwinTransformerV2`."""
    return build(
        "SwinTransformerV2_large_patch4_window24_384",
        SwinTransformerV2,
        pretrained,
        class_num=class_num,
        **_LARGE,
        window_size=24,
        img_size=384,
        **kwargs,
    )
