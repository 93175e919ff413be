"""TimeSformer: a vision transformer whose patches attend first to the same place in other frames, then to their frame.

Paper: Bertasius, Wang and Torresani, "Is space-time attention all you need for video understanding?", ICML 2021,
https://arxiv.org/abs/2102.05095.
Source of parameter names: PaddleVideo 2.3, VisionTransformer and TimeSformerHead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from core import nn
from core.nn.initializer import Constant, TruncatedNormal
from core.nn.layer.checks import positive_numbers
from PaddleClas.models.transformer import Attention, Mlp, linear, stochastic_depth
from PaddleVideo.models.base import ClipClassifier

EPSILON = 1e-6
"""Of the layer normalisations, as in the published recipe."""


class Block(nn.Layer):
    """Attention over time, attention over the frame, and an MLP, each a residual: (N, 1 + P * T, C) to the same shape.

    Tokens are the clip's own, then those of the patches, each patch's frames together.

    Args:
        channels: C.
        heads: of the attentions.
        mlp_ratio: how much wider the MLP is within.
        qkv_bias: whether queries, keys and values have biases.
        drop_path: how often a branch is left out in training.
        frames: T.
        first: whether this is the first block; in others the attention over time adds nothing at first.
    """

    def __init__(
        self, channels: int, heads: int, mlp_ratio: float, qkv_bias: bool, drop_path: float, frames: int, first: bool
    ) -> None:
        super().__init__()
        self.frames = frames
        self.norm1 = nn.LayerNorm(channels, EPSILON)
        self.attn = Attention(channels, heads, qkv_bias)
        self.temporal_norm1 = nn.LayerNorm(channels, EPSILON)
        self.temporal_attn = Attention(channels, heads, qkv_bias)
        self.temporal_fc = linear(channels, channels, zero=not first)
        self.drop_path = stochastic_depth(drop_path)
        self.norm2 = nn.LayerNorm(channels, EPSILON)
        self.mlp = Mlp(channels, int(channels * mlp_ratio))

    def over_time(self, patches: Any) -> Any:
        """Return what the attention over time adds to the patches, (N, P * T, C)."""
        _, length, channels = patches.shape
        x = patches.reshape([-1, self.frames, channels])
        found = self.drop_path(self.temporal_attn(self.temporal_norm1(x)))
        return self.temporal_fc(found.reshape([-1, length, channels]))

    def over_frame(self, clip: Any, patches: Any) -> tuple[Any, Any]:
        """Return what the attention within frames adds to the clip's token (N, 1, C) and to the patches."""
        _, length, channels = patches.shape
        places = length // self.frames
        x = patches.reshape([-1, places, self.frames, channels]).transpose([0, 2, 1, 3])
        tokens = clip.tile([1, self.frames, 1]).unsqueeze(2)
        x = core.concat([tokens, x], axis=2).reshape([-1, 1 + places, channels])
        found = self.drop_path(self.attn(self.norm1(x))).reshape([-1, self.frames, 1 + places, channels])
        spread = found[:, :, 1:].transpose([0, 2, 1, 3]).reshape([-1, length, channels])
        return found[:, :, 0].mean(1, keepdim=True), spread

    def forward(self, x: Any) -> Any:
        """Return the tokens."""
        clip, patches = x[:, :1], x[:, 1:]
        patches = patches + self.over_time(patches)
        of_clip, of_patches = self.over_frame(clip, patches)
        x = core.concat([clip + of_clip, patches + of_patches], axis=1)
        return x + self.drop_path(self.mlp(self.norm2(x)))


class PatchEmbed(nn.Layer):
    """Frames to patches: (N, C, H, W) to (N, P, channels)."""

    def __init__(self, patch_size: int, in_channels: int, channels: int) -> None:
        super().__init__()
        self.proj = nn.Conv2D(in_channels, channels, patch_size, patch_size)

    def forward(self, x: Any) -> Any:
        """Return the patches, row by row."""
        return self.proj(x).flatten(2).transpose([0, 2, 1])


class VisionTransformer(nn.Layer):
    """Clips (N, T, 3, H, W) to features (N, embed_dim); arguments as of :class:`TimeSformer`."""

    def __init__(
        self,
        img_size: int,
        patch_size: int,
        embed_dim: int,
        depth: int,
        num_heads: int,
        mlp_ratio: float,
        qkv_bias: bool,
        drop_path_rate: float,
        num_seg: int,
    ) -> None:
        super().__init__()
        near_zero = TruncatedNormal(0.0, 0.02)
        places = (img_size // patch_size) ** 2
        self.patch_embed = PatchEmbed(patch_size, 3, embed_dim)
        self.cls_token = self.create_parameter([1, 1, embed_dim], default_initializer=near_zero)
        self.pos_embed = self.create_parameter([1, places + 1, embed_dim], default_initializer=near_zero)
        self.time_embed = self.create_parameter([1, num_seg, embed_dim], default_initializer=Constant(0.0))
        rates = np.linspace(0.0, drop_path_rate, depth).tolist()
        self.blocks = nn.LayerList(
            [
                Block(embed_dim, num_heads, mlp_ratio, qkv_bias, rate, num_seg, number == 0)
                for number, rate in enumerate(rates)
            ]
        )
        self.norm = nn.LayerNorm(embed_dim, EPSILON)

    def forward(self, clips: Any) -> Any:
        """Return the clips' features."""
        frames = clips.shape[1]
        x = self.patch_embed(clips.reshape([-1, *clips.shape[2:]])) + self.pos_embed[:, 1:]
        _, places, channels = x.shape
        x = x.reshape([-1, frames, places, channels]).transpose([0, 2, 1, 3]) + self.time_embed.unsqueeze(1)
        x = x.reshape([-1, places * frames, channels])
        clip = (self.cls_token + self.pos_embed[:, :1]).tile([x.shape[0], 1, 1])
        x = core.concat([clip, x], axis=1)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)[:, 0]


class TimeSformerHead(nn.Layer):
    """A linear layer: features (N, C) to logits (N, class_num)."""

    def __init__(self, in_channels: int, class_num: int) -> None:
        super().__init__()
        self.fc = linear(in_channels, class_num)

    def forward(self, features: Any) -> Any:
        """Return the logits."""
        return self.fc(features)


class TimeSformer(ClipClassifier):
    """Clips to logits: (N, num_seg, 3, img_size, img_size) to (N, class_num).

    Args:
        class_num: number of classes.
        num_seg: how many frames a clip has.
        img_size: height and width of the frames.
        patch_size: of the patches, pixels.
        embed_dim: channels of a patch.
        depth: how many blocks there are.
        num_heads: of the attentions.
        mlp_ratio: how much wider the MLPs are within.
        qkv_bias: whether queries, keys and values have biases.
        drop_path_rate: how often a branch of the last block is left out in training; less in blocks before.

    Raises:
        ValueError: a number is not positive, or numbers do not fit each other.
    """

    def __init__(
        self,
        class_num: int = 400,
        num_seg: int = 8,
        img_size: int = 224,
        patch_size: int = 16,
        embed_dim: int = 768,
        depth: int = 12,
        num_heads: int = 12,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        drop_path_rate: float = 0.1,
    ) -> None:
        super().__init__()
        positive_numbers("TimeSformer", num_seg=num_seg, img_size=img_size, patch_size=patch_size, embed_dim=embed_dim)
        positive_numbers("TimeSformer", depth=depth, num_heads=num_heads)
        if img_size % patch_size:
            raise ValueError(f"TimeSformer: patch_size {patch_size} does not divide img_size {img_size}")
        if embed_dim % num_heads:
            raise ValueError(f"TimeSformer: num_heads {num_heads} does not divide embed_dim {embed_dim}")
        self.class_num = class_num
        self.num_seg = num_seg
        self.img_size = img_size
        self.backbone = VisionTransformer(
            img_size, patch_size, embed_dim, depth, num_heads, mlp_ratio, qkv_bias, drop_path_rate, num_seg
        )
        self.head = TimeSformerHead(embed_dim, class_num)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, class_num).

        Raises:
            ValueError: the clips have another number of frames, or frames of another size.
        """
        if list(clips.shape[1:]) != [self.num_seg, 3, self.img_size, self.img_size]:
            raise ValueError(
                f"the network is made for clips (N, {self.num_seg}, 3, {self.img_size}, {self.img_size}), not"
                f" {list(clips.shape)}"
            )
        return self.head(self.backbone(clips))


def timesformer(**settings: Any) -> TimeSformer:
    """Return a TimeSformer on ViT-B/16; settings as of :class:`TimeSformer`."""
    return TimeSformer(**settings)
