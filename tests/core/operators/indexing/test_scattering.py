"""Scattering and writing along axes against numpy loops (core.operators.indexing.scattering, index_writing)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

X = np.arange(12, dtype="float32").reshape(4, 3)
U = np.arange(100, 109, dtype="float32").reshape(3, 3)
T = core.to_tensor


def equal(tensor: core.Tensor, expected: np.ndarray) -> None:
    assert tensor.shape == list(expected.shape)
    np.testing.assert_array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "uint8"])
def test_scatter_overwrites_with_the_last_or_adds_up_all(dtype: str) -> None:
    x, updates, index = X.astype(dtype), U.astype(dtype), np.array([2, 0, 2])
    expected = x.copy()
    expected[index] = updates
    equal(core.scatter(T(x), T(index), T(updates)), expected)
    expected = x.copy()
    expected[index] = 0
    np.add.at(expected, index, updates)
    equal(core.scatter(T(x), T(index), T(updates), overwrite=False), expected)
    equal(core.scatter(T(x), T(index[:, None]), T(updates)), core.scatter(T(x), T(index), T(updates)).numpy())
    equal(core.scatter(T(x), T(1), T(updates[0])), np.stack([x[0], updates[0], x[2], x[3]]))


def test_scatter_nd_adds_up() -> None:
    index = np.array([[[1, 0], [1, 0]], [[3, 2], [0, 1]]])
    updates = np.array([[1.0, 2.0], [4.0, 8.0]], "float32")
    expected = X.copy()
    np.add.at(expected, (index[..., 0], index[..., 1]), updates)
    equal(core.scatter_nd_add(T(X), T(index), T(updates)), expected)
    equal(core.scatter_nd(T(index), T(updates), [4, 3]), expected - X)
    equal(core.scatter_nd(T([[1], [1]]), T(U[:2]), [4, 3]), np.stack([X[0] * 0, U[0] + U[1], X[0] * 0, X[0] * 0]))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_index_add_and_index_fill(axis: int) -> None:
    index = np.array([1, -1, 1])
    value = np.random.default_rng(0).standard_normal([3 if i == axis % 2 else n for i, n in enumerate(X.shape)])
    value = value.astype("float32")
    expected = X.copy()
    view = expected if axis == 0 else expected.T
    np.add.at(view, index, value if axis == 0 else value.T)
    np.testing.assert_allclose(core.index_add(T(X), T(index), axis, T(value)).numpy(), expected, rtol=1e-6)
    expected = X.copy()
    (expected if axis == 0 else expected.T)[index] = 7
    equal(core.index_fill(T(X), T(index), axis, 7), expected)
    equal(core.index_fill(T(X), T(index), axis, T(7.0)), expected)


def test_index_put() -> None:
    rows, columns, value = np.array([0, -1, 0]), np.array([1, 2, 1]), np.array([5.0, 6.0, 7.0], "float32")
    expected = X.copy()
    expected[rows, columns] = value
    equal(core.index_put(T(X), (T(rows), T(columns)), T(value)), expected)
    expected = X.copy()
    np.add.at(expected, (rows, columns), value)
    equal(core.index_put(T(X), (T(rows), T(columns)), T(value), accumulate=True), expected)
    expected = X.copy()
    expected[X > 5] = 1
    equal(core.index_put(T(X), (T(X > 5),), T(1.0)), expected)
    expected = X.copy()
    expected[[[0], [1]], [0, 2]] = 3
    equal(core.index_put(T(X), (T([[0], [1]]), T([0, 2])), T(3.0)), expected)


@pytest.mark.parametrize("reduce", ["assign", "add", "mul", "multiply"])
@pytest.mark.parametrize("include", [True, False])
def test_put_along_axis(reduce: str, include: bool) -> None:
    index, value = np.array([[0, 0, -1], [2, 1, 2]]), np.array([[2.0, 3.0, 5.0], [7.0, 11.0, 13.0]], "float32")
    expected = X + 1
    if not include and reduce != "assign":
        for i, k in np.ndindex(2, 3):
            expected[i, index[i, k]] = 0 if reduce == "add" else 1
    for i, k in np.ndindex(2, 3):
        if reduce == "assign":
            expected[i, index[i, k]] = value[i, k]
        elif reduce == "add":
            expected[i, index[i, k]] += value[i, k]
        else:
            expected[i, index[i, k]] *= value[i, k]
    equal(core.put_along_axis(T(X + 1), T(index), T(value), 1, reduce, include, broadcast=False), expected)


def test_put_along_axis_broadcasts() -> None:
    expected = X.copy()
    expected[2] = 99
    equal(core.put_along_axis(T(X), T([[2]]), 99.0, 0), expected)


def test_the_forms_in_place() -> None:
    x = T(X)
    assert x.scatter_(T([1]), T(U[:1])) is x
    equal(x, np.stack([X[0], U[0], X[2], X[3]]))
    x.index_fill_(T([0]), 0, 1.0)
    assert x.numpy()[0].tolist() == [1, 1, 1]


FUNCTIONS: list[tuple[Callable[..., Any], Any, Any]] = [
    (lambda x, u, i: core.scatter(x, i, u) ** 2, [2, 0], (2, 3)),
    (lambda x, u, i: core.scatter(x, i, u, False) ** 2, [2, 2], (2, 3)),
    (lambda x, u, i: core.scatter_nd_add(x, i, u) ** 2, [[1, 1], [1, 1]], (2,)),
    (lambda x, u, i: core.scatter_nd(i, u**2, [4, 3]) * x, [[1], [0]], (2, 3)),
    (lambda x, u, i: core.index_add(x, i, 1, u) ** 2, [0, 0], (4, 2)),
    (lambda x, u, i: core.index_fill(x, i, 1, 2.0) ** 2 * u, [0, 1], (3,)),
    (lambda x, u, i: core.index_put(x, (i, i), u) ** 2, [0, 2], (2,)),
    (lambda x, u, i: core.index_put(x, (i,), u, True) ** 2, [1, 1], (2, 3)),
    (lambda x, u, i: core.put_along_axis(x, i, u, 1) ** 2, [[0, 1]] * 4, (4, 2)),
    (lambda x, u, i: core.put_along_axis(x, i, u, 1, "add") ** 2, [[0, 0]] * 4, (4, 2)),
]


@pytest.mark.parametrize("function, index, shape", FUNCTIONS)
def test_gradients_and_compilation(function: Callable[..., Any], index: Any, shape: Any) -> None:
    generator = np.random.default_rng(0)
    arrays = [generator.uniform(0.5, 1.5, (4, 3)), generator.uniform(0.5, 1.5, shape), np.array(index)]
    check_gradients(function, *arrays)
    check_compiled(function, *arrays)


def test_gradient_of_multiplying_along_an_axis() -> None:
    check_gradients(lambda x, u, i: core.put_along_axis(x, i, u, 1, "mul"), X + 1, X[:, :2] + 2, np.array([[0, 1]] * 4))


def test_overwritten_updates_receive_the_gradient_too_as_in_paddle() -> None:
    updates = core.to_tensor(U[:2], stop_gradient=False)
    core.scatter(T(X), T([1, 1]), updates).sum().backward()
    assert updates.grad is not None
    equal(updates.grad, np.ones((2, 3)))


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (
            lambda: core.scatter(T(X), T([4]), T(U[:1])),
            OperatorIndexError,
            "scatter: index 4 is outside an axis of size 4",
        ),
        (lambda: core.scatter(T(X), T([-1]), T(U[:1])), OperatorIndexError, "scatter: index -1 is outside"),
        (lambda: core.scatter(T(X), T([1]), T(U)), OperatorError, r"updates must be \[1, 3\], got \[3, 3\]"),
        (lambda: core.scatter(T(1.0), T([1]), T(U)), OperatorError, "scatter: x is 0-D"),
        (lambda: core.scatter(T(X), T([0.5]), T(U)), OperatorTypeError, "scatter: index must hold integers"),
        (
            lambda: core.scatter_nd_add(T(X), T([[4]]), T(U[:1])),
            OperatorIndexError,
            "scatter_nd_add: index of axis 0 4 is outside",
        ),
        (lambda: core.scatter_nd_add(T(X), T([[1]]), T(U)), OperatorError, r"updates must have the shape \[1, 3\]"),
        (lambda: core.index_add(T(X), T([4]), 0, T(U[:1])), OperatorIndexError, "index_add: index 4 is outside"),
        (lambda: core.index_add(T(X), T([[1]]), 0, T(U)), OperatorError, "index_add: index must be 1-D"),
        (lambda: core.index_add(T(X), T([1]), 0, T(U)), OperatorError, "does not broadcast"),
        (lambda: core.index_fill(T(X), T([1]), 2, 1.0), OperatorIndexError, "index_fill: axis 2 is outside"),
        (
            lambda: core.index_put(T(X), (T([1]),) * 3, T(1.0)),
            OperatorError,
            "index_put: 3 indices for a tensor of shape",
        ),
        (
            lambda: core.index_put(T(X), (T([9]),), T(1.0)),
            OperatorIndexError,
            "index_put: index of axis 0 9 is outside",
        ),
        (lambda: core.put_along_axis(T(X), T([[0]]), 1.0, 0, "median"), OperatorError, "reduce 'median' is unknown"),
        (
            lambda: core.put_along_axis(T(X), T([[4]]), 1.0, 0),
            OperatorIndexError,
            "put_along_axis: indices: 4 is outside",
        ),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
