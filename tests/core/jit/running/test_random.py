"""Random numbers in compiled programs: the same seed gives the numbers of the eager run, in gradients of any order."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static, tree
from core.nn import functional as F

X = np.linspace(0.1, 1, 9, dtype="float32").reshape(3, 3)


def drops_twice(x: core.Tensor) -> core.Tensor:
    first, second = F.dropout(x, 0.5), F.dropout(x, 0.5)
    return second - first * 2


def drawn_in_another_order_than_returned(x: core.Tensor) -> Any:
    first, second, third = core.rand([3]), core.randn([3]), core.randint(0, 100, [4])
    return third, second, first, x * 2


def drawn_and_not_used(x: core.Tensor) -> core.Tensor:
    F.dropout(x, 0.5)
    core.rand([5])
    return F.dropout(x, 0.5) + core.rand([3])


def drawn_last_and_not_used(x: core.Tensor) -> core.Tensor:
    y = F.dropout(x, 0.5)
    F.dropout(y, 0.5)
    return y


def drawn_under_no_grad(x: core.Tensor) -> core.Tensor:
    with core.no_grad():
        frozen = F.dropout(x, 0.5)
    return F.dropout(x, 0.5) * 3 + frozen


def slopes_and_noise(x: core.Tensor) -> core.Tensor:
    y = F.alpha_dropout(x, 0.5)
    return F.rrelu(-x, training=True) * 3 + y + F.gumbel_softmax(x) + core.normal(x, x)


def chosen(x: core.Tensor) -> Any:
    order, picked = core.randperm(6), core.multinomial(core.ones([4]), 3)
    return picked, order, core.bernoulli(x), core.poisson(x * 5), core.randint_like(x, 0, 50), x * core.rand([3])


def units(x: core.Tensor) -> core.Tensor:
    image = x.reshape([1, 3, 3, 1])
    channels = F.dropout2d(image, 0.5).reshape([3, 3]) * 2
    return F.dropout(x, 0.5, axis=0) + channels + F.dropout3d(image.unsqueeze(4)).sum()


FUNCTIONS = [
    drops_twice,
    drawn_in_another_order_than_returned,
    drawn_and_not_used,
    drawn_last_and_not_used,
    drawn_under_no_grad,
    slopes_and_noise,
    chosen,
    units,
]


def outcome(function: Callable[..., Any], stop_gradient: bool) -> list[np.ndarray]:
    """Return the results of three calls after one seed, and the gradients."""
    x = core.to_tensor(X, stop_gradient=stop_gradient)
    core.seed(7)
    found = []
    for _ in range(3):
        results, _ = tree.flatten(function(x))
        found += [result.numpy() for result in results]
        for result in results:
            if not result.stop_gradient:
                result.sum().backward(retain_graph=True)
    return found if x.grad is None else [*found, x.grad.numpy()]


@pytest.mark.parametrize("stop_gradient", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_same_seed_draws_the_same_numbers(function: Callable[..., Any], stop_gradient: bool) -> None:
    eager = outcome(function, stop_gradient)
    compiled = outcome(to_static(function), stop_gradient)
    assert len(eager) == len(compiled)
    for expected, got in zip(eager, compiled):
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


LAYERS: dict[str, Callable[[], nn.Layer]] = {
    "dropout": lambda: nn.Dropout(0.4),
    "dropout of columns": lambda: nn.Dropout(0.4, axis=2),
    "dropout that scales in evaluation": lambda: nn.Dropout(0.4, mode="downscale_in_infer"),
    "alpha dropout": lambda: nn.AlphaDropout(0.4),
    "random slopes": lambda: nn.RReLU(0.1, 0.6),
    "sequence": lambda: nn.Sequential(nn.Dropout(0.4), nn.Linear(8, 8), nn.Dropout(0.4), nn.RReLU(), nn.AlphaDropout()),
    "LSTM": lambda: nn.LSTM(8, 5, num_layers=3, dropout=0.4),
    "GRU both ways": lambda: nn.GRU(8, 5, num_layers=2, direction="bidirect", dropout=0.4),
    "attention": lambda: nn.MultiHeadAttention(8, 2, dropout=0.4),
    "encoder": lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, dropout=0.4, act_dropout=0.2), 2),
}


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_drop_the_same_units(name: str, training: bool) -> None:
    core.seed(1)
    layer = LAYERS[name]()
    layer.train() if training else layer.eval()
    values = np.random.default_rng(2).standard_normal((2, 3, 8)).astype("float32") - 0.5

    def run(call: Callable[..., Any]) -> list[np.ndarray]:
        x = core.to_tensor(values, stop_gradient=False)
        core.seed(3)
        total, found = core.zeros([]), []
        for _ in range(2):
            output = tree.flatten(call(x))[0][0]
            found.append(output.numpy())
            total = total + (output * output).sum()
        total.backward()
        gradients = [x.grad.numpy(), *[parameter.grad.numpy() for parameter in layer.parameters()]]
        layer.clear_gradients()
        return found + gradients

    eager, compiled = run(layer), run(to_static(lambda x: layer(x)))
    if training:
        assert np.abs(eager[0] - eager[1]).max() > 0, "two calls draw differently"
    scale = max(1.0, *[np.abs(expected).max() for expected in eager])  # a bias of keys has no gradient but rounding
    for expected, got in zip(eager, compiled):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_a_gradient_is_differentiated_with_the_numbers_that_were_drawn(inner: bool, outer: bool) -> None:
    weight = core.to_tensor(np.linspace(-1, 1, 12).reshape(3, 4), stop_gradient=False)

    def critic(x: core.Tensor) -> core.Tensor:
        hidden = F.dropout(core.tanh(x @ weight), 0.5)
        return (F.dropout(hidden * hidden, 0.3) * core.rand([4], "float64")).sum()

    def run(inner: bool, outer: bool) -> list[np.ndarray]:
        chosen_critic = to_static(critic) if inner else critic

        def penalty(x: core.Tensor) -> core.Tensor:
            (gradient,) = core.grad(chosen_critic(x), x, create_graph=True)
            return (gradient * gradient).sum()

        x = core.to_tensor(X, dtype="float64", stop_gradient=False)
        weight.clear_gradient(set_to_zero=False)
        core.seed(4)
        loss = (to_static(penalty) if outer else penalty)(x)
        loss.backward()
        return [loss.numpy(), weight.grad.numpy(), x.grad.numpy()]

    for expected, got in zip(run(False, False), run(inner, outer)):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


class Noisy(core.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, x: core.Tensor) -> core.Tensor:
        return F.dropout(x, 0.5)

    @staticmethod
    def backward(ctx: Any, gradient: core.Tensor) -> core.Tensor:
        return gradient


def test_an_operation_of_the_users_that_draws_is_refused_inside_a_program() -> None:
    with pytest.raises(ValueError, match=r"Noisy.forward draws random numbers; .* draw them outside and pass them"):
        to_static(Noisy.apply)(core.ones([3]))
    assert Noisy.apply(core.ones([3])).shape == [3]
