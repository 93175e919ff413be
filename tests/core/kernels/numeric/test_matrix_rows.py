"""Rows added to matrices, and sums of rows, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from core.kernels.numeric import matrix_rows


@pytest.mark.parametrize("rows", [0, 1, 7, 4096, 4097, 9000])
def test_as_numpy(rows: int) -> None:
    random = np.random.RandomState(rows)
    for width in (1, 5, 16):
        matrix, row = random.randn(rows, width).astype("f4"), random.randn(width).astype("f4")
        total = np.empty(width, "f4")
        matrix_rows.sum_of_rows(matrix, total)
        np.testing.assert_allclose(total, matrix.sum(axis=0, dtype="f8"), rtol=1e-6)
        expected = matrix + row
        matrix_rows.add_to_rows(matrix, row)
        np.testing.assert_array_equal(matrix, expected)


def test_the_number_of_threads_changes_no_bit() -> None:
    numba = pytest.importorskip("numba")
    matrix = np.random.RandomState(0).randn(20_000, 3).astype("f4")
    found = []
    threads = numba.get_num_threads()
    for number in (1, threads):
        numba.set_num_threads(number)
        try:
            found.append(np.empty(3, "f4"))
            matrix_rows.sum_of_rows(matrix, found[-1])
        finally:
            numba.set_num_threads(threads)
    np.testing.assert_array_equal(*found)
