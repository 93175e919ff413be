"""Bessel functions, parts of numbers and tables made from one vector."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.kernels.numeric import special
from tests.core.gradient_check import check_gradients

POINTS = np.array([-40.0, -3.0, -0.5, 0.0, 0.7, 5.0, 29.9, 30.1, 100.0])


def integral(x: float, order: int) -> float:
    """exp(-abs(x)) times the function, by its integral over an angle."""
    angle = (np.arange(20000) + 0.5) * math.pi / 20000
    return float(np.mean(np.exp(x * np.cos(angle) - abs(x)) * np.cos(order * angle)))


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_bessel_functions_equal_their_integrals(order: int) -> None:
    expected = [integral(x, order) for x in POINTS]
    np.testing.assert_allclose(special.bessel_i(POINTS, order, True), expected, rtol=1e-12, atol=1e-15)


def test_bessel_functions() -> None:
    for name, order in (("i0", 0), ("i1", 1)):
        x = POINTS[1:6]
        expected = np.array([integral(value, order) for value in x])
        for dtype in ("float16", "float32", "float64"):
            loose = {"float16": 2e-3, "float32": 1e-6}.get(dtype, 1e-12)
            given = x.astype(dtype)
            got = getattr(core, f"{name}e")(core.to_tensor(given))
            assert got.dtype == dtype
            np.testing.assert_allclose(got.numpy(), [integral(v, order) for v in given], rtol=loose, atol=1e-15)
        got = getattr(core, name)(core.to_tensor(x))
        np.testing.assert_allclose(got.numpy(), expected * np.exp(np.abs(x)), rtol=1e-12, atol=1e-12)
        check_gradients(getattr(core, name), np.array([-1.5, 0.0, 0.4, 2.0]))
        check_gradients(getattr(core, f"{name}e"), np.array([-1.5, 0.4, 2.0]))
    edges = core.to_tensor([float("inf"), float("nan"), 700.0])
    assert core.i0(edges).numpy()[0] == np.inf and np.isnan(core.i0(edges).numpy()[1])
    assert core.i0e(edges).numpy()[0] == 0


def test_parts_of_numbers() -> None:
    x = np.array([3.0, -5.0, 0.0, 0.1, 1e-300, 1e300])
    for dtype in ("float32", "float64"):
        given = x[: 4 if dtype == "float32" else 6].astype(dtype)
        for got, expected in zip(core.frexp(core.to_tensor(given)), np.frexp(given)):
            assert got.dtype == dtype
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-7 if dtype == "float32" else 1e-15)
        got = core.nextafter(core.to_tensor(given), core.to_tensor(np.ones(1, dtype)))
        np.testing.assert_array_equal(got.numpy(), np.nextafter(given, np.ones(1, dtype)))


def test_tables() -> None:
    x = np.array([1.0, 2.0, 3.0])
    for n in (None, 2, 5, 0):
        for increasing in (False, True):
            got = core.vander(core.to_tensor(x), n, increasing)
            np.testing.assert_array_equal(got.numpy(), np.vander(x, n, increasing))
    assert core.vander(core.to_tensor([2, 3])).numpy().tolist() == [[2, 1], [3, 1]]
    for r in (1, 2, 3):
        for again, choose in ((False, itertools.combinations), (True, itertools.combinations_with_replacement)):
            got = core.combinations(core.to_tensor(x), r, again)
            assert got.numpy().tolist() == [list(choice) for choice in choose(x, r)]
    assert core.combinations(core.to_tensor(x), 4).shape == [0, 4]
    check_gradients(lambda t: core.combinations(t), x)
    with pytest.raises(OperatorError, match="vander: expects one axis"):
        core.vander(core.ones([2, 2]))
    with pytest.raises(OperatorError, match="combinations: expects one axis and r of at least 0"):
        core.combinations(core.ones([2]), -1)


def test_multivariate_gamma() -> None:
    x = np.array([1.6, 3.0])
    expected = [
        3 * 2 / 4 * math.log(math.pi) + sum(math.lgamma(value - j / 2) for j in range(3)) for value in x
    ]
    np.testing.assert_allclose(core.multigammaln(core.to_tensor(x), 3).numpy(), expected, rtol=1e-12)
    with pytest.raises(OperatorError, match="the dimension p must be at least 1, got 0"):
        core.multigammaln(core.to_tensor(x), 0)
