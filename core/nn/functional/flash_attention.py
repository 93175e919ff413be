"""Attention under the names of Paddle's kernels for it (paddle.nn.functional.flash_attention)."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError
from core.operators import arange, concat, logical_and
from core.operators.layers.attention import attention_in_parts, scaled_dot_product_attention
from core.operators.layers.dropout import dropout as dropped
from core.tensor import Tensor

__all__ = ["flash_attention", "flash_attn_unpadded", "scaled_dot_product_attention"]


def flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    *,
    fixed_seed_offset: Optional[Tensor] = None,
    rng_name: str = "",
    training: bool = True,
    name: Optional[str] = None,
) -> tuple[Tensor, Optional[Tensor]]:
    """Compute softmax(q · kᵀ / sqrt(head size)) · v for every head.

    Paper: Dao et al. 2022, arXiv:2205.14135.

    Args:
        query: (batch, queries, heads, head size), floating-point.
        key: (batch, keys, heads, head size).
        value: (batch, keys, heads, head size).
        dropout: Probability of dropping an attention weight, in training.
        causal: Whether a query sees only keys at its own place and before.
        return_softmax: Whether the attention weights are returned too.
        fixed_seed_offset: Unused: ``core.seed`` makes what is dropped repeatable.
        rng_name: Unused, likewise.
        training: Whether weights are dropped.
        name: Unused, as in Paddle.

    Returns:
        The output (batch, queries, heads, head size), and the weights (batch, heads, queries, keys) or None.

    Raises:
        OperatorError: the shapes do not fit each other.
    """
    if not return_softmax:
        return scaled_dot_product_attention(query, key, value, None, dropout, causal, training), None
    kept: list[Tensor] = []

    def drop(weights: Tensor) -> Tensor:
        kept.append(dropped(weights, dropout, training=training))
        return kept[0]

    return attention_in_parts(query, key, value, None, causal, drop), kept[0]


def flash_attn_unpadded(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    scale: float,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    fixed_seed_offset: Optional[Tensor] = None,
    rng_name: str = "",
    training: bool = True,
    name: Optional[str] = None,
) -> tuple[Tensor, Optional[Tensor]]:
    """Compute attention within each of several sequences that stand one after the other.

    It costs what attention over all of them as one sequence costs: what belongs to another sequence is masked.

    Args:
        query: (queries of all sequences, heads, head size), floating-point.
        key: (keys of all sequences, heads, head size).
        value: (keys of all sequences, heads, head size).
        cu_seqlens_q: (sequences + 1,), integers: where the queries of each sequence begin, and where the last ones end.
        cu_seqlens_k: (sequences + 1,), integers, of the keys.
        max_seqlen_q: Unused: the most queries of a sequence.
        max_seqlen_k: Unused: the most keys of a sequence.
        scale: Factor of the scores.
        dropout: Probability of dropping an attention weight, in training.
        causal: Whether a query sees only keys at its own place in the sequence and before.
        return_softmax: False: the attention weights are not returned.
        fixed_seed_offset: Unused: ``core.seed`` makes what is dropped repeatable.
        rng_name: Unused, likewise.
        training: Whether weights are dropped.
        name: Unused, as in Paddle.

    Returns:
        The output (queries of all sequences, heads, head size), and None.

    Raises:
        NotImplementedError: ``return_softmax`` is set.
        OperatorError: the shapes do not fit each other.
    """
    if return_softmax:
        raise NotImplementedError("flash_attn_unpadded: return_softmax is not offered: flash_attention returns weights")
    if query.ndim != 3 or key.ndim != 3:
        raise OperatorError(
            f"flash_attn_unpadded: query and key are (steps, heads, head size), got {query.shape} and {key.shape}"
        )
    sequence_q, place_q = _places(query.shape[0], cu_seqlens_q)
    sequence_k, place_k = _places(key.shape[0], cu_seqlens_k)
    seen = sequence_q.unsqueeze(-1) == sequence_k
    if causal:
        seen = logical_and(seen, place_k <= place_q.unsqueeze(-1))
    scaled = query * (scale * query.shape[2] ** 0.5)
    queries, keys, values = [tensor.unsqueeze(0) for tensor in (scaled, key, value)]
    result = scaled_dot_product_attention(queries, keys, values, seen.unsqueeze([0, 1]), dropout, False, training)
    return result.squeeze(0), None


def _places(steps: int, starts: Tensor) -> tuple[Tensor, Tensor]:
    """Return for each step which sequence it belongs to, and its place there."""
    starts = starts.flatten().astype("int64")
    numbers = arange(0, steps)
    sequence = (numbers.unsqueeze(-1) >= starts[1:]).astype("int64").sum(-1)
    return sequence, numbers - concat([starts, starts[-1:]])[sequence]
