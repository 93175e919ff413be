"""Products in bfloat16 and bytes against NumPy, and the code that other processors get."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from core.kernels.channels_last.forms import BFLOAT16, BYTES, HAS_BFLOAT16_PRODUCTS, as_float32
from core.kernels.engine import engine
from core.kernels.engine.processors import compiled_for
from core.kernels.layers.narrow.affine import can_multiply, narrow_affine, narrow_panels
from core.kernels.layers.quantized import dequantized, product, quantized, quantized_weight

RNG = np.random.default_rng(6)
needs_bfloat16 = pytest.mark.skipif(not HAS_BFLOAT16_PRODUCTS, reason="no AVX512-BF16")


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def halved(x: np.ndarray) -> np.ndarray:
    return engine.bfloat16_bits_to_float32(engine.float32_to_bfloat16_bits(x))


def computed(x: np.ndarray, panels: np.ndarray, bias: np.ndarray, scales: np.ndarray, **options: Any) -> np.ndarray:
    out = np.full((*x.shape[:-1], len(bias)), np.nan, np.float32)
    narrow_affine(x, panels, bias, scales, out=out, **options)
    return out


@needs_bfloat16
@pytest.mark.parametrize("size", [(1, 16, 5), (53, 96, 48), (8, 64, 100)])
def test_bfloat16(size: tuple[int, int, int]) -> None:
    rows, depth, columns = size
    x, matrix, bias = draw(1, rows, depth), draw(columns, depth), draw(columns)
    x[0, 0, 0] = 1 + 2.0**-8  # between two numbers of bfloat16
    wanted = halved(x).astype(np.float64) @ halved(matrix).T.astype(np.float64) + bias
    options = {"form": BFLOAT16, "scale": 1.0, "zero_point": 0}
    panels, ones = narrow_panels(matrix, bias, BFLOAT16), np.ones(columns, np.float32)
    for name, expected in (("none", wanted), ("relu", np.maximum(wanted, 0))):
        got = computed(x, panels, bias, ones, activation=name, **options)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6 * np.abs(wanted).max())
    x[0, -1, 1] = np.nan
    got = computed(x, panels, bias, ones, activation="none", **options)
    assert np.isnan(got[0, -1]).all() and (rows == 1 or not np.isnan(got[0, :-1]).any())


@pytest.mark.parametrize("size", [(1, 16, 5), (53, 96, 48), (8, 64, 100)])
@pytest.mark.parametrize("zero_point", [0, 128, 201])
def test_bytes(size: tuple[int, int, int], zero_point: int) -> None:
    rows, depth, columns = size
    x, matrix, bias, scale = draw(rows, depth), draw(columns, depth), draw(columns), 0.02
    scales = np.abs(matrix).max(1) / np.float32(127)
    numbers = quantized_weight(matrix, scales)
    numbers[0], x[0] = 127, 99.0  # the largest sums of neighbours, which 16 bits do not hold
    whole = product(quantized(x, scale, zero_point), zero_point, numbers)
    factors = scales * np.float32(scale)
    wanted = whole * factors.astype(np.float64) + bias
    options = {"form": BYTES, "scale": scale, "zero_point": zero_point}
    panels = narrow_panels(numbers, bias, BYTES, zero_point)
    for name, expected in (("none", wanted), ("relu", np.maximum(wanted, 0))):
        got = computed(x, panels, bias, factors, activation=name, **options)
        np.testing.assert_allclose(got, expected, rtol=2e-7, atol=2e-7 * np.abs(bias).max())


@pytest.mark.parametrize("form", [pytest.param(BFLOAT16, marks=needs_bfloat16), BYTES])
@pytest.mark.parametrize("columns", [16, 128])
def test_words_are_read_and_written(form: int, columns: int) -> None:
    x, matrix, bias, scale = draw(95, 64), draw(columns, 64) / 8, draw(columns), 0.02
    scales = np.abs(matrix).max(1) / np.float32(127)
    factors = scales * np.float32(scale)
    if form == BFLOAT16:
        given, words = matrix, engine.float32_to_bfloat16_bits(x).view(np.float32)
    else:
        given, words = quantized_weight(matrix, scales), quantized(x, scale, 128).view(np.float32)
    panels, options = narrow_panels(given, bias, form, 128), {"form": form, "scale": scale, "zero_point": 128}
    exact = computed(x, panels, bias, factors, activation="none", **options)
    for name in ("none", "relu", "gelu"):
        wide = computed(x, panels, bias, factors, activation=name, **options)
        if name == "gelu":
            erf = np.vectorize(math.erf, otypes=["float64"])
            np.testing.assert_allclose(wide, exact * 0.5 * (1 + erf(exact / 2**0.5)), rtol=0, atol=2e-6)
        same = computed(words, panels, bias, factors, activation=name, in_words=True, **options)
        np.testing.assert_array_equal(same, wide)
        out = np.full((95, columns >> form), np.nan, np.float32)
        grid = {"written": form, "written_scale": 0.04, "written_zero_point": 99}
        narrow_affine(words, panels, bias, factors, activation=name, in_words=True, out=out, **options, **grid)
        rounded = halved(wide) if form == BFLOAT16 else dequantized(quantized(wide, 0.04, 99), 0.04, 99)
        np.testing.assert_array_equal(as_float32(out, form, 0.04, 99), rounded)


@needs_bfloat16
def test_bytes_that_become_bfloat16() -> None:
    x, numbers, bias = draw(9, 64), RNG.integers(-127, 128, (64, 64)).astype(np.int8), draw(64)
    panels, factors = narrow_panels(numbers, bias, BYTES, 128), np.full(64, 1e-4, np.float32)
    options = {"form": BYTES, "scale": 0.02, "zero_point": 128, "activation": "none"}
    out = np.full((9, 32), np.nan, np.float32)
    narrow_affine(x, panels, bias, factors, written=BFLOAT16, out=out, **options)
    np.testing.assert_array_equal(as_float32(out, BFLOAT16), halved(computed(x, panels, bias, factors, **options)))


def test_rows_must_be_whole_vectors() -> None:
    assert can_multiply(768) and not can_multiply(770)


_ELSEWHERE = """
import numpy as np
from core.kernels.channels_last.forms import HAS_BFLOAT16_PRODUCTS, BYTES
from core.kernels.layers.narrow.affine import narrow_affine, narrow_panels
x, numbers = np.arange(-48, 48, dtype=np.float32).reshape(3, 32), np.full((5, 32), -127, np.int8)
numbers[1:, 3], bias, out = 100, np.arange(5, dtype=np.float32), np.empty((3, 5), np.float32)
panels = narrow_panels(numbers, bias, BYTES, 7)
options = {"form": BYTES, "scale": 0.25, "zero_point": 7, "activation": "none"}
narrow_affine(x, panels, bias, np.full(5, 0.25, np.float32), out=out, **options)
given = np.clip(np.rint(x * 4) + 7, 0, 255) - 7
np.testing.assert_array_equal(out, given @ numbers.T.astype(np.float32) * 0.25 + bias)
print("whole numbers", HAS_BFLOAT16_PRODUCTS)
"""


@pytest.mark.parametrize(
    "settings",
    [
        {"NUMBA_CPU_NAME": "haswell"},
        pytest.param({"NUMBA_CPU_FEATURES": "+avx2,+fma,+avx512f,+avx512bw"}, marks=pytest.mark.exhaustive),
    ],
)
def test_other_processors_get_code_without_the_instructions(settings: dict[str, str]) -> None:
    environment = {**os.environ, **settings}
    ran = subprocess.run([sys.executable, "-c", _ELSEWHERE], env=environment, capture_output=True, text=True)
    assert ran.stdout == "whole numbers False\n", ran.stderr


def test_what_kernels_are_compiled_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CPU_NAME", "haswell")
    compiled_for.cache_clear()
    assert compiled_for() and not compiled_for("avx2")
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "+sse2,-avx2")
    compiled_for.cache_clear()
    assert compiled_for("sse2") and not compiled_for("avx2")
    compiled_for.cache_clear()
