"""Sorting, searching and distinct elements against numpy (core.operators.indexing.sorting, search, distinct)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients
from tests.sampling import sampled

X = np.random.default_rng(0).integers(-5, 5, (3, 4, 5)).astype("float32")
SPECIAL = np.array([3, np.nan, -np.inf, 1, np.inf, 3, np.nan, -2], "float32")
DTYPES = ["float32", "float64", "float16", "int64", "int32", "int8", "uint8", "bool"]
T = core.to_tensor


def equal(tensor: core.Tensor, expected: Any) -> None:
    assert tensor.shape == list(np.shape(expected))
    np.testing.assert_array_equal(tensor.numpy(), expected)


def descending(array: np.ndarray, axis: int) -> np.ndarray:
    """The stable falling order, NaN first."""
    keys = np.where(np.isnan(array), -np.inf, -array.astype("float64"))
    return np.argsort(np.where(np.isnan(array), -np.inf, keys), axis=axis, kind="stable")


def kind_of_sort(case: tuple[str, int]) -> Any:
    """Return what differs in kind: a kernel is compiled for each type."""
    return case if case[0] in ("float32", "int64") else case[0] in ("float16", "bool") and case[0]


@pytest.mark.parametrize(
    ("dtype", "axis"), sampled([(dtype, axis) for dtype in DTYPES for axis in (0, 1, -1)], 1000, kind_of_sort)
)
def test_order_of_every_type(dtype: str, axis: int) -> None:
    array = X.astype(dtype)
    order = np.argsort(array, axis=axis, kind="stable")
    equal(core.argsort(T(array), axis), order)
    equal(core.sort(T(array), axis), np.sort(array, axis))
    backwards = descending(array.astype("float64"), axis)
    equal(core.argsort(T(array), axis, descending=True), backwards)
    values, indices = core.topk(T(array), 2, axis)  # of equal elements it takes those that Paddle takes: see parity
    equal(values, np.take_along_axis(array, backwards.take(range(2), axis), axis))
    equal(values, np.take_along_axis(array, indices.numpy(), axis))
    values, indices = core.topk(T(array), 3, axis, largest=False)
    equal(values, np.take_along_axis(array, order.take(range(3), axis), axis))
    equal(values, np.take_along_axis(array, indices.numpy(), axis))
    assert (np.diff(np.sort(indices.numpy(), axis), axis=axis) > 0).all()  # each place once
    value, index = core.kthvalue(T(array), 2, axis, keepdim=True)
    equal(value, np.sort(array, axis).take([1], axis))
    equal(value, np.take_along_axis(array, index.numpy(), axis))
    assert core.sort(T(array), axis).dtype == dtype


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, -1, None])
def test_extremes(dtype: str, axis: Any) -> None:
    array = X.astype(dtype)
    equal(core.argmax(T(array), axis), array.argmax(axis))
    equal(core.argmin(T(array), axis), array.argmin(axis))
    kept = core.argmax(T(array), axis, keepdim=True, dtype="int32")
    assert kept.dtype == "int32"
    equal(kept, array.argmax(axis, keepdims=True))


def test_nan_counts_as_the_largest() -> None:
    x = T(SPECIAL)
    assert core.argsort(x).numpy().tolist() == [2, 7, 3, 0, 5, 4, 1, 6]
    assert core.argsort(x, descending=True).numpy().tolist() == [1, 6, 4, 0, 5, 3, 7, 2]
    assert core.topk(x, 4)[1].numpy().tolist() == [1, 6, 4, 0]
    assert core.topk(x, 3, largest=False)[1].numpy().tolist() == [2, 7, 3]
    assert core.argmax(x).item() == 1


def test_indices_beyond_what_float32_counts() -> None:
    long = np.zeros(2**24 + 4, "uint8")
    long[2**24 + 1] = 1
    assert core.argmax(T(long)).item() == 2**24 + 1
    assert core.argmax(T(np.array([2**53, 2**53 + 1, 2**53]))).item() == 1


def test_scalars_and_nothing() -> None:
    assert core.argsort(T(3.0)).shape == core.sort(T(3.0)).shape == core.argmax(T(3.0)).shape == []
    assert [x.shape for x in core.topk(T(3.0), 1)] == [x.shape for x in core.mode(T(3.0))] == [[], []]
    assert core.kthvalue(T(3.0), 1)[0].item() == 3.0
    assert core.sort(core.zeros([0, 3]), 0).shape == core.argsort(core.zeros([0, 3]), 0).shape == [0, 3]
    assert [x.shape for x in core.topk(core.zeros([0, 3]), 2)] == [[0, 2]] * 2
    assert core.argmax(core.zeros([0, 3]), 1).shape == [0]


def test_msort_and_methods() -> None:
    equal(core.msort(T(X)), np.sort(X, 0))
    equal(T(X).argsort(), np.argsort(X, kind="stable"))


def test_mode_is_the_last_of_the_most_frequent_and_smallest() -> None:
    array = np.array([[1.0, 2, 2, 1], [3, 3, 3, 1], [4, 2, 1, 3]])
    value, index = core.mode(T(array))
    equal(value, [1.0, 3.0, 1.0])
    equal(index, [3, 2, 2])
    value, index = core.mode(T(array.T), 0, keepdim=True)
    equal(value, [[1.0, 3.0, 1.0]])
    equal(index, [[3, 2, 2]])


@pytest.mark.parametrize("right", [False, True])
def test_where_numbers_belong(right: bool) -> None:
    edges, values = np.array([[1.0, 3, 5], [2, 2, 9]]), np.array([[0.0, 3, 9], [2, 3, 1]])
    side = "right" if right else "left"
    expected = np.stack([np.searchsorted(e, v, side) for e, v in zip(edges, values)])
    equal(core.searchsorted(T(edges), T(values), right=right), expected)
    equal(core.searchsorted(T(edges[0]), T(values), right=right), np.searchsorted(edges[0], values, side))
    found = core.bucketize(T(values), T(edges[0]), out_int32=True, right=right)
    assert found.dtype == "int32"
    equal(found, np.searchsorted(edges[0], values, side))
    assert core.searchsorted(T(edges[0]), 3.0, right=right).shape == []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_unique(dtype: str, axis: Any) -> None:
    array = np.array([[2, 1, 2], [0, 1, 0], [2, 1, 2]]).astype(dtype)
    expected = np.unique(array, True, True, True, axis=axis)
    for got, wanted in zip(core.unique(T(array), True, True, True, axis), expected):
        equal(got, wanted.reshape(-1) if wanted.dtype.kind == "i" and wanted is expected[2] else wanted)
    values = core.unique(T(array), axis=axis)
    assert values.dtype == dtype
    equal(values, expected[0])


def test_unique_consecutive() -> None:
    x = np.array([1, 1, 2, 2, 3, 1, 1, 2])
    values, inverse, counts = core.unique_consecutive(T(x), True, True, dtype="int32")
    equal(values, [1, 2, 3, 1, 2])
    equal(inverse, [0, 0, 1, 1, 2, 3, 3, 4])
    equal(counts, [2, 2, 1, 2, 1])
    assert counts.dtype == "int32"
    equal(core.unique_consecutive(T(np.array([[1, 2], [1, 2], [3, 4]])), axis=0), [[1, 2], [3, 4]])
    equal(core.unique_consecutive(T(np.array([[1, 1, 2], [3, 3, 4]])), axis=1), [[1, 2], [3, 4]])
    assert core.unique_consecutive(core.zeros([0])).shape == [0]


FUNCTIONS: list[Callable[..., Any]] = [
    lambda x: core.sort(x, 1) ** 2,
    lambda x: core.sort(x, 0, True) ** 2,
    lambda x: core.topk(x, 2)[0] ** 2,
    lambda x: core.topk(x, 2, 0, False)[0] ** 2,
    lambda x: core.kthvalue(x, 2, 1)[0] ** 2,
    lambda x: core.mode(x, 1)[0] ** 2,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_and_compilation(function: Callable[..., Any]) -> None:
    x = np.random.default_rng(0).permutation(12).reshape(3, 4).astype("float64") / 7 + 0.5
    check_gradients(function, x)
    check_compiled(function, x)


def test_searches_compile() -> None:
    check_compiled(lambda x: [core.argmax(x, 1), core.argmin(x), core.argsort(x, 0), core.topk(x, 2)[1]], X[0])
    check_compiled(core.searchsorted, np.array([1.0, 2.0]), X[0])


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: core.argmax(T(X), 3), OperatorIndexError, "argmax: axis 3 is outside"),
        (
            lambda: core.argmax(T(X), dtype="float32"),
            OperatorTypeError,
            "argmax: dtype must be int32 or int64, got 'float32'",
        ),
        (lambda: core.argmin(core.zeros([0])), OperatorError, r"argmin: there is no element along axis 0 of \[0\]"),
        (lambda: core.argsort(T(X), -4), OperatorIndexError, "argsort: axis -4 is outside"),
        (lambda: core.topk(T(X), 6), OperatorError, "topk: k must be between 1 and the axis's size 5, got 6"),
        (lambda: core.topk(T(X), 0), OperatorError, "topk: k must be between 1"),
        (lambda: core.kthvalue(T(X), 6), OperatorError, "kthvalue: k must be between 1 and the axis's size 5"),
        (lambda: core.mode(core.zeros([2, 0])), OperatorError, "mode: there is no element along axis 1"),
        (lambda: core.searchsorted(core.ones([2, 3]), core.ones([3, 1])), OperatorError, "searchsorted: rows of shape"),
        (lambda: core.bucketize(T(X), core.ones([2, 2])), OperatorError, "bucketize: sorted_sequence must be 1-D"),
        (lambda: core.unique(T(X), axis=3), OperatorIndexError, "unique: axis 3 is outside"),
        (lambda: core.unique(T(X), dtype="bool"), OperatorTypeError, "unique: dtype must be int32 or int64"),
        (lambda: core.unique_consecutive(T(X), axis=3), OperatorIndexError, "unique_consecutive: axis 3 is outside"),
    ],
)
def test_errors(call: Callable[[], Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
