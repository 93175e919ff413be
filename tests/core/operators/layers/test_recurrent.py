"""Recurrent sequences as one operator: gradients of both orders, compiled programs, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.operators.layers.recurrent import recurrent_sequence, recurrent_steps
from tests.core.gradient_check import check_gradients
from tests.sampling import sampled

RNG = np.random.default_rng(5)
GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}
LENGTHS = np.array([2, 3, 0, 3, 1])


def draw(kind: str) -> list[np.ndarray]:
    rows = GATES[kind] * 3
    shapes = [(3, 5, 2), (rows, 2), (rows, 3), (rows,), (rows,), (5, 3)] + [(5, 3)] * (kind == "lstm")
    return [RNG.standard_normal(shape) for shape in shapes]


def outputs(function: Any, kind: str, tensors: Any, lengths: Any, reverse: bool) -> list[core.Tensor]:
    y, last = function(kind, tensors[0], tensors[1:5], tensors[5:], lengths, reverse)
    return [y, *last]


DIRECTIONS = [(kind, reverse) for kind in GATES for reverse in (False, True)]


@pytest.mark.parametrize(("kind", "reverse"), sampled(DIRECTIONS, 4))
def test_steps_are_differentiable_twice(kind: str, reverse: bool) -> None:
    lengths = core.to_tensor(LENGTHS)
    check_gradients(
        lambda *tensors: outputs(recurrent_steps, kind, tensors, lengths if reverse else None, reverse), *draw(kind)
    )


def both_orders(
    function: Any, kind: str, arrays: list[np.ndarray], dtype: str, lengths: Any, reverse: bool
) -> list[Any]:
    """Return outputs, gradients, and the gradients of a sum of squared gradients."""
    generator = np.random.default_rng(9)
    tensors = [core.to_tensor(array, dtype=dtype, stop_gradient=False) for array in arrays]
    results = outputs(function, kind, tensors, lengths, reverse)
    heads = [core.to_tensor(generator.standard_normal(result.shape), dtype=dtype) for result in results]
    first = core.grad(results, tensors, heads, retain_graph=True)
    again = core.grad(results, tensors, heads, create_graph=True)
    second = core.grad(sum((g * g).sum() for g in again), tensors, allow_unused=True)
    found = [t.numpy() for t in results] + [g.numpy() for g in first] + [g.numpy() for g in again]
    return found + [np.zeros(1) if g is None else g.numpy() for g in second]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("lengths", [None, LENGTHS])
@pytest.mark.parametrize("kind", list(GATES))
def test_one_operator_has_the_gradients_of_the_steps(kind: str, lengths: Any, reverse: bool) -> None:
    arrays = draw(kind)
    given = None if lengths is None else core.to_tensor(lengths)
    fast = both_orders(recurrent_sequence, kind, arrays, "float32", given, reverse)
    exact = both_orders(recurrent_steps, kind, arrays, "float64", given, reverse)
    for found, expected in zip(fast, exact):
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=0, atol=5e-6 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_compiled_layer_is_one_operator_for_each_direction_with_the_same_gradients(kind: str) -> None:
    core.seed(1)
    layer = getattr(nn, kind)(4, 5, num_layers=2, direction="bidirect", dropout=0.0)
    x = core.to_tensor(RNG.standard_normal((3, 6, 4)), dtype="float32", stop_gradient=False)
    lengths = core.to_tensor([6, 1, 3])
    results = {}
    compiled = core.jit.to_static(lambda x, lengths: layer(x, sequence_length=lengths))
    for name, function in (("eager", lambda x, n: layer(x, sequence_length=n)), ("compiled", compiled)):
        y, last = function(x, lengths)
        states = last if isinstance(last, tuple) else (last,)
        (y.square().sum() + sum((state * 2).sum() for state in states)).backward()
        gradients = [parameter.grad.numpy() for parameter in layer.parameters()] + [x.grad.numpy()]
        results[name] = [y.numpy(), *[state.numpy() for state in states], *gradients]
        layer.clear_gradients()
        x.clear_grad()
    for eager, one in zip(*results.values()):
        np.testing.assert_allclose(one, eager, rtol=0, atol=1e-6 * max(1, np.abs(eager).max()))
    (programs,) = compiled.programs.values()
    names = [operation.operator.name for operation in programs[0].operations]
    wanted = {"SimpleRNN": "simple_rnn", "LSTM": "lstm", "GRU": "gru"}[kind]
    assert names.count(wanted) == 4 and len(names) < 60


def test_penalty_on_the_gradient_of_a_compiled_layer() -> None:
    core.seed(2)
    layer = nn.LSTM(3, 4)
    x = core.to_tensor(RNG.standard_normal((2, 3, 3)), dtype="float32", stop_gradient=False)

    def penalty(x: core.Tensor) -> core.Tensor:
        (gradient,) = core.grad(layer(x)[0].square().sum(), x, create_graph=True)
        return gradient.square().sum()

    found = []
    for function in (penalty, core.jit.to_static(penalty)):
        function(x).backward()
        found.append(layer.weight_hh_l0.grad.numpy())
        layer.clear_gradients()
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-6 * np.abs(found[0]).max())


def test_states_that_do_not_fit_are_refused() -> None:
    runner = nn.RNN(nn.GRUCell(2, 3))
    with pytest.raises(ValueError, match=r"recurrent network: inputs .* do not fit each other: .*\[3, 3\]"):
        runner(core.ones([4, 5, 2]), core.ones([3, 3]))
    with pytest.raises(ValueError, match=r"do not fit each other: .*\[3\] \[in gru"):
        nn.GRU(2, 3)(core.ones([4, 5, 2]), sequence_length=core.to_tensor([1, 2, 3]))
    with pytest.raises(ValueError, match="RNN: the sequences have no steps"):
        nn.GRU(2, 3)(core.ones([4, 0, 2]))


def test_other_types_run_step_by_step() -> None:
    layer = nn.GRU(2, 3)
    layer.to(dtype="float64")
    y, _ = layer(core.ones([1, 4, 2], "float64"))
    expected, _ = recurrent_steps(
        "gru", core.ones([4, 1, 2], "float64"), list(layer.parameters())[:4], [core.zeros([1, 3], "float64")]
    )
    np.testing.assert_allclose(y.numpy()[0], expected.numpy()[:, 0], rtol=1e-12)
