"""Reductions against numpy: values and types over all kinds of axes, empty inputs, derivatives, refusals."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.numeric import sums
from tests.core.gradient_check import check_gradients

X = np.random.default_rng(0).standard_normal((2, 3, 4)) * 3
AXES: list[Any] = [None, 0, -1, [0, 2], [1], []]
NUMPY: dict[str, Any] = {
    **{name: getattr(np, name) for name in "sum mean max min amax amin prod all any count_nonzero".split()},
    "logsumexp": lambda x, axis, keepdims: np.log(np.exp(x).sum(axis, keepdims=keepdims)),
}
TOLERANCE = {"float16": 4e-3, "float32": 2e-5}


def accepted(name: str, dtype: str) -> bool:
    if dtype == "bool" and name in ("max", "min", "amax", "amin", "prod"):
        return False
    return name != "logsumexp" or dtype.startswith("float")


CASES = [
    (name, dtype)
    for name in NUMPY
    for dtype in ("float64", "float32", "float16", "int64", "int32", "uint8", "bool")
    if accepted(name, dtype)
]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_values(name: str, dtype: str) -> None:
    x = (np.abs(X) if dtype == "uint8" else X).astype(dtype)
    wide = x.astype("float64") if dtype == "float16" else x
    for axis in AXES:
        for keepdim in (False, True):
            over = None if axis in (None, []) else tuple(axis) if isinstance(axis, list) else axis
            expected = NUMPY[name](wide, axis=over, keepdims=keepdim)
            if dtype == "uint8" and name in ("sum", "prod"):
                expected = expected.astype("uint8")
            got = getattr(core, name)(core.to_tensor(x), axis=axis, keepdim=keepdim)
            assert got.shape == list(np.shape(expected))
            scale = TOLERANCE.get(dtype, 1e-6 if name == "mean" else 1e-12)
            np.testing.assert_allclose(got.numpy(), expected, rtol=scale, atol=scale * 3)


def test_types() -> None:
    results = {"bool": "int64", "int32": "int64", "int64": "int64", "uint8": "uint8", "float16": "float16"}
    for dtype, result in results.items():
        assert core.sum(core.ones([2], dtype)).dtype == result
    assert core.mean(core.to_tensor([1, 2])).item() == 1.5 and core.mean(core.to_tensor([True, False])).item() == 0.5
    assert core.sum(core.to_tensor([1, 2]), dtype="float64").dtype == "float64"
    assert core.prod(core.to_tensor([1, 2]), dtype="float32").dtype == "float32"


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "amax", "amin", "prod", "logsumexp"])
@pytest.mark.parametrize("axis", [None, 1, [0, 2]])
def test_derivatives(name: str, axis: Any) -> None:
    check_gradients(lambda t: getattr(core, name)(t, axis=axis), X[:, :2, :2] / 3)


def test_a_zero_does_not_spoil_the_gradient_of_a_product() -> None:
    x = np.random.default_rng(1).uniform(0.5, 1.5, (3, 3))
    x[0, 0] = x[1, 1] = x[2, 1] = 0
    check_gradients(lambda t: core.prod(t, axis=1), x)
    for run in (core.prod, core.jit.to_static(lambda t: core.prod(t))):
        t = core.to_tensor([2.0, 0.0, 3.0], stop_gradient=False)
        run(t).backward()
        np.testing.assert_array_equal(t.grad.numpy(), [0, 6, 0])


def test_equal_extremes() -> None:
    for name, expected in (("max", [0, 1, 1]), ("amax", [0, 0.5, 0.5])):
        for run in (getattr(core, name), core.jit.to_static(lambda t, name=name: getattr(core, name)(t))):
            t = core.to_tensor([1.0, 5.0, 5.0], stop_gradient=False)
            run(t).backward()
            np.testing.assert_array_equal(t.grad.numpy(), expected)


def test_nothing_to_reduce() -> None:
    empty = core.zeros([0, 3])
    values = {"sum": 0, "prod": 1, "all": True, "any": False, "count_nonzero": 0, "logsumexp": -np.inf}
    for name, value in values.items():
        got = getattr(core, name)(empty)
        assert got.shape == [] and got.item() == value
        np.testing.assert_array_equal(getattr(core, name)(empty, axis=0).numpy(), [value] * 3)
        assert getattr(core, name)(empty, axis=1).shape == [0]
    assert np.isnan(core.mean(empty).item())
    for name in ("max", "min", "amax", "amin"):
        assert getattr(core, name)(empty, axis=1).shape == [0]
        with pytest.raises(OperatorError, match=rf"{name}: no elements along axis \[0\] of a tensor of shape \[0, 3\]"):
            getattr(core, name)(empty, axis=0)


def test_the_gradient_of_an_empty_sum_is_empty() -> None:
    empty = core.zeros([0, 3])
    empty.stop_gradient = False
    empty.sum().backward()
    assert empty.grad.shape == [0, 3]


def test_infinities_and_nan() -> None:
    inf, nan = float("inf"), float("nan")
    for values, total in (([inf, 1.0], inf), ([1.0, inf], inf), ([nan, inf], nan), ([inf, -inf], nan)):
        np.testing.assert_equal(core.sum(core.to_tensor(values)).item(), total)
    rows = core.to_tensor([[inf, 1.0], [-inf, -inf], [1000.0, 1000.0], [nan, 1.0]])
    np.testing.assert_allclose(core.logsumexp(rows, axis=1).numpy(), [inf, -inf, 1000 + np.log(2), nan], rtol=1e-6)
    assert np.isnan(core.max(core.to_tensor([1.0, nan, 2.0])).item())


def test_every_combination_of_axes_sums_right_eagerly_and_compiled() -> None:
    x = np.random.default_rng(2).standard_normal((2, 3, 1, 4, 2))
    for count in range(1, 6):
        for axes in combinations(range(5), count):
            t = core.to_tensor(x, stop_gradient=False)
            expected = x.sum(axes)
            np.testing.assert_allclose(core.sum(t, axis=list(axes)).numpy(), expected, rtol=0, atol=1e-12)
            program = core.jit.to_static(lambda t, axes=axes: core.sum(t, axis=list(axes)))
            got = program(t)
            np.testing.assert_allclose(got.numpy(), expected, rtol=0, atol=1e-12)
            (got * got).sum().backward()
            spread = np.broadcast_to(2 * x.sum(axes, keepdims=True), x.shape)
            np.testing.assert_allclose(t.grad.numpy(), spread, rtol=0, atol=1e-12)


def test_sums_are_planned_as_few_products() -> None:
    assert sums.steps((8, 64, 56, 56), (0, 2, 3)) == [(512, 3136, 1), (1, 8, 64)]
    assert sums.steps((8192,), (0,)) == [(8, 1024, 1), (1, 8, 1)]
    assert sums.steps((3, 1), (1,)) == []


def test_long_sums_are_exact_to_a_few_units() -> None:
    x = np.random.default_rng(3).random(1 << 20, dtype=np.float32)
    np.testing.assert_allclose(core.sum(core.to_tensor(x)).item(), x.sum(dtype=np.float64), rtol=1e-6)


def test_refusals() -> None:
    x = core.ones([2, 3])
    with pytest.raises(OperatorIndexError, match="sum: axis 2 is outside a tensor of 2 dimensions"):
        core.sum(x, axis=2)
    with pytest.raises(OperatorError, match="names one axis twice"):
        core.mean(x, axis=[0, -2])
    with pytest.raises(OperatorTypeError, match="max: expects numbers, got a bool tensor"):
        core.max(core.to_tensor([True]))
    with pytest.raises(OperatorTypeError, match="logsumexp: expects a floating-point tensor, got int64"):
        core.logsumexp(core.to_tensor([1]))
    with pytest.raises(OperatorTypeError, match="sum: x must be a Tensor"):
        core.sum([1, 2])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_many_rows(dtype: str) -> None:
    numbers = np.random.RandomState(0).randn(3, 5000, 20).astype(dtype)
    for x, axis in ((numbers[0], 0), (numbers, (0, 1)), (numbers, 1)):
        expected = x.astype("f8").sum(axis=axis)
        for keepdim in (False, True):
            got = core.sum(core.to_tensor(x), axis=list(np.atleast_1d(axis)), keepdim=keepdim)
            assert got.dtype == dtype
            np.testing.assert_allclose(got.numpy().reshape(expected.shape), expected, rtol=1e-4, atol=1e-4)
    numbers[0, 7] = np.inf
    numbers[0, 9, 1] = -np.inf
    total = core.sum(core.to_tensor(numbers[0]), axis=0).numpy()
    assert np.isnan(total[1]) and np.isinf(np.delete(total, 1)).all()
