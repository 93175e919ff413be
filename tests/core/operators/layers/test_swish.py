"""Sigmoid, hard swish and swish of many numbers, which custom kernels compute, against numpy in float64."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numba
import numpy as np
import pytest

import core
import core.nn.functional as F
from core import nn
from core.kernels.dispatch.operator import KERNELS
from core.kernels.layers import swish as kernels
from core.kernels.lowerings.activation import FEWEST_ELEMENTS
from core.static import InputSpec

SHAPE = (3, 7, FEWEST_ELEMENTS // 16)
FUNCTIONS = {"hardswish": F.hardswish, "silu": F.silu, "sigmoid": F.sigmoid}
OPERATORS = {"hardswish": "hard_swish", "silu": "swish", "sigmoid": "sigmoid"}


def draw(scale: float = 4.0) -> np.ndarray:
    x = (np.random.default_rng(0).standard_normal(SHAPE) * scale).astype(np.float32)
    x[0, 0, :4] = [-3, 3, 0, -0.0]
    return x


def reference(name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, slopes and second derivatives."""
    x = x.astype(np.float64)
    if name == "hardswish":
        within, above = (x > -3) & (x < 3), x >= 3
        return x * np.clip(x / 6 + 0.5, 0, 1), within * (x / 3 + 0.5) + above, within / 3
    s = 1 / (1 + np.exp(-x))
    if name == "sigmoid":
        return s, s * (1 - s), s * (1 - s) * (1 - 2 * s)
    return x * s, s * (1 + x * (1 - s)), s * (1 - s) * (2 + x * (1 - 2 * s))


def operators_of(run: Any) -> list[str]:
    (program,) = run.programs.values()
    return [operation.operator.name for operation in program[0].operations]


def computed_by(run: Any) -> str:
    """Return the engine's graph of what was compiled, as text."""
    (program,) = run.programs.values()
    return str(program[0].body.program.symbol.tojson())


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(name: str, compiled: bool) -> None:
    array, factor = draw(), np.random.default_rng(1).standard_normal(SHAPE).astype(np.float32)
    x = core.to_tensor(array, stop_gradient=False)
    function: Callable[..., Any] = FUNCTIONS[name]
    run = core.jit.to_static(function) if compiled else function
    y = run(x)
    (y * core.to_tensor(factor)).sum().backward()
    if compiled:
        assert operators_of(run) == [OPERATORS[name]] and f"{OPERATORS[name]}.numba" in computed_by(run)
    values, slopes, _ = reference(name, array)
    np.testing.assert_allclose(y.numpy(), values, rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(x.grad.numpy(), slopes * factor, rtol=3e-6, atol=3e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives(name: str) -> None:
    array = draw()
    x = core.to_tensor(array, stop_gradient=False)
    (slope,) = core.grad([FUNCTIONS[name](x).sum()], [x], create_graph=True)
    (second,) = core.grad([slope.sum()], [x])
    _, slopes, seconds = reference(name, array)
    np.testing.assert_allclose(slope.numpy(), slopes, rtol=3e-6, atol=3e-6)
    np.testing.assert_allclose(second.numpy(), seconds, rtol=3e-6, atol=3e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_number_stays_so_and_infinity_opens_the_gate(name: str) -> None:
    array = draw()
    array[0, 0, :2] = [np.nan, np.inf]
    x = core.to_tensor(array, stop_gradient=False)
    y = FUNCTIONS[name](x)
    y.sum().backward()
    assert np.isnan(y.numpy()[0, 0, 0]) and y.numpy()[0, 0, 1] == (1 if name == "sigmoid" else np.inf)
    assert np.isnan(x.grad.numpy()[0, 0, 0])
    np.testing.assert_allclose(y.numpy()[1:], reference(name, array[1:])[0], rtol=2e-6, atol=2e-6)


def test_many_sigmoids_saturate_where_few_do() -> None:
    points = np.concatenate([np.linspace(-120, 120, 4801), np.linspace(16, 18, 4001), [16.6355, 16.636]])
    x = core.to_tensor(points.astype(np.float32), stop_gradient=False)
    assert x.size > FEWEST_ELEMENTS
    many = F.sigmoid(x)
    many.sum().backward()
    few = np.concatenate([F.sigmoid(part).numpy() for part in x.detach().split([4000, 4804])])
    np.testing.assert_array_equal(many.numpy() == 1, few == 1)
    np.testing.assert_array_equal(many.numpy() == 0, few == 0)
    np.testing.assert_allclose(many.numpy(), few, rtol=1e-6, atol=1e-38)
    assert (x.grad.numpy()[few == 1] == 0).all() and np.isfinite(x.grad.numpy()).all()


@pytest.mark.parametrize("name", ["swish", "hard_swish", "sigmoid"])
def test_results_do_not_depend_on_the_number_of_threads(name: str) -> None:
    x = np.concatenate([draw().reshape(-1)] * 9)[:-5]
    before, found = numba.get_num_threads(), []
    try:
        for threads in {1, before}:
            numba.set_num_threads(threads)
            out = np.full((2, x.size), np.nan, np.float32)
            getattr(kernels, "sigmoids" if name == "sigmoid" else name)(x, out=out[0])
            getattr(kernels, f"{name}_gradient")(x, x, out=out[1])
            found.append(out)
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(found[0], found[-1])
    assert np.isfinite(found[0]).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_exported_programs_hold_what_is_computed(name: str, tmp_path: Path) -> None:
    layer = {"hardswish": nn.Hardswish, "silu": nn.Silu, "sigmoid": nn.Sigmoid}[name]()
    array = draw()
    core.jit.save(layer, tmp_path / "layer", [InputSpec([None, *SHAPE[1:]], "float32", "x")])
    loaded = core.jit.load(tmp_path / "layer")
    np.testing.assert_allclose(loaded(core.to_tensor(array)).numpy(), reference(name, array)[0], rtol=2e-6, atol=2e-6)
    (operation,) = json.loads((tmp_path / "layer" / "program.json").read_text())["operations"]
    assert operation["operator"] == OPERATORS[name] and f"{OPERATORS[name]}.numba" in KERNELS


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_few_numbers_and_other_types_are_left_to_the_engine(name: str, dtype: str) -> None:
    shape = [4, 6] if dtype == "float32" else list(SHAPE)
    array = draw()[: shape[0], : shape[1], : (shape + [1])[2]].reshape(-1)[: int(np.prod(shape))]
    array = np.resize(array, shape).astype(dtype)
    array.flat[:4] = [-3, 3, 0.5, -0.25]
    for run in (FUNCTIONS[name], core.jit.to_static(FUNCTIONS[name])):
        x = core.to_tensor(array, stop_gradient=False)
        y = run(x)
        y.sum().backward()
        values, slopes, _ = reference(name, array)
        inner = np.abs(np.abs(array) - 3) > 1e-3  # at the bends the engine's gradient has the slope of inside
        np.testing.assert_allclose(y.numpy(), values, rtol=2e-6, atol=2e-6)
        np.testing.assert_allclose(x.grad.numpy()[inner], slopes[inner], rtol=3e-6, atol=3e-6)
    assert operators_of(run) == [OPERATORS[name]] and "numba" not in computed_by(run)
