"""ViT and DeiT: transformers over the patches of an image, with tokens that stand for the class.

Papers: Dosovitskiy et al., "An image is worth 16x16 words: transformers for image recognition at scale", ICLR 2021,
https://arxiv.org/abs/2010.11929; Touvron et al., "Training data-efficient image transformers & distillation through
attention", ICML 2021, https://arxiv.org/abs/2012.12877.
Source of parameter names: PaddleClas 2.6, ``model_zoo/vision_transformer.py`` and ``distilled_vision_transformer.py``.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn.initializer import TruncatedNormal
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.transformer import Block, linear

_SMALL: dict[str, Any] = {"embed_dim": 768, "depth": 8, "num_heads": 8, "mlp_ratio": 3.0, "qk_scale": 768**-0.5}
_DEIT_TINY: dict[str, Any] = {"embed_dim": 192, "depth": 12, "num_heads": 3, "qkv_bias": True, "epsilon": 1e-6}
_DEIT_SMALL = {**_DEIT_TINY, "embed_dim": 384, "num_heads": 6}
_BASE = {**_DEIT_TINY, "embed_dim": 768, "num_heads": 12}
_LARGE = {**_DEIT_TINY, "embed_dim": 1024, "depth": 24, "num_heads": 16}


class PatchEmbed(nn.Layer):
    """Patches to vectors: images (N, C, H, W) to (N, P, channels), row by row.

    Args:
        image_size: H and W, pixels.
        patch_size: height and width of a patch, pixels; those at the border that are not whole are left out.
        in_channels: C.
        channels: length of a patch's vector.
    """

    def __init__(self, image_size: int, patch_size: int, in_channels: int, channels: int) -> None:
        super().__init__()
        self.image_size = image_size
        self.count = (image_size // patch_size) ** 2
        self.proj = nn.Conv2D(in_channels, channels, patch_size, stride=patch_size)

    def forward(self, images: Any) -> Any:
        """Return the vectors.

        Raises:
            ValueError: the images have another size; there is one position for each patch.
        """
        height, width = images.shape[2:]
        if (height, width) != (self.image_size, self.image_size):
            size = self.image_size
            raise ValueError(
                f"this network has positions for images of {size} x {size} pixels, not {height} x {width}: resize "
                f"them, or build it with img_size"
            )
        return self.proj(images).flatten(2).transpose([0, 2, 1])


class VisionTransformer(ImageClassifier):
    """Patches and class tokens through blocks of attention, then a linear layer: (N, C, H, W) to (N, class_num).

    Args:
        img_size: H and W, pixels; others are refused.
        patch_size: of the patches, pixels.
        in_chans: C.
        class_num: number of classes.
        embed_dim: length of a token's vector.
        depth: number of blocks.
        num_heads: of each attention.
        mlp_ratio: how much wider the MLPs are within.
        qkv_bias: whether queries, keys and values have biases.
        qk_scale: factor on the products of queries and keys; None: one over the root of a head's size.
        drop_rate: how often an element is left out after the embedding and in each branch, in training.
        attn_drop_rate: how often an attention's weight is.
        drop_path_rate: how often the last block's branches are; those of earlier ones less.
        epsilon: of the layer normalisations.
        distilled: whether there is a second token, with a head of its own, that learns from a teacher; the logits are
            the mean of both heads'.
    """

    head_names: tuple[str, ...] = ("head",)
    head_layers: tuple[str, ...] = ("head",)

    def __init__(
        self,
        img_size: int = 224,
        patch_size: int = 16,
        in_chans: int = 3,
        class_num: int = 1000,
        embed_dim: int = 768,
        depth: int = 12,
        num_heads: int = 12,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = False,
        qk_scale: Optional[float] = None,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        epsilon: float = 1e-5,
        distilled: bool = False,
    ) -> None:
        super().__init__()
        self.patch_embed = PatchEmbed(img_size, patch_size, in_chans, embed_dim)
        initializer = TruncatedNormal(std=0.02)
        tokens = 2 if distilled else 1
        self.pos_embed = self.create_parameter(
            [1, self.patch_embed.count + tokens, embed_dim], default_initializer=initializer
        )
        self.cls_token = self.create_parameter([1, 1, embed_dim], default_initializer=initializer)
        self.dist_token: Any = None
        if distilled:
            self.dist_token = self.create_parameter([1, 1, embed_dim], default_initializer=initializer)
            self.head_names = self.head_layers = ("head", "head_dist")
        self.pos_drop = nn.Dropout(drop_rate)
        last = max(depth - 1, 1)
        self.blocks = nn.LayerList(
            [
                Block(
                    embed_dim,
                    num_heads,
                    mlp_ratio,
                    qkv_bias,
                    qk_scale,
                    drop_rate,
                    attn_drop_rate,
                    drop_path_rate * number / last,
                    epsilon,
                )
                for number in range(depth)
            ]
        )
        self.norm = nn.LayerNorm(embed_dim, epsilon)
        self.head = linear(embed_dim, class_num)
        self.head_dist = linear(embed_dim, class_num) if distilled else None
        self.stage_channels = (embed_dim,)
        self.stage_strides = (patch_size,)

    def forward_tokens(self, images: Any) -> Any:
        """Return the normalised vectors of all tokens, (N, tokens + P, embed_dim): those for the class come first."""
        x = self.patch_embed(images)
        tokens = [self.cls_token] if self.dist_token is None else [self.cls_token, self.dist_token]
        x = core.concat([*[token.expand([x.shape[0], -1, -1]) for token in tokens], x], axis=1)
        x = self.pos_drop(x + self.pos_embed)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def forward_stages(self, images: Any) -> list[Any]:
        """Return the vectors of the patches as one feature map, (N, embed_dim, H / patch_size, W / patch_size)."""
        patches = self.forward_tokens(images)[:, len(self.head_names) :]
        side = round(self.patch_embed.count**0.5)
        return [patches.transpose([0, 2, 1]).reshape([-1, self.stage_channels[0], side, side])]

    def forward_features(self, images: Any) -> Any:
        """Return the vectors of the tokens that stand for the class, (N, embed_dim), or (N, 2, embed_dim) of two."""
        x = self.forward_tokens(images)
        return x[:, 0] if self.dist_token is None else x[:, :2]

    def forward_head(self, features: Any) -> Any:
        """Return the logits for the vectors of the class tokens, (N, class_num)."""
        if self.head_dist is None:
            return self.head(features)
        return (self.head(features[:, 0]) + self.head_dist(features[:, 1])) / 2


def ViT_small_patch16_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return PaddleClas' own small ViT, of 8 wide blocks; arguments as of :class:`VisionTransformer`."""
    return build("ViT_small_patch16_224", VisionTransformer, pretrained, class_num=class_num, **_SMALL, **kwargs)


def ViT_base_patch16_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return ViT-B/16 for images of 224 pixels; arguments as of :class:`VisionTransformer`."""
    return build("ViT_base_patch16_224", VisionTransformer, pretrained, class_num=class_num, **_BASE, **kwargs)


def ViT_base_patch16_384(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return ViT-B/16 for images of 384 pixels; arguments as of :class:`VisionTransformer`."""
    return build(
        "ViT_base_patch16_384", VisionTransformer, pretrained, class_num=class_num, **_BASE, img_size=384, **kwargs
    )


def ViT_base_patch32_384(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return ViT-B/32 for images of 384 pixels; arguments as of :class:`VisionTransformer`."""
    return build(
        "ViT_base_patch32_384",
        VisionTransformer,
        pretrained,
        class_num=class_num,
        **_BASE,
        patch_size=32,
        img_size=384,
        **kwargs,
    )


def ViT_large_patch16_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return ViT-L/16 for images of 224 pixels; arguments as of :class:`VisionTransformer`."""
    return build("ViT_large_patch16_224", VisionTransformer, pretrained, class_num=class_num, **_LARGE, **kwargs)


def ViT_large_patch16_384(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return ViT-L/16 for images of 384 pixels; arguments as of :class:`VisionTransformer`."""
    return build(
        "ViT_large_patch16_384", VisionTransformer, pretrained, class_num=class_num, **_LARGE, img_size=384, **kwargs
    )


def ViT_large_patch32_384(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return ViT-L/32 for images of 384 pixels; arguments as of :class:`VisionTransformer`."""
    return build(
        "ViT_large_patch32_384",
        VisionTransformer,
        pretrained,
        class_num=class_num,
        **_LARGE,
        patch_size=32,
        img_size=384,
        **kwargs,
    )


def DeiT_tiny_patch16_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return DeiT-tiny, for images of 224 pixels; see :class:`VisionTransformer`."""
    return build("DeiT_tiny_patch16_224", VisionTransformer, pretrained, class_num=class_num, **_DEIT_TINY, **kwargs)


def DeiT_small_patch16_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return DeiT-small, for images of 224 pixels; see :class:`VisionTransformer`."""
    return build("DeiT_small_patch16_224", VisionTransformer, pretrained, class_num=class_num, **_DEIT_SMALL, **kwargs)


def DeiT_base_patch16_224(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return DeiT-base, for images of 224 pixels; see :class:`VisionTransformer`."""
    return build("DeiT_base_patch16_224", VisionTransformer, pretrained, class_num=class_num, **_BASE, **kwargs)


def DeiT_base_patch16_384(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VisionTransformer:
    """Return DeiT-base, for images of 384 pixels; see :class:`VisionTransformer`."""
    return build(
        "DeiT_base_patch16_384", VisionTransformer, pretrained, class_num=class_num, **_BASE, img_size=384, **kwargs
    )


def DeiT_tiny_distilled_patch16_224(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> VisionTransformer:
    """Return DeiT-tiny with a distillation token, for images of 224 pixels; see :class:`VisionTransformer`."""
    return build(
        "DeiT_tiny_distilled_patch16_224",
        VisionTransformer,
        pretrained,
        class_num=class_num,
        **_DEIT_TINY,
        distilled=True,
        **kwargs,
    )


def DeiT_small_distilled_patch16_224(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> VisionTransformer:
    """Return DeiT-small with a distillation token, for images of 224 pixels; see :class:`VisionTransformer`."""
    return build(
        "DeiT_small_distilled_patch16_224",
        VisionTransformer,
        pretrained,
        class_num=class_num,
        **_DEIT_SMALL,
        distilled=True,
        **kwargs,
    )


def DeiT_base_distilled_patch16_224(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> VisionTransformer:
    """Return DeiT-base with a distillation token, for images of 224 pixels; see :class:`VisionTransformer`."""
    return build(
        "DeiT_base_distilled_patch16_224",
        VisionTransformer,
        pretrained,
        class_num=class_num,
        **_BASE,
        distilled=True,
        **kwargs,
    )


def DeiT_base_distilled_patch16_384(
    class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any
) -> VisionTransformer:
    """Return DeiT-base with a distillation token, for images of 384 pixels; see :class:`VisionTransformer`."""
    return build(
        "DeiT_base_distilled_patch16_384",
        VisionTransformer,
        pretrained,
        class_num=class_num,
        **_BASE,
        img_size=384,
        distilled=True,
        **kwargs,
    )
