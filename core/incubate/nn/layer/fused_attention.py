"""Self-attention as one call; weights have Paddle's names."""

from __future__ import annotations

from typing import Any, Optional

from core.incubate.nn import functional as F
from core.nn import Layer
from core.nn.initializer import Constant
from core.nn.layer.attention import attention_mask
from core.nn.layer.checks import positive, with_name
from core.nn.param_attr import ParamAttrLike, PresentAttrLike
from core.tensor import Tensor


def refuse_ranks(owner: str, nranks: int) -> None:
    """Refuse weights that several devices share.

    Args:
        owner: The layer's name.
        nranks: How many devices share them; 1 where each has them whole.

    Raises:
        NotImplementedError: they are shared.
    """
    if nranks != 1:
        raise NotImplementedError(f"{owner}: nranks={nranks}: weights shared by several devices are not offered")


class FusedMultiHeadAttention(Layer):
    """Self-attention with the normalisation and sum around it (Vaswani et al. 2017, arXiv:1706.03762).

    Args:
        embed_dim: Size of the last axis.
        num_heads: Number of subspaces; divides ``embed_dim``.
        dropout_rate: Probability of dropping an element of the result.
        attn_dropout_rate: Probability of dropping an attention weight.
        kdim: Kept, as in Paddle: keys are made of the queries.
        vdim: Likewise.
        normalize_before: Whether the input is normalised, instead of the sum.
        need_weights: False: the attention weights are not returned.
        qkv_weight_attr: ParamAttr of the projections to queries, keys and values.
        qkv_bias_attr: ParamAttr of their biases, or False for none.
        linear_weight_attr: ParamAttr of the last projection.
        linear_bias_attr: ParamAttr of its bias, or False for none.
        pre_ln_scale_attr: ParamAttr of the factors of the normalisation before.
        pre_ln_bias_attr: ParamAttr of its biases.
        ln_scale_attr: ParamAttr of the factors of the normalisation after.
        ln_bias_attr: ParamAttr of its biases.
        epsilon: Added to the variance.
        nranks: 1: weights that several devices share are not offered.
        ring_id: -1, likewise.
        transpose_qkv_wb: Whether the first weight is (embed_dim, 3 * embed_dim), not (3, heads, head size, embed_dim).
        name: Name shown in the repr.

    Shapes:
        input and output (batch, steps, embed_dim).

    Raises:
        NotImplementedError: several devices are wanted.
        ValueError: a size is not positive, heads do not divide ``embed_dim``, or weights are wanted.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout_rate: float = 0.5,
        attn_dropout_rate: float = 0.5,
        kdim: Optional[int] = None,
        vdim: Optional[int] = None,
        normalize_before: bool = False,
        need_weights: bool = False,
        qkv_weight_attr: PresentAttrLike = None,
        qkv_bias_attr: ParamAttrLike = None,
        linear_weight_attr: PresentAttrLike = None,
        linear_bias_attr: ParamAttrLike = None,
        pre_ln_scale_attr: ParamAttrLike = None,
        pre_ln_bias_attr: ParamAttrLike = None,
        ln_scale_attr: ParamAttrLike = None,
        ln_bias_attr: ParamAttrLike = None,
        epsilon: float = 1e-5,
        nranks: int = 1,
        ring_id: int = -1,
        transpose_qkv_wb: bool = False,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        refuse_ranks("FusedMultiHeadAttention", nranks)
        self.embed_dim = positive("FusedMultiHeadAttention", "embed_dim", embed_dim)
        self.num_heads = positive("FusedMultiHeadAttention", "num_heads", num_heads)
        if embed_dim % num_heads or need_weights:
            raise ValueError(
                f"FusedMultiHeadAttention: num_heads={num_heads} must divide embed_dim={embed_dim}, and need_weights be"
                " False"
            )
        self.head_dim = embed_dim // num_heads
        self.normalize_before = normalize_before
        self.kdim, self.vdim, self.need_weights = kdim, vdim, need_weights
        self.transpose_qkv_wb = transpose_qkv_wb
        self._epsilon, self._ring_id = epsilon, ring_id
        if transpose_qkv_wb:
            shapes = [[embed_dim, 3 * embed_dim], [3 * embed_dim]]
        else:
            shapes = [[3, num_heads, self.head_dim, embed_dim], [3, num_heads, self.head_dim]]
        self.qkv_weight = self.create_parameter(shapes[0], qkv_weight_attr)
        self.qkv_bias = self.create_parameter(shapes[1], qkv_bias_attr, is_bias=True)
        self.linear_weight = self.create_parameter([embed_dim, embed_dim], linear_weight_attr)
        self.linear_bias = self.create_parameter([embed_dim], linear_bias_attr, is_bias=True)
        self.pre_ln_scale = self.pre_ln_bias = self.ln_scale = self.ln_bias = None
        one = Constant(1.0)
        if normalize_before:
            self.pre_ln_scale = self.create_parameter([embed_dim], pre_ln_scale_attr, default_initializer=one)
            self.pre_ln_bias = self.create_parameter([embed_dim], pre_ln_bias_attr, is_bias=True)
        else:
            self.ln_scale = self.create_parameter([embed_dim], ln_scale_attr, default_initializer=one)
            self.ln_bias = self.create_parameter([embed_dim], ln_bias_attr, is_bias=True)
        self.dropout_rate, self.attn_dropout_rate = dropout_rate, attn_dropout_rate
        self.name = name

    def forward(
        self, query: Tensor, key: Any = None, value: Any = None, attn_mask: Optional[Tensor] = None, cache: Any = None
    ) -> Any:
        """Return the sum of the input and what it sees of itself.

        Args:
            query: (batch, steps, embed_dim).
            key: Unused, as in Paddle.
            value: Unused, as in Paddle.
            attn_mask: Broadcastable to (batch, heads, steps, keys): bool or integers, 1 where attention is allowed, or
                numbers that are added to the scores.
            cache: Keys and values of earlier steps (2, batch, heads, steps, head size), or None.

        Returns:
            The output; with a cache a tuple of it and the keys and values of all steps.
        """
        return F.fused_multi_head_attention(
            query,
            self.qkv_weight,
            self.linear_weight,
            self.normalize_before,
            self.pre_ln_scale,
            self.pre_ln_bias,
            self.ln_scale,
            self.ln_bias,
            self._epsilon,
            self.qkv_bias,
            self.linear_bias,
            cache,
            attention_mask(attn_mask, query.dtype),
            self.dropout_rate,
            self.attn_dropout_rate,
            self._epsilon,
            self.training,
            ring_id=self._ring_id,
            num_heads=self.num_heads,
            transpose_qkv_wb=self.transpose_qkv_wb,
        )

    def extra_repr(self) -> str:
        """Return the settings."""
        text = (
            f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, dropout_rate={self.dropout_rate},"
            f" attn_dropout_rate={self.attn_dropout_rate}, epsilon={self._epsilon}, kdim={self.kdim}, vdim={self.vdim},"
            f" normalize_before={self.normalize_before}, need_weights={self.need_weights}, dtype={self._dtype}"
        )
        return with_name(text, self.name)
