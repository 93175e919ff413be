"""Values placed into parts of a tensor, against numpy (core.operators.indexing.placing)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

X = np.arange(24.0).reshape(2, 3, 4) / 10
T = core.to_tensor


def test_one_slice() -> None:
    values = np.ones((2, 4)) * 7
    expected = X.copy()
    expected[:, -1] = values
    np.testing.assert_array_equal(core.select_scatter(T(X), T(values), 1, -1).numpy(), expected)
    check_gradients(lambda x, v: core.select_scatter(x, v, 1, 0) ** 2, X, values)
    check_compiled(lambda x, v: core.select_scatter(x, v, 1, 0) ** 2, X, values)


@pytest.mark.parametrize("offset, axis1, axis2", [(0, 0, 1), (1, 1, 2), (-1, 2, 0), (9, 0, 1)])
def test_diagonals(offset: int, axis1: int, axis2: int) -> None:
    old = np.diagonal(X, offset, axis1, axis2)
    new = np.arange(100.0, 100 + old.size).reshape(old.shape)
    mask = np.zeros(X.shape, bool)
    result = core.diagonal_scatter(T(X), T(new), offset, axis1, axis2).numpy()
    np.testing.assert_array_equal(np.diagonal(result, offset, axis1, axis2), new)
    marked = core.diagonal_scatter(T(mask), T(np.ones(old.shape, bool)), offset, axis1, axis2).numpy()
    np.testing.assert_array_equal(result[~marked], X[~marked])
    assert marked.sum() == old.size
    x = T(X)
    assert x.fill_diagonal_tensor_(T(new), offset, axis1, axis2) is x
    np.testing.assert_array_equal(x.numpy(), result)


def test_derivatives_of_diagonals() -> None:
    check_gradients(lambda x, y: core.diagonal_scatter(x, y, 1) ** 2, X[0], np.array([5.0, 6.0, 7.0]))
    check_compiled(lambda x, y: core.diagonal_scatter(x, y, 1) ** 2, X[0], np.array([5.0, 6.0, 7.0]))


@pytest.mark.parametrize("shape", [(3, 4), (7, 3), (3, 3, 3)])
@pytest.mark.parametrize("wrap", [False, True])
def test_a_number_on_the_diagonal(shape: Any, wrap: bool) -> None:
    expected = np.zeros(shape)
    np.fill_diagonal(expected, 5, wrap)
    np.testing.assert_array_equal(core.zeros(shape).fill_diagonal_(5, wrap=wrap).numpy(), expected)


def test_a_number_beside_the_diagonal_and_everywhere() -> None:
    np.testing.assert_array_equal(core.zeros([3, 4]).fill_diagonal_(1, offset=-1).numpy(), np.eye(3, 4, -1))
    np.testing.assert_array_equal(core.zeros([5, 2]).fill_diagonal_(1, 1, True).numpy().reshape(-1)[1::3], np.ones(3))
    x = core.ones([2])
    assert x.fill_(3.0) is x
    assert x.numpy().tolist() == [3.0, 3.0]
    assert x.zero_().numpy().tolist() == [0.0, 0.0]


def test_kinds_and_lists() -> None:
    assert core.is_floating_point(core.ones([1])) and not core.is_integer(core.ones([1]))
    assert core.is_integer(T([1])) and not core.is_integer(T([True]))
    assert core.tolist(T([[1, 2]])) == [[1, 2]]


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: core.select_scatter(T(X), T(X), 0, 0), OperatorError, r"values must have the shape \[3, 4\]"),
        (lambda: core.select_scatter(T(X), T(X[0]), 0, 2), OperatorIndexError, "index 2 is outside axis 0"),
        (lambda: core.diagonal_scatter(T(X), T(X)), OperatorError, r"y must have the shape \[4, 2\]"),
        (lambda: core.diagonal_scatter(T(X), T(X), 0, 1, 1), OperatorError, "axis1 1 and axis2 1 are the same axis"),
        (lambda: T(X).fill_diagonal_(1), OperatorError, "fill_diagonal_: expects a matrix or axes of one size"),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
