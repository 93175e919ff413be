"""core.nn.functional.flash_attention against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.nn.functional.flash_attention import flash_attention, flash_attn_unpadded, scaled_dot_product_attention

RNG = np.random.default_rng(0)
Q, K, V = RNG.standard_normal((3, 2, 5, 3, 4)).astype("float32")
T = core.to_tensor


def weights_of(q: np.ndarray, k: np.ndarray, causal: bool, scale: float = 0.5) -> np.ndarray:
    """Return attention weights (heads, queries, keys) of one sequence (steps, heads, size)."""
    scores = np.einsum("qhd,khd->hqk", q, k) * scale
    if causal:
        scores = np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("causal", [False, True])
def test_outputs_and_weights(causal: bool) -> None:
    weights = np.stack([weights_of(q, k, causal) for q, k in zip(Q, K)])
    expected = np.einsum("bhqk,bkhd->bqhd", weights, V)
    output, none = flash_attention(T(Q), T(K), T(V), causal=causal)
    again, found = flash_attention(T(Q), T(K), T(V), causal=causal, return_softmax=True)
    assert none is None and found is not None
    np.testing.assert_allclose(output.numpy(), expected, atol=1e-5)
    np.testing.assert_allclose(again.numpy(), expected, atol=1e-5)
    np.testing.assert_allclose(found.numpy(), weights, atol=1e-6)


def test_the_module_is_found_as_an_attribute() -> None:
    assert core.nn.functional.flash_attention.flash_attention is flash_attention
    assert core.nn.functional.scaled_dot_product_attention is scaled_dot_product_attention


@pytest.mark.parametrize("causal", [False, True])
def test_sequences_one_after_the_other(causal: bool) -> None:
    lengths_q, lengths_k = ([2, 1, 4], [2, 1, 4]) if causal else ([2, 1, 4], [3, 1, 2])
    starts = [np.cumsum([0, *lengths]).astype("int32") for lengths in (lengths_q, lengths_k)]
    q = RNG.standard_normal((7, 3, 4)).astype("float32")
    k, v = RNG.standard_normal((2, sum(lengths_k), 3, 4)).astype("float32")
    output, none = flash_attn_unpadded(T(q), T(k), T(v), T(starts[0]), T(starts[1]), 4, 4, 0.3, causal=causal)
    assert none is None
    for i in range(3):
        (first, last), (begin, end) = starts[0][i : i + 2], starts[1][i : i + 2]
        weights = weights_of(q[first:last], k[begin:end], causal, 0.3)
        np.testing.assert_allclose(
            output.numpy()[first:last], np.einsum("hqk,khd->qhd", weights, v[begin:end]), atol=1e-5
        )


def test_messages() -> None:
    starts = T(np.array([0, 5]))
    with pytest.raises(NotImplementedError, match="return_softmax is not offered"):
        flash_attn_unpadded(T(Q[0]), T(K[0]), T(V[0]), starts, starts, 5, 5, 1.0, return_softmax=True)
    with pytest.raises(OperatorError, match="query and key are .steps, heads, head size"):
        flash_attn_unpadded(T(Q), T(K), T(V), starts, starts, 5, 5, 1.0)
