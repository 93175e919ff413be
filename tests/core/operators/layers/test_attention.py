"""Scaled dot-product attention against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.kernels.dispatch.operator import HostOperator
from tests.core.gradient_check import check_gradients

RNG = np.random.default_rng(2)
QUERY, KEY, VALUE = (RNG.standard_normal((2, steps, 3, 4)) for steps in (2, 5, 5))


def attend(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores)
    return np.einsum("bhqk,bkhd->bqhd", weights / weights.sum(-1, keepdims=True), VALUE)


def call(**options: object) -> np.ndarray:
    return F.scaled_dot_product_attention(*(core.to_tensor(x) for x in (QUERY, KEY, VALUE)), **options).numpy()


SCORES = np.einsum("bqhd,bkhd->bhqk", QUERY, KEY) / 2


def test_plain_and_masked() -> None:
    np.testing.assert_allclose(call(), attend(SCORES), rtol=1e-9)
    mask = RNG.standard_normal((2, 1, 2, 5))
    np.testing.assert_allclose(call(attn_mask=core.to_tensor(mask)), attend(SCORES + mask), rtol=1e-9)
    seen = RNG.random((2, 5)) > 0.4
    seen[:, 0] = True
    hidden = np.where(seen, SCORES, -np.inf)
    np.testing.assert_allclose(call(attn_mask=core.to_tensor(seen)), attend(hidden), rtol=1e-9)
    np.testing.assert_allclose(call(is_causal=True), attend(np.where(np.tri(2, 5), SCORES, -np.inf)), rtol=1e-9)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_masks_of_16_bits_are_added_as_they_are(kind: str) -> None:
    arrays = [core.to_tensor(x.astype("float32")) for x in (QUERY, KEY, VALUE)]
    mask = core.to_tensor(RNG.standard_normal((2, 1, 2, 5)).astype("float32")).astype(kind)
    found = F.scaled_dot_product_attention(*arrays, attn_mask=mask)
    expected = attend(SCORES + mask.astype("float32").numpy())
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=5e-6)


def test_dropout_in_training_alone() -> None:
    core.seed(1)
    np.testing.assert_allclose(call(dropout_p=0.5, training=False), call(), rtol=1e-9)
    assert np.abs(call(dropout_p=0.5) - call()).max() > 0.01


def test_gradients() -> None:
    check_gradients(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        *(RNG.standard_normal((1, 2, 1, 2)) for _ in range(3)),
    )


def test_error() -> None:
    x = core.ones([2, 3, 4])
    with pytest.raises(
        ValueError, match=r"differ in steps alone, but have shapes \[2, 3, 4\], \[2, 3, 4\], \[2, 3, 4\]"
    ):
        F.scaled_dot_product_attention(x, x, x)


@pytest.mark.parametrize("causal", [False, True])
def test_where_the_kernel_would_need_copies_parts_give_the_same(causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    query, key = core.randn([2, 5, 3, 4]), core.randn([2, 6, 3, 4])
    query.stop_gradient = False
    whole = F.scaled_dot_product_attention(query, key, key, is_causal=causal)
    monkeypatch.setattr(HostOperator, "is_direct", False)
    parts = F.scaled_dot_product_attention(query, key, key, is_causal=causal)
    np.testing.assert_allclose(parts.numpy(), whole.numpy(), rtol=1e-5, atol=1e-6)
    assert [result._value.node.operator.name for result in (whole, parts)] == ["attention", "transpose"]
