"""What compiled functions keep is bounded, and what they drop is freed at once, not when garbage is collected."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.autograd import PyLayer
from core.jit.static_function import MAXIMUM_PROGRAMS
from core.kernels.dispatch import dispatcher, operator
from core.kernels.engine import engine


@pytest.fixture()
def no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def small_network() -> Any:
    core.seed(0)
    return nn.Sequential(nn.Conv2D(3, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.AdaptiveAvgPool2D(1), nn.Flatten())


def engine_programs(function: Any) -> list[Any]:
    return [program.body.program for candidates in function.programs.values() for program in candidates]


def test_fifty_sizes_in_training(no_garbage_collection: None) -> None:
    model = small_network()
    function = core.jit.to_static(lambda x: model(x).square().mean())
    seen: list[Any] = []
    for size in range(50):
        x = core.ones([1, 3, 8 + size, 8 + 2 * size])
        loss, again = function(x), model(x).square().mean()
        loss.backward()
        assert abs(loss.item() - again.item()) <= 1e-6 * max(1, abs(again.item()))
        model.clear_gradients()
        seen += [weakref.ref(program) for program in engine_programs(function)[-1:]]
        assert len(function.programs) <= MAXIMUM_PROGRAMS
        del loss, again
    alive = [reference() for reference in seen if reference() is not None]
    assert len(seen) == 50 and len(alive) == len(engine_programs(function)) == MAXIMUM_PROGRAMS
    assert {id(program) for program in alive} == {id(program) for program in engine_programs(function)}


def test_a_dropped_function_frees_its_programs(no_garbage_collection: None) -> None:
    model = small_network()
    function = core.jit.to_static(lambda x: model(x))
    with core.no_grad():
        function(core.ones([1, 3, 8, 8]))
    function(core.ones([2, 3, 8, 8])).sum().backward()
    references = [weakref.ref(program) for program in engine_programs(function)]
    assert len(references) == 2
    del function
    assert [reference() for reference in references] == [None, None]


def test_a_result_keeps_its_program_as_long_as_it_may_be_differentiated(no_garbage_collection: None) -> None:
    function = core.jit.to_static(lambda x: x.exp())
    x = core.to_tensor([0.0, 1.0], stop_gradient=False)
    y = function(x)
    (reference,) = [weakref.ref(program) for program in engine_programs(function)]
    del function
    assert reference() is not None
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [1, np.e], rtol=1e-6)
    del y
    assert reference() is None


def test_plans_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "MAXIMUM_PLANS", 10)
    plans = operator.REGISTRY["exp"].plans
    plans.clear()
    for size in range(1, 26):
        np.testing.assert_allclose(core.exp(core.zeros([size])).numpy(), np.ones(size))
        assert len(plans) <= 10


class Doubled(PyLayer):
    @staticmethod
    def forward(ctx: Any, x: core.Tensor) -> core.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: core.Tensor) -> core.Tensor:
        return gradient * 3


@pytest.mark.exhaustive
def test_operators_made_by_a_trace_go_with_its_program() -> None:
    gc.collect()
    declared = len(operator.REGISTRY)
    function = core.jit.to_static(lambda x: Doubled.apply(x).cumsum().sum())
    for size in range(1, MAXIMUM_PROGRAMS + 20):
        x = core.to_tensor(np.ones(size), dtype="float32", stop_gradient=False)
        loss = function(x)
        loss.backward()
        assert loss.item() == size * (size + 1)
        np.testing.assert_array_equal(x.grad.numpy(), 3.0 * np.arange(size, 0, -1))
    gc.collect()
    assert len(operator.REGISTRY) == declared and len(operator.TRANSIENT) == MAXIMUM_PROGRAMS
    del function, loss
    gc.collect()
    assert len(operator.TRANSIENT) == 0


def test_the_engine_keeps_descriptions_of_custom_operators_and_nothing_that_hangs_on_them() -> None:
    table = engine.mx.operator._registry.ref_holder
    function = core.jit.to_static(lambda x: Doubled.apply(x).sum())
    before = len(table)
    x = core.to_tensor(np.ones(3), dtype="float32", stop_gradient=False)
    function(x).backward()
    engine.wait_all()
    first = len(table) - before
    for _ in range(30):  # calls make no new ones
        x.clear_grad()
        function(x).backward()
    engine.wait_all()
    assert len(table) - before <= first + 1
    descriptions = [item for item in table.values() if type(item).__name__ == "_Properties"]
    assert descriptions and not any(isinstance(v, operator.Operator) for d in descriptions for v in vars(d).values())
