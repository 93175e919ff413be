"""Which parameters of a network the groups and layers of a config mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.train.config.parameter_groups import GroupSection, LayerDecaySection, freeze, named_parameters, settings_of


class Named:
    """A placeholder for a parameter."""

    def __init__(self, ndim: int = 2, trainable: bool = True) -> None:
        self.ndim = ndim
        self.trainable = trainable


def named(*names: str) -> list[tuple[str, Any]]:
    return [(name, Named(1 if name.endswith("bias") else 2, not name.endswith("_mean"))) for name in names]


NAMES = ("stem.weight", "stem.bias", "stem._mean", "blocks.2.weight", "blocks.10.weight", "head.weight", "head.bias")


def settings(groups: Any = (), layers: Any = None, decay: bool = True, names: Any = NAMES) -> dict[str, Any]:
    sections = [GroupSection.model_validate(group) for group in groups]
    layer_decay = None if layers is None else LayerDecaySection.model_validate({"factor": 0.5, "layers": layers})
    return {setting.name: setting for setting in settings_of(named(*names), sections, layer_decay, decay, "optimizer")}


def test_the_first_group_that_fits_has_a_parameter() -> None:
    groups = [{"parameters": ["stem.*"], "learning_rate": 0.1}, {"parameters": ["head.?eight", "stem.bias", "*ocks*"]}]
    found = settings(groups)
    assert [found[name].group for name in NAMES] == [0, 0, 0, 1, 1, 1, None]
    assert [found[name].factor for name in ("stem.bias", "blocks.2.weight", "head.bias")] == [0.1, 1.0, 1.0]


def test_decay_of_groups_and_of_parameters_with_one_dimension() -> None:
    groups = [{"parameters": ["head.*"], "weight_decay": 0.5}]
    found = settings(groups)
    assert [found[name].weight_decay for name in NAMES] == [None] * 5 + [0.5, 0.5]
    found = settings(groups, decay=False)
    assert [found[name].weight_decay for name in NAMES] == [None, 0.0, None, None, None, 0.5, 0.0]


def test_layers_are_counted_from_the_output_and_numbers_as_numbers() -> None:
    found = settings(layers=["stem.*", "blocks.{}.*", "head.*"])
    assert [found[name].factor for name in NAMES] == [0.125, 0.125, 0.125, 0.25, 0.5, 1.0, 1.0]


def test_patterns_of_one_layer_stand_in_a_list() -> None:
    found = settings(layers=["stem.*", "blocks.{}.*", ["head.*", "*.bias"]])
    assert [found[name].factor for name in ("stem.bias", "head.bias", "blocks.10.weight")] == [0.125, 1.0, 0.5]


def test_layers_of_stages_with_blocks() -> None:
    names = [f"stages.{stage}.blocks.{block}.weight" for stage in (0, 1) for block in (0, 1, 10)]
    found = settings(layers=["stages.{}.blocks.{}.*"], names=names)
    assert [found[name].factor for name in names] == [0.5**5, 0.5**4, 0.5**3, 0.5**2, 0.5, 1.0]


def test_a_groups_factor_and_a_layers_multiply() -> None:
    found = settings([{"parameters": ["stem.*"], "learning_rate": 0.2}], ["stem.*", ["blocks.*", "head.*"]])
    assert found["stem.weight"].factor == pytest.approx(0.1)


def test_frozen_parameters_need_no_layer() -> None:
    found = settings([{"parameters": ["stem.*"], "frozen": True}], ["blocks.{}.*", "head.*"])
    assert found["stem.weight"].frozen and not found["head.weight"].frozen
    assert found["blocks.2.weight"].factor == 0.25


MISTAKES: dict[str, tuple[Any, Any, str]] = {
    "a pattern that fits nothing": (
        [{"parameters": ["stem.*"]}, {"parameters": ["head.*", "blocks.3.wieght"]}],
        None,
        "optimizer.groups.1.parameters: 'blocks.3.wieght' fits no parameter; the nearest are blocks.2.weight, "
        "blocks.10.weight, ",
    ),
    "a group without parameters": (
        [{"parameters": ["*"]}, {"parameters": ["stem.*"]}],
        None,
        "optimizer.groups.1.parameters: 'stem.*' fits only parameters that groups before have taken",
    ),
    "running statistics": (
        [{"parameters": ["*._mean"]}],
        None,
        "optimizer.groups.0.parameters: '*._mean' fits only parameters that the network does not train",
    ),
    "nothing to train": (
        [{"parameters": ["stem.*", "head.*"], "frozen": True}, {"parameters": ["bl*"], "frozen": True}],
        None,
        "optimizer.groups: all parameters are frozen, so that there is nothing to train",
    ),
    "a layer that fits nothing": (
        [],
        ["stem.*", "block.{}.*", "head.*"],
        "optimizer.layer_decay.layers.1: 'block.{}.*' fits no parameter; the nearest are blocks.2.weight",
    ),
    "one parameter without a layer": (
        [],
        ["stem.*", "blocks.{}.*", "*.bias"],
        "optimizer.layer_decay.layers: no layer has the parameter head.weight; add a pattern",
    ),
    "parameters without a layer": (
        [],
        ["head.bias"],
        "optimizer.layer_decay.layers: no layer has the parameters stem.weight, stem.bias, blocks.2.weight and 2 more;",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    groups, layers, message = MISTAKES[mistake]
    with pytest.raises(ValueError) as caught:
        settings(groups, layers)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_names_of_several_networks_have_the_networks_before_them() -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    assert [name for name, _ in named_parameters({"a": first})] == ["weight", "bias"]
    both = [name for name, _ in named_parameters({"a": first, "b": second})]
    assert both == ["a.weight", "a.bias", "b.weight", "b.bias"]
    assert [name for name, _ in named_parameters({"a": first, "b": first})] == ["a.weight", "a.bias"]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_frozen_batch_norm_uses_and_keeps_its_running_statistics(compiled: bool) -> None:
    core.seed(0)
    frozen, partly, bare = nn.BatchNorm1D(3), nn.BatchNorm1D(3), nn.BatchNorm1D(3, weight_attr=False, bias_attr=False)
    network = nn.Sequential(frozen, partly, bare)
    start = np.array([0.5, -1.0, 2.0], np.float32)
    for layer in network:
        layer._mean.set_value(start)
    freeze({"model": network}, [frozen.weight, frozen.bias, partly.weight, bare._mean])
    network.train()
    inputs = core.to_tensor(np.random.RandomState(0).randn(8, 3).astype(np.float32), stop_gradient=False)
    first = core.jit.to_static(frozen) if compiled else frozen
    expected = (inputs.numpy() - start) / np.sqrt(np.float32(1 + 1e-5))
    np.testing.assert_allclose(first(inputs).numpy(), expected, rtol=1e-6, atol=1e-6)
    whole = core.jit.to_static(network) if compiled else network
    whole(inputs).sum().backward()
    assert inputs.grad.numpy().shape == (8, 3)
    assert frozen.weight.grad is None and partly.bias.grad is not None
    for layer, moved in ((frozen, False), (partly, True), (bare, False)):
        assert (layer._mean.numpy() != start).any() == moved
