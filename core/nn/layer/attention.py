"""Multi-head attention (Vaswani et al. 2017, arXiv:1706.03762) with caches for step-by-step decoding."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from core.kernels.sizes.dimension import agree
from core.nn import functional as F
from core.nn.layer.checks import positive
from core.nn.layer.common import Linear
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttrLike, PresentAttrLike
from core.operators.creation.creation import full
from core.operators.shape.joining import concat


class Cache(NamedTuple):
    """Keys and values of the steps so far (batch, heads, steps, head size); attention appends to them."""

    k: Any
    v: Any


class StaticCache(NamedTuple):
    """Keys and values of a memory that does not grow (batch, heads, steps, head size)."""

    k: Any
    v: Any


def attention_mask(mask: Any, dtype: Any) -> Any:
    """Return a mask as numbers to add to the scores.

    Args:
        mask: A bool or integer tensor (1 where attention is allowed), numbers to add, or None.
        dtype: Element type of the scores.
    """
    if mask is None or mask.dtype == dtype:
        return mask
    if mask.dtype.is_floating:
        return mask.astype(dtype)
    return (mask.astype(dtype) - 1.0) * 1e9


def _alike(query: Any, key: Any, value: Any) -> bool:
    """Return whether there is one key and one value for each step, and their batch is that of the queries."""
    return agree(query.shape[:1], key.shape[:1]) and agree(key.shape[:2], value.shape[:2])


class MultiHeadAttention(Layer):
    """Every query looks at all keys in several subspaces and gets a mean of the values.

    Args:
        embed_dim: Size of queries and output.
        num_heads: Number of subspaces; divides ``embed_dim``.
        dropout: Probability of dropping an attention weight.
        kdim: Size of keys; ``embed_dim`` when it is None.
        vdim: Size of values; ``embed_dim`` when it is None.
        need_weights: Whether the attention weights are returned too.
        weight_attr: ParamAttr of the four projections' weights.
        bias_attr: ParamAttr of the four projections' biases, or False for none.
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        kdim: Optional[int] = None,
        vdim: Optional[int] = None,
        need_weights: bool = False,
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
    ) -> None:
        super().__init__()
        self.embed_dim = positive("MultiHeadAttention", "embed_dim", embed_dim)
        self.num_heads = positive("MultiHeadAttention", "num_heads", num_heads)
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout = dropout
        self.need_weights = need_weights
        self.head_dim = embed_dim // num_heads
        if embed_dim % num_heads:
            raise ValueError(f"MultiHeadAttention: embed_dim={embed_dim} must be divisible by num_heads={num_heads}")
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _prepare_qkv(self, query: Any, key: Any, value: Any, cache: Any = None) -> tuple[Any, ...]:
        """Return each head's queries, keys and values (batch, heads, steps, head size), and the cache if there is one.

        Layers that derive from this one change them here, as in Paddle: rotary positions, for example.
        """
        queries = self._heads(self.q_proj(query))
        if isinstance(cache, StaticCache):
            return queries, cache.k, cache.v, cache
        keys, values = self.compute_kv(key, value)
        if not isinstance(cache, Cache):
            return (queries, keys, values) if cache is None else (queries, keys, values, cache)
        if cache.k.shape[2]:
            keys = concat([cache.k, keys], axis=2)
            values = concat([cache.v, values], axis=2)
        return queries, keys, values, Cache(keys, values)

    def _is_plain(self) -> bool:
        """Return whether no derived layer changes how queries, keys and values are made."""
        changed = (type(self)._prepare_qkv, type(self).compute_kv)
        return changed == (MultiHeadAttention._prepare_qkv, MultiHeadAttention.compute_kv)

    def _heads(self, x: Any) -> Any:
        """Cut (batch, steps, embed_dim) into (batch, heads, steps, head size)."""
        return self._split(x).transpose([0, 2, 1, 3])

    def _split(self, x: Any) -> Any:
        """Cut (batch, steps, embed_dim) into (batch, steps, heads, head size)."""
        return x.reshape([0, 0, self.num_heads, self.head_dim])

    def compute_kv(self, key: Any, value: Any) -> tuple[Any, Any]:
        """Return projected keys and values (batch, heads, steps, head size).

        Args:
            key: (batch, steps, kdim).
            value: (batch, steps, vdim).
        """
        return self._heads(self.k_proj(key)), self._heads(self.v_proj(value))

    def gen_cache(self, key: Any, value: Any = None, type: Any = Cache) -> Any:
        """Return a cache to begin decoding with.

        Args:
            key: With ``StaticCache`` the memory's keys (batch, steps, kdim); with ``Cache`` and no value, a tensor
                whose first size is the batch; with ``Cache`` and a value, keys that are already projected.
            value: The values; the keys when it is None.
            type: ``MultiHeadAttention.Cache`` or ``MultiHeadAttention.StaticCache``.
        """
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is None:
            empty = full([key.shape[0], self.num_heads, 0, self.head_dim], 0.0, key.dtype)
            return Cache(empty, empty)
        return Cache(key, value)

    def forward(self, query: Any, key: Any = None, value: Any = None, attn_mask: Any = None, cache: Any = None) -> Any:
        """Return the attended values; with ``need_weights`` or a cache a tuple that holds those too.

        Args:
            query: (batch, queries, embed_dim).
            key: (batch, steps, kdim); the queries when it is None.
            value: (batch, steps, vdim); the queries when it is None.
            attn_mask: Broadcastable to (batch, heads, queries, steps): bool or integers, 1 where attention is allowed,
                or numbers that are added to the scores.
            cache: A Cache, to which this call's keys are appended, or a StaticCache, which replaces them.

        Returns:
            Output (batch, queries, embed_dim), then the weights (batch, heads, queries, steps), then the new cache.
        """
        key = query if key is None else key
        value = query if value is None else value
        if not self.need_weights and cache is None and self._is_plain() and _alike(query, key, value):
            rows = [self._split(x) for x in (self.q_proj(query), self.k_proj(key), self.v_proj(value))]
            mask = attention_mask(attn_mask, rows[0].dtype)
            attended = F.scaled_dot_product_attention(*rows, mask, self.dropout, training=self.training)
            return self.out_proj(attended.reshape([0, 0, self.embed_dim]))
        prepared = self._prepare_qkv(query, key, value, cache)
        queries, keys, values = prepared[:3]
        cache = None if cache is None else prepared[3]
        scores = (queries * self.head_dim**-0.5).matmul(keys, transpose_y=True)
        mask = attention_mask(attn_mask, scores.dtype)
        if mask is not None:
            scores = scores + mask
        weights = F.softmax(scores)
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training, mode="upscale_in_train")
        output = weights.matmul(values).transpose([0, 2, 1, 3]).reshape([0, 0, self.embed_dim])
        results = [self.out_proj(output)]
        if self.need_weights:
            results.append(weights)
        if cache is not None:
            results.append(cache)
        return results[0] if len(results) == 1 else tuple(results)
