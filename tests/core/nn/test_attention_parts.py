"""Layers that derive from MultiHeadAttention change how queries, keys and values are made."""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from core import nn

X = np.random.default_rng(0).standard_normal((2, 3, 8)).astype("float32")


class Doubled(nn.MultiHeadAttention):
    def _prepare_qkv(self, query: Any, key: Any, value: Any, cache: Any = None) -> Any:
        queries, *others = super()._prepare_qkv(query, key, value, cache)
        return (2 * queries, *others)


class Shifted(nn.MultiHeadAttention):
    def compute_kv(self, key: Any, value: Any) -> Any:
        keys, values = super().compute_kv(key, value)
        return keys, values + 1


def pair(kind: type) -> tuple[Any, Any]:
    changed, plain = kind(8, 2), nn.MultiHeadAttention(8, 2)
    plain.set_state_dict(changed.state_dict())
    return changed, plain


def test_queries_are_what_the_layer_prepares() -> None:
    changed, plain = pair(Doubled)
    doubling = nn.Linear(8, 8)
    doubling.weight.set_value(2 * plain.q_proj.weight)
    doubling.bias.set_value(2 * plain.q_proj.bias)
    plain.q_proj = doubling
    x = core.to_tensor(X)
    np.testing.assert_allclose(changed(x).numpy(), plain(x).numpy(), atol=1e-6)
    cache = changed.gen_cache(x)
    output, kept = changed(x, x, x, None, cache)
    np.testing.assert_allclose(output.numpy(), plain(x).numpy(), atol=1e-6)
    assert kept.k.shape == [2, 2, 3, 4] and isinstance(kept, nn.MultiHeadAttention.Cache)


def test_keys_and_values_are_what_the_layer_computes() -> None:
    changed, plain = pair(Shifted)
    x = core.to_tensor(X)
    shift = core.ones([8]).matmul(plain.out_proj.weight)
    np.testing.assert_allclose(changed(x).numpy(), (plain(x) + shift).numpy(), atol=1e-6)


def test_a_static_cache_replaces_keys_and_values() -> None:
    plain = nn.MultiHeadAttention(8, 2)
    x = core.to_tensor(X)
    kept = plain.gen_cache(x, type=nn.MultiHeadAttention.StaticCache)
    output, same = plain(x, x, x, None, kept)
    assert same is kept
    np.testing.assert_allclose(output.numpy(), plain(x).numpy(), atol=1e-6)
