"""Masks against numpy (core.operators.indexing.masking)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

X = np.random.default_rng(0).uniform(0.5, 1.5, (3, 4)).astype("float32")
M = X > 1
T = core.to_tensor


def equal(tensor: core.Tensor, expected: np.ndarray) -> None:
    assert tensor.shape == list(expected.shape)
    np.testing.assert_array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"])
def test_where_takes_from_both(dtype: str) -> None:
    x, y = (X * 9).astype(dtype), (X[0] * 5).astype(dtype)
    equal(core.where(T(M), T(x), T(y)), np.where(M, x, y))
    assert core.where(T(M), T(x), T(y)).dtype == dtype


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
def test_where_takes_numbers_that_are_not_0_for_true(dtype: str) -> None:
    triangle = np.tril(np.full((3, 3), 2, dtype))
    equal(core.where(T(triangle), T(X[:, :3]), T(-1.0)), np.where(triangle, X[:, :3], np.float32(-1)))
    equal(core.where(T(triangle))[0].flatten(), np.nonzero(triangle)[0])
    equal(core.where(T([0.5, np.nan, -0.0]), T(1.0), T(0.0)), np.array([1.0, 1.0, 0.0], "float32"))


def test_where_with_numbers_broadcasting_and_empty_shapes() -> None:
    equal(core.where(T(M), T(X), 0.0), np.where(M, X, np.float32(0)))
    assert core.where(T(M), T(X), 1).dtype == "float32"
    assert core.where(T(M), 1.0, 0.0).shape == [3, 4]
    equal(core.where(T(M[:, :1]), T(X), T(X[:1])), np.where(M[:, :1], X, X[:1]))
    equal(core.where(T(True), T(1.0), T(2.0)), np.array(1.0))
    assert core.where(T(M[:0]), T(X[:0]), T(X[:0])).shape == [0, 4]
    assert T(M).where(T(X), T(X)).shape == [3, 4]


def test_positions() -> None:
    equal(core.nonzero(T(M)), np.argwhere(M))
    for i, column in enumerate(core.nonzero(T(X * M), as_tuple=True)):
        equal(column, np.argwhere(M)[:, i : i + 1])
    assert [column.shape for column in core.where(T(M))] == [[M.sum(), 1]] * 2
    assert core.nonzero(core.zeros([2, 3])).shape == [0, 2]


def test_masked_select_and_fill() -> None:
    equal(core.masked_select(T(X), T(M)), X[M])
    equal(core.masked_select(T(X), T(M[0])), X[:, M[0]].reshape(-1))
    equal(core.masked_fill(T(X), T(M[0]), 9.0), np.where(M[0], np.float32(9), X))
    equal(core.masked_fill(T(X), T(M), T([2.0])), np.where(M, np.float32(2), X))
    x = T(X)
    assert x.masked_fill_(T(M), 0) is x
    equal(x, np.where(M, np.float32(0), X))


def test_one_hot_and_sequence_mask() -> None:
    equal(core.one_hot(T([[0, 3], [1, 1]]), 4), np.eye(4, dtype="float32")[[[0, 3], [1, 1]]])
    equal(core.one_hot(T(2), 3), np.array([0, 0, 1], "float32"))
    equal(core.sequence_mask(T([2, 0, 3])), np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1]]))
    mask = core.sequence_mask(T([[1], [4]]), maxlen=4, dtype="bool")
    assert mask.dtype == "bool"
    equal(mask, np.array([[[True, False, False, False]], [[True] * 4]]))


def test_gradients_and_compilation() -> None:
    def choose(x: core.Tensor, y: core.Tensor, mask: core.Tensor) -> core.Tensor:
        return core.where(mask, x**2, y**3)

    check_gradients(choose, X, X[0], M)
    check_compiled(choose, X, X[0], M)
    check_gradients(lambda x, mask: core.masked_select(x, mask) ** 2, X, M)
    check_gradients(lambda x, mask: core.masked_fill(x, mask, 2.0) ** 2, X, M)
    check_compiled(lambda x, mask: core.masked_fill(x, mask, 2.0) ** 2, X, M)
    check_compiled(lambda i: [core.one_hot(i, 4), core.sequence_mask(i, 4)], np.array([0, 3]))


def test_a_chosen_gradient_is_not_disturbed_by_what_was_not_chosen() -> None:
    x = T([0.0, 2.0], stop_gradient=False)
    core.where(x > 1, core.log(x), x).sum().backward()
    assert x.grad is not None
    equal(x.grad[1:], np.array([0.5], "float32"))


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: core.where([True], T(X), T(X)), OperatorTypeError, "where: condition must be a Tensor, got list"),
        (lambda: core.where(T(M), T(X)), OperatorError, "where: give both x and y, or neither"),
        (lambda: core.where(T(M), T(X), core.ones([3])), OperatorError, "where: shapes .* do not broadcast"),
        (lambda: core.nonzero(T(1.0)), OperatorError, r"nonzero: x is 0-D, it has no positions: reshape it to \[1\]"),
        (lambda: core.masked_select(T(X), T(X)), OperatorTypeError, "masked_select: mask must be bool"),
        (
            lambda: core.masked_select(T(X), core.ones([3], "bool")),
            OperatorError,
            "masked_select: shapes .* do not broadcast",
        ),
        (lambda: core.masked_fill(T(X), T(M), T([1.0, 2.0])), OperatorError, "value must be one number"),
        (lambda: core.one_hot(T([4]), 4), OperatorIndexError, "one_hot: class 4 is outside an axis of size 4"),
        (lambda: core.one_hot(T([-1]), 4), OperatorIndexError, "one_hot: class -1 is outside"),
        (lambda: core.one_hot(T([0]), 0), OperatorError, "one_hot: num_classes must be at least 1, got 0"),
        (lambda: core.one_hot(T([0.0]), 1), OperatorTypeError, "one_hot: x must hold integers"),
        (lambda: core.sequence_mask(T([0.0])), OperatorTypeError, "sequence_mask: x must hold integers"),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
