"""A parameter that the loss does not reach has no gradient, compiled as eagerly: an optimizer leaves it alone."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static

X = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)


class TwoHeads(nn.Layer):
    """Two outputs; a loss may use one of them. ``spare`` is used by nothing, ``read`` only without a gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.first = nn.Linear(4, 2)
        self.second = nn.Linear(4, 2)
        self.spare = nn.Linear(4, 2)
        self.read = nn.Linear(4, 2)

    def forward(self, x: core.Tensor) -> tuple[core.Tensor, core.Tensor]:
        features = self.body(x).tanh()
        with core.no_grad():
            shift = self.read(features).mean()
        return self.first(features) + shift, self.second(features) + self.read(features).detach()


def gradients(wrap: Callable[..., Any], used: str) -> dict[str, Any]:
    core.seed(1)
    layer = TwoHeads()
    call = wrap(lambda x: layer(x))
    first, second = call(core.to_tensor(X))
    loss = {"first": first.sum(), "second": (second * second).sum(), "both": (first * second).sum()}[used]
    loss.backward()
    return {key: None if p.grad is None else p.grad.numpy() for key, p in layer.named_parameters()}


@pytest.mark.parametrize("used", ["first", "second", "both"])
def test_the_same_parameters_have_a_gradient(used: str) -> None:
    eager, compiled = gradients(lambda function: function, used), gradients(to_static, used)
    reached = {"first": {"first"}, "second": {"second"}, "both": {"first", "second"}}[used] | {"body"}
    assert {key.split(".")[0] for key, gradient in eager.items() if gradient is not None} == reached
    for key, expected in eager.items():
        assert (compiled[key] is None) == (expected is None), key
        if expected is not None:
            np.testing.assert_allclose(compiled[key], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("used", ["first", "second"])
def test_weight_decay_does_not_move_them(used: str) -> None:
    weights = []
    for wrap in (lambda function: function, to_static):
        core.seed(1)
        layer = TwoHeads()
        before = {key: parameter.numpy() for key, parameter in layer.named_parameters()}
        optimizer = core.optimizer.AdamW(0.1, parameters=layer.parameters(), weight_decay=0.5)
        call = wrap(lambda x, layer=layer: layer(x))
        for _ in range(3):
            outputs = call(core.to_tensor(X))
            (outputs[0] if used == "first" else outputs[1]).square().mean().backward()
            optimizer.step()
            optimizer.clear_grad()
        after = {key: parameter.numpy() for key, parameter in layer.named_parameters()}
        for key in after:
            moved = bool(np.abs(after[key] - before[key]).max() > 0)
            assert moved == (key.split(".")[0] in ("body", used)), key
        weights.append(after)
    for key, expected in weights[0].items():
        np.testing.assert_allclose(weights[1][key], expected, rtol=1e-5, atol=1e-6)


def test_a_gradient_kept_from_another_loss_stays() -> None:
    layer = TwoHeads()
    call = to_static(lambda x: layer(x))
    call(core.to_tensor(X))[1].sum().backward()
    kept = layer.second.weight.grad.numpy()
    call(core.to_tensor(X))[0].sum().backward()
    np.testing.assert_array_equal(layer.second.weight.grad.numpy(), kept)


def test_inputs_that_are_not_reached() -> None:
    function = to_static(lambda x, y: (x * 2, y * 3))
    x, y = (core.to_tensor(X, stop_gradient=False) for _ in range(2))
    function(x, y)[0].sum().backward()
    assert x.grad is not None and y.grad is None
    outputs = function(x, y)
    with pytest.raises(RuntimeError, match=r"the outputs do not depend on inputs\[1\]: pass allow_unused=True"):
        core.grad(outputs[0], [x, y], retain_graph=True)
    assert core.grad(outputs[0], [x, y], allow_unused=True, create_graph=True)[1] is None
    assert core.grad(outputs[0], [x, y], allow_unused=True)[1] is None


def test_one_program_inside_another() -> None:
    layer = TwoHeads()
    inner = to_static(lambda x: layer(x))
    outer = to_static(lambda x: inner(x)[1] * 2)
    outer(core.to_tensor(X)).sum().backward()
    without = {key.split(".")[0] for key, parameter in layer.named_parameters() if parameter.grad is None}
    assert without == {"first", "spare", "read"}
