"""Comparisons, truth, bits and closeness against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError

COMPARISONS = {
    "equal": np.equal, "not_equal": np.not_equal, "less_than": np.less, "less_equal": np.less_equal,
    "greater_than": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "bool"])
def test_comparisons(name: str, dtype: str) -> None:
    x = np.array([[0, 1, 2], [2, 1, 0]]).astype(dtype)
    y = np.array([1, 1, 1]).astype(dtype)
    got = getattr(core, name)(core.to_tensor(x), core.to_tensor(y))
    assert got.dtype == "bool" and got.stop_gradient
    np.testing.assert_array_equal(got.numpy(), COMPARISONS[name](x, y))
    np.testing.assert_array_equal(getattr(core, name)(core.to_tensor(x), 1).numpy(), COMPARISONS[name](x, 1))
    assert getattr(core, name)(core.zeros([0, 3]), core.zeros([3])).shape == [0, 3]


def test_a_float_number_compares_exactly_with_integers() -> None:
    np.testing.assert_array_equal((core.to_tensor([1, 2]) > 1.5).numpy(), [False, True])


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("dtype", ["bool", "float32", "int64"])
def test_truth(name: str, dtype: str) -> None:
    x, y = np.array([0, 0, 2, 1]).astype(dtype), np.array([0, 3, 0, 1]).astype(dtype)
    got = getattr(core, name)(core.to_tensor(x), core.to_tensor(y))
    assert got.dtype == "bool"
    np.testing.assert_array_equal(got.numpy(), getattr(np, name)(x, y))
    np.testing.assert_array_equal(core.logical_not(core.to_tensor(x)).numpy(), np.logical_not(x))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int32", "int64"])
def test_bits(name: str, dtype: str) -> None:
    x, y = np.array([0, 5, 3, 1]).astype(dtype), np.array([[1], [6]]).astype(dtype)
    got = getattr(core, name)(core.to_tensor(x), core.to_tensor(y))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.numpy(), getattr(np, name)(x, y))
    np.testing.assert_array_equal(core.bitwise_not(core.to_tensor(x)).numpy(), np.bitwise_not(x))
    out = core.zeros([1])
    assert getattr(core, name)(core.to_tensor(x), core.to_tensor(y), out) is out
    np.testing.assert_array_equal(out.numpy(), got.numpy())


def test_bits_of_large_integers_and_refusals() -> None:
    assert (core.to_tensor([2**62 + 1]) & (2**62)).item() == 2**62
    with pytest.raises(OperatorTypeError, match="bitwise_and: expects integers or bools, got float32"):
        core.bitwise_and(core.ones([1]), core.ones([1]))
    with pytest.raises(OperatorError, match="do not broadcast"):
        core.logical_and(core.ones([2]), core.ones([3]))


def test_states_of_numbers() -> None:
    x = np.array([1.0, np.nan, np.inf, -np.inf])
    for dtype in ("float16", "float32", "float64"):
        for name in ("isnan", "isinf", "isfinite"):
            got = getattr(core, name)(core.to_tensor(x.astype(dtype)))
            np.testing.assert_array_equal(got.numpy(), getattr(np, name)(x))
    assert not core.isnan(core.to_tensor([1])).numpy().any() and core.isfinite(core.to_tensor([1])).numpy().all()


def test_closeness() -> None:
    x = np.array([1.0, 1.0 + 1e-6, 2.0, np.inf, np.inf, np.nan, 5.0])
    y = np.array([1.0, 1.0, 2.1, np.inf, -np.inf, np.nan, np.inf])
    for equal_nan in (False, True):
        got = core.isclose(core.to_tensor(x), core.to_tensor(y), equal_nan=equal_nan)
        np.testing.assert_array_equal(got.numpy(), np.isclose(x, y, equal_nan=equal_nan))
        assert core.allclose(core.to_tensor(x), core.to_tensor(y), equal_nan=equal_nan).shape == []
    assert core.allclose(core.to_tensor(x[:2]), core.to_tensor(y[:2])).item() is True
    assert core.allclose(core.to_tensor([1, 2]), core.to_tensor([1, 2])).item() is True


def test_whole_tensor_questions() -> None:
    x = core.to_tensor([1, 2])
    assert core.equal_all(x, core.to_tensor([1, 2])).item() is True
    assert core.equal_all(x, core.to_tensor([1, 3])).item() is False
    assert core.equal_all(x, core.to_tensor([[1, 2]])).item() is False
    assert core.is_empty(core.zeros([0, 2])).item() is True and core.is_empty(x).shape == []
    assert core.is_tensor(x) and not core.is_tensor([1])
