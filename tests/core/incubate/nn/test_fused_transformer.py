"""Fused layers give what the layers of core.nn give with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.incubate.nn import (
    FusedBiasDropoutResidualLayerNorm,
    FusedDropoutAdd,
    FusedFeedForward,
    FusedMultiHeadAttention,
    FusedTransformerEncoderLayer,
)

X = np.random.default_rng(0).standard_normal((2, 5, 8)).astype("float32")


def fill(fused: FusedTransformerEncoderLayer, plain: nn.TransformerEncoderLayer, before: bool) -> None:
    """Give a fused layer the weights of a plain one."""
    attention, block = plain.self_attn, fused.fused_attn
    parts = [attention.q_proj, attention.k_proj, attention.v_proj]
    rows = [part.weight.numpy().T.reshape(2, 4, 8) for part in parts]
    block.qkv_weight.set_value(np.stack(rows))
    block.qkv_bias.set_value(np.stack([part.bias.numpy().reshape(2, 4) for part in parts]))
    block.linear_weight.set_value(attention.out_proj.weight)
    block.linear_bias.set_value(attention.out_proj.bias)
    for scale, bias, norm in (
        (block.pre_ln_scale if before else block.ln_scale, block.pre_ln_bias if before else block.ln_bias, plain.norm1),
        (
            fused.ffn._ln1_scale if before else fused.ffn._ln2_scale,
            fused.ffn._ln1_bias if before else fused.ffn._ln2_bias,
            plain.norm2,
        ),
        (fused.ffn._linear1_weight, fused.ffn._linear1_bias, plain.linear1),
        (fused.ffn._linear2_weight, fused.ffn._linear2_bias, plain.linear2),
    ):
        scale.set_value(norm.weight)
        bias.set_value(norm.bias)


@pytest.mark.parametrize("before", [False, True])
def test_an_encoder_layer_is_the_plain_one(before: bool) -> None:
    core.seed(0)
    plain = nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", normalize_before=before)
    for parameter in plain.parameters():
        parameter.set_value(parameter + 0.1 * core.randn(parameter.shape))
    fused = FusedTransformerEncoderLayer(8, 2, 16, 0.0, "gelu", normalize_before=before)
    fill(fused, plain, before)
    mask = core.to_tensor(np.tri(5, dtype=bool))
    first, second = [core.to_tensor(X, stop_gradient=False) for _ in range(2)]
    expected, found = plain(first, mask), fused(second, mask)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)
    expected.square().sum().backward()
    found.square().sum().backward()
    np.testing.assert_allclose(second.grad.numpy(), first.grad.numpy(), rtol=1e-3, atol=1e-4)
    assert all(parameter.grad is not None for parameter in fused.parameters())


def test_weights_have_paddles_names() -> None:
    names = [
        "fused_attn.qkv_weight",
        "fused_attn.qkv_bias",
        "fused_attn.linear_weight",
        "fused_attn.linear_bias",
        "fused_attn.pre_ln_scale",
        "fused_attn.pre_ln_bias",
        "ffn._linear1_weight",
        "ffn._linear1_bias",
        "ffn._linear2_weight",
        "ffn._linear2_bias",
        "ffn._ln1_scale",
        "ffn._ln1_bias",
    ]
    assert list(FusedTransformerEncoderLayer(8, 2, 16, normalize_before=True).state_dict()) == names


def test_both_shapes_of_the_first_weight_give_the_same() -> None:
    one, other = FusedMultiHeadAttention(8, 2), FusedMultiHeadAttention(8, 2, transpose_qkv_wb=True)
    other.qkv_weight.set_value(one.qkv_weight.numpy().reshape(24, 8).T)
    other.linear_weight.set_value(one.linear_weight)
    one.eval()
    other.eval()
    x = core.to_tensor(X)
    np.testing.assert_allclose(one(x).numpy(), other(x).numpy(), atol=1e-5)


def test_dropout_stops_in_evaluation() -> None:
    x = core.to_tensor(X)
    layer = FusedDropoutAdd(0.9)
    assert not np.array_equal(layer(x, x).numpy(), 2 * X)
    layer.eval()
    np.testing.assert_array_equal(layer(x, x).numpy(), 2 * X)
    norm = FusedBiasDropoutResidualLayerNorm(8)
    norm.eval()
    np.testing.assert_allclose(norm(x, x).numpy(), nn.LayerNorm(8)(2 * x).numpy(), atol=1e-5)
    assert list(norm.state_dict()) == ["linear_bias", "ln_scale", "ln_bias"]


@pytest.mark.parametrize(
    "make, kind, message",
    [
        (lambda: FusedMultiHeadAttention(8, 3), ValueError, "num_heads=3 must divide embed_dim=8"),
        (lambda: FusedMultiHeadAttention(8, 2, nranks=2), NotImplementedError, "nranks=2: weights shared by several"),
        (lambda: FusedFeedForward(0, 2), ValueError, "FusedFeedForward: d_model must be a positive integer"),
        (lambda: FusedDropoutAdd(mode="up"), ValueError, "mode must be one of 'upscale_in_train'"),
    ],
)
def test_messages(make: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make()


def test_settings_are_shown() -> None:
    assert repr(FusedDropoutAdd(0.1)) == "FusedDropoutAdd(p=0.1, mode=upscale_in_train)"
    assert "embed_dim=8, num_heads=2, dropout_rate=0.5" in repr(FusedMultiHeadAttention(8, 2))
    assert "d_model=8, dim_feedforward=4" in repr(FusedFeedForward(8, 4))
    assert "embed_dim=8" in repr(FusedBiasDropoutResidualLayerNorm(8))
