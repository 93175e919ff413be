"""Sequential, LayerList, LayerDict, ParameterList."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import core
from core import nn


def test_sequential_runs_in_order() -> None:
    net = nn.Sequential(nn.ReLU(), nn.Flatten(0))
    assert net(core.to_tensor([[-1.0, 2.0]])).tolist() == [0.0, 2.0]


def test_sequential_is_a_list() -> None:
    net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    assert len(net) == 3
    assert isinstance(net[-1], nn.Sigmoid)
    assert [type(layer) for layer in net[1:]] == [nn.Tanh, nn.Sigmoid]
    net[1] = nn.Mish()
    assert isinstance(net[1], nn.Mish)
    del net[0]
    assert [type(layer) for layer in net] == [nn.Mish, nn.Sigmoid]
    with pytest.raises(IndexError, match=r"Sequential: index 5 is out of range \[-2, 2\)"):
        net[5]


def test_sequential_with_names() -> None:
    net = nn.Sequential(("a", nn.Linear(1, 2)), ("b", nn.ReLU()))
    assert list(net.state_dict()) == ["a.weight", "a.bias"]
    assert isinstance(net["b"], nn.ReLU)
    assert [name for name, _ in nn.Sequential(OrderedDict(x=nn.ReLU())).named_sublayers()] == ["x"]
    with pytest.raises(ValueError, match=r"Sequential: entry 0 is a \(name, layer\) pair, not 3 values"):
        nn.Sequential(("a", nn.ReLU(), 3))
    with pytest.raises(TypeError, match="sublayer '0' should be a Layer, but received int"):
        nn.Sequential(3)


def test_layer_list() -> None:
    layers = nn.LayerList([nn.ReLU(), nn.Tanh()])
    layers.append(nn.Sigmoid())
    layers.insert(1, nn.Mish())
    assert [type(layer) for layer in layers] == [nn.ReLU, nn.Mish, nn.Tanh, nn.Sigmoid]
    assert [name for name, _ in layers.named_sublayers()] == ["0", "1", "2", "3"]
    del layers[0]
    assert isinstance(layers[0], nn.Mish) and len(layers) == 3
    assert [type(layer) for layer in layers[::2]] == [nn.Mish, nn.Sigmoid]
    layers[-1] = nn.GELU()
    assert isinstance(layers[2], nn.GELU)
    with pytest.raises(IndexError, match=r"LayerList: index 3 is out of range \[-3, 3\)"):
        layers[3]
    with pytest.raises(IndexError, match=r"LayerList.insert: index 9 is outside \[-3, 3\]"):
        layers.insert(9, nn.ReLU())


def test_layer_dict() -> None:
    layers = nn.LayerDict({"a": nn.ReLU()})
    layers.update([("b", nn.Linear(1, 1))])
    layers["c"] = nn.Tanh()
    assert list(layers) == ["a", "b", "c"] == list(layers.keys())
    assert "b" in layers and len(layers) == 3
    assert list(layers.state_dict()) == ["b.weight", "b.bias"]
    assert isinstance(layers.pop("a"), nn.ReLU)
    assert [name for name, _ in layers.items()] == ["b", "c"]
    del layers["c"]
    assert len(list(layers.values())) == 1
    layers.clear()
    assert not len(layers)
    with pytest.raises(ValueError, match=r"LayerDict.update: \('a',\) is no \(name, layer\) pair"):
        layers.update([("a",)])
    with pytest.raises(KeyError):
        layers.pop("a")


def test_parameter_list() -> None:
    parameters = nn.ParameterList([core.create_parameter([1], "float32")])
    parameters.append(core.create_parameter([2], "float32"))
    assert [parameter.shape for parameter in parameters] == [[1], [2]]
    assert list(parameters.state_dict()) == ["0", "1"]
    replacement = core.create_parameter([3], "float32")
    parameters[0] = replacement
    assert parameters[-2] is replacement and len(parameters) == 2
    with pytest.raises(IndexError, match=r"ParameterList: index 2 is out of range \[-2, 2\)"):
        parameters[2]
