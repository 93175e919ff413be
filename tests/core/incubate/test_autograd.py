"""Products with Jacobians, Jacobian and Hessian matrices; the numbers are those of Paddle 2.6.2."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.incubate import autograd


def pair() -> list[core.Tensor]:
    return [core.to_tensor([[1.0, 2.0], [3.0, 4.0]]), core.to_tensor([[0.5, -1.0], [2.0, 1.0]])]


def both(x: core.Tensor, y: core.Tensor) -> tuple[core.Tensor, core.Tensor]:
    return core.matmul(x, y), core.tanh(x)


def close(found: core.Tensor, expected: object) -> None:
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-6)


def test_a_vector_times_the_jacobian() -> None:
    x, y = pair()
    outputs, found = autograd.vjp(both, [x, y], [x, y])
    assert type(outputs) is type(found) is tuple
    close(found[0], [[-1.2900128, 3.9293492], [-2.4802678, 10.0013409]])
    close(found[1], [[10.0, 14.0], [14.0, 20.0]])
    close(autograd.vjp(lambda x: x * x, x)[1], 2 * x.numpy())
    close(autograd.vjp(lambda x, y: x * 2, [x, y])[1][1], np.zeros((2, 2)))


@pytest.mark.parametrize("compiled", [False, True])
def test_the_jacobian_times_a_vector(compiled: bool) -> None:
    def product(x: core.Tensor, y: core.Tensor) -> tuple[core.Tensor, core.Tensor]:
        return autograd.jvp(both, [x, y], [y, x])[1]

    x, y = pair()
    first, second = (core.jit.to_static(product) if compiled else product)(x, y)
    close(first, [[5.25, 8.5], [18.0, 21.0]])
    close(second, [[0.2099872, -0.0706508], [0.0197322, 0.0013411]])
    close(autograd.jvp(core.matmul, (x, y))[1], [[5.5, 3.0], [9.5, 7.0]])


def test_changes_along_a_direction_of_recorded_tensors() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x**3
    close(autograd.forward_grad(y, x), [3.0, 12.0])
    close(autograd.forward_grad(y, x, core.to_tensor([1.0, 0.5])), [3.0, 6.0])
    first = autograd.grad(y, x)
    close(first, [3.0, 12.0])
    close(autograd.grad([first], [x])[0], [6.0, 12.0])


def test_the_jacobian_of_several_tensors() -> None:
    x, y = pair()
    jacobian = autograd.Jacobian(core.matmul, [x, y])
    assert jacobian.shape == (4, 8)
    close(
        jacobian[:],
        [
            [0.5, 2, 0, 0, 1, 0, 2, 0],
            [-1, 1, 0, 0, 0, 1, 0, 2],
            [0, 0, 0.5, 2, 3, 0, 4, 0],
            [0, 0, -1, 1, 0, 3, 0, 4],
        ],
    )
    close(jacobian[0, :], [0.5, 2, 0, 0, 1, 0, 2, 0])
    close(jacobian[:, 1], [2, 1, 0, 0])


def test_the_jacobian_of_a_batch() -> None:
    jacobian = autograd.Jacobian(lambda x, y: x * y + x, pair(), is_batched=True)
    assert jacobian.shape == (2, 2, 4)
    close(jacobian[:], [[[1.5, 0, 1, 0], [0, 0, 0, 2]], [[3, 0, 3, 0], [0, 2, 0, 4]]])
    close(jacobian[:, 1, :], [[0, 0, 0, 2], [0, 2, 0, 4]])


def test_the_hessian() -> None:
    x, y = pair()
    hessian = autograd.Hessian(lambda x: core.sum(x * x * x), x[0])
    assert hessian.shape == (2, 2)
    close(hessian[:], [[6, 0], [0, 12]])
    hessian = autograd.Hessian(lambda x, y: core.sum(x * x * y, axis=1, keepdim=True), [x, y], is_batched=True)
    assert hessian.shape == (2, 4, 4)
    close(hessian[0], [[1, 0, 2, 0], [0, -2, 0, 4], [2, 0, 0, 0], [0, 4, 0, 0]])


def test_gradients_flow_through_a_jacobian() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    autograd.Jacobian(lambda x: x**3, x)[:].sum().backward()
    close(x.grad, [6.0, 12.0])


def test_the_switch_of_primitive_operators_is_remembered() -> None:
    autograd.enable_prim()
    assert autograd.prim_enabled()
    autograd.disable_prim()
    assert not autograd.prim_enabled()


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: autograd.vjp(3, x), TypeError, "vjp: func must be a function, not int"),
        (lambda x: autograd.jvp(core.exp, [x, 3]), TypeError, "jvp: xs must be a tensor or a sequence of them"),
        (lambda x: autograd.vjp(core.exp, x, [x[0]]), RuntimeError, r"vjp: the vector's shapes \[\[2\]\] must be"),
        (lambda x: autograd.jvp(core.exp, x, x[0]), RuntimeError, r"must be those of xs, \[\[2, 2\]\]"),
        (lambda x: autograd.Hessian(core.exp, x), RuntimeError, "Hessian: the function must return one element, not 4"),
        (lambda x: autograd.forward_grad(x, 1), TypeError, "forward_grad: inputs must be a tensor"),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call(pair()[0])
