"""Networks in 8 bits as ONNX models: what is in the file, and what onnxruntime computes of it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import core
from core import nn
from core.onnx import check
from core.operators.layers._quantized_primitives import dequantize, quantize_dequantize
from core.quantization.post_training import PostTraining
from core.static import InputSpec


def test_a_network_in_8_bits_holds_pairs_of_nodes_and_whole_numbers(tmp_path) -> None:
    made = nn.Sequential(nn.Conv2D(2, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 5))
    made.eval()
    x = np.random.default_rng(0).standard_normal((8, 2, 6, 6)).astype(np.float32)
    found = PostTraining({"model": made})
    made(core.to_tensor(x))
    found.convert()
    core.onnx.export(made, str(tmp_path / "small"), [InputSpec([None, 2, 6, 6], name="x")])
    graph = onnx.load(str(tmp_path / "small.onnx")).graph
    quantized = ["QuantizeLinear", "DequantizeLinear", "DequantizeLinear"]
    assert [node.op_type for node in graph.node[:5]] == [*quantized, "Conv", "Relu"]
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    (scale, zero_point) = (stored[name] for name in graph.node[0].input[1:])
    assert (scale, zero_point) == (np.float32(found.grids["0"][0]), np.uint8(128)) and zero_point.dtype == np.uint8
    weights = [stored[name] for node in graph.node if node.op_type == "DequantizeLinear" for name in node.input[:1]
               if name in stored]  # fmt: skip
    assert [(weight.dtype, weight.shape) for weight in weights] == [(np.int8, (4, 2, 3, 3)), (np.int8, (144, 5))]
    np.testing.assert_array_equal(weights[0], made[0].weight_numbers.numpy())
    (got,) = check.RuntimeSession(onnx.load(str(tmp_path / "small.onnx"))).run({"x": x})
    wanted = made(core.to_tensor(x)).numpy()
    assert np.linalg.norm(got - wanted) < 0.01 * np.linalg.norm(wanted)


def test_sums_of_large_bytes_are_compared_without_saturation(tmp_path) -> None:
    """Two products of nearly largest bytes exceed 16 bits, in which onnxruntime adds them up where it fuses."""
    made = nn.Sequential(nn.Conv2D(16, 16, 1), nn.Conv2D(16, 4, 1))
    for layer in made:
        layer.weight.set_value(np.linspace(0.9, 1, layer.weight.size, dtype=np.float32).reshape(layer.weight.shape))
    made.eval()
    x = np.linspace(0.9, 1, 2 * 16 * 9, dtype=np.float32).reshape(2, 16, 3, 3)
    found = PostTraining({"model": made})
    made(core.to_tensor(x))
    found.convert()
    specs = [InputSpec([None, 16, 3, 3], name="x")]
    core.onnx.export(made, str(tmp_path / "large"), specs, examples=[[core.to_tensor(x)]])
    (got,) = check.RuntimeSession(onnx.load(str(tmp_path / "large.onnx"))).run({"x": x})
    np.testing.assert_allclose(got, made(core.to_tensor(x)).numpy(), rtol=0.01)


def test_grids_and_scales_along_an_axis(tmp_path) -> None:
    class Both(nn.Layer):
        def forward(self, x):
            numbers = core.to_tensor(np.int8([[1, -128], [127, 0]]))
            return quantize_dequantize(x, 0.5, 3), dequantize(numbers, core.to_tensor(np.float32([0.25, 2])), 1)

    core.onnx.export(Both(), str(tmp_path / "both"), [InputSpec([3], name="x")])
    model = onnx.load(str(tmp_path / "both.onnx"))
    grid, weight = check.RuntimeSession(model).run({"x": np.float32([-9, 0.74, 1000])})
    np.testing.assert_array_equal(grid, [-1.5, 0.5, 126])
    np.testing.assert_array_equal(weight, [[0.25, -256], [31.75, 0]])


def test_a_result_that_is_more_than_steps_off_is_refused() -> None:
    wanted = np.ones(100, np.float32)
    check.compare(["y"], [wanted + 0.04], [wanted], in_steps=True)
    with pytest.raises(check.OperatorError, match="output 'y' differs .* by 6.0e-02 of its size; nothing was written"):
        check.compare(["y"], [wanted + 0.06], [wanted], in_steps=True)
