"""core.onnx.export: names, modes, versions, element types and conditions on sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnxruntime import InferenceSession
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

import core
from core import nn
from core.jit.input_spec import InputSpec


class Answers(nn.Layer):
    """Takes named inputs in a dict and answers with nested results, one of them an input, one of them twice."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.dropout = nn.Dropout(0.5)

    def forward(self, batch: Any, scale: Any) -> Any:
        logits = self.dropout(self.linear(batch["x"])) * scale
        return {"logits": logits, "parts": [batch["x"], logits], "number": logits.sum()}


def run(path: Path, **inputs: np.ndarray) -> Any:
    return InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, inputs)


def test_inputs_and_outputs_are_named_and_the_layer_keeps_its_modes(tmp_path: Path) -> None:
    core.seed(0)
    layer = Answers()
    layer.linear.eval()
    spec = [{"x": InputSpec([None, 4])}, InputSpec([], name="factor")]
    assert core.onnx.export(layer, str(tmp_path / "new" / "answers"), spec) is None
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["answers.onnx"]
    assert layer.training and not layer.linear.training and layer.dropout.training
    model = onnx.load(tmp_path / "new" / "answers.onnx")
    assert [given.name for given in model.graph.input] == ["batch", "factor"]
    assert [result.name for result in model.graph.output] == ["logits", "parts_0", "parts_1", "number"]
    assert {tensor.name for tensor in model.graph.initializer} >= {"linear.weight", "linear.bias"}
    assert model.opset_import[0].version == 18
    batch_axis = model.graph.input[0].type.tensor_type.shape.dim[0].dim_param
    assert batch_axis == model.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "batch_axis_0"
    x = np.random.default_rng(1).normal(size=(5, 4)).astype("float32")
    logits, same, again, number = run(tmp_path / "new" / "answers.onnx", batch=x, factor=np.asarray(2, np.float32))
    expected = 2 * (x @ layer.linear.weight.numpy() + layer.linear.bias.numpy())
    np.testing.assert_allclose(logits, expected, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(again, logits)
    np.testing.assert_allclose(number, expected.sum(), rtol=1e-5)


@pytest.mark.parametrize("version", [13, 16, 17, 21])
def test_every_version_of_the_operators_gives_the_same_numbers(version: int, tmp_path: Path) -> None:
    core.seed(0)
    layer = nn.Sequential(nn.Conv2D(3, 4, 3), nn.GroupNorm(2, 4), nn.Flatten(2), nn.LayerNorm(9), nn.Softmax(-1))
    core.onnx.export(layer, str(tmp_path / "layer"), [InputSpec([None, 3, 5, 5], name="x")], opset_version=version)
    assert onnx.load(tmp_path / "layer.onnx").opset_import[0].version == version
    x = np.random.default_rng(1).normal(size=(2, 3, 5, 5)).astype("float32")
    np.testing.assert_allclose(run(tmp_path / "layer.onnx", x=x)[0], layer(core.to_tensor(x)).numpy(), atol=1e-5)


def test_a_compiled_layer_brings_its_own_specs_and_a_tensor_serves_as_one(tmp_path: Path) -> None:
    layer = nn.Linear(3, 2)
    compiled = core.jit.to_static(nn.Linear(3, 2), input_spec=[InputSpec([None, 3], name="rows")])
    core.onnx.export(compiled, str(tmp_path / "compiled"))
    core.onnx.export(layer, str(tmp_path / "plain"), [core.ones([2, 3])], enable_onnx_checker=True)
    x = np.ones((2, 3), np.float32)
    np.testing.assert_allclose(run(tmp_path / "compiled.onnx", rows=x)[0], compiled(core.to_tensor(x)).numpy(), 1e-5)
    (given,) = onnx.load(tmp_path / "plain.onnx").graph.input
    assert [dim.dim_value for dim in given.type.tensor_type.shape.dim] == [2, 3]


def test_lstm_and_attention_serve_any_batch_and_length(tmp_path: Path) -> None:
    core.seed(0)
    attention = nn.TransformerEncoderLayer(8, 2, 16)
    core.onnx.export(attention, str(tmp_path / "attention"), [InputSpec([None, None, 8], examples={1: (4, 6)})])
    lstm = nn.LSTM(4, 3)
    core.onnx.export(lstm, str(tmp_path / "lstm"), [InputSpec([None, 5, 4])])
    attention.eval()
    generator = np.random.default_rng(0)
    for batch, length in ((1, 2), (3, 9), (8, 5)):
        x = generator.normal(size=(batch, length, 8)).astype("float32")
        expected = attention(core.to_tensor(x)).numpy()
        np.testing.assert_allclose(run(tmp_path / "attention.onnx", src=x)[0], expected, rtol=0, atol=1e-5)
        x = generator.normal(size=(batch, 5, 4)).astype("float32")
        sequence, (hidden, cell) = lstm(core.to_tensor(x))
        results = run(tmp_path / "lstm.onnx", inputs=x)
        for got, wanted in zip(results, (sequence, hidden, cell)):
            np.testing.assert_allclose(got, wanted.numpy(), rtol=0, atol=1e-5)


def test_a_size_that_the_code_decided_on_is_checked_when_the_model_runs(tmp_path: Path) -> None:
    class Cropped(nn.Layer):
        def forward(self, x: Any) -> Any:
            return x[:, :4] if x.shape[1] > 4 else x

    spec = [InputSpec([2, None], examples={1: (6, 8)})]
    core.onnx.export(Cropped(), str(tmp_path / "cropped"), spec)
    np.testing.assert_array_equal(run(tmp_path / "cropped.onnx", x=np.ones((2, 5), np.float32))[0], np.ones((2, 4)))
    with pytest.raises(InvalidArgument, match=r"condition x.shape\[1\] > 4 is True"):
        run(tmp_path / "cropped.onnx", x=np.ones((2, 3), np.float32))


class FirstFive(nn.Layer):
    def forward(self, x: Any) -> Any:
        return x[:5].mean() + x.max() * x[:5].shape[0]


def test_a_size_that_only_seemed_fixed_is_checked_when_the_model_runs(tmp_path: Path) -> None:
    core.onnx.export(FirstFive(), str(tmp_path / "first"), [InputSpec([None], name="x", examples={0: (7, 11)})])
    x = np.arange(9, dtype="float32")
    np.testing.assert_allclose(run(tmp_path / "first.onnx", x=x)[0], 2 + 8 * 5)
    with pytest.raises(InvalidArgument, match="condition axis 0 of the result of slice has size 5"):
        run(tmp_path / "first.onnx", x=x[:3])
    pooling = nn.MaxPool2D(3, 8)
    core.onnx.export(pooling, str(tmp_path / "pool"), [InputSpec([1, 1, None, 4], name="x", examples={2: (4, 7)})])
    run(tmp_path / "pool.onnx", x=np.ones((1, 1, 9, 4), np.float32))
    with pytest.raises(InvalidArgument, match="condition axis 2 of the result of maximum_pooling has size 1"):
        run(tmp_path / "pool.onnx", x=np.ones((1, 1, 11, 4), np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "uint8", "bool"])
def test_element_types_are_kept(dtype: str, tmp_path: Path) -> None:
    class Kept(nn.Layer):
        def forward(self, x: Any) -> Any:
            return core.concat([x, x[::-1]])

    core.onnx.export(Kept(), str(tmp_path / "kept"), [InputSpec([3], dtype)])
    x = np.array([0, 1, 1]).astype(dtype)
    (result,) = run(tmp_path / "kept.onnx", x=x)
    assert result.dtype == x.dtype
    np.testing.assert_array_equal(result, np.concatenate([x, x[::-1]]))


def test_half_precision_is_exported(tmp_path: Path) -> None:
    core.seed(0)
    layer = nn.Sequential(nn.Conv2D(3, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3)).float16()
    core.onnx.export(layer, str(tmp_path / "half"), [InputSpec([None, 3, 4, 4], "float16", name="x")])
    x = np.random.default_rng(0).uniform(size=(2, 3, 4, 4)).astype("float16")
    (result,) = run(tmp_path / "half.onnx", x=x)
    layer.eval()
    assert result.dtype == np.float16
    np.testing.assert_allclose(result, layer(core.to_tensor(x)).numpy(), rtol=0, atol=1e-2)
