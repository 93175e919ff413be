"""Variance, order statistics, counts, covariance and norms against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from tests.core.gradient_check import check_gradients

X = np.random.default_rng(0).standard_normal((2, 3, 4))
HOLES = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
AXES: list[Any] = [None, 0, -1, [0, 2], [1]]


def over(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_spread(axis: Any, keepdim: bool, dtype: str) -> None:
    x = X.astype(dtype)
    loose = {"float16": 4e-3, "float32": 1e-5}.get(dtype, 1e-12)
    for name in ("var", "std"):
        for unbiased in (False, True):
            got = getattr(core, name)(core.to_tensor(x), axis=axis, unbiased=unbiased, keepdim=keepdim)
            expected = getattr(np, name)(x.astype("float64"), axis=over(axis), ddof=int(unbiased), keepdims=keepdim)
            assert got.dtype == dtype and got.shape == list(np.shape(expected))
            np.testing.assert_allclose(got.numpy(), expected, rtol=loose, atol=loose)


def test_spread_of_one_element_and_of_none() -> None:
    assert core.var(core.to_tensor([3.0])).item() == 0 and core.std(core.to_tensor(3.0)).item() == 0
    assert np.isnan(core.var(core.zeros([0]), unbiased=False).item())
    assert core.var(core.to_tensor([1, 2])).item() == 0.5
    check_gradients(lambda t: core.var(t, axis=1), X[:, :, 0])
    check_gradients(lambda t: core.std(t, unbiased=False), X[:, :2, 0])


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:All-NaN slice")  # numpy's, about the expected values
@pytest.mark.parametrize("axis", AXES)
def test_statistics_that_skip_nan(axis: Any) -> None:
    for dtype in ("float32", "float64"):
        x = HOLES.astype(dtype)
        for name in ("nansum", "nanmean", "nanmedian"):
            got = getattr(core, name)(core.to_tensor(x), axis=axis)
            assert got.dtype == dtype
            np.testing.assert_allclose(got.numpy(), getattr(np, name)(x, axis=over(axis)), rtol=2e-6, atol=2e-7)
    q = [0.1, 0.5, 0.77]
    got = core.nanquantile(core.to_tensor(HOLES), q, axis=axis, keepdim=True)
    np.testing.assert_allclose(got.numpy(), np.nanquantile(HOLES, q, axis=over(axis), keepdims=True), rtol=1e-12)
    assert core.nansum(core.to_tensor([1, 2])).item() == 3


def test_gradients_pass_by_nan() -> None:
    x = core.to_tensor([1.0, float("nan"), 3.0], stop_gradient=False)
    core.nanmean(x).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0.5, 0, 0.5])


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdim", [False, True])
def test_quantiles(axis: Any, keepdim: bool) -> None:
    for q in (0.0, 0.3, 1.0, [0.25, 0.5], [1.0]):
        got = core.quantile(core.to_tensor(X.astype("float32")), q, axis=axis, keepdim=keepdim)
        expected = np.quantile(X.astype("float32").astype("float64"), q, axis=over(axis), keepdims=keepdim)
        assert got.dtype == "float64" and got.shape == list(np.shape(expected))
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12)
    if not isinstance(axis, list):
        got = core.median(core.to_tensor(X), axis=axis, keepdim=keepdim)
        np.testing.assert_allclose(got.numpy(), np.median(X, axis=axis, keepdims=keepdim), rtol=1e-12)


def test_order_statistics_at_the_edges() -> None:
    inf, nan = float("inf"), float("nan")
    assert core.median(core.to_tensor([3, 1, 2, 4])).item() == 2.5
    assert np.isnan(core.median(core.to_tensor([1.0, nan, 2.0])).item())
    assert core.nanmedian(core.to_tensor([1.0, nan, 2.0])).item() == 1.5
    assert np.isnan(core.nanmedian(core.to_tensor([nan, nan])).item())
    assert core.median(core.to_tensor([inf, inf, 1.0])).item() == inf
    assert core.median(core.to_tensor(5.0)).item() == 5
    check_gradients(lambda t: core.median(t, axis=1), X[:, :, :2])
    check_gradients(lambda t: core.quantile(t, [0.2, 0.9], axis=0), X[:, :, 0])
    with pytest.raises(OperatorError, match=r"quantile: q must lie within \[0, 1\], got 1.5"):
        core.quantile(core.ones([2]), 1.5)
    with pytest.raises(OperatorError, match=r"median: no elements along axis \[0\] of a tensor of shape \[0\]"):
        core.median(core.zeros([0]))
    with pytest.raises(OperatorIndexError, match="median: axis 1 is outside a tensor of 1 dimensions"):
        core.median(core.ones([2]), axis=1)


@pytest.mark.parametrize("p", ["fro", 0, 1, 2, 3, 2.5, -2, float("inf"), float("-inf")])
def test_norms(p: Any) -> None:
    power = 2 if p == "fro" else p
    for axis in (None, 0, -1):
        expected = np.linalg.norm(X.ravel() if axis is None else X, power, axis)
        np.testing.assert_allclose(core.norm(core.to_tensor(X), p, axis).numpy(), expected, rtol=1e-12)
        kept = core.norm(core.to_tensor(X.astype("float32")), p, axis, keepdim=True)
        assert kept.dtype == "float32" and kept.ndim == 3
        np.testing.assert_allclose(kept.numpy().reshape(np.shape(expected)), expected, rtol=1e-5)
    if p != 0:
        got = core.norm(core.to_tensor(X), p, [0, 2])
        lined = X.transpose(1, 0, 2).reshape(3, -1)
        np.testing.assert_allclose(got.numpy(), np.linalg.norm(lined, power, 1), rtol=1e-12)
        check_gradients(lambda t: core.norm(t, p, 1), np.abs(X[0, :, :2]) + 0.2)


def test_norms_at_the_edges() -> None:
    x = core.zeros([3])
    x.stop_gradient = False
    core.norm(x).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 0, 0])
    assert core.norm(core.to_tensor(-3.0)).item() == 3 and core.norm(core.zeros([0])).item() == 0
    assert core.norm(core.to_tensor([3, 4])).item() == 5
    with pytest.raises(OperatorError, match="norm: p must be a number or 'fro', got 'nuc'"):
        core.norm(x, "nuc")
    with pytest.raises(OperatorError, match="p = 0 is not defined for two axes"):
        core.norm(core.ones([2, 2]), 0, [0, 1])
    assert core.dist(core.to_tensor([[1.0], [3.0]]), core.to_tensor([1.0, 2.0]), 1).item() == 1 + 2 + 1
    got = core.renorm(core.to_tensor([[1.0, 2.0], [0.1, 0.2]]), 2.0, 0, 1.0).numpy()
    np.testing.assert_allclose(got, [[1 / 5**0.5, 2 / 5**0.5], [0.1, 0.2]], rtol=1e-6)


def test_histogram() -> None:
    for dtype in ("float32", "int64"):
        x = (X * 3).astype(dtype)
        np.testing.assert_array_equal(core.histogram(core.to_tensor(x), 5).numpy(), np.histogram(x, 5)[0])
        got = core.histogram(core.to_tensor(x), 4, -2, 2)
        assert got.dtype == "int64"
        np.testing.assert_array_equal(got.numpy(), np.histogram(x, 4, (-2, 2))[0])
    np.testing.assert_array_equal(core.histogram(core.zeros([0]), 3).numpy(), [0, 0, 0])
    with pytest.raises(OperatorError, match="histogram: bins must be at least 1, got 0"):
        core.histogram(core.ones([1]), 0)
    with pytest.raises(OperatorError, match="the input is not finite"):
        core.histogram(core.to_tensor([float("nan")]))


def test_bincount() -> None:
    x = np.array([0, 3, 1, 3])
    np.testing.assert_array_equal(core.bincount(core.to_tensor(x)).numpy(), np.bincount(x))
    weights = np.array([0.5, 1, 2, 4])
    got = core.bincount(core.to_tensor(x), core.to_tensor(weights), 6)
    np.testing.assert_array_equal(got.numpy(), np.bincount(x, weights, 6))
    assert core.bincount(core.zeros([0], "int64"), minlength=2).shape == [2]
    with pytest.raises(OperatorError, match="the elements must not be negative, got -1"):
        core.bincount(core.to_tensor([1, -1]))
    with pytest.raises(OperatorTypeError, match="bincount: expects integers, got float32"):
        core.bincount(core.ones([2]))


def test_covariance_and_correlation() -> None:
    x, counts, weights = X[0], np.array([1, 3, 2, 1]), np.array([0.2, 0.5, 1.0, 0.7])
    t = core.to_tensor(x)
    for ddof in (True, False):
        for fw in (None, counts):
            for aw in (None, weights):
                given = [None if values is None else core.to_tensor(values) for values in (fw, aw)]
                got = core.cov(t, ddof=ddof, fweights=given[0], aweights=given[1])
                np.testing.assert_allclose(got.numpy(), np.cov(x, ddof=int(ddof), fweights=fw, aweights=aw), rtol=1e-10)
    np.testing.assert_allclose(core.cov(t, rowvar=False).numpy(), np.cov(x, rowvar=False), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(core.corrcoef(t).numpy(), np.corrcoef(x), rtol=1e-10)
    np.testing.assert_allclose(core.cov(t[0]).item(), np.cov(x[0]), rtol=1e-10)
    check_gradients(core.cov, x[:2])
    with pytest.raises(OperatorError, match=r"cov: expects 1 or 2 axes, got shape \[2, 3, 4\]"):
        core.cov(core.to_tensor(X))
    with pytest.raises(OperatorError, match=r"cov: fweights expects shape \[4\], got \[3\]"):
        core.cov(t, fweights=core.ones([3]))
