"""What attention is, in plain NumPy: the tests' measure for :mod:`core.kernels.layers.attention`."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np


def attention_reference(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: Optional[np.ndarray] = None,
    causal: bool = False,
    keep: Optional[np.ndarray] = None,
) -> np.ndarray:
    """Return softmax(q · kᵀ / sqrt(D) + mask) · v of every head, in float64.

    Args:
        query: (B, Q, H, D).
        key, value: (B, K, H, D).
        mask: Added to the scores; broadcasts to (B, H, Q, K).
        causal: Whether a query sees only keys at its own place and before.
        keep: What the weights are multiplied with (B, H, Q, K), see :func:`keep_reference`.
    """
    query, key, value = (x.astype("float64") for x in (query, key, value))
    scores = np.einsum("bqhd,bkhd->bhqk", query, key) / query.shape[3] ** 0.5
    scores = scores if mask is None else scores + mask
    scores = scores + np.triu(np.full(scores.shape[2:], -1e30), 1) if causal else scores
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bhqk,bkhd->bqhd", weights if keep is None else weights * keep, value)


def keep_reference(seed: int, dropout: float, batch: int, heads: int, queries: int, keys: int) -> np.ndarray:
    """Return 1 / (1 - dropout) for the weights that are kept and 0 for the others, (B, H, Q, K) in float32."""
    heads_keys = _mixed(np.uint32(seed), np.arange(batch * heads).reshape(batch, heads, 1, 1))
    bits = _mixed(_mixed(heads_keys, np.arange(queries).reshape(-1, 1)), np.arange(keys))
    return np.where(bits >= np.uint32(dropout * 4294967295.0), np.float32(1 / (1 - dropout)), np.float32(0))


def _mixed(key: Any, place: np.ndarray) -> np.ndarray:
    x = np.asarray(key + place.astype(np.uint32) * np.uint32(0x9E3779B1))
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return np.asarray(x ^ (x >> np.uint32(16)))
