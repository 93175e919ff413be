"""Batch normalisation of anything but images: it is reshaped, as the engine's own view of it is unsound."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.kernels.dispatch.dispatcher import Plan
from core.kernels.dispatch.operator import Operator
from core.kernels.engine import graph
from core.nn import functional as F

SOURCE = np.random.RandomState(0)
KINDS = [((4, 6), "NCHW"), ((4, 6, 5), "NCHW"), ((2, 6, 3, 4, 2), "NCHW"), ((2, 3, 4, 6), "NHWC"), ((3, 4, 6), "NHWC")]


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[list[dict[str, Any]]]:
    """The nodes of each program that is made."""
    found: list[list[dict[str, Any]]] = []
    made = graph.Program.__init__

    def init(self: graph.Program, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        found.append(json.loads(self.symbol.tojson())["nodes"])

    monkeypatch.setattr(graph.Program, "__init__", init)
    return found


def normalised(nodes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return for each batch normalisation what it reads, and along which axis it normalises."""
    found = [node for node in nodes if node["op"] == "BatchNorm"]
    return [(nodes[node["inputs"][0][0]]["op"], node["attrs"]["axis"]) for node in found]


@pytest.mark.parametrize(("shape", "order"), KINDS)
def test_in_inference(shape: tuple[int, ...], order: str, graphs: list[list[dict[str, Any]]]) -> None:
    x, (mean, scale, shift) = SOURCE.randn(*shape).astype(np.float32), SOURCE.randn(3, 6).astype(np.float32)
    variance = SOURCE.rand(6).astype(np.float32) + 0.5
    numbers = [core.to_tensor(array) for array in (mean, variance, scale, shift)]

    def normalise(x: Any) -> Any:
        return F.batch_norm(x * 2, *numbers, training=False, epsilon=1e-3, data_format=order)

    axis = 1 if order == "NCHW" else len(shape) - 1
    around = [6 if place == axis else 1 for place in range(len(shape))]
    mean, variance, scale, shift = (array.reshape(around) for array in (mean, variance, scale, shift))
    expected = (2 * x - mean) / np.sqrt(variance + 1e-3) * scale + shift
    with core.no_grad():
        compiled = core.jit.to_static(normalise)(core.to_tensor(x)).numpy()
    np.testing.assert_allclose(compiled, expected, rtol=1e-4, atol=1e-5)
    assert [normalised(nodes) for nodes in graphs] == [[("Reshape", "1")]]


def test_in_training(graphs: list[list[dict[str, Any]]]) -> None:
    layer = nn.BatchNorm1D(6)
    x = core.to_tensor(SOURCE.randn(5, 6).astype(np.float32), stop_gradient=False)
    weight = SOURCE.randn(5, 6).astype(np.float32)
    gradients = []
    for function in (layer, core.jit.to_static(lambda x: layer(x))):
        (function(x) * core.to_tensor(weight)).sum().backward()
        gradients.append(x.grad.numpy())
        x.clear_gradient()
    centred = x.numpy() - x.numpy().mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0) + 1e-5)
    unit = centred / deviation
    expected = (weight - weight.mean(axis=0) - unit * (weight * unit).mean(axis=0)) / deviation
    for gradient in gradients:
        np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=1e-5)
    assert [("Reshape", "1")] in [normalised(nodes) for nodes in graphs]


def test_images_are_normalised_as_they_are(graphs: list[list[dict[str, Any]]]) -> None:
    layer = nn.BatchNorm2D(6)
    layer.eval()
    with core.no_grad():
        core.jit.to_static(lambda x: layer(x * 2))(core.ones([2, 6, 3, 4]))
    assert all(source != "Reshape" for nodes in graphs for source, _ in normalised(nodes))


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("axes", [1, 3])
def test_between_convolutions_of_vectors_and_volumes(axes: int, training: bool) -> None:
    """A convolution leaves its result in blocks, which the engine's own views refuse ("!is_view")."""
    convolution, normalisation = (nn.Conv1D, nn.BatchNorm1D) if axes == 1 else (nn.Conv3D, nn.BatchNorm3D)
    network = nn.Sequential(
        convolution(16, 16, 3, padding=1), normalisation(16), nn.ReLU(), convolution(16, 16, 3), normalisation(16)
    )
    (network.train if training else network.eval)()
    x = SOURCE.rand(2, 16, *[5] * axes).astype(np.float32)

    def answer(function: Any, dtype: str) -> list[np.ndarray]:
        network.clear_gradients()
        result = function(core.to_tensor(x.astype(dtype)))
        (result**3).mean().backward()
        return [result.numpy(), *(layer.weight.grad.numpy() for layer in list(network)[:2])]

    eager = answer(network, "float32")
    with core.no_grad():
        compiled_network = core.jit.to_static(lambda x: network(x))
        inferred = network(core.to_tensor(x)).numpy(), compiled_network(core.to_tensor(x)).numpy()
    compiled = answer(core.jit.to_static(lambda x: network(x)), "float32")
    network.to(dtype="float64")  # which oneDNN does not compute
    expected = answer(network, "float64")
    for got in (eager, compiled):
        for one, other in zip(got, expected):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4 * np.abs(other).max())
    for one in inferred:
        np.testing.assert_allclose(one, expected[0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(("shape", "order"), KINDS)
def test_the_engine_is_given_images_eagerly(
    shape: tuple[int, ...], order: str, training: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def noted(operator: Operator, arrays: Any, plan: Plan, attributes: Any, needs_gradient: bool) -> Any:
        if operator.engine_name == "BatchNorm":
            given.append((list(plan.given[0][0]), attributes["axis"]))
        return execute(operator, arrays, plan, attributes, needs_gradient)

    execute = Operator.execute
    monkeypatch.setattr(Operator, "execute", noted)
    numbers = [core.to_tensor(array) for array in SOURCE.rand(4, 6).astype(np.float32) + 0.5]
    x = SOURCE.randn(*shape).astype(np.float32)
    result = F.batch_norm(core.to_tensor(x), *numbers, training=training, data_format=order).numpy()
    axis = 1 if order == "NCHW" else len(shape) - 1
    if not training or axis == 1:  # where a gradient is wanted, reshaped feature maps are unsound
        assert given == [([math.prod(shape[:axis]), 6, 1, math.prod(shape[axis + 1 :])], 1)]
    mean, variance, scale, shift = (
        array.numpy().reshape([6 if place == axis else 1 for place in range(len(shape))]) for array in numbers
    )
    others = tuple(place for place in range(len(shape)) if place != axis)
    if training:
        mean, variance = x.mean(axis=others, keepdims=True), x.var(axis=others, keepdims=True)
    np.testing.assert_allclose(result, (x - mean) / np.sqrt(variance + 1e-5) * scale + shift, rtol=1e-3, atol=1e-4)
