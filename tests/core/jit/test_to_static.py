"""to_static: compiled equals eager, values and gradients, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.jit import to_static
from core.jit.static_function import MAXIMUM_PROGRAMS
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError

W = core.to_tensor(np.linspace(-1, 1, 4, dtype="float32"), stop_gradient=False)
X = np.random.default_rng(0).standard_normal((3, 4)).astype("float32")


def loss(x: core.Tensor, scale: float = 2.0) -> core.Tensor:
    return ((x * W).tanh() * scale).square().sum()


def gradients(function: object, x: core.Tensor) -> tuple[np.ndarray, np.ndarray]:
    W.clear_gradient(set_to_zero=False)
    x.clear_gradient(set_to_zero=False)
    function(x).backward()
    return W.grad.numpy(), x.grad.numpy()


def test_values_and_first_order_gradients_equal_eager() -> None:
    x = core.to_tensor(X, stop_gradient=False)
    compiled = to_static(loss)
    for eager, static in zip(gradients(loss, x), gradients(compiled, x)):
        np.testing.assert_allclose(static, eager, rtol=1e-6)
    with core.no_grad():
        assert compiled(x).item() == pytest.approx(loss(x).item(), rel=1e-6)
    assert compiled(x, scale=3.0).item() == pytest.approx(loss(x, 3.0).item(), rel=1e-6)


def penalty(critic: object):
    def step(x: core.Tensor) -> core.Tensor:
        (gradient,) = core.grad(critic(x), x, create_graph=True)
        return gradient.square().sum()

    return step


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("outer", [False, True])
def test_second_order_gradients_whichever_part_is_compiled(inner: bool, outer: bool) -> None:
    x = core.to_tensor(X, stop_gradient=False)
    expected = gradients(penalty(loss), x)
    step = penalty(to_static(loss) if inner else loss)
    for eager, static in zip(expected, gradients(to_static(step) if outer else step, x)):
        np.testing.assert_allclose(static, eager, rtol=2e-5, atol=1e-6)


def test_results_of_one_call_outlive_the_next() -> None:
    compiled = to_static(lambda x: x * 2)
    first = compiled(core.ones([2]))
    second = compiled(core.ones([2]) * 5)
    assert (first.tolist(), second.tolist()) == ([2, 2], [10, 10])


def test_two_calls_in_one_graph_are_differentiated_separately() -> None:
    compiled = to_static(lambda x: (x * x).sum())
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    (compiled(x) + compiled(x * 3)).backward()
    np.testing.assert_allclose(x.grad.numpy(), 20 * np.array([1, 2]))


def test_buffers_are_written_back_once_per_call_also_without_gradients() -> None:
    count = core.zeros([1])

    @to_static
    def step(x: core.Tensor) -> core.Tensor:
        count.update(count + 1)
        return x * W

    x = core.to_tensor(X, stop_gradient=False)
    y = step(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    with core.no_grad():
        step(x)
    assert count.item() == 2


def test_nested_structures_go_in_and_out() -> None:
    @to_static
    def function(batch, *, flag):
        return {"sum": batch["a"] + batch["b"][0], "flag": flag, "pair": (batch["a"], None)}

    result = function({"a": core.ones([2]), "b": [core.ones([2])]}, flag="on")
    assert result["sum"].tolist() == [2, 2] and result["flag"] == "on" and result["pair"][1] is None
    assert result["pair"][0].tolist() == [1, 1]


def test_methods_and_decorators() -> None:
    class Scaler:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @to_static
        def run(self, x: core.Tensor) -> core.Tensor:
            return x * self.factor

    assert (Scaler(2.0).run(core.ones([1])).item(), Scaler(3.0).run(core.ones([1])).item()) == (2, 3)


def test_no_grad_and_detach_cut_inside_a_program() -> None:
    @to_static
    def function(x: core.Tensor) -> core.Tensor:
        with core.no_grad():
            frozen = x * x
        return (frozen * x + x.detach() * x).sum()

    x = core.to_tensor([3.0], stop_gradient=False)
    function(x).backward()
    assert x.grad.item() == 12


def test_frozen_and_thawed_parameters_are_noticed() -> None:
    weight = core.to_tensor([2.0], stop_gradient=False)
    x = core.to_tensor([3.0], stop_gradient=False)
    compiled = to_static(lambda x: x * weight)
    compiled(x).backward()
    weight.stop_gradient = True
    weight.clear_gradient(set_to_zero=False)
    compiled(x).backward()
    assert weight.grad is None
    weight.stop_gradient = False
    compiled(x).backward()
    assert weight.grad.item() == 3


def test_new_parameter_values_are_used() -> None:
    weight = core.to_tensor([2.0], stop_gradient=False)
    compiled = to_static(lambda x: x * weight)
    assert compiled(core.ones([1])).item() == 2
    weight.set_value([5.0])
    assert compiled(core.ones([1])).item() == 5


def test_reading_a_value_names_the_line() -> None:
    def reads(x: core.Tensor) -> float:
        return float(x.sum())

    with pytest.raises(OperatorError, match=r"test_to_static.py:\d+: the value of a tensor cannot be read while"):
        to_static(reads)(core.ones([2]))
    assert dispatcher.state.trace is None


def test_arguments_that_cannot_be_part_of_a_signature() -> None:
    with pytest.raises(TypeError, match="an argument of type ndarray is neither a Tensor"):
        to_static(loss)(X)


def test_programs_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    compiled = to_static(lambda x: x + 1)
    with caplog.at_level("INFO", logger="core.jit"):
        for size in range(1, MAXIMUM_PROGRAMS + 10):
            assert compiled(core.ones([size])).shape == [size]
    assert len(compiled.programs) == MAXIMUM_PROGRAMS
    assert [record.message for record in caplog.records if "more than 8 input signatures" in record.message]


def test_a_tensor_kept_from_a_trace_is_refused() -> None:
    kept = []

    @to_static
    def function(x: core.Tensor) -> core.Tensor:
        kept.append(x * 2)
        return x * 3

    function(core.ones([1]))
    with pytest.raises(OperatorError, match="made while a program was being compiled is used after that"):
        kept[0] + 1


def test_backward_inside_a_program_is_refused() -> None:
    @to_static
    def function(x: core.Tensor) -> core.Tensor:
        (x * W).sum().backward()
        return x

    with pytest.raises(RuntimeError, match="cannot be part of a compiled program"):
        function(core.to_tensor(X, stop_gradient=False))


def test_hooks_inside_a_program_see_and_replace_gradients() -> None:
    seen = []

    def function(x: core.Tensor) -> core.Tensor:
        y = x * 3
        y.register_hook(lambda gradient: seen.append(gradient.tolist()))
        y.register_hook(lambda gradient: gradient * 10)
        return (y * 2).sum()

    for run in (function, to_static(function)):
        x = core.to_tensor([1.0, 2.0], stop_gradient=False)
        x.register_hook(lambda gradient: gradient + 1)
        run(x).backward()
        np.testing.assert_array_equal(x.grad.numpy(), [61, 61])
    assert seen == [[2, 2], [2, 2]]


def test_a_program_with_gradients_inside_is_repeated_in_another_program_and_for_a_third_order() -> None:
    def slope(x: core.Tensor) -> core.Tensor:
        return core.grad(core.tanh(x).sum(), x, create_graph=True)[0]

    inner = core.jit.to_static(slope)
    x = core.to_tensor([0.3, -0.7], dtype="float64", stop_gradient=False)
    t = np.tanh(x.numpy())
    second, third = -2 * t * (1 - t**2), (1 - t**2) * (6 * t**2 - 2)
    for function in (lambda x: inner(x).sum(), core.jit.to_static(lambda x: inner(x).sum())):
        (first,) = core.grad(function(x), x, create_graph=True)
        np.testing.assert_allclose(first.numpy(), second, rtol=1e-12)
        np.testing.assert_allclose(core.grad(first.sum(), x)[0].numpy(), third, rtol=1e-12)


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_accumulate_over_calls(dynamic: bool) -> None:
    weight = core.to_tensor([2.0, 3.0], stop_gradient=False)
    x = core.to_tensor([1.0, -1.0], stop_gradient=False)
    function = to_static(lambda x, y: (x * y * weight).sum(), dynamic=dynamic)
    for scale in (1.0, 10.0, 100.0):
        function(x, core.full([2], scale)).backward()
    np.testing.assert_array_equal(weight.grad.numpy(), [111, -111])
    np.testing.assert_array_equal(x.grad.numpy(), [222, 333])


def test_a_gradient_that_somebody_holds_outlives_the_next_backward_pass() -> None:
    weight = core.to_tensor([2.0, 3.0], stop_gradient=False)
    function = to_static(lambda x: (x * weight).sum())

    def gradient(scale: float) -> core.Tensor:
        weight.clear_gradient(set_to_zero=False)
        function(core.full([2], scale)).backward()
        assert weight.grad is not None
        return weight.grad

    held = gradient(1.0)
    same_memory = held.detach()
    factor = core.to_tensor([5.0], stop_gradient=False)
    products = [to_static(lambda g: (g * factor).sum())(gradient(10.0)), (gradient(20.0) * factor).sum()]
    gradient(1000.0)
    assert (held.tolist(), same_memory.tolist()) == ([1, 1], [1, 1])
    for product, expected in zip(products, (20, 40)):
        factor.clear_gradient(set_to_zero=False)
        product.backward()
        assert factor.grad.item() == expected


def test_gradients_of_two_calls_that_are_alive_at_once() -> None:
    weight = core.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    function = to_static(lambda x: (x * weight * weight).sum())
    for _ in range(3):
        weight.clear_gradient(set_to_zero=False)
        first, second = function(core.full([3], 1.0)), function(core.full([3], 10.0))
        (grad_first,) = core.grad(first, weight)
        (grad_second,) = core.grad(second, weight)
        np.testing.assert_array_equal(grad_first.numpy(), [2, 4, 6])
        np.testing.assert_array_equal(grad_second.numpy(), [20, 40, 60])


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("uses", [1, 7, 8, 9, 40, 200])
def test_gradients_of_many_uses_of_one_tensor_add_up(uses: int, dynamic: bool) -> None:
    weight = core.to_tensor(np.full((3, 3), 0.5, "float32"), stop_gradient=False)

    def products(x: core.Tensor) -> core.Tensor:
        return sum([((x * (i + 1.0)) @ weight).sum() for i in range(uses)])

    def chain(x: core.Tensor) -> core.Tensor:
        for _ in range(uses):
            x = (x @ weight + x @ (weight * 0.5)).tanh()
        return x.sum()

    for function in (products, chain):
        found = []
        for run in (function, to_static(function, dynamic=dynamic)):
            weight.clear_gradient(set_to_zero=False)
            run(core.ones([3, 3])).backward()
            found.append(weight.grad.numpy())
        np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
    assert found[0].any()


def test_a_program_differentiated_twice_gives_gradients_that_do_not_change_later() -> None:
    weight = core.to_tensor([1.0, 2.0], stop_gradient=False)
    x = core.to_tensor([3.0, 5.0], stop_gradient=False)
    program = core.jit.to_static(lambda x: x * weight * weight)
    value = program(x)
    first = core.grad(value, [x, weight], [core.to_tensor([1.0, 1.0])], retain_graph=True)
    second = core.grad(value, [x, weight], [core.to_tensor([2.0, 3.0])])
    third = core.grad(program(x * 2), [x, weight], [core.to_tensor([1.0, 1.0])])
    assert [t.tolist() for t in first] == [[1, 4], [6, 20]]
    assert [t.tolist() for t in second] == [[2, 12], [12, 60]]
    assert [t.tolist() for t in third] == [[2, 8], [12, 40]]


def test_a_gradient_that_passes_unchanged_is_written_too() -> None:
    x, y = (core.to_tensor(np.full((2, 3, 4), number, "float32"), stop_gradient=False) for number in (-1.0, 2.0))
    program = core.jit.to_static(lambda x, y: core.cast(x > 0, "float32") * x + y)
    for _ in range(3):
        program(x, y).sum().backward()
        assert (x.grad.numpy() == 0).all() and (y.grad.numpy() == 1).all()
        x.clear_gradient(False)
        y.clear_gradient(False)


@pytest.mark.parametrize(
    ("function", "slopes"),
    [
        (lambda x, y: x + y, (1.0, 1.0)),
        (lambda x, y: core.exp(x) + y, (float(np.exp(np.float32(1))), 1.0)),
        (lambda x, y: x + y + x, (2.0, 1.0)),
        (lambda x, y: (x + y) + (x + y), (2.0, 2.0)),
    ],
)
def test_a_sum_of_equal_shapes_may_be_the_result(function: object, slopes: tuple[float, float]) -> None:
    x, y = (core.to_tensor(np.full((2, 3, 4, 4), 1.0, "f4"), stop_gradient=False) for _ in range(2))
    compiled = core.jit.to_static(function)
    result = compiled(x, y)
    np.testing.assert_array_equal(result.numpy(), function(x, y).numpy())  # type: ignore[operator]
    (result * 3).sum().backward()
    for tensor, slope in zip((x, y), slopes):
        np.testing.assert_allclose(tensor.grad.numpy(), np.full((2, 3, 4, 4), 3 * slope, "f4"), rtol=1e-6)
