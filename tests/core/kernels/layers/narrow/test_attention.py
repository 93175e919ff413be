"""Attention and normalised sums that read and write 16 and 8 bits, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, HAS_BFLOAT16_PRODUCTS, as_float32
from core.kernels.dispatch.errors import OperatorError
from core.kernels.engine import engine
from core.kernels.layers.attention_reference import attention_reference
from core.kernels.layers.narrow.attention import can_attend, narrow_attention
from core.kernels.layers.narrow.normalization import add_and_normalize_narrow
from core.kernels.layers.quantized import dequantized, quantized
from core.operators import _fused_operators
from core.tensor import apply

RNG = np.random.default_rng(8)
needs_bfloat16 = pytest.mark.skipif(not HAS_BFLOAT16_PRODUCTS, reason="no AVX512-BF16")


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def in_words(x: np.ndarray) -> np.ndarray:
    """Return words of two numbers of bfloat16."""
    words: np.ndarray = engine.float32_to_bfloat16_bits(x).view(np.float32)
    return words


def halved(x: np.ndarray) -> np.ndarray:
    return engine.bfloat16_bits_to_float32(engine.float32_to_bfloat16_bits(x))


def attended(arrays: list[np.ndarray], *mask: np.ndarray, form: int = FLOAT32, **options: Any) -> np.ndarray:
    shape = arrays[0].shape
    out = np.full((*shape[:-1], shape[-1] >> form), np.nan, np.float32)
    narrow_attention(*map(in_words, arrays), *mask, written=form, out=out, **options)
    return out


@needs_bfloat16
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 64), (2, 7, 9, 3, 64), (1, 130, 67, 2, 128), (2, 30, 300, 1, 64)])
@pytest.mark.parametrize("axes", [None, (1, 1, 1, 4), (2, 3, 4, 4), (1, 1, 3, 1)])
def test_attention(sizes: tuple[int, ...], axes: Any) -> None:
    batch, queries, keys, heads, size = sizes
    arrays = [draw(batch, steps, heads, size) for steps in (queries, keys, keys)]
    full = (batch, heads, queries, keys)
    mask = [] if axes is None else [draw(*(number if kind > 1 else 1 for number, kind in zip(full, axes)))]
    expected = attention_reference(*map(halved, arrays), mask[0] if mask else None, False, None)
    got = attended(arrays, *mask)
    # the weights of the second product are rounded to 8 bits, and their errors are independent
    assert np.abs(got - expected).max() < 2.0**-8 * np.abs(arrays[2]).max()
    assert np.sqrt(np.square(got - expected).mean()) < 2.0**-9
    np.testing.assert_array_equal(as_float32(attended(arrays, *mask, form=BFLOAT16), BFLOAT16), halved(got))
    grid = {"written_scale": 0.03, "written_zero_point": 119}
    numbers = attended(arrays, *mask, form=BYTES, **grid).view(np.uint8)
    np.testing.assert_array_equal(numbers, quantized(got, 0.03, 119))


@needs_bfloat16
def test_keys_that_are_hidden_count_nothing() -> None:
    arrays = [draw(1, 3, 2, 64), draw(1, 9, 2, 64), draw(1, 9, 2, 64)]
    mask = np.zeros((1, 1, 3, 9), np.float32)
    mask[0, 0, 0, 5:], mask[0, 0, 1, :4], mask[0, 0, 2] = -np.inf, -1e30, -np.inf
    got = attended(arrays, mask)
    np.testing.assert_array_equal(got[:, :1], attended([arrays[0][:, :1], *[a[:, :5] for a in arrays[1:]]]))
    seen = map(halved, [arrays[0][:, 1:2], *[a[:, 4:] for a in arrays[1:]]])
    expected = attention_reference(*seen, None, False, None)
    np.testing.assert_allclose(got[:, 1:2], expected, rtol=0, atol=0.01)
    assert np.isnan(got[:, 2]).all() and not np.isnan(got[:, :2]).any()


@needs_bfloat16
def test_heads_are_whole_panels() -> None:
    assert can_attend(64) and can_attend(128) and not can_attend(96)
    words = core.zeros([1, 4, 2, 32])._value
    with pytest.raises(OperatorError, match=r"narrow_attention: query \[1, 4, 2, 32\], key \[1, 4, 2, 16\], value"):
        apply(_fused_operators.narrow_attention, *map(core.Tensor, (words, core.zeros([1, 4, 2, 16])._value, words)))
    with pytest.raises(OperatorError, match=r"and mask \[\[1, 1, 3, 4\]\] do not fit each other"):
        apply(_fused_operators.narrow_attention, *[core.Tensor(words)] * 3, core.zeros([1, 1, 3, 4]))


@pytest.mark.parametrize("form", [pytest.param(BFLOAT16, marks=needs_bfloat16), BYTES])
@pytest.mark.parametrize("keep", [False, True])
def test_normalised_sums(form: int, keep: bool) -> None:
    x, y, scale, shift = draw(3, 7, 48), draw(3, 7, 48), draw(48), draw(48)
    grid = {"written": form, "written_scale": 0.02, "written_zero_point": 128}
    shapes = [(3, 7, 48), (3, 7, 48 >> form), *[(3, 7, 48)] * keep]
    out = tuple([np.full(shape, np.nan, np.float32) for shape in shapes])
    add_and_normalize_narrow(x, y, scale, shift, epsilon=1e-5, keep=keep, out=out, **grid)
    total = (x + y).astype(np.float64)
    centred = total - total.mean(-1, keepdims=True)
    expected = centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + 1e-5) * scale + shift
    np.testing.assert_allclose(out[0], expected, rtol=0, atol=2e-5)
    rounded = halved(out[0]) if form == BFLOAT16 else dequantized(quantized(out[0], 0.02, 128), 0.02, 128)
    np.testing.assert_array_equal(as_float32(out[1], form, 0.02, 128), rounded)
    if keep:
        np.testing.assert_array_equal(out[2], x + y)
