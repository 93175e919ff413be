"""core.onnx.export: names, modes, files, conditions on sizes, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
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
from core.kernels.errors import OperatorError, OperatorTypeError
from core.onnx import check, convert, export_layer
from core.onnx.graph import Graph
from core.onnx.table import CONVERTERS


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


# refusals -----------------------------------------------------------------------------------------------------------


class Refused(nn.Layer):
    def forward(self, x: Any) -> Any:
        return core.inverse(x) + core.cholesky(x) + core.uniform([2, 2]) + core.lgamma(x)


def test_what_onnx_cannot_express_is_refused_at_once_by_name(tmp_path: Path) -> None:
    message = (
        r"onnx.export: ONNX cannot express cholesky, inverse \(matrix factorisation: compute it outside the exported"
        r" layer\); lgamma \(a function that ONNX lacks: .*\); uniform \(random numbers, .* pass them in\)$"
    )
    with pytest.raises(OperatorError, match=message):
        core.onnx.export(Refused(), str(tmp_path / "refused"), [InputSpec([2, 2])])
    assert not list(tmp_path.iterdir())


def test_gradients_and_bfloat16_are_refused_by_name(tmp_path: Path) -> None:
    class Slope(nn.Layer):
        def forward(self, x: Any) -> Any:
            with core.enable_grad():
                y = core.nn.functional.relu(x * 1.0)
                return core.grad([y.sum()], [x])[0]

    with pytest.raises(OperatorError, match="relu_backward .a gradient: compute it outside the"):
        core.onnx.export(Slope(), str(tmp_path / "slope"), [InputSpec([2], stop_gradient=False)])
    with pytest.raises(OperatorTypeError, match=r"add_scalar computes in bfloat16.*layer.float\(\)"):
        export_layer.layer_to_model(lambda x: x + 1.0, [InputSpec([2], "bfloat16")], 18)


class Doubled(core.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 2


def test_python_code_of_its_own_is_refused_by_name() -> None:
    with pytest.raises(
        OperatorError, match=r"test_export\.Doubled \(Python code of its own, of a PyLayer or hook: call"
    ):
        export_layer.layer_to_model(Doubled.apply, [InputSpec([2])], 18)


def test_operators_that_an_older_version_lacks_name_the_version() -> None:
    spec = [InputSpec([3], "int64"), InputSpec([3], "int64")]
    with pytest.raises(OperatorError, match="BitwiseAnd of integers needs .* version 18 .*opset_version=18"):
        export_layer.layer_to_model(core.bitwise_and, spec, 17)


def test_a_size_that_onnx_wants_as_a_number_must_be_known() -> None:
    spec = [InputSpec([2, None, 4, 4], name="x", examples={1: (5, 6)})]
    message = r"unfold needs the number x.shape\[1\], which is unknown: give the size in the InputSpec"
    with pytest.raises(OperatorError, match=message):
        export_layer.layer_to_model(lambda x: core.nn.functional.unfold(x, 2), spec, 18)


def test_numbers_that_differ_stop_the_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONVERTERS, "exp", lambda graph, x: graph.node("Neg", x))
    with pytest.raises(OperatorError, match=r"output 'output' differs between onnxruntime and the layer by .*nothing"):
        core.onnx.export(Exponential(), str(tmp_path / "wrong"), [InputSpec([2, 3])])
    monkeypatch.setitem(CONVERTERS, "exp", lambda graph, x: graph.reduce("ReduceSum", x, [0]))
    with pytest.raises((OperatorError, onnx.shape_inference.InferenceError)):
        core.onnx.export(Exponential(), str(tmp_path / "wrong"), [InputSpec([2, 3])])
    assert not list(tmp_path.iterdir())


class Exponential(nn.Layer):
    def forward(self, x: Any) -> Any:
        return x.exp()


def test_relative_difference_counts_infinities() -> None:
    wanted = np.array([1.0, np.inf, np.nan])
    assert check.relative_difference(np.array([1.0, np.inf, np.nan]), wanted) == 0
    assert check.relative_difference(np.array([1.0, 5.0, np.nan]), wanted) == np.inf
    assert check.relative_difference(np.array([np.nan, np.inf, np.nan]), wanted) == np.inf
    assert check.relative_difference(np.array([10.5]), np.array([10.0])) == 0.05


def test_results_of_another_shape_are_named() -> None:
    with pytest.raises(OperatorError, match=r"output 'y' is float32\[2\] in onnxruntime but float32\[3\] in the layer"):
        check.compare(["y"], [np.zeros(2, np.float32)], [np.zeros(3, np.float32)])


def test_what_onnxruntime_has_no_kernel_for_is_named() -> None:
    with pytest.raises(OperatorError, match=r"onnxruntime cannot run this model .*Conv.*layer.float\(\)"):
        export_layer.layer_to_model(
            lambda x: core.nn.functional.conv2d(x, core.ones([2, 3, 1, 1], "float64")),
            [InputSpec([1, 3, 4, 4], "float64")],
            18,
        )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"layer": "a layer"}, TypeError, "layer must be a Layer, got str"),
        ({"path": "folder/"}, ValueError, "path 'folder/' names no file"),
        ({"opset_version": 9}, ValueError, "opset_version=9 is not supported: use 13 to 21"),
        ({"input_spec": None}, ValueError, "give input_spec"),
        ({"enable_onnx_checker": False}, NotImplementedError, "the option enable_onnx_checker is not built"),
        ({"output_spec": [1]}, NotImplementedError, "the option output_spec is not built"),
    ],
)
def test_wrong_arguments_are_one_line(options: dict[str, Any], error: type, message: str, tmp_path: Path) -> None:
    given = {"layer": Exponential(), "path": str(tmp_path / "x"), "input_spec": [InputSpec([2, 3])], **options}
    with pytest.raises(error, match=message):
        core.onnx.export(**given)
    assert not list(tmp_path.iterdir())


def test_buffers_that_change_in_evaluation_are_refused_by_name() -> None:
    layer = nn.Sequential(nn.BatchNorm(3, trainable_statistics=True))
    layer.eval()
    with pytest.raises(OperatorError, match=r"changes its buffers \(0._mean, 0._variance\) in evaluation mode"):
        export_layer.layer_to_model(layer, [InputSpec([2, 3, 4, 4])], 18)


def test_half_precision_is_exported(tmp_path: Path) -> None:
    core.seed(0)
    layer = nn.Sequential(nn.Conv2D(3, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3)).float16()
    core.onnx.export(layer, str(tmp_path / "half"), [InputSpec([None, 3, 4, 4], "float16", name="x")])
    x = np.random.default_rng(0).uniform(size=(2, 3, 4, 4)).astype("float16")
    (result,) = run(tmp_path / "half.onnx", x=x)
    layer.eval()
    assert result.dtype == np.float16
    np.testing.assert_allclose(result, layer(core.to_tensor(x)).numpy(), rtol=0, atol=1e-2)


def test_a_layer_without_results_is_refused() -> None:
    with pytest.raises(ValueError, match="the layer returns no tensor"):
        export_layer.layer_to_model(lambda x: None, [InputSpec([2])], 18)


def test_parameters_beyond_the_format_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert, "MAXIMUM_BYTES", 10)
    with pytest.raises(OperatorError, match="the parameters take .* GiB; a file of this format holds less than 2"):
        export_layer.layer_to_model(nn.Linear(3, 2), [InputSpec([2, 3])], 18)


def test_without_onnx_one_line_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import core\n"
        "try:\n    core.onnx.export(None, 'x', [])\n"
        "except ImportError as error:\n    print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == 'onnx.export needs the package onnx: pip install "paddle-on-mxnet[onnx]"\n'


def test_without_onnxruntime_the_file_is_written_after_the_checker_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_layer, "has_runtime", lambda: False)
    core.onnx.export(Exponential(), str(tmp_path / "x"), [InputSpec([2, 3])])
    np.testing.assert_allclose(run(tmp_path / "x.onnx", x=np.zeros((2, 3), np.float32))[0], np.ones((2, 3)))


def test_names_are_unique_and_equal_constants_are_stored_once() -> None:
    graph = Graph(18)
    assert [graph.fresh_name("a"), graph.fresh_name("a"), graph.fresh_name("a_1")] == ["a", "a_1", "a_1_1"]
    assert graph.constant(np.float32(1)) == graph.constant(np.float32(1)) != graph.constant(np.float64(1))
