"""Which kernels compute normalisations, and that records keep the operators that were asked for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.lowering import GRADIENTS, MIXED, PROGRAM, SERVING, SYMBOLIC, Call, lowered
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.dtypes import DType, float32, float64
from core.kernels.engine import graph
from core.kernels.lowerings.normalization import FEWEST_ELEMENTS
from core.nn import functional as F

SOURCE = np.random.default_rng(0)
MANY = (FEWEST_ELEMENTS // 64, 64)
FEW = (MANY[0] - 1, 64)


def chosen(name: str, *shapes: tuple[int, ...], context: int = 0, dtype: DType = float32, **options: Any) -> str:
    """Return the name of what computes an operator."""
    call = Call([(shape, dtype) for shape in shapes], {"epsilon": 1e-5, **options}, context, [0] * len(shapes))
    return lowered(REGISTRY[name], call).name


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The operators of each program that is made, ours by their own names."""
    found: list[set[str]] = []
    made = graph.Program.__init__

    def init(self: graph.Program, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        nodes = json.loads(self.symbol.tojson())["nodes"]
        found.append({node.get("attrs", {}).get("operator", node["op"]) for node in nodes})

    monkeypatch.setattr(graph.Program, "__init__", init)
    return found


@pytest.mark.parametrize(
    ("shape", "context", "dtype", "expected"),
    [
        (MANY, GRADIENTS, float32, "layer_normalization.numba"),
        (MANY, GRADIENTS | MIXED, float32, "layer_normalization.numba"),
        (FEW, GRADIENTS, float32, "layer_normalization"),
        (MANY, 0, float32, "layer_normalization"),
        (MANY, GRADIENTS, float64, "layer_normalization"),
        (MANY, SERVING, float32, "layer_normalization"),
        (MANY, GRADIENTS | SYMBOLIC, float32, "layer_normalization"),
    ],
)
def test_rows_go_to_our_kernel_where_a_gradient_is_wanted(
    shape: tuple[int, ...], context: int, dtype: DType, expected: str
) -> None:
    given = (shape, shape[-1:], shape[-1:])
    assert chosen("layer_normalization", *given, context=context, dtype=dtype) == expected


@pytest.mark.parametrize(
    ("shape", "dtype", "suffix"), [(MANY, float32, ".numba"), (FEW, float32, ""), (MANY, float64, "")]
)
def test_gradients_of_rows_go_to_our_kernel_by_size(shape: tuple[int, ...], dtype: DType, suffix: str) -> None:
    name, statistics = "layer_normalization_backward", (shape[0], 1)
    assert chosen(name, shape, shape, shape[-1:], statistics, statistics, dtype=dtype) == name + suffix


@pytest.mark.parametrize("context", [0, GRADIENTS, PROGRAM, GRADIENTS | PROGRAM, SERVING])
def test_images_go_to_our_kernel(context: int) -> None:
    given, statistics = ((2, 3, 4, 4), (3,), (3,)), (2, 3)
    assert chosen("instance_normalization", *given, context=context) == "instance_normalization.numba"
    wide = chosen("instance_normalization", *given, context=context, dtype=float64)
    assert wide == ("_as_rows" if context & (PROGRAM | SERVING) else "_as_batch")
    backward = (given[0], *given[:2], statistics, statistics)
    assert chosen("instance_normalization_backward", *backward) == "instance_normalization_backward.numba"
    assert chosen("instance_normalization_backward", *backward, dtype=float64) == "_backward_as_batch"


def test_images_stay_what_they_are_where_sizes_are_unknown() -> None:
    assert chosen("instance_normalization", (2, 3, 4, 4), (3,), (3,), context=SYMBOLIC) == "instance_normalization"


def test_the_record_holds_rows_and_the_graph_our_kernel(graphs: list[set[str]]) -> None:
    x = core.to_tensor(SOURCE.standard_normal(MANY).astype(np.float32), stop_gradient=False)
    weight = core.to_tensor(SOURCE.standard_normal(64).astype(np.float32), stop_gradient=False)
    program = core.jit.to_static(lambda x, weight: F.layer_norm(x, 64, weight))
    gradients = []
    for function in (lambda x, weight: F.layer_norm(x, 64, weight), program):
        (function(x, weight) ** 3).sum().backward()
        gradients.append([tensor.grad.numpy() for tensor in (x, weight)])
        x.clear_gradient()
        weight.clear_gradient()
    for one, other in zip(*gradients):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4 * np.abs(other).max())
    (compiled,) = next(iter(program.programs.values()))
    names = [operation.operator.name for operation in compiled.operations]
    assert "layer_normalization" in names and "layer_normalization.numba" not in names
    assert any("layer_normalization.numba" in nodes for nodes in graphs)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", [(4, 6), (2, 6, 3, 3)])
def test_statistics_that_a_program_computes(shape: tuple[int, ...], dtype: str, graphs: list[set[str]]) -> None:
    """The engine's batch normalisation takes none but a graph's inputs."""

    def normalise(x: core.Tensor, mean: core.Tensor) -> core.Tensor:
        return F.batch_norm(x, mean * 2.0, mean * mean + 0.5, training=False)

    parameters = "float64" if dtype == "float64" else "float32"
    x = core.to_tensor(SOURCE.standard_normal(shape).astype(dtype), stop_gradient=False)
    mean = core.to_tensor(SOURCE.standard_normal(6).astype(parameters), stop_gradient=False)
    program = core.jit.to_static(normalise)
    results = []
    for function in (normalise, program):
        result = function(x, mean)
        assert result.dtype.name == dtype
        (core.cast(result, parameters) ** 2).sum().backward()
        results.append([result.numpy(), x.grad.numpy(), mean.grad.numpy()])
        x.clear_gradient()
        mean.clear_gradient()
    for one, other in zip(*results):
        np.testing.assert_allclose(one, other, rtol=0, atol={"float16": 4e-3}.get(dtype, 1e-5) * np.abs(other).max())
    (compiled,) = next(iter(program.programs.values()))
    assert "frozen_normalization" in [operation.operator.name for operation in compiled.operations]
    assert all("BatchNorm" not in nodes for nodes in graphs)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
@pytest.mark.parametrize("name", ["instance_norm", "group_norm"])
def test_images_that_our_kernel_does_not_take(name: str, dtype: str) -> None:
    """Eagerly, in a program and in stretches of one that is cut at a loop; gradients too."""
    size = 3 if name == "group_norm" else 6
    shape = (2, 6, 4, 3)
    array = SOURCE.standard_normal(shape)
    parameters = "float32" if dtype == "float16" else dtype
    x = core.to_tensor(array.astype(dtype), stop_gradient=False)
    weight = core.to_tensor((SOURCE.standard_normal(6) + 2).astype(parameters), stop_gradient=False)

    def normalise(x: core.Tensor, weight: core.Tensor) -> core.Tensor:
        if name == "group_norm":
            return F.group_norm(x, 3, weight=weight)
        return F.instance_norm(x, weight=weight)

    def twice(x: core.Tensor, weight: core.Tensor, times: core.Tensor) -> core.Tensor:
        while times > 0:
            times = times - 1
        return normalise(x + times, weight)

    rows = array.astype(dtype).astype(np.float64).reshape(2, size, -1)
    normal = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    normal = normal.reshape(shape)
    factor = normal[::-1].copy()
    scaled = (factor * weight.numpy().reshape(6, 1, 1)).reshape(rows.shape)
    flat = normal.reshape(rows.shape)
    along = scaled.mean(-1, keepdims=True), (scaled * flat).mean(-1, keepdims=True)
    expected = (scaled - along[0] - flat * along[1]) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    tolerance = 4e-3 if dtype == "float16" else 1e-9
    for function in (normalise, core.jit.to_static(normalise)):
        result = function(x, weight)
        (core.cast(result, parameters) * core.to_tensor(factor.astype(parameters))).sum().backward()
        found = result.numpy(), x.grad.numpy(), weight.grad.numpy()
        answers = normal * weight.numpy().reshape(6, 1, 1), expected.reshape(shape), (factor * normal).sum((0, 2, 3))
        for one, other in zip(found, answers):
            np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * np.abs(other).max())
        x.clear_gradient()
        weight.clear_gradient()
    with core.no_grad():
        looped = core.jit.to_static(twice)(x, weight, core.to_tensor(2.0, dtype=dtype))
    np.testing.assert_allclose(looped.numpy(), answers[0], rtol=0, atol=tolerance * np.abs(answers[0]).max())
