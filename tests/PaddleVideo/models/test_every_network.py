"""What the table of networks promises of each of them, without building numbers."""

from __future__ import annotations

import inspect

import pytest

import core
import PaddleVideo
from core.train.config.signatures import entry_signature
from PaddleVideo.models.registry import FAMILIES, NETWORKS
from tests.sampling import sampled

FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}


@pytest.mark.parametrize("name", sampled(NETWORKS.list(), 4, group=FAMILY_OF.get))
def test_a_network_of_other_classes_differs_in_its_head_alone(name: str) -> None:
    takes_classes = "class_num" in entry_signature(NETWORKS.resolve(name)).parameters
    with core.LazyGuard():
        networks = [PaddleVideo.create_model(name, class_num=count if takes_classes else None) for count in (3, 5)]
    first, second = ({key: tensor.shape for key, tensor in one.state_dict().items()} for one in networks)
    assert first.keys() == second.keys()
    differing = {key.rpartition(".")[0] for key, shape in first.items() if shape != second[key]}
    assert differing == (set(networks[0].head_names) if takes_classes else set())


@pytest.mark.parametrize("name", sampled(NETWORKS.list(), 4, group=FAMILY_OF.get))
def test_files_of_fluid_1_name_parameters_that_there_are(name: str) -> None:
    with core.LazyGuard():
        network = PaddleVideo.create_model(name)
    names = network.older_names()
    assert set(names.values()) in (set(), set(network.state_dict()))


@pytest.mark.parametrize("name", NETWORKS.list())
def test_every_argument_is_documented(name: str) -> None:
    entry = NETWORKS.resolve(name)
    network = type(_lazily(name))
    for parameter in inspect.signature(network).parameters:
        assert f"{parameter}: " in (inspect.getdoc(network) or ""), f"{network.__name__}: {parameter}"
    assert entry.__doc__


def _lazily(name: str) -> object:
    with core.LazyGuard():
        return PaddleVideo.create_model(name)
