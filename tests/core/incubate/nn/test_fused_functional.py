"""Functions of core.incubate.nn.functional against NumPy, and against the public functions they are made of."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
import core.incubate.nn.functional as IF
from core.kernels.dispatch.errors import OperatorError
from core.nn import functional as F
from tests.core.compiled_check import check_compiled

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 8)).astype("float32")
R = RNG.standard_normal((2, 3, 8)).astype("float32")
W = RNG.standard_normal((8, 8)).astype("float32")
B = RNG.standard_normal(8).astype("float32")
S = RNG.uniform(0.5, 1.5, 8).astype("float32")
T = core.to_tensor


def near(tensor: Any, expected: np.ndarray) -> None:
    assert tensor.shape == list(expected.shape)
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-5, atol=1e-5)


def standardized(x: np.ndarray, axes: Any = -1) -> np.ndarray:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def rooted(x: np.ndarray, axes: Any = -1) -> np.ndarray:
    return x / np.sqrt(np.square(x).mean(axes, keepdims=True) + 1e-5)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_products() -> None:
    near(IF.fused_matmul_bias(T(X), T(W), T(B)), X @ W + B)
    near(IF.fused_matmul_bias(T(X), T(W), None, False, True), X @ W.T)
    near(IF.fused_linear(T(X), T(W), T(B), transpose_weight=True), X @ W.T + B)
    near(IF.fused_linear_activation(T(X), T(W), T(B), activation="relu"), np.maximum(X @ W + B, 0))
    near(IF.fused_linear_activation(T(X), T(W), T(B)), X @ W + B)
    near(IF.fused_linear_activation(T(X), T(W), T(B), activation="gelu"), F.gelu(T(X @ W + B)).numpy())


def test_layer_norm_of_a_sum() -> None:
    near(IF.fused_layer_norm(T(X), T(S), T(B), 1e-5, begin_norm_axis=2), standardized(X) * S + B)
    total = X + B + 0.5 * R
    result, kept = IF.fused_layer_norm(T(X), T(S), T(B), 1e-5, 0.5, 2, T(B), T(R))
    near(kept, total)
    near(result, standardized(total) * S + B)
    near(IF.fused_layer_norm(T(X), None, None, 1e-5, residual=T(R))[0], X + R)
    flat = np.tile(S, 3)
    near(
        IF.fused_layer_norm(T(X), T(flat), T(flat), 1e-5),
        standardized(X, (1, 2)) * flat.reshape(3, 8) + flat.reshape(3, 8),
    )


def test_root_mean_square_norm_of_a_sum() -> None:
    near(IF.fused_rms_norm(T(X), T(S), None, 1e-5, 2), rooted(X) * S)
    near(IF.fused_rms_norm(T(X), T(S), T(B), 1e-5, -1), rooted(X) * S + B)
    result, kept = IF.fused_rms_norm(T(X), T(np.tile(S, 3)), None, 1e-5, 1, T(B), T(R))
    near(kept, X + B + R)
    near(result, rooted(X + B + R, (1, 2)) * np.tile(S, 3).reshape(3, 8))


def angles(steps: int, size: int) -> np.ndarray:
    return np.arange(steps)[:, None] / 10000.0 ** (np.arange(0, size, 2) / size)


def turned(x: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Turn neighbours as complex numbers; places are (batch, steps)."""
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    pairs = pairs * np.exp(1j * angles(20, x.shape[-1]))[places][:, :, None]
    return np.stack([pairs.real, pairs.imag], -1).reshape(x.shape).astype("float32")


def test_rotary_positions() -> None:
    q, k = RNG.standard_normal((2, 2, 5, 3, 8)).astype("float32")
    counted = np.tile(np.arange(5), (2, 1))
    first, second, none = IF.fused_rotary_position_embedding(T(q), T(k))
    near(first, turned(q, counted))
    near(second, turned(k, counted))
    assert none is None
    both = np.repeat(angles(20, 8), 2, axis=1).astype("float32")
    places = np.array([[3, 4, 5, 6, 7], [0, 9, 1, 19, 2]])
    sin, cos = T(np.sin(both)), T(np.cos(both))
    near(IF.fused_rotary_position_embedding(T(q), sin=sin, cos=cos, position_ids=T(places))[0], turned(q, places))
    apart = np.concatenate([angles(5, 8)] * 2, axis=1).astype("float32").reshape(1, 5, 1, 8)
    order = [0, 4, 1, 5, 2, 6, 3, 7]  # halves, as neighbours
    halves = IF.fused_rotary_position_embedding(
        T(q), None, T(k), T(np.sin(apart)), T(np.cos(apart)), use_neox_rotary_style=False
    )
    near(halves[0][..., T(order)], turned(q[..., order], counted))
    near(halves[2][..., T(order)], turned(k[..., order], counted))


def test_dropout_and_a_sum() -> None:
    near(IF.fused_dropout_add(T(X), T(R), 0.5, training=False), X + R)
    near(IF.fused_dropout_add(T(X), T(R), 0.5, training=False, mode="downscale_in_infer"), 0.5 * X + R)
    core.seed(1)
    kept = (IF.fused_dropout_add(T(X), T(R), 0.5).numpy() - R) / X
    assert set(np.round(kept, 3).flatten()) == {0.0, 2.0}
    result = IF.fused_bias_dropout_residual_layer_norm(T(X), T(R), T(B), T(S), T(B), training=False)
    near(result, standardized(X + B + R) * S + B)


def test_attention_reads_a_cache() -> None:
    weight = RNG.standard_normal((3, 2, 4, 8)).astype("float32") / 3
    whole = IF.fused_multi_head_attention(T(X), T(weight), T(W), attn_mask=T(np.tri(3, dtype=bool)), training=False)
    cache = core.zeros([2, 2, 2, 0, 4])
    rows = []
    for step in range(3):
        row, cache = IF.fused_multi_head_attention(
            T(X[:, step : step + 1]), T(weight), T(W), cache_kv=cache, training=False
        )
        rows.append(row)
    assert cache.shape == [2, 2, 2, 3, 4]
    near(core.concat(rows, axis=1), whole.numpy())


def test_attention_of_one_new_step() -> None:
    step, cache = RNG.standard_normal((2, 3, 2, 4)).astype("float32"), RNG.standard_normal((2, 2, 2, 6, 4))
    cache = cache.astype("float32")
    bias, mask = RNG.standard_normal((3, 2, 4)).astype("float32"), RNG.standard_normal((2, 1, 1, 4)).astype("float32")

    def expected(places: list[int], mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        new, rows = cache.copy(), []
        for b, place in enumerate(places):
            q, new[0, b, :, place], new[1, b, :, place] = step[b] + bias
            scores = np.einsum("hd,hkd->hk", q, new[0, b, :, : place + 1]) / 2 + mask[b, 0, :, : place + 1]
            rows.append(np.einsum("hk,hkd->hd", softmax(scores), new[1, b, :, : place + 1]).flatten())
        return np.stack(rows), new

    kept = T(cache)
    found = IF.masked_multihead_attention(T(step.reshape(2, 24)), kept, T(bias), T(mask))
    for tensor, array in zip(found, expected([3, 3], mask)):
        near(tensor, array)
    near(kept, expected([3, 3], mask)[1])
    lengths = T(np.array([[1], [5]]))
    found = IF.masked_multihead_attention(T(step.reshape(2, 24)), T(cache), T(bias), sequence_lengths=lengths)
    near(found[0], expected([1, 5], np.zeros((2, 1, 1, 6), "float32"))[0])


def test_attention_in_sequences_that_are_filled_up() -> None:
    q, k, v = RNG.standard_normal((3, 2, 4, 5, 8)).astype("float32")
    lengths = T(np.array([[3], [5]], "int32"))
    found = IF.variable_length_memory_efficient_attention(
        T(q), T(k[:, :2]), T(v[:, :2]), lengths, lengths, causal=True
    ).numpy()
    for b, length in enumerate((3, 5)):
        for head in range(4):
            scores = q[b, head, :length] @ k[b, head // 2, :length].T / np.sqrt(8)
            scores[np.triu_indices(length, 1)] = -np.inf
            near(T(found[b, head, :length]), softmax(scores) @ v[b, head // 2, :length])
    assert not found[0, :, 3:].any()


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: IF.fused_linear_activation(T(X), T(W), T(B), activation="tanh"), ValueError, "one of relu, gelu"),
        (lambda: IF.fused_layer_norm(T(X), T(S), T(B), 1e-5, quant_scale=1.0), NotImplementedError, "8-bit integers"),
        (
            lambda: IF.fused_layer_norm(T(X), T(S), T(B), 1e-5, begin_norm_axis=3),
            OperatorError,
            "outside a tensor of 3",
        ),
        (lambda: IF.fused_rms_norm(T(X), T(S), None, 1e-5, 1), OperatorError, r"of shape \[8\] does not fit axes"),
        (lambda: IF.fused_rotary_position_embedding(T(X)), OperatorError, "q is .batch, steps, heads, head size"),
        (
            lambda: IF.fused_rotary_position_embedding(T(X[None]), use_neox_rotary_style=False),
            OperatorError,
            "give sin and cos; without them",
        ),
        (
            lambda: IF.fused_rotary_position_embedding(T(X[None]), sin=T(X)),
            OperatorError,
            "both sin and cos, or neither",
        ),
        (
            lambda: IF.fused_rotary_position_embedding(T(X[None]), sin=T(W[:, :4]), cos=T(W[:, :4])),
            OperatorError,
            r"with the head size 8, got \[8, 4\]",
        ),
        (lambda: IF.fused_feedforward(T(X), T(W), T(W), ring_id=0), NotImplementedError, "ring_id=0: weights shared"),
        (lambda: IF.fused_feedforward(T(X), T(W), T(W), activation="x"), ValueError, "one of relu, gelu, got 'x'"),
        (lambda: IF.fused_multi_head_attention(T(W), T(W), T(W)), OperatorError, "x is .batch, steps, features"),
        (
            lambda: IF.fused_multi_head_attention(T(X), T(W), T(W)),
            OperatorError,
            "qkv_weight is .3, heads, head size, 8",
        ),
        (
            lambda: IF.fused_multi_head_attention(T(X), T(W), T(W), transpose_qkv_wb=True),
            OperatorError,
            "num_heads is positive and qkv_weight is",
        ),
        (lambda: IF.masked_multihead_attention(T(W)), OperatorError, "cache_kv .2, batch, heads, longest, head size"),
        (
            lambda: IF.masked_multihead_attention(T(W), rotary_tensor=T(W)),
            NotImplementedError,
            "rotary_tensor is not offered: leave it out",
        ),
        (
            lambda: IF.masked_multihead_attention(T(W[:, :6]), core.zeros([2, 8, 1, 4, 2])),
            OperatorError,
            "give src_mask or sequence_lengths",
        ),
        (
            lambda: IF.variable_length_memory_efficient_attention(T(X), T(X), T(X), T(B), T(B)),
            OperatorError,
            "query, key and value are .batch, heads, steps, head size",
        ),
    ],
)
def test_messages(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: IF.fused_rms_norm(x, T(S), None, 1e-5, 2),
        lambda x: IF.fused_rotary_position_embedding(x.unsqueeze(2))[0],
        lambda x: IF.fused_feedforward(x, T(W), T(W), T(B), T(B), training=False),
        lambda x: IF.fused_multi_head_attention(x, T(W.reshape(1, 2, 4, 8).repeat(3, 0)), T(W), training=False),
    ],
)
def test_they_compile(function: Callable[[Any], Any]) -> None:
    check_compiled(function, X)
