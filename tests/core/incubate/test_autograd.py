"""paddle.incubate.autograd against derivatives worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.incubate.autograd import Hessian, Jacobian, jvp, vjp

X = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32)
A = np.array([[0.5, 1.0], [-2.0, 4.0]], np.float32)


def test_products_with_the_jacobian_of_a_square() -> None:
    x, v = core.to_tensor(X), core.to_tensor(A)
    square = lambda x: core.matmul(x, x)  # noqa: E731
    ys, back = vjp(square, x, v)
    np.testing.assert_allclose(ys.numpy(), X @ X, rtol=1e-6)
    np.testing.assert_allclose(back.numpy(), A @ X.T + X.T @ A, rtol=1e-6)
    ys, forward = jvp(square, x, v)
    np.testing.assert_allclose(forward.numpy(), A @ X + X @ A, rtol=1e-6)
    np.testing.assert_allclose(jvp(square, x)[1].numpy(), np.ones((2, 2)) @ X + X @ np.ones((2, 2)), rtol=1e-6)
    np.testing.assert_allclose(vjp(square, x)[1].numpy(), np.ones((2, 2)) @ X.T + X.T @ np.ones((2, 2)), rtol=1e-6)
    assert x.stop_gradient and x.grad is None


def test_several_inputs_and_results() -> None:
    x, y = core.to_tensor([1.0, 2.0]), core.to_tensor([3.0, 5.0])
    both = lambda x, y: (x * x, x.sum() * 2)  # noqa: E731
    ys, (dx, dy) = vjp(both, [x, y], [core.to_tensor([1.0, 10.0]), core.to_tensor(1.0)])
    assert ([t.tolist() for t in ys], dx.tolist(), dy) == ([[1.0, 4.0], 6.0], [4.0, 42.0], None)
    _, (first, second) = jvp(both, (x, y), (core.to_tensor([1.0, 10.0]), core.to_tensor([7.0, 7.0])))
    assert (first.tolist(), second.tolist()) == ([2.0, 40.0], 22.0)
    assert jvp(lambda x: core.ones([2]), x)[1] is None


def test_products_are_differentiable() -> None:
    x = core.to_tensor([1.0, 2.0])
    twice = vjp(lambda x: vjp(lambda z: (z**3).sum() * z[0], x)[1].sum(), x)[1]  # of 4 x^3 + y^3 + 3 x y^2
    assert twice.tolist() == [24.0, 24.0]


@pytest.mark.parametrize("batched", [False, True])
def test_jacobian_of_flattened_inputs(batched: bool) -> None:
    x, y = core.to_tensor(X), core.to_tensor(A)
    if batched:  # x * y and the sums, sample by sample
        found = Jacobian(lambda x, y: [x * y, x.sum(axis=1)], [x, y], is_batched=True)
        expected = np.array([
            np.concatenate([np.concatenate([np.diag(a), np.diag(b)], 1), [[1, 1, 0, 0]]]) for b, a in zip(X, A)
        ])  # fmt: skip
        assert found.shape == [2, 3, 4]
        np.testing.assert_allclose(found[:, 2, :].numpy(), expected[:, 2])
    else:
        found = Jacobian(core.matmul, [x, y])
        expected = np.concatenate([np.kron(np.eye(2), A.T), np.kron(X, np.eye(2))], 1)
        assert found.shape == [4, 8]
        np.testing.assert_allclose(found[0, :].numpy(), expected[0])
    np.testing.assert_allclose(found[:].numpy(), expected)


def test_hessian() -> None:
    x, y = core.to_tensor(X), core.to_tensor([2.0])
    function: Any = lambda x, y: (x**2).sum() * y  # noqa: E731
    expected = np.zeros((5, 5))
    expected[:4, :4] = 4 * np.eye(4)
    expected[4, :4] = expected[:4, 4] = 2 * X.reshape(-1)
    found = Hessian(function, [x, y])
    assert found.shape == [5, 5]
    np.testing.assert_allclose(found[:].numpy(), expected)
    batched = Hessian(lambda x: (x**3).sum(axis=1, keepdim=True), x, is_batched=True)
    np.testing.assert_allclose(batched[:].numpy(), [np.diag(6 * row) for row in X])
    assert Hessian(lambda x: core.ones([1]), y)[:].tolist() == [[0.0]]


def test_messages() -> None:
    x = core.to_tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match="Hessian: the function must give one number, not 2"):
        Hessian(lambda x: x * x, x)
    with pytest.raises(ValueError, match=r"vjp: v must have the shapes \[\[2\]\], not \[\[3\]\]"):
        vjp(lambda x: x * x, x, core.ones([3]))
    with pytest.raises(ValueError, match=r"jvp: v must have the shapes \[\[2\]\], not \[\[2\], \[2\]\]"):
        jvp(lambda x: x * x, x, [x, x])
