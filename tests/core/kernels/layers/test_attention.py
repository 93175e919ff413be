"""The kernel of attention: forward and backward against numpy and finite sums in float64, for any sizes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, Optional

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.kernels.layers import attention
from core.kernels.layers.attention_reference import attention_reference, keep_reference

RNG = np.random.default_rng(4)
SIZES = [(1, 1, 1, 1, 1), (2, 7, 9, 3, 5), (1, 130, 67, 2, 70), (2, 30, 300, 1, 64)]  # (B, Q, K, H, D)
SEED = 12345


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype("float32")


def inputs(sizes: tuple[int, ...]) -> list[np.ndarray]:
    batch, queries, keys, heads, size = sizes
    return [draw(batch, queries, heads, size), *[draw(batch, keys, heads, size) for _ in range(2)]]


def run(arrays: list[np.ndarray], mask: Optional[np.ndarray], causal: bool, dropout: float) -> tuple[Any, Any]:
    """Return the result and the gradients of its sum weighted with fixed numbers."""
    query = arrays[0]
    batch, queries, heads, _ = query.shape
    others = [] if mask is None else [mask]
    others += [np.array([SEED], "int32")] if dropout else []
    options: Any = {"masked": mask is not None, "causal": causal, "dropout": dropout}
    out = np.full_like(query, np.nan), np.full((batch, heads, queries, 2), np.nan, "float32")
    attention.attention(*arrays, *others, out=out, **options)
    gradients = tuple([np.full_like(array, np.nan) for array in arrays])
    attention.attention_gradients(np.cos(query), *arrays, *out, *others, out=gradients, **options)
    return out[0], gradients


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("masked", [False, True])
def test_values_and_gradients(sizes: tuple[int, ...], causal: bool, dropout: float, masked: bool) -> None:
    batch, queries, keys, heads, _ = sizes
    arrays = inputs(sizes)
    mask = draw(batch, 1, queries, keys) if masked else None
    keep = keep_reference(SEED, dropout, batch, heads, queries, keys) if dropout else None
    result, gradients = run(arrays, mask, causal, dropout)
    np.testing.assert_allclose(result, attention_reference(*arrays, mask, causal, keep), rtol=0, atol=5e-6)
    for place, (array, gradient) in enumerate(zip(arrays, gradients)):
        direction = RNG.standard_normal(array.shape)
        weighted = []
        for step in (1e-4, -1e-4):
            moved = [a.astype("float64") for a in arrays]
            moved[place] += step * direction
            weighted.append((attention_reference(*moved, mask, causal, keep) * np.cos(arrays[0])).sum())
        slope = (weighted[0] - weighted[1]) / 2e-4
        assert (gradient * direction).sum() == pytest.approx(slope, rel=1e-4, abs=1e-4 * np.sqrt(array.size))


def test_rows_that_see_nothing_are_means_as_in_other_operators() -> None:
    arrays = inputs((1, 2, 5, 2, 4))
    mask = np.zeros((1, 1, 2, 5), "float32")
    mask[0, 0, 1] = -1e30
    mask[0, 0, 0, 3:] = -np.inf
    result, gradients = run(arrays, mask, False, 0.0)
    np.testing.assert_allclose(result[0, 1], arrays[2][0].mean(0), rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        result[:, :1], attention_reference(arrays[0][:, :1], *[a[:, :3] for a in arrays[1:]]), rtol=0, atol=1e-6
    )
    assert all(np.isfinite(gradient).all() for gradient in gradients)
    mask[0, 0, 1] = -np.inf
    assert np.isnan(run(arrays, mask, False, 0.0)[0][0, 1]).all()


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 3, 1, 5), (2, 1, 4, 1), (1, 1, 1, 1)])
def test_masks_broadcast(shape: tuple[int, ...]) -> None:
    arrays, mask = inputs((2, 4, 5, 3, 8)), draw(*shape)
    np.testing.assert_allclose(run(arrays, mask, False, 0.0)[0], attention_reference(*arrays, mask), rtol=0, atol=2e-6)


def test_what_is_no_number_is_not_hidden() -> None:
    arrays = inputs((1, 2, 3, 1, 4))
    arrays[0][0, 0, 0, 0] = np.nan
    result, _ = run(arrays, None, False, 0.0)
    assert np.isnan(result[0, 0]).all() and np.isfinite(result[0, 1]).all()


def test_dropout_keeps_the_wanted_share_evenly() -> None:
    keep = keep_reference(SEED, 0.25, 4, 3, 50, 60)
    np.testing.assert_allclose((keep > 0).mean(), 0.75, atol=0.01)
    np.testing.assert_allclose((keep > 0).mean((0, 1, 2)), 0.75, atol=0.08)
    np.testing.assert_allclose((keep > 0).mean((2, 3)), 0.75, atol=0.04)
    assert (keep != keep_reference(SEED + 1, 0.25, 4, 3, 50, 60)).mean() == pytest.approx(2 * 0.25 * 0.75, abs=0.02)
    result = np.empty_like(keep)
    attention.attention_keep(
        np.array([SEED]), np.empty((4, 50, 3, 1)), np.empty((4, 60, 3, 1)), dropout=0.25, out=result
    )
    np.testing.assert_array_equal(result, keep)


def test_the_same_bits_with_any_number_of_threads() -> None:
    code = """
import numpy as np
from tests.core.kernels.layers import test_attention as t
t.RNG = np.random.default_rng(0)
result, gradients = t.run(t.inputs((1, 300, 300, 2, 16)), None, True, 0.1)
print(float(np.abs(result).sum(dtype="f8")).hex(), *[float(np.abs(g).sum(dtype="f8")).hex() for g in gradients])
"""
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OMP_NUM_THREADS": count},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for count in ("1", "2")
    }
    assert len(answers) == 1


def tensors(*, dtype: str = "float32") -> list[Any]:
    given = [core.to_tensor(array.astype(dtype)) for array in inputs((2, 4, 5, 2, 3))]
    for tensor in given:
        tensor.stop_gradient = False
    return given


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_through_the_layer_are_those_of_the_parts(compiled: bool) -> None:
    given = tensors()
    seen = core.to_tensor(RNG.random((4, 5)) > 0.3)

    def loss(query: Any, key: Any, value: Any) -> Any:
        return (F.scaled_dot_product_attention(query, key, value, seen) ** 2.0).sum()

    wide = [core.to_tensor(tensor.numpy().astype("float64"), stop_gradient=False) for tensor in given]
    loss(*wide).backward()
    (core.jit.to_static(loss) if compiled else loss)(*given).backward()
    for tensor, expected in zip(given, wide):
        np.testing.assert_allclose(tensor.grad.numpy(), expected.grad.numpy(), rtol=0, atol=1e-5)


def test_second_order_with_dropout_drops_the_same_weights() -> None:
    query, key, value = tensors()
    result = F.scaled_dot_product_attention(query, key, value, dropout_p=0.4)
    plain = core.grad((result**2.0).sum(), [query, value], retain_graph=True)
    again = core.grad((result**2.0).sum(), [query, value], create_graph=True)
    for first, second in zip(plain, again):
        np.testing.assert_allclose(first.numpy(), second.numpy(), rtol=0, atol=1e-5)
    (second_order,) = core.grad((again[1] * value).sum(), [value])
    # the result is linear in the value: d/dv of v · 2 AᵀA v is 2 AᵀA v twice
    np.testing.assert_allclose(second_order.numpy(), 2 * again[1].numpy(), rtol=0, atol=1e-5)


def test_a_mask_that_is_learned_gets_its_gradient() -> None:
    query, key, value = tensors()
    mask = core.to_tensor(draw(2, 4, 5), stop_gradient=False)
    F.scaled_dot_product_attention(query, key, value, mask).sum().backward()
    assert mask.grad.shape == [2, 4, 5] and np.abs(mask.grad.numpy()).max() > 0


def test_a_mask_that_does_not_fit() -> None:
    message = r"attn_mask of shape \[1, 1, 3, 5\] does not broadcast to .* = \[2, 2, 4, 5\]"
    with pytest.raises(ValueError, match=message):
        F.scaled_dot_product_attention(*tensors(), core.zeros([3, 5]))


def test_a_compiled_program_drops_what_the_eager_run_drops() -> None:
    query, key, value = [tensor.detach() for tensor in tensors()]

    def attend(query: Any, key: Any, value: Any) -> Any:
        return F.scaled_dot_product_attention(query, key, value, dropout_p=0.5)

    compiled = core.jit.to_static(attend)
    results = []
    for function in (attend, compiled, compiled):
        core.seed(7)
        results.append(function(query, key, value).numpy())
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[1], results[2])
    assert np.abs(attend(query, key, value).numpy() - results[0]).max() > 0.01
