"""LBFGS: the official runs, convergence, continuation, messages."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import core
from core import nn
from core.optimizer import LBFGS, lr
from core.optimizer.line_search import Point, strong_wolfe

_spec = importlib.util.spec_from_file_location("lbfgs_cases", Path(__file__).parent / "lbfgs_cases.py")
assert _spec is not None and _spec.loader is not None
lbfgs_cases = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = lbfgs_cases
_spec.loader.exec_module(lbfgs_cases)

STORED = np.load(lbfgs_cases.STORED)


def start() -> core.Tensor:
    return core.to_tensor(lbfgs_cases.START, stop_gradient=False)


@pytest.mark.parametrize("name", list(lbfgs_cases.CASES))
def test_the_official_runs(name: str) -> None:
    found = lbfgs_cases.run(LBFGS, start(), lbfgs_cases.CASES[name])
    np.testing.assert_allclose(found, STORED[name], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_a_layer_is_fitted_to_the_least_squares_solution(search: str) -> None:
    generator = np.random.default_rng(0)
    inputs, targets = generator.normal(size=(20, 3)), generator.normal(size=(20, 2))
    layer = nn.Linear(3, 2)
    layer.to(dtype="float64")
    optimizer = LBFGS(1.0, 50, line_search_fn=search, parameters=layer.parameters())

    def closure() -> core.Tensor:
        optimizer.clear_grad()
        loss = ((layer(core.to_tensor(inputs)) - core.to_tensor(targets)) ** 2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    solved = np.linalg.lstsq(np.column_stack([inputs, np.ones(20)]), targets, rcond=None)[0]
    np.testing.assert_allclose(layer.weight.numpy(), solved[:3], atol=1e-5)
    np.testing.assert_allclose(layer.bias.numpy(), solved[3], atol=1e-5)


def test_a_run_continues_from_its_state() -> None:
    def descend(x: core.Tensor, optimizer: LBFGS) -> None:
        def closure() -> core.Tensor:
            optimizer.clear_grad()
            loss = lbfgs_cases.valley(x)
            loss.backward()
            return loss

        optimizer.step(closure)

    whole, parted = start(), start()
    options = {"line_search_fn": "strong_wolfe", "max_iter": 3, "max_eval": 40}
    one = LBFGS(lr.StepDecay(0.9, 2), parameters=[whole], **options)
    first = LBFGS(lr.StepDecay(0.9, 2), parameters=[parted], **options)
    for _ in range(2):
        descend(whole, one)
    descend(parted, first)
    second = LBFGS(lr.StepDecay(0.9, 2), parameters=[parted], **options)
    second.set_state_dict(first.state_dict())
    descend(parted, second)
    np.testing.assert_array_equal(parted.numpy(), whole.numpy())
    state = first.state_dict()
    assert state["iterations"] == 3 and state["steps"].shape[1] == 4


def test_frozen_and_unused_parameters_stay() -> None:
    frozen, unused, x = core.ones([2]), core.to_tensor([5.0], stop_gradient=False), core.ones([2])
    x.stop_gradient = False
    optimizer = LBFGS(parameters=[frozen, unused, x], max_iter=5)

    def closure() -> core.Tensor:
        optimizer.clear_grad()
        loss = ((x - 3) ** 2 + frozen).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 10
    assert frozen.tolist() == [1, 1] and unused.tolist() == [5]
    np.testing.assert_allclose(x.numpy(), 3, rtol=1e-5)
    before = x.numpy()
    optimizer.step(closure)  # the gradient is already small enough
    np.testing.assert_allclose(x.numpy(), before, atol=1e-5)


@pytest.mark.parametrize("first", [1e-3, 0.3, 1.0, 30.0])
def test_the_line_search_meets_both_conditions(first: float) -> None:
    def evaluate(distance: float) -> Point:
        loss = np.cos(distance) - 0.2 * distance + 0.05 * distance**2
        return Point(distance, float(loss), None, float(-np.sin(distance) - 0.2 + 0.1 * distance))

    origin = evaluate(0.0)
    found, evaluations = strong_wolfe(evaluate, origin, first, 1.0, 1e-9)
    assert found.loss <= origin.loss + 1e-4 * found.distance * origin.slope
    assert abs(found.slope) <= 0.9 * abs(origin.slope) and evaluations <= 26


def test_the_line_search_gives_up_where_the_loss_has_no_bottom() -> None:
    def evaluate(distance: float) -> Point:
        return Point(distance, -distance, None, -1.0)

    found, evaluations = strong_wolfe(evaluate, evaluate(0.0), 1.0, 1.0, 1e-9)
    assert found.distance > 1e6 and evaluations < 60


def test_messages() -> None:
    x = start()
    with pytest.raises(NotImplementedError, match="LBFGS: weight_decay is not offered"):
        LBFGS(parameters=[x], weight_decay=0.1)
    with pytest.raises(NotImplementedError, match="LBFGS: grad_clip is not offered"):
        LBFGS(parameters=[x], grad_clip=nn.ClipGradByValue(1.0))
    with pytest.raises(NotImplementedError, match="groups of parameters are not offered"):
        LBFGS(parameters=[{"params": [x]}])
    with pytest.raises(ValueError, match="line_search_fn is 'strong_wolfe' or None, not 'armijo'"):
        LBFGS(parameters=[x], line_search_fn="armijo")
    optimizer = LBFGS(parameters=[x])
    with pytest.raises(TypeError, match="takes a function that computes the loss"):
        optimizer.step()
    with pytest.raises(NotImplementedError, match="minimize is not offered"):
        optimizer.minimize(x.sum())
    with pytest.raises(ValueError, match="the optimizer state has no 'iterations'"):
        optimizer.set_state_dict({})
    scheduled = LBFGS(lr.StepDecay(0.9, 2), parameters=[x])
    with pytest.raises(ValueError, match="has no 'LR_Scheduler', but the learning rate is a schedule"):
        scheduled.set_state_dict(optimizer.state_dict())
