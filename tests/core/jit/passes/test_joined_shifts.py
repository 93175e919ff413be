"""Residual sums that are shifted where they are made: which programs hold such an operator, and how they learn."""

from __future__ import annotations

import json
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.engine import graph
from core.nn import functional as F

JOINED = "temporal_shift.joined"


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The operators of each program that is made, ours by their own names."""
    found: list[list[str]] = []
    made = graph.Program.__init__

    def init(self: graph.Program, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        nodes = json.loads(self.symbol.tojson())["nodes"]
        found.append([node.get("attrs", {}).get("operator", node["op"]) for node in nodes])

    monkeypatch.setattr(graph.Program, "__init__", init)
    return found


def chain(x: Any, y: Any) -> Any:
    """Return the sum of two blocks' results, each of which sees the frames before and after."""
    for number in range(2):
        joined = F.relu(x + y)
        x, y = F.temporal_shift(joined, 3, 0.25) * (number + 0.5), joined
    return (x * y).sum()


def of_both(function: Callable[..., Any], dtype: str = "float32") -> list[list[np.ndarray]]:
    """Return the value and the gradients, eagerly and compiled."""
    found = []
    for call in (function, core.jit.to_static(function)):
        given = [core.to_tensor(draw(6, 8, 3, 3, seed=seed).astype(dtype), stop_gradient=False) for seed in (0, 1)]
        value = call(*given)
        value.backward()
        found.append([value.numpy(), *[tensor.grad.numpy() for tensor in given]])
    return found


def test_sums_and_shifts_are_joined_and_learn_alike(graphs: list[list[str]]) -> None:
    for one, other in zip(*of_both(chain)):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    names = max(graphs, key=len)
    assert names.count(JOINED) == 2 and not {"temporal_shift.numba", "Activation", "relu"} & set(names)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: F.temporal_shift(F.relu(x + y), 3, 0.25, data_format="NHWC").sum(),
        lambda x, y: (F.temporal_shift(F.relu(x * y), 3, 0.25) * x).sum(),
        lambda x, y: (F.temporal_shift(F.sigmoid(x + y), 3, 0.25) * x).sum(),
        lambda x, y: (F.temporal_shift(F.relu(x + y[:1]), 3, 0.25) * x).sum(),
        lambda x, y: (lambda total: (F.temporal_shift(F.relu(total), 3, 0.25) * total).sum())(x + y),
    ],
    ids=["channels last", "a product", "a sigmoid", "a sum that broadcasts", "a sum that is read elsewhere"],
)
def test_what_is_not_joined_learns_too(function: Callable[..., Any], graphs: list[list[str]]) -> None:
    for one, other in zip(*of_both(function)):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    assert graphs and not any(JOINED in names for names in graphs)


def test_float64_and_programs_without_gradients_are_left_as_they_are(graphs: list[list[str]]) -> None:
    for one, other in zip(*of_both(chain, "float64")):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    with core.no_grad():
        core.jit.to_static(chain)(core.to_tensor(draw(6, 8, 3, 3)), core.to_tensor(draw(6, 8, 3, 3, seed=1)))
    assert graphs and not any(JOINED in names for names in graphs)


def test_a_value_that_is_shifted_twice() -> None:
    def function(x: Any, y: Any) -> Any:
        joined = F.relu(x + y)
        return (F.temporal_shift(joined, 3, 0.25) * F.temporal_shift(joined, 2, 0.125) * joined).sum()

    for one, other in zip(*of_both(function)):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def test_gradients_of_gradients() -> None:
    def penalty(x: Any, y: Any) -> Any:
        gradients = core.grad([core.jit.to_static(chain)(x, y)], [x], create_graph=True)
        return (gradients[0] ** 2).sum()

    def eager(x: Any, y: Any) -> Any:
        return (core.grad([chain(x, y)], [x], create_graph=True)[0] ** 2).sum()

    found = []
    for function in (penalty, eager):
        x, y = (core.to_tensor(draw(6, 8, 2, 2, seed=seed), stop_gradient=False) for seed in (0, 1))
        function(x, y).backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-5)
