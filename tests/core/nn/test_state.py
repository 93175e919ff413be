"""Loading states and changing element types."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import nn


def test_set_state_dict_loads_arrays_and_tensors() -> None:
    layer = nn.Linear(2, 3)
    weight = np.arange(6, dtype="float32").reshape(2, 3)
    missing, unexpected = layer.set_state_dict({"weight": weight, "bias": core.full([3], 7.0), "other": weight})
    assert (missing, unexpected) == ([], ["other"])
    np.testing.assert_array_equal(layer.weight.numpy(), weight)
    np.testing.assert_array_equal(layer.bias.numpy(), [7, 7, 7])


def test_missing_names_are_one_warning() -> None:
    layer = nn.Linear(2, 3)
    with pytest.warns(UserWarning, match="a value for bias is not found in the provided dict$"):
        missing, unexpected = layer.set_state_dict({"weight": np.zeros((2, 3), "float32")})
    assert (missing, unexpected) == (["bias"], [])


def test_the_table_of_names_is_not_unexpected() -> None:
    layer = nn.Linear(1, 1, bias_attr=False)
    state = {"weight": np.ones((1, 1), "float32"), "StructuredToParameterName@@": {"weight": "w"}}
    assert layer.set_state_dict(state) == ([], [])


def test_wrong_shape_names_key_and_shapes_and_loads_nothing() -> None:
    layer = nn.Linear(2, 3)
    before = layer.weight.numpy()
    state = {"weight": np.zeros((2, 3), "float32"), "bias": np.zeros(4, "float32")}
    with pytest.raises(ValueError, match=r"'bias' has shape \[4\] in the dictionary and \[3\] in the layer; nothing"):
        layer.set_state_dict(state)
    np.testing.assert_array_equal(layer.weight.numpy(), before)


def test_wrong_kind_of_value() -> None:
    layer = nn.Linear(1, 1)
    with pytest.raises(TypeError, match="'weight' has dtype int64 in the dictionary and float32 in the layer"):
        layer.set_state_dict({"weight": np.zeros((1, 1), "int64"), "bias": np.zeros(1, "float32")})
    with pytest.raises(TypeError, match="'weight' is a list: give a Tensor or a numpy array"):
        layer.set_state_dict({"weight": [[1.0]], "bias": np.zeros(1, "float32")})


def test_double_precision_is_cast() -> None:
    layer = nn.Linear(1, 1, bias_attr=False)
    layer.set_state_dict({"weight": np.full((1, 1), 1 / 3)})
    assert layer.weight.dtype == core.float32
    np.testing.assert_allclose(layer.weight.numpy(), [[1 / 3]], rtol=1e-7)


def test_names_of_parameters_instead_of_structure() -> None:
    layer = nn.Linear(1, 1, core.ParamAttr(name="first_w"), False)
    layer.set_state_dict({"first_w": np.full((1, 1), 5.0, "float32")}, use_structured_name=False)
    assert layer.weight.item() == 5.0


def test_one_of_two_names_of_a_recurrent_weight_is_enough() -> None:
    layer, other = nn.LSTM(2, 3, direction="bidirect"), nn.LSTM(2, 3, direction="bidirect")
    flat = {name: tensor.numpy() for name, tensor in other.state_dict().items() if "cell" not in name}
    assert sorted(flat)[0] == "bias_hh_l0" and len(flat) == 8
    assert layer.set_state_dict(flat) == ([], [])
    np.testing.assert_array_equal(
        layer.state_dict()["0.cell_bw.weight_ih"].numpy(), other.state_dict()["weight_ih_l0_reverse"].numpy()
    )


def test_to_changes_floating_types_alone() -> None:
    layer = nn.Linear(2, 2)
    layer.register_buffer("index", core.to_tensor([1, 2]))
    weight = layer.weight
    assert layer.to(dtype="float64") is layer
    assert layer.weight is weight and weight.dtype == core.float64 and not weight.stop_gradient
    assert layer.index.dtype == core.int64
    assert layer.astype("float32").weight.dtype == core.float32
    with pytest.raises(ValueError, match="Layer.astype: dtype is float16, bfloat16, float32 or float64, not 'int32'"):
        layer.astype("int32")


def test_half_precision_leaves_batch_norm_alone() -> None:
    net = nn.Sequential(nn.Conv2D(1, 2, 1), nn.BatchNorm2D(2))
    net.float16()
    assert net[0].weight.dtype == core.float16
    assert {tensor.dtype for tensor in net[1].parameters()} == {core.float32}
    net.bfloat16(excluded_layers=[nn.Conv2D])
    assert net[0].weight.dtype == core.float16
    assert net[1].weight.dtype == core.bfloat16
    net.float()
    assert {tensor.dtype for tensor in net.parameters()} == {core.float32}


def test_to_another_device_is_refused() -> None:
    layer = nn.Linear(1, 1)
    assert layer.to("cpu") is layer
    message = r"tensors live on Place\(cpu\), not on Place\(gpu:0\): call core.set_device\('gpu:0'\) before"
    with pytest.raises(RuntimeError, match=message):
        layer.to("gpu:0")


def test_default_dtype_is_that_of_new_parameters() -> None:
    core.set_default_dtype("float64")
    try:
        assert nn.Linear(1, 1).weight.dtype == core.float64
        assert nn.BatchNorm2D(1)._mean.dtype == core.float64
    finally:
        core.set_default_dtype("float32")
