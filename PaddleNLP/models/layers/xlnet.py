"""XLNet's layer: attention with relative positions, for both streams with the same weights, and a feed-forward block.

Papers: XLNet, Yang et al. 2019, arXiv:1906.08237; Transformer-XL, Dai et al. 2019, arXiv:1901.02860.
Official file: ``paddlenlp/transformers/xlnet/modeling.py`` of paddlenlp 2.8.1.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Normal

HIDDEN = 1e30
"""What is taken from the score of a key that must not be seen, as in the official implementation."""


def shifted(scores: Any, keys: Any) -> Any:
    """Turn scores of distances into scores of keys: row i moves to the left by ``queries - i`` places.

    Paper: Dai et al. 2019, Transformer-XL, arXiv:1901.02860, appendix B.

    Args:
        scores: (batch, heads, queries, distances), distances from the farthest key before to the farthest after.
        keys: number of keys.

    Returns:
        (batch, heads, queries, keys).
    """
    queries, distances = scores.shape[2], scores.shape[3]
    rolled = scores.reshape([0, 0, distances, queries])[:, :, 1:]
    return rolled.reshape([0, 0, queries, distances - 1])[:, :, :, :keys]


class XLNetRelativeAttention(nn.Layer):
    """Attention whose scores are sums of content, distance and whether two tokens belong to the same text.

    Args:
        d_model: size of the hidden states.
        n_head: number of heads; divides ``d_model``.
        dropout: probability of dropping attention weights and outputs.
        initializer_range: standard deviation of fresh weights.
        layer_norm_eps: added to the variance in layer normalisation.
    """

    def __init__(
        self, d_model: int, n_head: int, dropout: float, initializer_range: float, layer_norm_eps: float
    ) -> None:
        super().__init__()
        if d_model % n_head:
            raise ValueError(f"XLNet: d_model={d_model} must be divisible by n_head={n_head}")
        self.heads, self.size = n_head, d_model // n_head
        normal = Normal(0.0, initializer_range)
        square = [d_model, d_model]
        self.q = self.create_parameter(square, default_initializer=normal)
        self.k = self.create_parameter(square, default_initializer=normal)
        self.v = self.create_parameter(square, default_initializer=normal)
        self.o = self.create_parameter(square, default_initializer=normal)
        self.r = self.create_parameter(square, default_initializer=normal)
        per_head = [n_head, self.size]
        self.r_r_bias = self.create_parameter(per_head, default_initializer=normal)
        self.r_s_bias = self.create_parameter(per_head, default_initializer=normal)
        self.r_w_bias = self.create_parameter(per_head, default_initializer=normal)
        self.seg_embed = self.create_parameter([2, *per_head], default_initializer=normal)
        self.layer_norm = nn.LayerNorm(d_model, epsilon=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)

    def _rows(self, x: Any, weight: Any) -> Any:
        """Project (batch, steps, d_model) to (batch, steps, heads, head size)."""
        return x.matmul(weight).reshape([0, 0, self.heads, self.size])

    def keys(self, content: Any, distances: Any) -> tuple[Any, Any, Any]:
        """Return what queries look at: keys, values, keys of distances, each (batch, heads, steps, head size).

        Args:
            content: memory and hidden states (batch, keys, d_model).
            distances: embeddings of the distances (1, distances, d_model).
        """
        pairs = ((content, self.k), (content, self.v), (distances, self.r))
        keys, values, places = (self._rows(x, weight).transpose([0, 2, 1, 3]) for x, weight in pairs)
        return keys, values, places

    def queries(self, x: Any) -> Any:
        """Project (batch, queries, d_model) to (batch, queries, heads, head size)."""
        return self._rows(x, self.q)

    def attend(
        self,
        queries: Any,
        seen: tuple[Any, Any, Any],
        hidden: Optional[Any],
        different: Optional[Any],
    ) -> Any:
        """Return the mean of values for each query, (batch, queries, heads, head size).

        Args:
            queries: (batch, queries, heads, head size).
            seen: result of :meth:`keys`.
            hidden: (batch, 1, queries or 1, keys), 1 where a key must not be seen.
            different: (batch, 1, queries, keys), 1 where query and key belong to different texts.
        """
        keys, values, places = seen
        content = (queries + self.r_w_bias).transpose([0, 2, 1, 3]).matmul(keys, transpose_y=True)
        distance = (queries + self.r_r_bias).transpose([0, 2, 1, 3]).matmul(places, transpose_y=True)
        scores = content + shifted(distance, keys.shape[2])
        if different is not None:
            segments = self.seg_embed.transpose([1, 2, 0])  # (heads, head size, 2)
            same, other = (queries + self.r_s_bias).transpose([0, 2, 1, 3]).matmul(segments).split(2, axis=-1)
            scores = scores + same + (other - same) * different
        scores = scores * self.size**-0.5
        if hidden is not None:
            scores = scores - HIDDEN * hidden
        return self.dropout(F.softmax(scores)).matmul(values).transpose([0, 2, 1, 3])

    def output(self, x: Any, attended: Any) -> Any:
        """Return the block's output (batch, queries, d_model).

        Args:
            x: the stream before attention.
            attended: (batch, queries, heads, head size).
        """
        projected = attended.reshape([0, 0, self.heads * self.size]).matmul(self.o, transpose_y=True)
        return self.layer_norm(x + self.dropout(projected))


class XLNetFeedForward(nn.Layer):
    """Two linear layers with a residual connection and layer normalisation.

    Args:
        d_model: size of the hidden states.
        d_inner: size between the layers.
        activation: name of a function of ``core.nn.functional``.
        dropout: probability of dropping.
        initializer_range: standard deviation of fresh weights.
        layer_norm_eps: added to the variance in layer normalisation.
    """

    def __init__(
        self,
        d_model: int,
        d_inner: int,
        activation: str,
        dropout: float,
        initializer_range: float,
        layer_norm_eps: float,
    ) -> None:
        super().__init__()
        normal = Normal(0.0, initializer_range)
        self.layer_norm = nn.LayerNorm(d_model, epsilon=layer_norm_eps)
        self.layer_1 = nn.Linear(d_model, d_inner, weight_attr=normal)
        self.layer_2 = nn.Linear(d_inner, d_model, weight_attr=normal)
        self.dropout = nn.Dropout(dropout)
        self.activation = getattr(F, activation)

    def forward(self, x: Any) -> Any:
        """Return a tensor like ``x`` (batch, steps, d_model)."""
        inner = self.dropout(self.activation(self.layer_1(x)))
        return self.layer_norm(self.dropout(self.layer_2(inner)) + x)


class XLNetLayer(nn.Layer):
    """Attention and feed-forward block, for both streams with the same weights.

    Args:
        d_model: size of the hidden states.
        n_head: number of heads.
        d_inner: size inside the feed-forward block.
        activation: name of a function of ``core.nn.functional``.
        dropout: probability of dropping.
        initializer_range: standard deviation of fresh weights.
        layer_norm_eps: added to the variance in layer normalisation.
    """

    def __init__(
        self,
        d_model: int,
        n_head: int,
        d_inner: int,
        activation: str,
        dropout: float,
        initializer_range: float,
        layer_norm_eps: float,
    ) -> None:
        super().__init__()
        self.rel_attn = XLNetRelativeAttention(d_model, n_head, dropout, initializer_range, layer_norm_eps)
        self.ff = XLNetFeedForward(d_model, d_inner, activation, dropout, initializer_range, layer_norm_eps)

    def forward(
        self,
        content: Any,
        query: Optional[Any],
        distances: Any,
        hidden: tuple[Optional[Any], Optional[Any]],
        different: Optional[Any],
        memory: Optional[Any],
        targets: Optional[Any],
    ) -> tuple[Any, Optional[Any]]:
        """Return both streams after the layer.

        Args:
            content: the stream that sees each token itself (batch, steps, d_model).
            query: the stream that sees only a token's place (batch, targets, d_model), or None.
            distances: embeddings of distances (1, distances, d_model).
            hidden: what the content stream and the query stream must not see.
            different: where query and key belong to different texts.
            memory: hidden states of earlier segments (batch, earlier steps, d_model), or None.
            targets: (batch, targets, steps), which step each target is, one-hot; None where each step is one.
        """
        attention = self.rel_attn
        seen = attention.keys(content if memory is None else core.concat([memory, content], axis=1), distances)
        attended = attention.attend(attention.queries(content), seen, hidden[0], different)
        after = self.ff(attention.output(content, attended))
        if query is None:
            return after, None
        queries = attention.queries(query)
        if targets is None:
            attended = attention.attend(queries, seen, hidden[1], different)
        else:
            wide = [0, 0, attention.heads * attention.size]
            at_steps = targets.matmul(queries.reshape(wide), transpose_x=True)
            at_steps = at_steps.reshape([0, 0, attention.heads, attention.size])
            attended = targets.matmul(attention.attend(at_steps, seen, hidden[1], different).reshape(wide))
            attended = attended.reshape([0, 0, attention.heads, attention.size])
        return after, self.ff(attention.output(query, attended))


def hidden_keys(kept: Any, perm_mask: Any, earlier: Any) -> tuple[Any, Any]:
    """Return what the first and the second stream must not see, 1 for such keys, (N, 1, L or 1, earlier + L) each.

    Args:
        kept: 1 for tokens, 0 for padding, float32 (N, L).
        perm_mask: (N, L, L) or None.
        earlier: a layer's memory (N, earlier, d_model), which both see, or None.
    """
    blocked = (1.0 - kept).unsqueeze(1)
    if perm_mask is not None:
        blocked = (blocked + perm_mask.astype("float32")).clip(0.0, 1.0)
    of_others = blocked * (1.0 - core.eye(kept.shape[1], dtype="float32"))  # the first stream sees each token itself
    if earlier is not None:
        seen = core.zeros_like(earlier[:, :, 0]).unsqueeze(1)
        each = seen.expand([-1, kept.shape[1], -1])
        blocked = core.concat([seen if perm_mask is None else each, blocked], axis=2)
        of_others = core.concat([each, of_others], axis=2)
    return of_others.unsqueeze(1), blocked.unsqueeze(1)


def different_texts(token_type_ids: Any, earlier: Any) -> Any:
    """Return 1 where two tokens belong to different texts, float32 (N, 1, L, earlier + L), or None.

    Args:
        token_type_ids: int64 (N, L) or None.
        earlier: a layer's memory (N, earlier, d_model), which belongs to text 0, or None.
    """
    if token_type_ids is None:
        return None
    keys = token_type_ids
    if earlier is not None:
        keys = core.concat([core.zeros_like(earlier[:, :, 0]).astype(keys.dtype), keys], axis=1)
    return (token_type_ids.unsqueeze(2) != keys.unsqueeze(1)).astype("float32").unsqueeze(1)


def distances(keys: Any, queries: Any, size: int, limit: int = -1) -> Any:
    """Return sinusoids of the distances from ``keys`` down to ``1 - queries``, (1, keys + queries, size).

    Args:
        keys: number of keys.
        queries: number of queries.
        size: length of a vector.
        limit: larger distances count as this one; -1: no limit.
    """
    distance = keys - core.arange(0, keys + queries, dtype="int64").astype("float32")
    if limit > 0:
        distance = distance.clip(-limit, limit)
    frequencies = 10000.0 ** (core.arange(0, size, 2, dtype="float32") / -size)
    angles = distance.unsqueeze(1) * frequencies
    return core.concat([angles.sin(), angles.cos()], axis=-1).unsqueeze(0)
