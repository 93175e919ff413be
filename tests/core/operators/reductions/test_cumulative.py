"""Running sums, products and extremes, differences and integrals against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.gradient_check import check_gradients

X = np.random.default_rng(0).standard_normal((2, 3, 4))
AXES = [None, 0, 1, -1]


def maximum_positions(x: np.ndarray, axis: int, sign: int) -> np.ndarray:
    """Where the running extreme was last met, found by looking at every prefix."""
    moved = np.moveaxis(x * sign, axis, -1)
    found = np.empty(moved.shape, np.int64)
    for place in np.ndindex(*moved.shape):
        prefix = moved[place[:-1]][: place[-1] + 1]
        found[place] = len(prefix) - 1 - np.argmax(prefix[::-1])
    return np.moveaxis(found, -1, axis)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "int32"])
def test_values(axis: Any, dtype: str) -> None:
    x = (X * (3 if "int" in dtype else 1)).astype(dtype)
    wide = x.astype("float64") if "float" in dtype else x
    loose = {"float16": 1e-2, "float32": 1e-5}.get(dtype, 1e-12)
    t = core.to_tensor(x)
    for name, expected in (("cumsum", np.cumsum(wide, axis)), ("cumprod", np.cumprod(wide, axis))):
        got = getattr(core, name)(t, axis)
        assert got.dtype == dtype and got.shape == list(expected.shape)
        np.testing.assert_allclose(got.numpy(), expected, rtol=loose, atol=loose)
    for name, function, sign in (("cummax", np.maximum, 1), ("cummin", np.minimum, -1)):
        line = x.ravel() if axis is None else x
        values, positions = getattr(core, name)(t, axis, "int32")
        assert values.dtype == dtype and positions.dtype == "int32"
        np.testing.assert_array_equal(values.numpy(), function.accumulate(line, axis or 0))
        np.testing.assert_array_equal(positions.numpy(), maximum_positions(line, axis or 0, sign))
    if "float" in dtype:
        expected = np.logaddexp.accumulate(wide.ravel() if axis is None else wide, axis or 0)
        np.testing.assert_allclose(core.logcumsumexp(t, axis).numpy(), expected, rtol=loose, atol=loose)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"])
@pytest.mark.parametrize("axis", [None, 1])
def test_derivatives(name: str, axis: Any) -> None:
    check_gradients(lambda t: getattr(core, name)(t, axis), X[:, :, :2])


def test_zeros_do_not_spoil_the_gradient_of_a_running_product() -> None:
    x = np.random.default_rng(1).uniform(0.5, 1.5, (3, 4))
    x[0, 0] = x[1, 1] = x[2, 1] = x[2, 3] = 0
    check_gradients(lambda t: core.cumprod(t, 1), x, order=1)
    check_gradients(lambda t: core.cumprod(t, 1), x[:2])


def test_running_logarithms_do_not_overflow() -> None:
    t = core.to_tensor([0.0, 1000.0, -1000.0, 2000.0], stop_gradient=False)
    got = core.logcumsumexp(t)
    np.testing.assert_allclose(got.numpy(), [0, 1000, 1000, 2000])
    core.autograd.backward([got], [core.to_tensor([1.0, -1.0, 2.0, 1.0])])
    np.testing.assert_allclose(t.grad.numpy(), [1, 1, 0, 1], atol=1e-3)


def test_nan_stays_the_running_extreme() -> None:
    values, positions = core.cummax(core.to_tensor([1.0, 3.0, 3.0, 2.0, float("nan"), 5.0]))
    np.testing.assert_array_equal(values.numpy(), [1, 3, 3, 3, np.nan, np.nan])
    np.testing.assert_array_equal(positions.numpy(), [0, 1, 2, 2, 4, 4])


def test_scalars_and_nothing() -> None:
    for name in ("cumsum", "cumprod", "logcumsumexp"):
        assert getattr(core, name)(core.to_tensor(3.0), 0).shape == []
        assert getattr(core, name)(core.to_tensor(3.0)).shape == [1]
        assert getattr(core, name)(core.zeros([0, 3]), 1).shape == [0, 3]
    assert core.cummax(core.zeros([0, 3]), 1)[1].shape == [0, 3]
    assert core.cumsum(core.to_tensor([True, True])).numpy().tolist() == [1, 2]
    assert core.cumsum(core.to_tensor([1, 2]), dtype="float64").dtype == "float64"


def test_differences() -> None:
    t = core.to_tensor(X)
    for n in (1, 2, 5):
        np.testing.assert_allclose(core.diff(t, n, 2).numpy(), np.diff(X, n, 2))
    got = core.diff(core.to_tensor([1, 4, 9]), prepend=core.to_tensor([0]), append=core.to_tensor([5]))
    assert got.numpy().tolist() == [1, 3, 5, -4]
    assert core.diff(core.to_tensor([True, False, False])).numpy().tolist() == [True, False]
    check_gradients(lambda a: core.diff(a, 2, 1), X[:, :, 0])
    with pytest.raises(OperatorError, match="diff: expects at least 1 axis and n of at least 1"):
        core.diff(t, 0)


def integral(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Integrate along the last axis."""
    return ((y[..., 1:] + y[..., :-1]) / 2 * np.diff(x)).sum(-1)


def test_integrals() -> None:
    y, x = X, np.cumsum(np.abs(np.random.default_rng(2).standard_normal(4)))
    t = core.to_tensor
    for axis in (0, 2, -1):
        moved = np.moveaxis(y, axis, -1)
        expected = integral(moved, 0.5 * np.arange(moved.shape[-1]))
        np.testing.assert_allclose(core.trapezoid(t(y), dx=0.5, axis=axis).numpy(), expected)
    np.testing.assert_allclose(core.trapezoid(t(y), t(x)).numpy(), integral(y, x))
    expected = np.stack([integral(y[..., : i + 1], x[: i + 1]) for i in range(1, 4)], -1)
    np.testing.assert_allclose(core.cumulative_trapezoid(t(y), t(x)).numpy(), expected)
    check_gradients(core.trapezoid, y[0], np.broadcast_to(x, (3, 4)).copy())
    with pytest.raises(OperatorError, match="trapezoid: give x or dx, not both"):
        core.trapezoid(t(y), t(x), dx=1.0)


def test_refusals() -> None:
    with pytest.raises(OperatorIndexError, match="cumsum: axis 3 is outside a tensor of 3 dimensions"):
        core.cumsum(core.to_tensor(X), 3)
    with pytest.raises(OperatorTypeError, match="logcumsumexp: expects a floating-point tensor, got int64"):
        core.logcumsumexp(core.to_tensor([1]))
    with pytest.raises(OperatorTypeError, match="cummax: expects numbers, got a bool tensor"):
        core.cummax(core.to_tensor([True]))
