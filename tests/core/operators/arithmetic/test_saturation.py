"""Sigmoid and its kin far from 0: where they saturate, and that gradients stay finite, eager, compiled and exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.static import InputSpec

POINTS = np.concatenate([np.linspace(-120, 120, 481), np.linspace(16, 18, 201), [16.6355, 16.636]])

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], np.ndarray]]] = {
    "sigmoid": (F.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "log_sigmoid": (F.log_sigmoid, lambda x: -np.logaddexp(0, -x)),
    "silu": (F.silu, lambda x: x / (1 + np.exp(-x))),
    "softplus": (F.softplus, lambda x: np.where(x > 20, x, np.log1p(np.exp(np.minimum(x, 20))))),
    "tanh": (core.tanh, np.tanh),
    "mish": (F.mish, lambda x: x * np.tanh(np.logaddexp(0, x))),
    "hardswish": (F.hardswish, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    "elu": (F.elu, lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
}


def _everywhere(function: Callable[[Any], Any], points: np.ndarray, folder: Path) -> dict[str, np.ndarray]:
    """Return the values, eager, compiled and exported, and the gradients of the first two."""
    results = {}
    for name, made in (("eager", function), ("compiled", core.jit.to_static(lambda x: function(x)))):
        x = core.to_tensor(points, stop_gradient=False)
        y = made(x)
        y.sum().backward()
        results[name], results[f"{name} gradient"] = y.numpy(), x.grad.numpy()
    core.jit.save(lambda x: function(x), folder / "program", [InputSpec([None], str(points.dtype), "x")])
    results["exported"] = core.jit.load(folder / "program")(core.to_tensor(points)).numpy()
    return results


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_from_minus_120_to_120(name: str, dtype: str, tmp_path: Path) -> None:
    function, by_hand = FUNCTIONS[name]
    points = POINTS.astype(dtype)
    expected = by_hand(points.astype(np.float64))
    digits = 4 * np.finfo(dtype).eps
    for form, found in _everywhere(function, points, tmp_path).items():
        assert np.isfinite(found).all(), form
        if not form.endswith("gradient"):
            np.testing.assert_allclose(found, expected, rtol=4 * digits, atol=digits, err_msg=form)


def test_sigmoid_saturates_where_paddles_does(tmp_path: Path) -> None:
    """1 + exp(-x) is 1 in float32 from ln(2**24) on, so scores beyond tie; paddlepaddle 2.6.2 answers the same."""
    points = POINTS.astype(np.float32)
    results = _everywhere(F.sigmoid, points, tmp_path)
    for form in ("eager", "compiled", "exported"):
        np.testing.assert_array_equal(results[form] == 1, points > 24 * np.log(2), err_msg=form)
        np.testing.assert_array_equal(results[form] == 0, points < -88.8, err_msg=form)
    for form in ("eager gradient", "compiled gradient"):
        assert (results[form][points > 24 * np.log(2)] == 0).all() and (results[form][np.abs(points) < 16.6] > 0).all()


def test_softplus_is_the_line_beyond_its_threshold() -> None:
    for dtype in ("float32", "float64"):
        x = np.array([19.0, 20.5, 35.0, 41.0], dtype)
        np.testing.assert_array_equal(F.softplus(core.to_tensor(x)).numpy()[1:], x[1:])
        np.testing.assert_allclose(F.softplus(core.to_tensor(x), 1, 50).numpy(), np.logaddexp(0, x), rtol=1e-7)
