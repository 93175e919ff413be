"""The dispatcher: plans, errors, and what is recorded."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import core
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import REGISTRY, Operator


def test_shapes_that_do_not_broadcast_are_named_before_the_engine_sees_them() -> None:
    with pytest.raises(OperatorError, match=r"add: shapes \[2, 3\] and \[4\] do not broadcast: sizes 3 and 4 differ"):
        core.ones([2, 3]) + core.ones([4])


def test_an_engine_refusal_becomes_one_line_with_operator_inputs_and_attributes() -> None:
    reshape = REGISTRY["transpose"]
    with pytest.raises(OperatorError) as caught:
        dispatcher.invoke(reshape, [core.ones([2, 3])._value], {"axes": (0, 0, 1)})
    assert "transpose(float32[2, 3]; axes=(0, 0, 1))" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_plan_is_made_once_per_combination() -> None:
    add = REGISTRY["add"]
    x = core.ones([3, 5, 7])
    x + x
    plans = dict(add.plans)
    x + x
    assert add.plans == plans


def test_plans_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "MAXIMUM_PLANS", 4)
    scale = REGISTRY["multiply_scalar"]
    for number in range(20):
        core.ones([2]) * (number + 0.5)
    assert len(scale.plans) <= 4


def test_an_operator_name_is_declared_once() -> None:
    with pytest.raises(ValueError, match="operator 'add' is declared twice"):
        Operator("add", "_npi_add")
    with pytest.raises(LookupError, match="the engine has no operator 'no_such'"):
        Operator("no such", "no_such")


def test_nothing_is_recorded_without_gradients() -> None:
    x = core.to_tensor([1.0], stop_gradient=False)
    with core.no_grad():
        y = x * 2
    assert y.stop_gradient and y._value.node is None
    assert (core.ones([1]) * 2)._value.node is None
    assert (x > 0)._value.node is None


def test_the_record_dies_with_the_tensors_that_own_it() -> None:
    x = core.to_tensor([1.0], stop_gradient=False)
    y = (x * 2).exp()
    middle = weakref.ref(y._value.node.inputs[0])
    gc.disable()
    try:
        del y
        assert middle() is None
    finally:
        gc.enable()


def test_layers_are_named_in_the_message() -> None:
    error = OperatorError("add: wrong")
    error.layers += ["linear_0", "sequential_0"]
    assert str(error) == "add: wrong [in sequential_0 > linear_0]"


def test_values_outside_the_engine_types_are_refused() -> None:
    with pytest.raises(TypeError, match="an array of float128 cannot become a Tensor: convert it to one of float32"):
        core.to_tensor(np.zeros(2, np.longdouble))
    with pytest.raises(TypeError, match="unknown dtype 'float8': use one of float32"):
        core.zeros([1], dtype="float8")
