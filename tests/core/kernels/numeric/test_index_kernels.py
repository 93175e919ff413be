"""Our scatter, segment and top-k kernels against their numpy references, on any number of threads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numba
import numpy as np
import pytest

from core.kernels.graphs import segment
from core.kernels.numeric import scatter, topk

GENERATOR = np.random.default_rng(0)
SIZES = [(1, 0), (1, 40), (5, 300), (64, 2000)]


def marked(*dtypes: str) -> list[object]:
    """Return types of which each compiles the kernels anew, for the exhaustive run."""
    return [pytest.param(name, marks=pytest.mark.exhaustive) for name in dtypes]


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = numba.get_num_threads()
    if request.param > before:
        pytest.skip("one thread only")
    numba.set_num_threads(request.param)
    yield request.param
    numba.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
@pytest.mark.parametrize("width, count", SIZES)
def test_rows_are_added_in_order_whatever_the_number_of_threads(
    dtype: str, width: int, count: int, threads: int
) -> None:
    updates = (GENERATOR.standard_normal((count, width)) * 9).astype(dtype)
    index = GENERATOR.integers(0, 30, count)
    np.testing.assert_array_equal(scatter.add_rows(updates, index, 31), scatter.add_rows_reference(updates, index, 31))


def test_the_last_update_of_a_row_stays() -> None:
    table, index = np.zeros((3, 2)), np.array([1, 1, 0])
    result = scatter.set_rows(table, index, np.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(result, [[4, 5], [2, 3], [0, 0]])
    np.testing.assert_array_equal(table, np.zeros((3, 2)))


@pytest.mark.parametrize("dtype", ["float32", *marked("float64", "int64")])
@pytest.mark.parametrize("width, count", SIZES)
def test_edges(dtype: str, width: int, count: int, threads: int) -> None:
    table = (GENERATOR.standard_normal((50, width)) * 9).astype(dtype)
    source, target = GENERATOR.integers(0, 50, count), GENERATOR.integers(0, 40, count)
    arguments = (table, source, target, 45)
    np.testing.assert_array_equal(segment.sum_edges(*arguments), segment.sum_edges_reference(*arguments))
    for largest in (True, False):
        np.testing.assert_array_equal(
            segment.extreme_edges(*arguments, largest), segment.extreme_edges_reference(*arguments, largest)
        )


def test_the_first_of_equal_rows_is_the_extreme_one() -> None:
    table = np.array([[1.0], [1.0], [0.0]])
    found = segment.extreme_edges(table, np.array([2, 1, 0]), np.array([0, 0, 0]), 2, True)
    assert found.tolist() == [[1], [-1]]


@pytest.mark.parametrize("dtype", ["float32", "int64", *marked("float64", "int32", "int8", "uint8")])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 3, 20])
def test_top_rows_rank_nan_highest(dtype: str, largest: bool, k: int, threads: int) -> None:
    rows = GENERATOR.integers(0, 9, (7, 20)).astype(dtype)
    if dtype.startswith("f"):
        rows[0, [3, 5]] = np.nan
        rows[1] = np.nan
        rows[2, 2], rows[2, 4] = np.inf, -np.inf
    found = topk.top_indices(rows, k, largest)
    assert all(len(set(row)) == k for row in found.tolist())
    order = np.sort(rows, axis=1)  # NaN last
    expected = order[:, ::-1][:, :k] if largest else order[:, :k]
    np.testing.assert_array_equal(np.take_along_axis(rows, found, 1), expected)
    unordered = topk.top_indices(rows, k, largest, in_order=False)
    np.testing.assert_array_equal(np.sort(unordered, 1), np.sort(found, 1))
    np.testing.assert_array_equal(unordered[:, -1], found[:, -1])  # the k-th is at its place


def test_whole_rows_are_sorted_on_threads_and_without() -> None:
    rows = GENERATOR.integers(0, 50, (40, 1000)).astype("float32")  # more than one thread takes
    found = topk.sorted_indices(rows, 1, False)
    np.testing.assert_array_equal(np.take_along_axis(rows, found, 1), np.sort(rows, 1))
    np.testing.assert_array_equal(found[:3], topk.sorted_indices(rows[:3], 1, False))
    assert topk.sorted_indices(np.zeros((0, 3)), 0, True).shape == (0, 3)


def test_kernels_run_side_by_side_on_the_omp_layer() -> None:
    code = """
import threading
import numba, numpy
from core.kernels.numeric import scatter
updates, index = numpy.ones((4000, 16)), numpy.arange(4000) % 7
threads = [threading.Thread(target=lambda: [scatter.add_rows(updates, index, 7) for _ in range(20)]) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert numba.threading_layer() == "omp"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
