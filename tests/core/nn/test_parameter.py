"""Parameters, their attributes, and construction without memory."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import nn
from core.nn import initializer as init


def test_attributes_reach_the_parameter() -> None:
    decay = core.regularizer.L2Decay(0.1)
    attr = core.ParamAttr("w", init.Constant(2.0), 0.5, decay, trainable=False, do_model_average=False, need_clip=False)
    parameter = core.create_parameter([2], "float32", attr=attr)
    assert parameter.name == "w" and parameter.numpy().tolist() == [2, 2]
    assert parameter.optimize_attr == {"learning_rate": 0.5}
    assert parameter.regularizer is decay
    assert parameter.stop_gradient and not parameter.trainable
    assert not parameter.need_clip and not parameter.do_model_average
    assert parameter.persistable and parameter.is_leaf
    parameter.trainable = True
    assert not parameter.stop_gradient


def test_create_parameter() -> None:
    assert core.create_parameter([2], "float32", name="n").name == "n"
    assert core.create_parameter([3], "float32", is_bias=True).numpy().tolist() == [0, 0, 0]
    assert core.create_parameter([3], "float32", attr=False) is None
    assert core.create_parameter([3], "int64", default_initializer=init.Constant(2)).stop_gradient
    assert repr(core.create_parameter([1], "float32", is_bias=True)).startswith(
        "Parameter containing:\nTensor(shape=[1]"
    )


def test_absurd_sizes_are_refused_before_memory_is_taken() -> None:
    shape = r"parameter 'linear_\d+.w_0' of shape \[10, 99999999999\]"
    expected = rf"^the {shape} has 999,999,999,990 elements; the engine's limit is 2\*\*31 - 1$"
    with pytest.raises(ValueError, match=expected):
        nn.Linear(10, 99999999999)
    with core.LazyGuard():
        layer = nn.Linear(10, 99999999999)
    with pytest.raises(ValueError, match=expected):
        layer.materialize()


def test_what_can_stand_for_an_attribute() -> None:
    to_attr = core.ParamAttr._to_attr
    assert to_attr(None).name is None and to_attr(True).trainable
    assert to_attr(False) is False
    assert to_attr("name").name == "name"
    constant = init.Constant(1.0)
    assert to_attr(constant).initializer is constant
    decay = core.regularizer.L1Decay(0.1)
    assert to_attr(decay).regularizer is decay
    assert [item.name for item in to_attr([None, "a"])] == [None, "a"]
    with pytest.raises(TypeError, match="3 cannot describe a parameter: give a ParamAttr, a name"):
        to_attr(3)


def test_abstract_model_has_shapes_and_no_memory() -> None:
    with core.LazyGuard():
        net = nn.Sequential(nn.Linear(1_000_000, 1_000_000), nn.BatchNorm1D(1_000_000))
    assert net[0].weight.shape == [1_000_000, 1_000_000] and net[0].weight.dtype == core.float32
    assert sum(parameter.size for parameter in net.parameters() if not parameter.stop_gradient) == 10**12 + 3 * 10**6
    assert all(parameter.is_abstract for parameter in net.parameters())
    assert "abstract" in repr(net[0].weight)
    with pytest.raises(ValueError, match="abstract"):
        net[0].bias.numpy()


def test_abstract_model_comes_to_life() -> None:
    with nn.abstract():
        layer = nn.Embedding(4, 2, padding_idx=1)
        bias = core.create_parameter([2], "float32", is_bias=True)
    init.Constant(3.0)(bias)
    assert bias.is_abstract
    bias.initialize()
    assert bias.numpy().tolist() == [3, 3]
    assert layer.materialize() is layer
    assert not layer.weight.is_abstract and not layer.weight.stop_gradient
    assert not layer.weight.numpy()[1].any() and layer.weight.numpy()[0].all()


def test_loading_gives_abstract_parameters_memory() -> None:
    with core.LazyGuard():
        layer = nn.Linear(2, 2)
    layer.to(dtype="float64")
    layer.set_state_dict({"weight": np.eye(2, dtype="float32"), "bias": np.ones(2, "float32")})
    assert layer.weight.dtype == core.float64
    np.testing.assert_array_equal(layer(core.to_tensor([[1.0, 2.0]], dtype="float64")).numpy(), [[2.0, 3.0]])


def test_abstract_construction_is_over_after_the_block() -> None:
    with pytest.raises(KeyError), core.LazyGuard():
        raise KeyError
    assert not nn.Linear(1, 1).weight.is_abstract


def test_attribute_repr() -> None:
    assert repr(core.ParamAttr("w")).startswith("ParamAttr(name='w', initializer=None, learning_rate=1.0")
