"""Attention whose projections, mask and normalisation are one call."""

from __future__ import annotations

from typing import Any, Optional

from core.incubate.nn.functional.feed_forward import normalized, refuse_ring
from core.kernels.dispatch.errors import OperatorError
from core.nn import functional as F
from core.nn.layer.attention import attention_mask
from core.operators import arange, concat, logical_and, matmul, stack
from core.tensor import Tensor


def fused_multi_head_attention(
    x: Tensor,
    qkv_weight: Tensor,
    linear_weight: Tensor,
    pre_layer_norm: bool = False,
    pre_ln_scale: Optional[Tensor] = None,
    pre_ln_bias: Optional[Tensor] = None,
    ln_scale: Optional[Tensor] = None,
    ln_bias: Optional[Tensor] = None,
    pre_ln_epsilon: float = 1e-5,
    qkv_bias: Optional[Tensor] = None,
    linear_bias: Optional[Tensor] = None,
    cache_kv: Optional[Tensor] = None,
    attn_mask: Optional[Tensor] = None,
    dropout_rate: float = 0.5,
    attn_dropout_rate: float = 0.5,
    ln_epsilon: float = 1e-5,
    training: bool = True,
    mode: str = "upscale_in_train",
    ring_id: int = -1,
    add_residual: bool = True,
    num_heads: int = -1,
    transpose_qkv_wb: bool = False,
    name: Optional[str] = None,
) -> Any:
    """Let every step of a sequence look at all others, and add what it sees; normalised before or after.

    Paper: Vaswani et al. 2017, arXiv:1706.03762.

    Args:
        x: (batch, steps, features).
        qkv_weight: (3, heads, head size, features), or (features, 3 * features) with ``transpose_qkv_wb``.
        linear_weight: (heads * head size, features), of the last projection.
        pre_layer_norm: whether x is normalised before, instead of the sum after.
        pre_ln_scale: (features,), of the normalisation before, or None.
        pre_ln_bias: likewise.
        ln_scale: (features,), of the normalisation after, or None.
        ln_bias: likewise.
        pre_ln_epsilon: added to the variance before.
        qkv_bias: (3, heads, head size), or (3 * features,) with ``transpose_qkv_wb``, or None.
        linear_bias: (features,), or None.
        cache_kv: keys and values of earlier steps, (2, batch, heads, steps, head size), or None.
        attn_mask: broadcastable to (batch, heads, steps, keys): bool or integers, 1 where attention is allowed, or
            numbers that are added to the scores.
        dropout_rate: probability of dropping an element of the result.
        attn_dropout_rate: probability of dropping an attention weight.
        ln_epsilon: added to the variance after.
        training: whether elements are dropped.
        mode: ``upscale_in_train`` or ``downscale_in_infer``.
        ring_id: -1: weights that several devices share are not offered.
        add_residual: whether x is added.
        num_heads: number of heads, needed with ``transpose_qkv_wb``.
        transpose_qkv_wb: whether the weight and bias of queries, keys and values have the second shape.
        name: unused, as in Paddle.

    Returns:
        A tensor of the shape of x; with ``cache_kv`` a tuple of that and the keys and values of all steps.

    Raises:
        NotImplementedError: ``ring_id`` is not -1.
        OperatorError: the shapes do not fit.
        ValueError: a rate is no probability, or the mode is unknown.
    """
    refuse_ring(ring_id, "fused_multi_head_attention")
    if x.ndim != 3:
        raise OperatorError(f"fused_multi_head_attention: x is (batch, steps, features), got shape {x.shape}")
    rows = normalized(x, pre_ln_scale, pre_ln_bias, pre_ln_epsilon) if pre_layer_norm else x
    queries, keys, values = _projected(rows, qkv_weight, qkv_bias, num_heads, transpose_qkv_wb)
    if cache_kv is not None:
        keys, values = concat([cache_kv[0], keys], axis=2), concat([cache_kv[1], values], axis=2)
    scores = matmul(queries * queries.shape[-1] ** -0.5, keys, transpose_y=True)
    mask = attention_mask(attn_mask, scores.dtype)
    weights = F.softmax(scores if mask is None else scores + mask)
    weights = F.dropout(weights, attn_dropout_rate, training=training, mode=mode)
    seen = matmul(weights, values).transpose([0, 2, 1, 3]).flatten(2)
    result = F.dropout(F.linear(seen, linear_weight, linear_bias), dropout_rate, training=training, mode=mode)
    result = x + result if add_residual else result
    result = result if pre_layer_norm else normalized(result, ln_scale, ln_bias, ln_epsilon)
    return result if cache_kv is None else (result, stack([keys, values]))


def _projected(
    x: Tensor, weight: Tensor, bias: Optional[Tensor], num_heads: int, transposed: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values (batch, heads, steps, head size)."""
    features = x.shape[2]
    if not transposed:
        if weight.ndim != 4 or weight.shape[0] != 3 or weight.shape[3] != features:
            raise OperatorError(
                f"fused_multi_head_attention: qkv_weight is (3, heads, head size, {features}), got {weight.shape}"
            )
        num_heads = weight.shape[1]
        product = matmul(x, weight.reshape([-1, features]), transpose_y=True)
    else:
        if num_heads < 1 or weight.ndim != 2 or weight.shape[0] != features or weight.shape[1] % (3 * num_heads):
            raise OperatorError(
                "fused_multi_head_attention: with transpose_qkv_wb num_heads is positive and qkv_weight is"
                f" ({features}, 3 * heads * head size), got {num_heads} heads and a weight of shape {weight.shape}"
            )
        product = matmul(x, weight)
    product = product if bias is None else product + bias.flatten()
    heads = product.reshape([x.shape[0], x.shape[1], 3, num_heads, -1]).transpose([2, 0, 3, 1, 4])
    return heads[0], heads[1], heads[2]


def variable_length_memory_efficient_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    seq_lens: Tensor,
    kv_seq_lens: Tensor,
    mask: Optional[Tensor] = None,
    scale: Optional[float] = None,
    causal: bool = False,
    pre_cache_length: int = 0,
) -> Tensor:
    """Compute attention in sequences that are filled up to one length.

    Args:
        query: (batch, heads, queries, head size).
        key: (batch, heads or a divisor of them, keys, head size).
        value: like the keys.
        seq_lens: (batch, 1), integers: how many queries each sequence has.
        kv_seq_lens: (batch, 1), integers: how many keys each sequence has, without ``pre_cache_length``.
        mask: broadcastable to (batch, heads, queries, keys), added to the scores, or None.
        scale: factor of the scores; 1 / sqrt(head size) when it is None.
        causal: whether a query sees only keys at its own place and before, which are those of the cache and as many.
        pre_cache_length: how many keys of a cache are in front.

    Returns:
        (batch, heads, queries, head size), 0 in rows beyond a sequence's queries.

    Raises:
        OperatorError: the shapes do not fit.
    """
    if query.ndim != 4 or key.shape != value.shape or query.shape[1] % key.shape[1]:
        raise OperatorError(
            "variable_length_memory_efficient_attention: query, key and value are (batch, heads, steps, head size),"
            f" got {query.shape}, {key.shape}, {value.shape}"
        )
    shared = query.shape[1] // key.shape[1]
    if shared > 1:
        key, value = key.repeat_interleave(shared, axis=1), value.repeat_interleave(shared, axis=1)
    places, others = arange(0, query.shape[2]).unsqueeze(-1), arange(0, key.shape[2])
    seen = others < kv_seq_lens.reshape([-1, 1, 1, 1]) + pre_cache_length
    if causal:
        seen = logical_and(seen, others <= places + pre_cache_length)
    factor = query.shape[3] ** -0.5 if scale is None else scale
    scores = matmul(query * factor, key, transpose_y=True)
    scores = scores + (1.0 - seen.astype(scores.dtype)) * -6e4
    weights = F.softmax(scores if mask is None else scores + mask.astype(scores.dtype))
    filled = places < seq_lens.reshape([-1, 1, 1, 1])
    return matmul(weights, value) * filled.astype(weights.dtype)
