"""Kernels of whole recurrent sequences, and the products and functions that they are made of, against numpy."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Optional

import numba
import numpy as np
import pytest

from core.kernels.engine.compiled import serial
from core.kernels.layers.recurrent import sequences
from core.kernels.layers.recurrent.reference import recurrent_reference
from core.kernels.numeric import products, smooth

RNG = np.random.default_rng(3)
GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}


@pytest.mark.parametrize(
    ("rows", "depth", "columns"),
    [(1, 1, 1), (20, 65, 130), (7, 64, 64), (61, 5, 70), (64, 200, 3), (3, 0, 5), (0, 4, 4)],
)
def test_products_of_any_shape(rows: int, depth: int, columns: int) -> None:
    left = RNG.standard_normal((rows, depth)).astype("float32")
    right = RNG.standard_normal((columns, depth)).astype("float32")
    result = np.ones((rows, columns), "float32")
    products.add_product(left, products.panels(right.T), result)
    np.testing.assert_allclose(result, 1 + left.astype("float64") @ right.T, rtol=0, atol=1e-5 * max(1, depth) ** 0.5)
    np.testing.assert_array_equal(products.transposed(left), left.T)


@serial
def _all_three(x: np.ndarray, results: np.ndarray) -> None:
    for i in range(x.size):
        results[0, i] = smooth.exp(x[i])
        results[1, i] = smooth.sigmoid(x[i])
        results[2, i] = smooth.tanh(x[i])


def test_smooth_functions_are_exact_to_a_few_last_places() -> None:
    x = np.concatenate([np.linspace(-86, 87, 20001), np.linspace(-1, 1, 20001), [0, 1e-30, -1e-6]]).astype("float32")
    results = np.empty((3, x.size), "float32")
    _all_three(x, results)
    wide = x.astype("float64")
    for found, expected in zip(results, (np.exp(wide), 1 / (1 + np.exp(-wide)), np.tanh(wide))):
        np.testing.assert_allclose(found, expected, rtol=2.5e-7)


@serial
def _gates(x: np.ndarray, results: np.ndarray) -> None:
    for i in range(x.size):
        results[0, i] = smooth.gate_sigmoid(x[i])
        results[1, i] = smooth.gate_tanh(x[i])


def test_functions_of_gates_are_close_and_stay_within_their_bounds() -> None:
    x = np.concatenate([np.linspace(-20, 20, 40001), [0, 1e-30, 1e30, -np.inf, np.inf]]).astype("float32")
    results = np.empty((2, x.size), "float32")
    _gates(x, results)
    with np.errstate(over="ignore"):
        exact = 1 / (1 + np.exp(-x.astype("float64")))
    np.testing.assert_allclose(results[0], exact, rtol=0, atol=2e-7)
    np.testing.assert_allclose(results[1], np.tanh(x.astype("float64")), rtol=3e-7)
    assert 0 <= results[0].min() and results[0].max() <= 1 and np.abs(results[1]).max() <= 1
    _gates(np.full(3, np.nan, "float32"), results)
    assert np.isnan(results[:, :3]).all()


def test_smooth_functions_at_the_ends() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 100, -100], "float32")
    results = np.empty((3, 5), "float32")
    _all_three(x, results)
    assert np.isnan(results[:, 0]).all()
    np.testing.assert_array_equal(results[1, 1:], [1, results[1, 2], 1, results[1, 2]])
    assert 0 < results[1, 2] < 1e-37
    np.testing.assert_array_equal(results[2, 1:], [1, -1, 1, -1])


def draw(kind: str, steps: int, batch: int, inputs: int, size: int) -> list[np.ndarray]:
    rows = GATES[kind] * size
    shapes = [(steps, batch, inputs), (rows, inputs), (rows, size), (rows,), (rows,), (batch, size)]
    shapes += [(batch, size)] * (kind == "lstm")
    return [(0.5 * RNG.standard_normal(shape)).astype("float32") for shape in shapes]


def run(kind: str, arrays: list[np.ndarray], lengths: Optional[np.ndarray], reverse: bool) -> tuple[np.ndarray, ...]:
    (steps, batch, _), (rows, size) = arrays[0].shape, arrays[2].shape
    y, state, gates = (steps, batch, size), (batch, size), (steps, batch, rows)
    shapes = {"lstm": (y, state, state, y, gates), "gru": (y, state, gates, y)}.get(kind, (y, state))
    out = tuple([np.full(shape, np.nan, "float32") for shape in shapes])
    function = {"lstm": sequences.lstm, "gru": sequences.gru}.get(kind, sequences.simple)
    options = {"activation": kind} if kind in ("tanh", "relu") else {}
    function(*arrays, *([] if lengths is None else [lengths]), reverse=reverse, out=out, **options)
    return out[: 3 if kind == "lstm" else 2]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (3, 20, 5, 70), (4, 9, 3, 16), (2, 0, 3, 4)])
@pytest.mark.parametrize("kind", list(GATES))
def test_sequences(kind: str, sizes: tuple[int, int, int, int], reverse: bool) -> None:
    compare_with_reference(kind, sizes, reverse)


@pytest.mark.parametrize("kind", list(GATES))
def test_a_single_sample_reads_a_large_weight_as_it_is(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequences, "_WORTH_CUTTING", 0)
    monkeypatch.setattr(sequences, "panels_of", None)
    compare_with_reference(kind, (3, 1, 5, 70), False)
    compare_with_reference(kind, (4, 1, 2, 9), True)


def compare_with_reference(kind: str, sizes: tuple[int, int, int, int], reverse: bool) -> None:
    arrays = draw(kind, *sizes)
    lengths = RNG.integers(0, sizes[0] + 1, sizes[1])
    for given in (None, lengths):
        memory = [a.astype("float64") for a in arrays[6:]] or [None]
        wide = [a.astype("float64") for a in arrays[:6]]
        expected = recurrent_reference(kind, *wide, *memory, lengths=given, reverse=reverse)
        for found, wanted in zip(run(kind, arrays, given, reverse), expected):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=4e-6 * max(1, np.abs(wanted).max(initial=0)))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sizes", [(1, 3, 2, 5), (2, 9, 3, 16), (5, 70, 5, 20), (7, 200, 4, 64)])
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_states_are_the_same_where_nothing_else_is_kept(
    kind: str, sizes: tuple[int, int, int, int], reverse: bool
) -> None:
    """Also where inputs are projected one step, or some steps, at a time."""
    arrays = draw(kind, *sizes)
    for given in (None, RNG.integers(0, sizes[0] + 1, sizes[1])):
        expected = run(kind, arrays, given, reverse)
        out = tuple([np.full(one.shape, np.nan, "float32") for one in expected] + [np.zeros(1, "float32")] * 2)
        function = sequences.lstm if kind == "lstm" else sequences.gru
        function(*arrays, *([] if given is None else [given]), reverse=reverse, out=out)
        for found, wanted in zip(out, expected):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("batch", [1, 3, 20])
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_one_thread_and_two_give_the_same_bits(kind: str, batch: int) -> None:
    """Whether they share out the samples, or, of few samples, the units."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("this process has one thread")
    arrays, lengths = draw(kind, 6, batch, 5, 70), RNG.integers(0, 7, batch)
    before, found = numba.get_num_threads(), []
    for number in (1, 2):
        numba.set_num_threads(number)
        found.append([run(kind, arrays, given, True) for given in (None, lengths)])
    numba.set_num_threads(before)
    for one, other in zip(*found):
        for first, second in zip(one, other):
            np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(("depth", "rows", "width"), [(5, 1, 7), (64, 6, 64), (33, 13, 200), (300, 140, 70), (0, 4, 5)])
def test_products_of_a_transpose(depth: int, rows: int, width: int) -> None:
    shapes = ((depth, rows), (depth, width), (rows, width))
    left, right, there = (RNG.standard_normal(shape, "float32") for shape in shapes)
    result = there.copy()
    products.add_transposed_product(left, products.panels(right), result)
    np.testing.assert_allclose(result, there + left.T @ right, atol=1e-4)


def test_what_is_not_a_number_is_seen() -> None:
    arrays = draw("lstm", 3, 2, 4, 5)
    arrays[0][1, 0, 2] = np.nan
    y = run("lstm", arrays, None, False)[0]
    assert np.isnan(y[1:, 0]).all() and not np.isnan(y[0]).any() and not np.isnan(y[:, 1]).any()


ALL = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("variable", "expected"), [("1", 1), ("1,2", 1), ("0", ALL), ("many", ALL)])
def test_kernels_use_as_many_threads_as_the_environment_asks_for(variable: str, expected: int) -> None:
    code = "import os; from core.kernels.engine import compiled; print(os.environ.get('NUMBA_NUM_THREADS'))"
    environment = {**os.environ, "NUMBA_NUM_THREADS": "64", "OMP_NUM_THREADS": variable}  # one answer for all
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert found.stdout.strip() == str(expected), found.stderr
