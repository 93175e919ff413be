"""One trace for every size: replayed at batch 1, 3 and 8 it gives the eager results, or says which line cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static
from core.jit.input_spec import InputSpec
from core.jit.tracing.symbolic import SymbolicProgram, replay, trace_symbolic
from core.kernels.dispatch.errors import OperatorError
from PaddleClas.models.resnet import ResNet18

BATCHES = (1, 3, 8)


def draw(shape: Sequence[int], dtype: str = "float32") -> core.Tensor:
    values = np.random.default_rng(len(shape) + sum(shape)).uniform(-1, 1, shape)
    return core.to_tensor(values if dtype == "float32" else np.abs(values * 10), dtype=dtype)


def run(program: SymbolicProgram, *tensors: core.Tensor) -> np.ndarray:
    return core.Tensor(replay(program, [tensor._value for tensor in tensors])[0]).numpy()


def check(function: Callable[..., Any], spec: InputSpec, shapes: Sequence[Sequence[int]], rtol: float = 1e-6) -> None:
    program = trace_symbolic(function, [spec])
    for shape in shapes:
        x = draw(shape, spec.dtype.name)
        with core.no_grad():
            expected = function(x).numpy()
            got = run(program, x)
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol * max(1.0, float(np.abs(expected).max())))


FUNCTIONS: dict[str, Callable[[core.Tensor], core.Tensor]] = {
    "reshape": lambda x: x.reshape([x.shape[0], -1]),
    "reshape to the front": lambda x: x.reshape([-1, x.shape[2]]),
    "flatten": lambda x: x.flatten(1),
    "product of sizes": lambda x: x.reshape([x.shape[0] * x.shape[1], 4]) * (x.shape[0] * x.shape[1]),
    "half of them": lambda x: x.reshape([-1])[: x.size // 2],
    "expand": lambda x: x[:1].expand([x.shape[0], x.shape[1], 4]) + x,
    "tile": lambda x: x.tile([1, x.shape[0], 1]),
    "positions": lambda x: x + core.arange(x.shape[0]).astype("float32").unsqueeze([1, 2]),
    "steps": lambda x: x + core.linspace(0, 1, x.shape[0]).unsqueeze([1, 2]),
    "identity": lambda x: core.eye(x.shape[0]).matmul(x.flatten(1)),
    "zeros": lambda x: core.concat([x, core.zeros([x.shape[0], 1, 4])], axis=1),
    "like": lambda x: core.full_like(x, 2.0) * core.ones_like(x) + x,
    "rows of a table": lambda x: core.ones([20, 3, 4])[: x.shape[0]].cumsum(0) + x,
    "mean by hand": lambda x: x.sum(0) / x.shape[0] + 1.0 / x.shape[0] - x.mean(0),
    "shape as a tensor": lambda x: x.reshape([core.shape(x)[0], -1]) + core.shape(x)[0].astype("float32"),
    "causal mask": lambda x: core.ones([x.shape[0], x.shape[0]]).tril().matmul(x.flatten(1)),
    "last of each": lambda x: x[:, -1] + x[-1, 0] + x[0, 1],
    "backwards": lambda x: x[::-1] + x.flip(0),
    "assignment": lambda x: assigned(x.clone()),
    "one hot": lambda x: core.nn.functional.one_hot(core.arange(x.shape[0]), x.shape[0]),
    "infinite": lambda x: core.maximum(core.full([x.shape[0], 1, 1], -np.inf), x),
    "a Python decision": lambda x: x * 2 if x.shape[0] < 100 and x.shape[1] == 3 else x,
    "a loop over a known axis": lambda x: sum((x[:, i] * i for i in range(x.shape[1])), x[:, 0]),
    "a comparison of tensors": lambda x: (core.arange(x.shape[0]) < x.shape[0] - 1).astype("float32"),
}


def assigned(x: core.Tensor) -> core.Tensor:
    x[:, 1] = x.shape[0]
    return x


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_functions_of_an_unknown_batch(name: str) -> None:
    check(FUNCTIONS[name], InputSpec([None, 3, 4]), [(batch, 3, 4) for batch in BATCHES])


def test_a_residual_network_of_any_batch_and_of_any_picture() -> None:
    model = ResNet18(class_num=5)
    model.eval()
    check(model, InputSpec([None, 3, 64, 64], name="image"), [(batch, 3, 64, 64) for batch in BATCHES], rtol=1e-5)
    spec = InputSpec([None, 3, None, None], name="image")
    check(model, spec, [(1, 3, 32, 48), (3, 3, 64, 33), (8, 3, 47, 47)], rtol=1e-5)


def test_a_transformer_of_any_batch_and_length() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16)
    layer.eval()
    check(layer, InputSpec([None, None, 8]), [(1, 1, 8), (3, 5, 8), (8, 12, 8), (2, 300, 8)], rtol=1e-5)


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_recurrent_networks_of_any_batch(kind: str) -> None:
    layer = getattr(nn, kind)(4, 6, num_layers=2, direction="bidirect")
    layer.eval()
    check(lambda x: layer(x)[0], InputSpec([None, 5, 4]), [(batch, 5, 4) for batch in BATCHES], rtol=1e-5)


def test_several_inputs_several_results_and_nesting() -> None:
    def function(pair: list[core.Tensor], options: dict[str, core.Tensor], scale: float) -> dict[str, Any]:
        ids, x = pair
        return {"sum": (x.sum(-1) + ids.astype("float32")) * scale, "rest": [options["mask"] & (ids > 2), x]}

    specs = [[InputSpec([None], "int64"), InputSpec([None, None])], {"mask": InputSpec([None], "bool")}, 0.5]
    program = trace_symbolic(function, specs)
    assert [spec.dtype.name for spec in program.inputs] == ["int64", "float32", "bool"]
    for batch in BATCHES:
        ids, x = draw([batch], "int64"), draw([batch, batch + 1])
        mask = core.to_tensor(np.ones(batch, bool))
        values = replay(program, [ids._value, x._value, mask._value])
        got = core.jit.tree.unflatten(program.result_skeleton, [core.Tensor(value) for value in values])
        expected = function([ids, x], {"mask": mask}, 0.5)
        np.testing.assert_array_equal(got["sum"].numpy(), expected["sum"].numpy())
        np.testing.assert_array_equal(got["rest"][0].numpy(), expected["rest"][0].numpy())
        np.testing.assert_array_equal(got["rest"][1].numpy(), x.numpy())


def test_known_sizes_only_and_tensors_as_specs() -> None:
    layer = nn.Linear(4, 3)
    x = draw([2, 4])
    program = trace_symbolic(layer, [x])
    assert not program.guards and not program.updates and len(program.captured) == 2
    np.testing.assert_allclose(run(program, x), layer(x).numpy(), rtol=1e-6)


def test_captured_parameters_are_read_at_each_replay_or_given() -> None:
    layer = nn.Linear(4, 3)
    program = trace_symbolic(layer, [InputSpec([None, 4])])
    x = draw([2, 4])
    layer.weight.set_value(np.zeros([4, 3], "float32"))
    np.testing.assert_array_equal(run(program, x), np.broadcast_to(layer.bias.numpy(), [2, 3]))
    ones = [core.ones(value.meta[0])._value for value, _ in program.captured]
    (result,) = replay(program, [x._value, *ones])
    expected = np.repeat(x.numpy().sum(-1, keepdims=True) + 1, 3, 1)
    np.testing.assert_allclose(core.Tensor(result).numpy(), expected, rtol=1e-6)


def test_gradients_flow_through_a_replay() -> None:
    layer = nn.Linear(4, 3)
    program = trace_symbolic(lambda x: (layer(x) ** 2).mean(), [InputSpec([None, 4])])
    x = draw([3, 4])
    core.Tensor(replay(program, [x._value])[0]).backward()
    replayed = layer.weight.grad.numpy()
    layer.clear_gradients()
    (layer(x) ** 2).mean().backward()
    np.testing.assert_allclose(replayed, layer.weight.grad.numpy(), rtol=1e-6)


def test_gradients_inside_a_program_of_any_size() -> None:
    weight = core.to_tensor(np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3), stop_gradient=False)

    def penalty(x: core.Tensor) -> core.Tensor:
        y = (x.matmul(weight).tanh().reshape([x.shape[0] * 3]) ** 2).sum() / x.shape[0]
        (first,) = core.grad(y, x, create_graph=True)
        return core.grad((first * first).sum(), weight)[0]

    program = trace_symbolic(penalty, [InputSpec([None, 4])])
    for batch in BATCHES:
        x = draw([batch, 4])
        x.stop_gradient = False
        np.testing.assert_allclose(run(program, x), penalty(x).numpy(), rtol=1e-4, atol=1e-6)


def test_batch_statistics_are_updates() -> None:
    layer = nn.BatchNorm1D(4)
    before = layer._mean.numpy()
    program = trace_symbolic(layer, [InputSpec([None, 4])])
    assert [handle for handle, _ in program.updates] == [layer._mean, layer._variance]
    np.testing.assert_array_equal(layer._mean.numpy(), before)
    x = draw([8, 4])
    _, mean, variance = [core.Tensor(value).numpy() for value in replay(program, [x._value])]
    layer(x)
    np.testing.assert_allclose(mean, layer._mean.numpy(), rtol=1e-6)
    np.testing.assert_allclose(variance, layer._variance.numpy(), rtol=1e-6)


def test_a_program_can_be_traced_again_inside_another() -> None:
    inner = trace_symbolic(lambda x: x.reshape([x.shape[0], -1]) + core.arange(x.shape[0]).unsqueeze(1), [
        InputSpec([None, 2, 2])
    ])  # fmt: skip

    def outer(x: core.Tensor) -> core.Tensor:
        return core.Tensor(replay(inner, [(x * 2)._value])[0]).sum(1)

    check(outer, InputSpec([None, 2, 2]), [(batch, 2, 2) for batch in BATCHES])
    x = draw([3, 2, 2])
    np.testing.assert_allclose(to_static(outer)(x).numpy(), outer(x).numpy(), rtol=1e-6)


def test_compiled_parts_are_traced_as_code() -> None:
    compiled = to_static(lambda x: x.reshape([x.shape[0], -1]).sum(-1))
    check(lambda x: compiled(x) + 1, InputSpec([None, 3, 4]), [(batch, 3, 4) for batch in BATCHES])


def test_control_flow_on_sizes_and_tensors() -> None:
    def function(x: core.Tensor) -> core.Tensor:
        total = core.zeros([x.shape[1]])
        for i in range(x.shape[0]):
            total = total + x[i] * i
        for row in x:
            total = total - row
        if total.sum() > 0:
            total = total * 2
        else:
            total = total - x.shape[0]
        return total

    check(function, InputSpec([None, 3]), [(batch, 3) for batch in BATCHES])


def test_a_py_layer_keeps_unknown_sizes() -> None:
    class Double(core.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: core.Tensor) -> core.Tensor:
            return (x + x).reshape([x.shape[0] * 2, -1])

        @staticmethod
        def backward(ctx: Any, gradient: core.Tensor) -> core.Tensor:
            return gradient

    check(lambda x: Double.apply(x) + 1, InputSpec([None, 4]), [(batch, 4) for batch in BATCHES])


# what cannot be expressed


def test_a_guard_is_checked_at_the_sizes_of_a_run() -> None:
    def function(x: core.Tensor) -> core.Tensor:
        return x[:, :4] if x.shape[1] > 100 else x

    program = trace_symbolic(function, [InputSpec([2, None], name="ids")])
    assert run(program, draw([2, 300])).shape == (2, 4)
    violated = r"test_symbolic.py:\d+: .* ids.shape\[1\] > 100 is True, but here 60 > 100 is False"
    with pytest.raises(OperatorError, match=violated):
        run(program, draw([2, 60]))


def test_a_decision_that_differs_between_the_examples_is_refused() -> None:
    with pytest.raises(OperatorError, match=r"test_symbolic.py:\d+: whether ids.shape\[0\] % 2 == 1 depends") as caught:
        trace_symbolic(lambda x: x if x.shape[0] % 2 == 1 else x, [InputSpec([None], name="ids", examples={0: (3, 4)})])
    assert "\n" not in str(caught.value)


FROZEN: dict[str, Callable[[core.Tensor], Any]] = {
    "int": lambda x: x.reshape([int(x.shape[0]), -1]),
    "list": lambda x: [x] * x.shape[0],
    "numpy": lambda x: x + core.to_tensor(np.ones(x.shape, "float32")),
    "length": lambda x: x * len(x),
    "constant": lambda x: x.reshape([7, -1]),
    "result": lambda x: (x, x.shape[0]),
    "unbind": lambda x: core.unbind(x),
}


@pytest.mark.parametrize("name", list(FROZEN))
def test_a_number_is_never_frozen_in_silence(name: str) -> None:
    with pytest.raises(OperatorError, match=r"^[^\n]*test_symbolic.py:\d+: [^\n]*ids.shape\[0\]") as caught:
        trace_symbolic(FROZEN[name], [InputSpec([None, 4], name="ids")])
    assert "\n" not in str(caught.value)


def test_a_size_that_only_seemed_fixed_is_found_at_replay() -> None:
    program = trace_symbolic(lambda x: x[:5].sum(0), [InputSpec([None, 4])])
    assert run(program, draw([6, 4])).shape == (4,)
    found = r"slice: a result has shape \[3, 4\] where the program was traced for \[5, 4\]"
    with pytest.raises(OperatorError, match=found):
        run(program, draw([3, 4]))


def test_inputs_that_contradict_the_specs() -> None:
    program = trace_symbolic(lambda x: x + 1, [InputSpec([None, 4], name="ids")])
    with pytest.raises(OperatorError, match=r"input ids: expected float32\[None, 4\], got float32\[2, 5\]"):
        run(program, draw([2, 5]))
    with pytest.raises(OperatorError, match=r"input ids: a tensor of shape \[0, 4\] is empty"):
        run(program, core.zeros([0, 4]))


def test_sizes_that_the_examples_do_not_fit_say_so() -> None:
    hint = r"does not divide.*\(traced with input0.shape\[0\] as 7 and 11: InputSpec\(examples=...\) gives others\)"
    with pytest.raises(OperatorError, match=hint):
        trace_symbolic(lambda x: x.reshape([-1, 8, 4]), [InputSpec([None, 4])])
    spec = InputSpec([None, 4], examples={0: (16, 24)})
    check(lambda x: x.reshape([-1, 8, 4]), spec, [(8, 4), (32, 4)])
