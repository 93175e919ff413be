"""Fluid's recurrent layers against stored outputs and gradients of paddlepaddle 1.8.5, NumPy, finite differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.incubate.layers import BasicGRU, BasicLSTM, DynamicGRU, DynamicLSTM, DynamicLSTMP
from core.kernels.dispatch.errors import OperatorError
from core.kernels.layers.recurrent.reference import peephole_lstm_reference, reset_first_gru_reference
from core.operators.sequences.recurrent import peephole_lstm, reset_first_gru
from tests.core.gradient_check import check_gradients
from tests.parity.stored import stored_arrays

STORED = stored_arrays(Path(__file__).parents[3] / "parity" / "fluid" / "references.npz")
LENGTHS = {"states": [4, 3, 2, 1], "": [4, 0, 2, 1]}
T = core.to_tensor


def case_of(name: str) -> dict[str, np.ndarray]:
    return {key.partition("/")[2]: value for key, value in STORED.items() if key.startswith(f"{name}/")}


def layer_of(name: str) -> Any:
    if name.startswith("lstmp"):
        limit = 0.2 if "clip" in name else None
        return DynamicLSTMP(3, 2, use_peepholes=limit is None, cell_clip=limit, proj_clip=limit)
    if name.startswith("lstm"):
        return DynamicLSTM(3, "peepholes" in name or "states" in name, "reverse" in name or "states" in name)
    return DynamicGRU(3, "reverse" in name or "states" in name, "origin" in name)


NAMES = {"w": "weight", "b": "bias", "lstmp_0.w_0": "weight", "lstmp_0.w_1": "proj_weight"}
CASES = sorted({key.partition("/")[0] for key in STORED if key.startswith(("lstm", "gru"))})


@pytest.mark.parametrize("name", CASES)
def test_weights_outputs_and_gradients_are_fluids(name: str) -> None:
    case, layer = case_of(name), layer_of(name)
    layer.set_state_dict({NAMES[k[8:]]: T(v) for k, v in case.items() if k.startswith("weights/")})
    given = {key: T(case[key], stop_gradient=False) for key in ("x", "h_0", "c_0") if key in case}
    lengths = T(np.array(LENGTHS["states" if "states" in name else ""]))
    outputs = layer(given["x"], lengths, *[given[key] for key in ("h_0", "c_0") if key in case])
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    stored = [value for key, value in case.items() if key.startswith("out/")]
    rows = np.arange(1, 5, dtype="float32").reshape(1, 4, 1)  # what the outputs were multiplied by, see there
    for got, wanted in zip(outputs, stored):
        np.testing.assert_allclose(got.numpy(), wanted, atol=1e-6)
    (outputs[0] * T(rows)).sum().backward()  # Fluid's gradients leave out what flows into the memories
    for key, tensor in given.items():
        np.testing.assert_allclose(tensor.grad.numpy(), case[f"grad/{key}"], rtol=1e-4, atol=2e-5)
    for key, value in case.items():
        if key[5:] in NAMES and key.startswith("grad/"):
            np.testing.assert_allclose(getattr(layer, NAMES[key[5:]]).grad.numpy(), value, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_basic_layers_are_fluids(kind: str) -> None:
    case = case_of(f"basic {kind}")
    layer: Any = (BasicLSTM if kind == "lstm" else BasicGRU)(2, 3, 2, bidirectional=True)
    inner = {"w_0": "weight", "b_0": "bias"}
    if kind == "gru":
        inner = {"w_0": "gate_weight", "w_1": "candidate_weight", "b_0": "gate_bias", "b_1": "candidate_bias"}

    def ours(key: str) -> str:
        unit, _, part = key.partition("/")[2].partition("/")
        return f"{unit.replace(f'basic_{kind}_', '').replace('layers_', 'layers.')}.{inner[part.rpartition('.')[2]]}"

    layer.set_state_dict({ours(key): T(value) for key, value in case.items() if key.startswith("weights/")})
    x = T(case["x"], stop_gradient=False)
    outputs = layer(x, T(case["lengths"]))
    for got, key in zip(outputs, ("y", "hidden", "cell")):
        np.testing.assert_allclose(got.numpy(), case[f"out/{key}"], atol=1e-6)
    sum(output.sum() * float(i + 1) for i, output in enumerate(outputs)).backward()
    np.testing.assert_allclose(x.grad.numpy(), case["grad/x"], rtol=1e-4, atol=2e-5)
    parameters = dict(layer.named_parameters())
    for key, value in case.items():
        if key.startswith("grad/basic"):
            np.testing.assert_allclose(parameters[ours(key)].grad.numpy(), value, rtol=1e-4, atol=2e-5)


RNG = np.random.default_rng(3)


def test_elmos_cell_against_numpy() -> None:
    layer = DynamicLSTMP(5, 3, False, True, cell_clip=0.3, proj_clip=0.1, proj_activation="identity")
    x, lengths = RNG.standard_normal((6, 7, 20)).astype("float32"), np.array([7, 0, 3, 5, 1, 7])
    y, memories = layer(T(x), T(lengths))
    arrays = [value.numpy() for value in (layer.weight, layer.bias[0])]
    expected = peephole_lstm_reference(
        x.transpose(1, 0, 2), *arrays, None, layer.proj_weight.numpy(), np.zeros((6, 3)), np.zeros((6, 5)), lengths,
        True, 0.3, 0.1,
    )  # fmt: skip
    for got, wanted in zip((y, memories), expected):
        np.testing.assert_allclose(got.numpy().transpose(1, 0, 2), wanted, atol=1e-6)
    assert np.abs(y.numpy()).max() == np.float32(0.1) and not y.numpy()[1].any()


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_units_that_reset_first_against_numpy(activation: Any) -> None:
    layer = DynamicGRU(20, origin_mode=True, candidate_activation=activation)
    x, lengths = RNG.standard_normal((9, 4, 60)).astype("float32"), np.array([4, 0, 2, 1, 4, 3, 3, 0, 1])
    flat = layer.weight.numpy().reshape(-1)
    weights = flat[:800].reshape(20, 40), flat[800:].reshape(20, 20)
    expected = reset_first_gru_reference(
        x.transpose(1, 0, 2), *weights, layer.bias.numpy()[0], np.zeros((9, 20)), lengths,
        origin=True, rectified=activation == "relu",
    )  # fmt: skip
    np.testing.assert_allclose(layer(T(x), T(lengths)).numpy().transpose(1, 0, 2), expected, atol=1e-6)


def test_gradients_of_both_orders() -> None:
    lengths = T(np.array([2, 0]))

    options = {"reverse": True, "cell_clip": 5.0, "projection_clip": 4.0, "squashed": True, "repeated": False}

    def lstm(x: Any, weight: Any, bias: Any, h: Any, c: Any, peepholes: Any, projection: Any) -> Any:
        y, memories, last = peephole_lstm(x, weight, bias, (h, c), lengths, peepholes, projection, **options)
        return [y, memories, *last]

    def gru(*given: Any) -> Any:
        return reset_first_gru(*given, lengths, reverse=False, origin=False, repeated=True)

    def rectified(*given: Any) -> Any:
        return reset_first_gru(*given, lengths, reverse=True, origin=True, repeated=False, rectified=True)

    draw = RNG.standard_normal
    lstm_inputs = [draw(s) for s in ((2, 2, 4), (2, 4), (4,), (2, 2), (2, 1), (3, 1), (1, 2))]
    gru_inputs = [draw(s) for s in ((2, 2, 3), (1, 2), (1, 1), (3,), (2, 1))]
    for function, arrays in ((lstm, lstm_inputs), (gru, gru_inputs), (rectified, gru_inputs)):
        check_gradients(function, *arrays, order=1)  # float64, by steps
        found = []
        for dtype in ("float32", "float64"):  # the kernel, and the steps
            tensors = [T(array.astype(dtype), stop_gradient=False) for array in arrays]
            outputs = function(*tensors)
            first = core.grad([(o * o).sum() for o in outputs], tensors, retain_graph=True)
            again = core.grad([(o * o).sum() for o in outputs], tensors, create_graph=True)
            second = core.grad(sum((g * g).sum() for g in again), tensors)
            found.append([t.numpy() for t in (*outputs, *first, *second)])
        for ours, wanted in zip(*found):
            np.testing.assert_allclose(ours, wanted, rtol=1e-4, atol=1e-4)


class Encoder(core.nn.Layer):
    """Every kind of layer in a row."""

    def __init__(self) -> None:
        super().__init__()
        self.project = core.nn.Linear(3, 8)
        self.lstm = DynamicLSTM(2)
        self.basic = BasicGRU(2, 3, bidirectional=True)

    def forward(self, x: Any, lengths: Any) -> Any:
        hidden, _ = self.lstm(self.project(x), lengths)
        return self.basic(hidden, lengths)[0]


def test_layers_are_compiled_and_exported(tmp_path: Path) -> None:
    encoder, x, lengths = Encoder(), T(RNG.standard_normal((3, 4, 3)).astype("float32")), T(np.array([4, 0, 2]))
    eager = encoder(x, lengths)
    eager.sum().backward()
    gradient = encoder.project.weight.grad.numpy().copy()
    encoder.clear_gradients()
    compiled = core.jit.to_static(encoder)(x, lengths)
    compiled.sum().backward()
    np.testing.assert_allclose(compiled.numpy(), eager.numpy(), atol=1e-6)
    np.testing.assert_allclose(encoder.project.weight.grad.numpy(), gradient, atol=1e-6)
    again = Encoder()
    again.set_state_dict(encoder.state_dict())
    core.jit.save(again, str(tmp_path / "encoder"), [x, lengths])
    np.testing.assert_allclose(core.jit.load(str(tmp_path / "encoder"))(x, lengths).numpy(), eager.numpy(), atol=1e-6)


def test_messages() -> None:
    x, lengths = T(np.zeros((2, 3, 8), "float32")), T(np.array([4, 1]))
    with pytest.raises(OperatorError, match="lstm: lengths are from 0 to 3, got 1 to 4"):
        DynamicLSTM(2)(x, lengths)
    with pytest.raises(OperatorError, match="gru: lengths are from 0 to 3, got -1 to 1"):
        DynamicGRU(2)(T(np.zeros((2, 3, 6), "float32")), T(np.array([-1, 1])))
    with pytest.raises(OperatorError, match=r"lstm: projected inputs, weights .*got \[3, 2, 8\], \[3, 12\]"):
        DynamicLSTM(3)(x)
    with pytest.raises(OperatorError, match=r"gru: .*at least one step; got \[0, 2, 6\]"):
        DynamicGRU(2)(T(np.zeros((2, 0, 6), "float32")))
    for build, message in (
        (lambda: DynamicLSTM(0), "DynamicLSTM: hidden_size is a positive number, got 0"),
        (
            lambda: DynamicGRU(2, candidate_activation="elu"),  # type: ignore[arg-type]
            "DynamicGRU: candidate_activation is 'tanh' or 'relu', not 'elu'",
        ),
        (lambda: DynamicLSTMP(2, 0), "DynamicLSTMP: proj_size is a positive number, got 0"),
        (lambda: DynamicLSTMP(2, 2, cell_clip=0), "cell_clip is a positive number, or None for no limit, got 0"),
        (lambda: DynamicLSTMP(2, 2, proj_activation="relu"), "proj_activation is 'tanh' or 'identity', not 'relu'"),
        (lambda: BasicLSTM(2, 2, 0), "BasicLSTM: num_layers counts layers, from 1 on, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            build()
