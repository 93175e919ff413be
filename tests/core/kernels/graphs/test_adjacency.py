"""Grouping edges by row against a stable sort, on any number of threads."""

from __future__ import annotations

import subprocess
import sys

import numba
import numpy as np
import pytest

from core.kernels.graphs import adjacency

GENERATOR = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("edges, size", [(0, 0), (0, 4), (7, 1), (300, 90), (200_000, 3000)])
def test_edges_are_grouped_in_their_order(dtype: str, edges: int, size: int) -> None:
    rows = GENERATOR.integers(0, max(size - 2, 1), edges).astype(dtype)  # the last rows stay empty
    columns = GENERATOR.integers(0, 99, edges).astype(dtype)
    expected = adjacency.compress_reference(rows, columns, size)
    before = numba.get_num_threads()
    try:
        for threads in range(1, before + 1):
            numba.set_num_threads(threads)
            found = adjacency.compress(rows, columns, size)
            for one, other in zip(found, expected):
                np.testing.assert_array_equal(one, other)
            assert [array.dtype for array in found if array is not None] == [np.int64, rows.dtype, np.int32]
    finally:
        numba.set_num_threads(before)


def test_small_by_hand() -> None:
    indptr, indices, edge_ids = adjacency.compress(np.array([2, 0, 2, 2]), np.array([5, 6, 5, 4]), 4)
    assert edge_ids is not None
    assert (indptr.tolist(), indices.tolist(), edge_ids.tolist()) == ([0, 1, 1, 4, 4], [6, 5, 5, 4], [1, 0, 2, 3])


def test_ids_are_left_out_when_nobody_wants_them() -> None:
    _, indices, edge_ids = adjacency.compress(np.array([1, 0]), np.array([3, 4]), 2, number=False, dtype=np.int32)
    assert indices.tolist() == [4, 3] and indices.dtype == np.int32 and edge_ids is None


def test_the_kernels_of_graphs_do_not_load_the_engine() -> None:
    modules = "adjacency, alias, edge_streams, negatives, neighbor_sampling, numbering, rewiring, visits, walks"
    code = f"import sys; from core.kernels.graphs import {modules}; assert 'mxnet' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
