"""One program for each signature: what makes a new one, how many are kept, and whose they are."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from core.jit.static_function import MAXIMUM_PROGRAMS, MAXIMUM_VARIANTS
from core.kernels.dispatch import dispatcher
from core.nn import functional as F

X = core.to_tensor(np.arange(6, dtype="float32").reshape(2, 3))


def counted(function: Any) -> int:
    return sum(len(variants) for variants in function.programs.values())


def test_what_makes_a_new_program() -> None:
    function = to_static(lambda x, factor=2, *, shift=0: x * factor + shift)
    calls = [
        lambda: function(X),
        lambda: function(core.ones([3, 3])),
        lambda: function(X.astype("float64")),
        lambda: function(core.to_tensor(X.numpy(), stop_gradient=False)),
        lambda: function(X, 3),
        lambda: function(X, 3.0),
        lambda: function(X, shift=1),
        lambda: function(X, shift=X),
        lambda: function(X, core.ones([])),
    ]
    for number, call in enumerate(calls, start=1):
        for _ in range(2):
            call()
        assert counted(function) == number
    with core.no_grad():
        function(X)
    assert counted(function) == len(calls) + 1
    core.set_default_dtype("float64")
    function(X)
    core.set_default_dtype("float32")
    assert counted(function) == len(calls) + 2
    assert function(X, 3, shift=1).numpy()[1].tolist() == [10, 13, 16]


def test_equal_numbers_of_different_types_are_told_apart() -> None:
    function = to_static(lambda x, k: x * 2 if isinstance(k, bool) else x * 3 if isinstance(k, int) else x * 4)
    assert [function(core.ones([]), k).item() for k in (True, 1, 1.0, True)] == [2, 3, 4, 2]


def test_the_least_recently_used_program_goes(caplog: pytest.LogCaptureFixture) -> None:
    function = to_static(lambda x, k: x * k)
    with caplog.at_level("INFO", logger="core.jit"):
        for k in range(MAXIMUM_PROGRAMS):
            function(X, k)
        first, second = list(function.programs)[:2]
        function(X, 0)  # the oldest is used again
        function(X, -1)
    assert len(function.programs) == MAXIMUM_PROGRAMS
    assert first in function.programs and second not in function.programs
    assert len([record for record in caplog.records if "more than 8 input signatures" in record.message]) == 1
    assert function(X, 1).numpy()[0, 1] == 1


def test_programs_belong_to_an_instance() -> None:
    class Scaler:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @to_static
        def scale(self, x: core.Tensor) -> core.Tensor:
            return x * self.factor

        @to_static
        def twice(self, x: core.Tensor) -> core.Tensor:
            return self.scale(self.scale(x))

        @staticmethod
        @to_static
        def plain(x: core.Tensor) -> core.Tensor:
            return x * 7

        @classmethod
        @to_static
        def of_class(cls, x: core.Tensor) -> core.Tensor:
            return x * len(cls.__name__)

    two, five = Scaler(2.0), Scaler(5.0)
    one = core.ones([])
    assert [two.twice(one).item(), five.twice(one).item(), two.scale(one).item()] == [4, 25, 2]
    assert two.scale is two.scale and two.scale is not five.scale
    assert [two.plain(one).item(), Scaler.plain(one).item(), Scaler.of_class(one).item()] == [7, 7, 6]


class Base(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)

    @to_static
    def forward(self, x: core.Tensor) -> core.Tensor:
        return self.linear(x)


class Derived(Base):
    @to_static
    def forward(self, x: core.Tensor) -> core.Tensor:
        return super().forward(x) * 2


def test_a_compiled_method_may_call_the_compiled_one_of_its_base() -> None:
    layer = Derived()
    np.testing.assert_allclose(layer(X).numpy(), 2 * layer.linear(X).numpy(), rtol=1e-6)


def test_slots_leave_no_room() -> None:
    class Narrow:
        __slots__ = ()

        @to_static
        def run(self, x: core.Tensor) -> core.Tensor:
            return x

    with pytest.raises(TypeError, match="Narrow.run is a method of a class with __slots__, which has no room"):
        Narrow().run(X)


@pytest.mark.parametrize("build", [Base, lambda: to_static(nn.Sequential(nn.Linear(3, 2)))])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
def test_copies_have_their_own_weights_and_programs(build: Any, copied: Any) -> None:
    layer = build()
    expected = layer(X).numpy()
    other = copied(layer)
    np.testing.assert_array_equal(other(X).numpy(), expected)
    for parameter in other.parameters():
        parameter.set_value(np.zeros(parameter.shape, "float32"))
    assert not other(X).numpy().any()
    np.testing.assert_array_equal(layer(X).numpy(), expected)
    assert counted(other.forward) == 1


def test_compiling_twice_is_compiling_once() -> None:
    layer = to_static(nn.Linear(3, 2))
    forward = layer.forward
    assert to_static(layer) is layer and layer.forward is forward
    assert sorted(layer.state_dict()) == ["bias", "weight"]
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]


def test_hooks_of_a_compiled_layer_and_of_its_sublayers() -> None:
    layer = nn.Sequential(nn.Linear(3, 1, weight_attr=nn.initializer.Constant(1.0)))
    to_static(layer)
    values = [layer(X).numpy()[0, 0]]
    hooks = []
    for place in (layer, layer[0]):
        hooks += [place.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2,))]
        hooks += [place.register_forward_post_hook(lambda layer, inputs, output: output + 1)]
        values.append(layer(X).numpy()[0, 0])
    for hook in hooks:
        hook.remove()
        values.append(layer(X).numpy()[0, 0])
    assert values == [3, 3 * 2 + 1, 3 * 4 + 2, 3 * 2 + 2, 3 * 2 + 1, 3 + 1, 3]


def test_compiled_parts_inside_eager_and_compiled_ones() -> None:
    core.seed(2)
    parent = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Tanh(), nn.Linear(4, 2))
    alone = copy.deepcopy(parent)
    inside = copy.deepcopy(parent)
    to_static(inside[1])
    to_static(inside[3])
    both = copy.deepcopy(inside)
    to_static(both)
    found = []
    for model in (alone, inside, both):
        for _ in range(2):
            loss = model(X).square().sum()
            loss.backward()
        gradients = [p.grad.numpy() for p in model.parameters() if not p.stop_gradient]
        found.append([loss.numpy(), model[1]._mean.numpy(), model[1]._variance.numpy(), *gradients])
    for other in found[1:]:
        for got, expected in zip(other, found[0]):
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))


Pair = namedtuple("Pair", "a b")


def test_structures_keep_their_kinds() -> None:
    function = to_static(lambda p, d, s: (Pair(p.a + p.b, p.b), OrderedDict(y=d["x"][s]), None, 3, "text", [True]))
    pair, table, *rest = function(Pair(X, X), OrderedDict(x=X), slice(0, 1))
    assert isinstance(pair, Pair) and isinstance(table, OrderedDict) and rest == [None, 3, "text", [True]]
    assert pair.a.numpy()[0, 1] == 2 and table["y"].shape == [1, 3]


def test_no_tensors_in_or_out() -> None:
    assert to_static(lambda: core.ones([2]) * 3)().tolist() == [3, 3]
    assert to_static(lambda x: x.shape[0] * 2)(X) == 4
    assert to_static(lambda x: None)(X) is None


def test_an_input_that_is_returned_is_equal_and_differentiable() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    same, double = to_static(lambda x: (x, x * 2))(x)
    (same.sum() + double.sum()).backward()
    assert same.tolist() == [1, 2] and x.grad.tolist() == [3, 3]


@pytest.mark.parametrize("training", [True, False])
def test_the_mode_of_the_compiled_layer_itself(training: bool) -> None:
    class Drops(nn.Layer):
        def forward(self, x: core.Tensor) -> core.Tensor:
            return F.dropout(x, 0.5, training=self.training)

    layer = to_static(Drops())
    for mode in (training, not training, training):
        layer.train() if mode else layer.eval()
        assert (layer(core.ones([100])).numpy() == 0).any() == mode
    assert counted(layer.forward) == 2


def test_functions_that_run_in_steps_are_refused() -> None:
    def steps(x: core.Tensor) -> Any:
        yield x

    async def later(x: core.Tensor) -> core.Tensor:
        return x

    for function in (steps, later):
        with pytest.raises(TypeError, match=f"{function.__name__} is a generator or coroutine: compile a function"):
            to_static(function)
    with pytest.raises(TypeError, match="to_static: 3 is a int: compile a function, method or Layer"):
        to_static(3)


def test_an_error_while_tracing_leaves_everything_as_it_was() -> None:
    layer = nn.BatchNorm1D(3)
    buffer = core.zeros([3])
    fails = [True]

    def function(x: core.Tensor) -> core.Tensor:
        buffer.set_value(buffer + 1)
        y = layer(x)
        x[0] = 5.0
        with core.no_grad():
            if fails[0]:
                raise ValueError("half-way")
        return y

    compiled = to_static(function)
    x = core.to_tensor(X.numpy())
    with pytest.raises(ValueError, match="half-way"):
        compiled(x)
    assert dispatcher.state.trace is None and core.autograd.is_grad_enabled()
    assert counted(compiled) == 0
    np.testing.assert_array_equal(x.numpy(), X.numpy())
    np.testing.assert_array_equal(layer._mean.numpy(), np.zeros(3))
    np.testing.assert_array_equal(buffer.numpy(), np.zeros(3))
    eager = nn.BatchNorm1D(3)
    np.testing.assert_array_equal(layer(X).numpy(), eager(X).numpy())
    fails[0] = False
    compiled(x)
    np.testing.assert_array_equal(buffer.numpy(), np.ones(3))
    assert counted(compiled) == 1


def test_arguments_and_captured_tensors_change_in_place_as_they_do_eagerly() -> None:
    def run(wrap: Any) -> list[np.ndarray]:
        weight, kept = core.to_tensor([[1.0], [2.0]], stop_gradient=False), core.zeros([3])
        x = core.to_tensor(X.numpy())

        def function(x: core.Tensor) -> core.Tensor:
            x.add_(core.ones([1]))
            x[0] = 7.0
            kept[0] = x[1, 1]
            kept.scale_(2.0)
            return x * kept * weight

        compiled = wrap(function)
        for _ in range(2):
            result = compiled(x)
        result.sum().backward()
        return [result.numpy(), x.numpy(), kept.numpy(), weight.grad.numpy()]

    found = [run(lambda function: function), run(to_static)]
    for expected, got in zip(*found):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_recursion_and_gradients_inside() -> None:
    @to_static
    def power(x: core.Tensor, n: int) -> core.Tensor:
        return x if n == 1 else power(x, n - 1) * x

    weight = core.to_tensor([2.0], stop_gradient=False)
    slope = to_static(lambda x: core.grad(power(x * weight, 3).sum(), weight, create_graph=True)[0])
    x = core.to_tensor([3.0], stop_gradient=False)
    assert slope(x).item() == 3 * 2**2 * 3**3
    slope(x).backward()
    assert (weight.grad.item(), x.grad.item()) == (6 * 2 * 27, 3 * 4 * 3 * 9)


def test_variants_of_one_signature_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    class Scaler(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.rate = 0

        def forward(self, x: core.Tensor) -> core.Tensor:
            return x * self.rate

    layer = to_static(Scaler())
    with caplog.at_level("INFO", logger="core.jit"):
        for rate in range(MAXIMUM_VARIANTS + 2):
            layer.rate = rate
            assert layer(core.ones([])).item() == rate
    assert counted(layer.forward) == MAXIMUM_VARIANTS
    assert any("because 'rate' changes; make it an argument" in record.message for record in caplog.records)
