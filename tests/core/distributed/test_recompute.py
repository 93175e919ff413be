"""Computing again gives the gradients of computing once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.distributed.fleet.utils import recompute


def network() -> core.nn.Layer:
    core.seed(1)
    return core.nn.Sequential(core.nn.Linear(4, 8), core.nn.ReLU(), core.nn.Dropout(0.5), core.nn.Linear(8, 3))


def test_gradients_are_those_of_the_ordinary_run_and_dropout_keeps_its_mask() -> None:
    net = network()
    core.seed(7)
    state = core.get_rng_state()
    x = core.to_tensor(np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32), stop_gradient=False)
    found = []
    for again in (False, True):
        core.set_rng_state(state)
        if not again:
            core.get_rng_state()  # recompute draws the state that it comes back to
        for tensor in (x, *net.parameters()):
            tensor.clear_gradient(set_to_zero=False)
        y = recompute(net, x * 2) if again else net(x * 2)
        (y * y).sum().backward()
        found.append([y.numpy(), x.grad.numpy(), *[p.grad.numpy() for p in net.parameters()]])
    assert np.any(found[0][0])
    for got, expected in zip(found[1], found[0]):
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


def test_the_function_runs_twice_and_keeps_no_record_in_between() -> None:
    calls = []

    def cube(x: core.Tensor, power: int) -> core.Tensor:
        calls.append(core.is_grad_enabled())
        return x**power

    x = core.to_tensor([2.0, 3.0], stop_gradient=False)
    y = recompute(cube, x, power=3, preserve_rng_state=False, use_reentrant=True)
    assert calls == [False] and y.tolist() == [8.0, 27.0]
    y.sum().backward()
    assert calls == [False, True] and x.grad.tolist() == [12.0, 27.0]


def test_several_outputs_and_arguments_without_gradients() -> None:
    x, w = core.to_tensor([2.0], stop_gradient=False), core.to_tensor([5.0])
    product, count, square = recompute(lambda a, b, n: (a * b, n, a * a), x, w, 4)
    assert count == 4
    (product * 3 + square).sum().backward()
    assert x.grad.tolist() == [19.0] and w.grad is None


def compiled_loss(net: Any, traced: list[int]) -> Any:
    """Return a compiled function that computes a network twice again for its gradient."""

    def block(x: core.Tensor, scale: core.Tensor) -> dict[str, core.Tensor]:
        traced.append(1)
        return {"y": net(x * scale), "x": x}

    def loss(x: core.Tensor) -> core.Tensor:
        found = recompute(block, x * 2, scale=core.to_tensor([1.5]))
        again = recompute(block, found["x"], core.to_tensor([0.5]))
        return ((found["y"] - again["y"]) ** 2).sum() + found["x"].sum()

    return core.jit.to_static(loss)


def test_a_compiled_program_computes_again_too() -> None:
    net, traced = network(), []
    net.eval()
    loss = compiled_loss(net, traced)
    x = core.to_tensor(np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32), stop_gradient=False)
    parameters, found = [x, *net.parameters()], []
    for _ in range(2):
        for one in parameters:
            one.clear_gradient(set_to_zero=False)
        loss(x).backward()
        found.append([one.grad.numpy() for one in parameters])
    for one in parameters:
        one.clear_gradient(set_to_zero=False)
    (((net(x * 3) - net(x)) ** 2).sum() + (x * 2).sum()).backward()
    for first, second, one in zip(*found, parameters):
        np.testing.assert_allclose(first, one.grad.numpy(), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(first, second)
    assert len(traced) == 2  # once for each place: the engine runs it again


def test_a_compiled_program_draws_again_what_it_drew() -> None:
    net = network()
    loss = compiled_loss(net, [])
    x = core.to_tensor(np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32), stop_gradient=False)
    state = core.get_rng_state()
    loss(x).backward()
    gradient, ends = x.grad.numpy(), []
    for step in (1e-3, -1e-3):
        core.set_rng_state(state)
        ends.append(float(loss(core.to_tensor(x.numpy() + step * gradient, stop_gradient=False))))
    assert (ends[0] - ends[1]) / 2e-3 == pytest.approx((gradient**2).sum(), rel=0.02)


def test_buffers_that_a_compiled_function_moves_are_moved_once() -> None:
    norm = core.nn.BatchNorm1D(3)
    x = core.to_tensor(np.arange(12, dtype=np.float32).reshape(4, 3), stop_gradient=False)
    core.jit.to_static(lambda x: recompute(norm, x * 1.0))(x).sum().backward()
    np.testing.assert_allclose(norm._mean.numpy(), x.numpy().mean(0) * 0.1, rtol=1e-5)


def test_an_exported_program_has_nothing_to_compute_again(tmp_path: Path) -> None:
    net = core.nn.Linear(2, 1)

    class Around(core.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, x: core.Tensor) -> core.Tensor:
            return recompute(self.net, x)

    x = core.ones([3, 2])
    core.jit.save(Around(), str(tmp_path / "net"), [core.static.InputSpec([None, 2], "float32", stop_gradient=False)])
    np.testing.assert_allclose(core.jit.load(str(tmp_path / "net"))(x).numpy(), net(x).numpy(), rtol=1e-6)


@pytest.mark.parametrize("where", ["no_grad", "no argument needs a gradient", "compiled"])
def test_otherwise_it_is_an_ordinary_call(where: str) -> None:
    net = core.nn.Linear(2, 1)
    x = core.to_tensor([[1.0, 2.0]], stop_gradient=where == "no argument needs a gradient")
    expected = net(x).numpy()
    if where == "no_grad":
        with core.no_grad():
            assert recompute(net, x).stop_gradient
        return
    function = core.jit.to_static(lambda x: recompute(net, x)) if where == "compiled" else lambda x: recompute(net, x)
    y = function(x)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-6)
    y.backward()
    assert net.weight.grad.tolist() == [[1.0], [2.0]]
