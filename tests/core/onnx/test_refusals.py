"""What core.onnx.export refuses, each in one line that names it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import core
from core import nn
from core.jit.input_spec import InputSpec
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.onnx import check, convert, export_layer
from core.onnx.graph import Graph
from core.onnx.table import CONVERTERS


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
        OperatorError, match=r"test_refusals\.Doubled \(Python code of its own, of a PyLayer or hook: call"
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
    core.onnx.export(Exponential(), str(tmp_path / "wrong"), [InputSpec([2, 3])], compare=False)
    (tmp_path / "wrong.onnx").unlink()
    monkeypatch.setitem(CONVERTERS, "exp", lambda graph, x: graph.reduce("ReduceSum", x, [0]))
    with pytest.raises(OperatorError, match=r"ONNX's checker refuses the model \(.*\); nothing was written"):
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
    command = f"{sys.executable} -m pip install 'onnx>=1.15'"
    assert result.stdout == f"the package onnx is not installed; run: {command}\n"


def test_without_onnxruntime_the_file_is_written_after_the_checker_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_layer, "has_runtime", lambda: False)
    core.onnx.export(Exponential(), str(tmp_path / "x"), [InputSpec([2, 3])])
    session = check.RuntimeSession(onnx.load(tmp_path / "x.onnx"))
    np.testing.assert_allclose(session.run({"x": np.zeros((2, 3), np.float32)})[0], np.ones((2, 3)))


def test_names_are_unique_and_equal_constants_are_stored_once() -> None:
    graph = Graph(18)
    assert [graph.fresh_name("a"), graph.fresh_name("a"), graph.fresh_name("a_1")] == ["a", "a_1", "a_1_1"]
    assert graph.constant(np.float32(1)) == graph.constant(np.float32(1)) != graph.constant(np.float64(1))


class Quotient(nn.Layer):
    """How many whole times one number is in another; not the same everywhere where it is nearly whole."""

    def forward(self, size: Any, factor: Any) -> Any:
        return core.floor(size / factor + 0.5)


def test_examples_take_the_place_of_random_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Any] = []
    monkeypatch.setattr(export_layer, "compare", lambda names, got, wanted, *_: compared.append((got, wanted)))
    specs = [InputSpec([None, 2], name="size"), InputSpec([None, 2], name="factor")]
    examples = [[core.full([rows, 2], 300.0), core.full([rows, 2], 0.5)] for rows in (1, 4)]
    core.onnx.export(Quotient(), str(tmp_path / "quotient"), specs, examples=examples)
    assert [wanted[0].shape for _, wanted in compared] == [(1, 2), (4, 2)]
    assert all((got[0] == 600).all() and (wanted[0] == 600).all() for got, wanted in compared)
    with pytest.raises(ValueError, match=r"an example must be a list of Tensors, one for each of \['size', 'factor'\]"):
        core.onnx.export(Quotient(), str(tmp_path / "quotient"), specs, examples=[examples[0][:1]])
