"""Products of matrices that are mostly zeros against numpy's dense ones (core.operators.linear_algebra.sparse_rows)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.operators.linear_algebra.sparse_rows import SparseRows, sparse_product
from tests.core.gradient_check import check_gradients

RNG = np.random.default_rng(0)
MATRIX = RNG.standard_normal((5, 7)) * (RNG.random((5, 7)) < 0.3)
MATRIX[2], MATRIX[:, 4] = 0, 0  # an empty row, an empty column
WEIGHT = RNG.standard_normal((7, 3))
INDPTR = np.concatenate([[0], np.cumsum((MATRIX != 0).sum(1))])
INDICES, VALUES = np.nonzero(MATRIX)[1], MATRIX[MATRIX != 0]
T = core.to_tensor


def test_product() -> None:
    for matrix in (SparseRows.from_dense(MATRIX), SparseRows.from_csr(INDPTR, INDICES, VALUES, 7)):
        assert matrix.shape == [5, 7]
        np.testing.assert_array_equal(matrix.values.numpy(), VALUES)
        np.testing.assert_allclose(sparse_product(matrix, T(WEIGHT)).numpy(), MATRIX @ WEIGHT, rtol=1e-12)
    assert SparseRows.from_csr(INDPTR, INDICES, VALUES).shape == [5, INDICES.max() + 1]
    assert SparseRows.from_csr(np.zeros(3, int), np.zeros(0, int), np.zeros(0)).shape == [2, 0]
    nothing = sparse_product(SparseRows.from_dense(np.zeros((2, 3))), T(np.ones((3, 4))))
    np.testing.assert_array_equal(nothing.numpy(), np.zeros((2, 4)))


def test_derivatives() -> None:
    matrix = SparseRows.from_dense(MATRIX)
    check_gradients(lambda values, weight: sparse_product(matrix._replace(values=values), weight) ** 2, VALUES, WEIGHT)


def test_compiled_with_the_matrix_as_an_argument() -> None:
    matrix, weight = SparseRows.from_dense(MATRIX), T(WEIGHT, stop_gradient=False)
    product = to_static(lambda matrix, weight: sparse_product(matrix, weight))(matrix, weight)
    np.testing.assert_allclose(product.numpy(), MATRIX @ WEIGHT, rtol=1e-12)
    product.sum().backward()
    np.testing.assert_allclose(weight.grad.numpy(), np.tile(MATRIX.sum(0)[:, None], (1, 3)), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: SparseRows.from_dense(np.zeros(3)), OperatorError, "a matrix has two axes"),
        (lambda: SparseRows.from_csr(INDPTR[:-1], INDICES, VALUES), OperatorError, "indptr must rise from 0 to the"),
        (lambda: SparseRows.from_csr(INDPTR[::-1], INDICES, VALUES), OperatorError, "indptr must rise from 0 to the"),
        (lambda: SparseRows.from_csr(INDPTR, INDICES, VALUES[1:]), OperatorError, "there must be as many values"),
        (lambda: SparseRows.from_csr(INDPTR, INDICES, VALUES, 3), OperatorIndexError, "is no node: there are 3"),
        (lambda: sparse_product(MATRIX, T(WEIGHT)), OperatorTypeError, "must be SparseRows, got ndarray"),
        (
            lambda: sparse_product(SparseRows.from_dense(MATRIX), T(WEIGHT[1:])),
            OperatorError,
            r"matrix \[5, 7\] needs a weight \[7, D\], got \[6, 3\]",
        ),
        (lambda: sparse_product(SparseRows.from_dense(MATRIX), WEIGHT), OperatorTypeError, "Tensor"),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
