"""backward and grad: values, orders, and every way of using them wrongly."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

import core
from tests.core.gradient_check import check_gradients


def leaf(*numbers: float) -> core.Tensor:
    return core.to_tensor(list(numbers), dtype="float64", stop_gradient=False)


def test_backward_accumulates_until_cleared() -> None:
    x = leaf(1, 2)
    for expected in ([2, 4], [4, 8]):
        (x * x).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), expected)
    x.clear_gradient()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 0])
    x.grad = core.ones([2], "float64")
    x.clear_grad()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 0])
    x.clear_gradient(set_to_zero=False)
    assert x.grad is None


def test_a_starting_gradient_weighs_the_outputs() -> None:
    x = leaf(1, 2)
    (x * x).backward(core.to_tensor([1.0, 10.0], dtype="float64"))
    np.testing.assert_array_equal(x.grad.numpy(), [2, 40])
    with pytest.raises(ValueError, match=r"a starting gradient of shape \[3\] for an output of shape \[2\]"):
        (x * x).backward(core.ones([3], "float64"))


def test_several_heads() -> None:
    x = leaf(3)
    core.autograd.backward([x * 2, x * x], [None, core.to_tensor([10.0], dtype="float64")])
    assert x.grad.item() == 62


def test_orders_one_to_four() -> None:
    x = leaf(2)
    derivative = x**5
    for expected in (80, 160, 240, 240):
        (derivative,) = core.grad(derivative, x, create_graph=True)
        assert derivative.item() == pytest.approx(expected)


def test_grad_of_intermediates_leaves_grad_alone() -> None:
    x = leaf(3)
    y = x * x
    z = y * y
    first, second = core.grad(z, [y, x], retain_graph=True)
    assert (first.item(), second.item(), x.grad) == (18, 108, None)
    assert first.stop_gradient


def test_grad_reaches_only_what_leads_to_its_inputs() -> None:
    x, w = leaf(2), leaf(3)
    (gradient,) = core.grad(x * w, x)
    assert gradient.item() == 3 and w.grad is None


def test_no_grad_vars_are_constants() -> None:
    x = leaf(3)
    y = x * x
    (gradient,) = core.grad(x * y, x, no_grad_vars=[y])
    assert gradient.item() == 9


def test_unused_inputs() -> None:
    x, other = leaf(1), leaf(1)
    with pytest.raises(RuntimeError, match=r"the outputs do not depend on inputs\[1\]: pass allow_unused=True"):
        core.grad(x * 2, [x, other], retain_graph=True)
    assert core.grad(x * 2, [x, other], allow_unused=True)[1] is None
    with pytest.raises(RuntimeError, match=r"inputs\[0\] has stop_gradient=True"):
        core.grad(x * 2, core.ones([1]))
    with pytest.raises(NotImplementedError, match="only_inputs=False"):
        core.grad(x * 2, x, only_inputs=False)


def test_a_used_up_record_says_so() -> None:
    x = leaf(1)
    y = (x * x).exp()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="a second backward through the same record: pass retain_graph=True"):
        y.backward()


def test_backward_without_anything_to_differentiate() -> None:
    with pytest.raises(RuntimeError, match="depends on nothing that needs a gradient"):
        core.ones([1]).backward()


def test_no_grad_as_block_decorator_and_generator() -> None:
    x = leaf(1)

    @core.no_grad()
    def plain() -> bool:
        return (x * 2).stop_gradient

    @core.no_grad
    def bare() -> bool:
        return (x * 2).stop_gradient

    @core.no_grad()
    def steps():
        yield (x * 2).stop_gradient
        with core.enable_grad():
            yield (x * 2).stop_gradient

    assert plain() and bare()
    seen = []
    for stopped in steps():
        seen.append((stopped, (x * 2).stop_gradient))
    assert seen == [(True, False), (False, False)]
    with core.set_grad_enabled(False):
        assert not core.is_grad_enabled()


def test_detach_cuts_and_freezing_cuts() -> None:
    x = leaf(3)
    (x * x.detach()).backward()
    assert x.grad.item() == 3
    y = x * 2
    y.stop_gradient = True
    assert (y * 2).stop_gradient
    x.clear_grad()
    x.stop_gradient = True
    assert (x * 2).stop_gradient
    x.stop_gradient = False
    (x * x).backward()
    assert x.grad.item() == 6


def test_hooks_see_and_replace_gradients() -> None:
    x = leaf(1, 2)
    y = x * 3
    seen = []
    y.register_hook(lambda gradient: seen.append(gradient.tolist()))
    remover = y.register_hook(lambda gradient: gradient * 10)
    x.register_hook(lambda gradient: gradient + 1)
    (y * 2).sum().backward()
    assert seen == [[2, 2]]
    np.testing.assert_array_equal(x.grad.numpy(), [61, 61])
    assert remover.remove() and not remover.remove()
    with pytest.raises(RuntimeError, match="a hook on a tensor with stop_gradient=True would never run"):
        core.ones([1]).register_hook(print)


def test_retained_gradients_of_intermediates() -> None:
    x = leaf(2)
    y = x * x
    y.retain_grads()
    (y * 5).backward()
    assert (y.grad.item(), x.grad.item()) == (5, 20)


def test_a_gradient_penalty() -> None:
    x, w = leaf(1, -2), leaf(0.5, 0.25)
    (gradient,) = core.grad((x * w).tanh().sum(), x, create_graph=True)
    (gradient * gradient).sum().backward()
    slope = 1 - np.tanh(x.numpy() * w.numpy()) ** 2
    y = np.tanh(x.numpy() * w.numpy())
    expected = 2 * (slope * w.numpy()) * (slope - 2 * y * slope * x.numpy() * w.numpy())
    np.testing.assert_allclose(w.grad.numpy(), expected, rtol=1e-12)


class Cube(core.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * x * scale, x + 1

    @staticmethod
    def backward(ctx, first, second):
        (x,) = ctx.saved_tensor()
        return first * x * x * (3 * ctx.scale) + second


@pytest.mark.parametrize("compiled", [False, True])
def test_pylayer_first_and_second_order(compiled: bool) -> None:
    function = core.jit.to_static(lambda x: Cube.apply(x * 1.0, 2.0)[0].sum()) if compiled else None
    check_gradients(function or (lambda x: Cube.apply(x, 2.0)), np.array([0.3, -0.7]))


def test_pylayer_checks_what_backward_returns() -> None:
    class Wrong(core.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient.sum()

    with pytest.raises(
        ValueError, match=r"Wrong.backward returned a gradient of shape \[\] for an input of shape \[2\]"
    ):
        Wrong.apply(leaf(1, 2)).sum().backward()


def test_maximum_pooling_finds_its_maxima_where_they_stand_after_its_input_was_read() -> None:
    """A convolution gives oneDNN's blocks of channels, and reading them puts them in order."""
    random = np.random.RandomState(0)
    x, weight = [core.to_tensor(random.randn(*shape).astype("float32")) for shape in ((1, 16, 8, 8), (32, 16, 3, 3))]
    weight.stop_gradient = False
    maps = core.nn.functional.conv2d(x, weight, padding=1)
    maps.retain_grads()
    largest = core.nn.functional.max_pool2d(maps, 2, 2)
    windows = maps.numpy().reshape(32, 4, 2, 4, 2)
    largest.sum().backward()
    expected = (windows == windows.max(axis=(2, 4), keepdims=True)).reshape(1, 32, 8, 8)
    np.testing.assert_array_equal(maps.grad.numpy(), expected)


def test_gradients_of_intermediate_results_are_let_go_once_used() -> None:
    x, seen, alive = leaf(1, 2), [], []

    def look(gradient: core.Tensor) -> None:
        alive.append(sum(reference() is not None for reference in seen))
        seen.append(weakref.ref(gradient))

    y = x
    for _ in range(4):
        y = y * 2.0
        y.register_hook(look)
    y.sum().backward()
    assert alive == [0, 0, 0, 0]
    np.testing.assert_array_equal(x.grad.numpy(), [16, 16])
    second = leaf(3, 4)
    between = second * second
    outer, inner = core.grad((between * between).sum(), [between, second], retain_graph=True)
    assert outer.tolist() == [18, 32] and inner.tolist() == [108, 256]
