"""Gathering and slicing against numpy (core.operators.indexing.gathering, slicing)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients

X = np.arange(24, dtype="float32").reshape(2, 3, 4)
T = core.to_tensor


def equal(tensor: core.Tensor, expected: np.ndarray) -> None:
    assert tensor.shape == list(expected.shape)
    np.testing.assert_array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_gather_and_index_select(dtype: str, kind: str) -> None:
    array, index = (X % 7).astype(dtype), np.array([1, 0, 1], kind)
    for axis in (0, 1, -1):
        equal(core.gather(T(array), T(index), axis), np.take(array, index, axis))
        equal(core.index_select(T(array), T(index), axis), np.take(array, index, axis))
    equal(core.gather(T(array), T(index[:, None])), array[index])
    equal(core.gather(T(array), T(np.array(1, kind))), array[1])
    equal(core.gather(T(array), T(index[:0]), 1), array[:, :0])


def test_gather_nd() -> None:
    index = np.array([[[0, 1], [1, 2]], [[1, 0], [0, 0]]])
    equal(core.gather_nd(T(X), T(index)), X[index[..., 0], index[..., 1]])
    equal(core.gather_nd(T(X), T([1])), X[1])
    equal(core.gather_nd(T(X), T([1, 2, 3])), X[1, 2, 3])
    equal(core.gather_nd(T(X), core.zeros([2, 0], "int64")), np.stack([X, X]))
    equal(core.gather_nd(T(X), core.zeros([0, 2], "int64")), np.zeros((0, 4), "float32"))


def test_take_in_its_three_modes() -> None:
    index = np.array([[-1, 3], [30, -50]])
    equal(core.take(T(X), T(index[:1])), np.take(X, index[:1]))
    equal(core.take(T(X), T(index), "wrap"), np.take(X, index, mode="wrap"))
    equal(core.take(T(X), T(index), "clip"), np.take(X, index, mode="clip"))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_along_axis(axis: int) -> None:
    index = np.random.default_rng(0).integers(-2, 2, [5 if i == axis % 3 else size for i, size in enumerate(X.shape)])
    equal(core.take_along_axis(T(X), T(index), axis), np.take_along_axis(X, index, axis))
    narrow = index.take([0], axis=(axis + 1) % 3)
    equal(
        core.take_along_axis(T(X), T(narrow), axis), np.take_along_axis(X, np.broadcast_to(narrow, index.shape), axis)
    )
    equal(
        core.take_along_axis(T(X), T(narrow), axis, False), np.take_along_axis(X, index, axis).take([0], (axis + 1) % 3)
    )


def test_index_sample() -> None:
    index = np.array([[0, 1], [2, 2]])
    equal(core.index_sample(T(X[:, :, 0]), T(index)), np.take_along_axis(X[:, :, 0], index, 1))


def test_slices() -> None:
    x = T(X)
    equal(core.slice(x, [0, 2], [-1, 1], [5, -1]), X[-1:5, :, 1:-1])
    equal(core.slice(x, [1], [T(1)], T([3])), X[:, 1:3])
    equal(core.strided_slice(x, [1, 2], [2, 3], [0, -10], [-1, -2]), X[:, 2:0:-1, 3::-2])
    equal(core.slice(x, [1], [2], [1]), X[:, 2:1])
    equal(core.crop(x, [1, -1, 2], [1, 1, 0]), X[1:2, 1:, 0:2])
    equal(core.crop(x, [1, 2, 0]), X[:1, :2, :0])
    equal(core.crop(x), X)


FUNCTIONS: list[tuple[Callable[..., Any], Any]] = [
    (lambda x, i: core.gather(x, i, 1) ** 2, [2, 0, 2]),
    (lambda x, i: core.gather(x, i) ** 2, [1, 1]),
    (lambda x, i: core.gather(x, i, 2) ** 2, 1),
    (lambda x, i: core.gather_nd(x, i) ** 2, [[0, 1], [0, 1]]),
    (lambda x, i: core.take(x, i) ** 2, [[-1, 2], [2, 5]]),
    (lambda x, i: core.take_along_axis(x, i, -1) ** 2, [[[1, -1], [0, 0], [2, 2]]] * 2),
    (lambda x, i: core.slice(x, [1, 2], [1, 0], [3, 2]) ** 2, 0),
    (lambda x, i: core.strided_slice(x, [2], [3], [0], [-2]) ** 2, 0),
    (lambda x, i: core.crop(x, [1, 2, 2], [1, 0, 1]) ** 2, 0),
]


@pytest.mark.parametrize("function, index", FUNCTIONS)
def test_gradients_and_compilation(function: Callable[..., Any], index: Any) -> None:
    x = np.random.default_rng(0).uniform(0.5, 1.5, (2, 3, 4))
    check_gradients(function, x, np.array(index))
    check_compiled(function, x, np.array(index))


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (
            lambda: core.gather(T(X), T([2])),
            OperatorIndexError,
            r"gather: index 2 is outside an axis of size 2: use \[0, 2\)",
        ),
        (lambda: core.gather(T(X), T([-1])), OperatorIndexError, "gather: index -1 is outside an axis of size 2"),
        (
            lambda: core.gather(T(X), T([[0, 1]])),
            OperatorError,
            r"index must have the shape \[n\] or \[n, 1\], got \[1, 2\]",
        ),
        (lambda: core.gather(T(X), T([0.5])), OperatorTypeError, "gather: index must hold integers, got float32"),
        (lambda: core.gather(T(X), [0]), OperatorTypeError, "gather: index must be a Tensor, got list"),
        (lambda: core.gather(T(X), T([0]), 3), OperatorIndexError, "gather: axis 3 is outside"),
        (lambda: core.index_select(T(X), T([[0]])), OperatorError, "index_select: index must be 1-D"),
        (
            lambda: core.index_select(T(X), T([9]), 1),
            OperatorIndexError,
            "index_select: index 9 is outside an axis of size 3",
        ),
        (lambda: core.gather_nd(T(X), T([[0, 3]])), OperatorIndexError, "gather_nd: index of axis 1 3 is outside"),
        (lambda: core.gather_nd(T(X), T([[0] * 4])), OperatorError, "index has 4 components, but x has only 3 axes"),
        (lambda: core.gather_nd(T(X), T(0)), OperatorError, "gather_nd: index must have at least one axis"),
        (lambda: core.take(T(X), T([24])), OperatorIndexError, "take: index 24 is outside an axis of size 24"),
        (lambda: core.take(T(X), T([0]), "jump"), OperatorError, "take: mode 'jump' is unknown"),
        (lambda: core.take(core.zeros([0]), T([0]), "wrap"), OperatorIndexError, "take: x has no elements"),
        (lambda: core.take_along_axis(T(X), T([0]), 0), OperatorError, "indices must have arr's rank"),
        (
            lambda: core.take_along_axis(T(X), T([[[3]]]), 1),
            OperatorIndexError,
            "take_along_axis: indices: 3 is outside",
        ),
        (lambda: core.take_along_axis(T(X), T([[[0]] * 2]), 0), OperatorError, "do not broadcast"),
        (lambda: core.index_sample(T(X), T([[0]])), OperatorError, "index_sample: x and index must have as many rows"),
        (lambda: core.slice(T(X), [0], [0, 1], [1]), OperatorError, "slice: 1 axes, 2 starts, 1 ends"),
        (
            lambda: core.strided_slice(T(X), [0], [0], [1], [0]),
            OperatorError,
            "strided_slice: the stride of axis 0 is 0",
        ),
        (lambda: core.slice(T(X), [3], [0], [1]), OperatorIndexError, "slice: axis 3 is outside"),
        (lambda: core.crop(T(X), [3, 1, 1]), OperatorError, "crop: 3 elements from 0 reach beyond axis 0"),
        (lambda: core.crop(T(X), [1, 1]), OperatorError, "crop: x has 3 axes, shape 2, offsets 3"),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
