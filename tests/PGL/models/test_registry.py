"""Networks by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

import PGL
from core.train.config.schema import ConfigError, Section, load_config
from core.train.config.table import Component, Named
from core.weights import write_pdparams
from PGL.models.limits import MOST_LAYERS
from PGL.models.registry import MODELS, NETWORKS, create_model, list_models, model_class
from tests.engine import ENGINE


def test_every_name_is_a_class_of_its_module() -> None:
    for name in list_models():
        assert model_class(name).__name__ == name
        assert model_class(name).__module__ == f"PGL.models.{MODELS[name]}"
        assert getattr(PGL.models, name) is model_class(name)


def test_names_by_pattern() -> None:
    assert list_models("gat*") == ["GAT", "GATv2"]
    assert "GCN" in dir(PGL.models)


def test_a_misspelt_name_is_told_its_neighbours() -> None:
    with pytest.raises(ValueError, match="unknown model 'GraphSAG'; the nearest is 'GraphSAGE', of: GCN, GAT, "):
        create_model("GraphSAG", input_size=3, num_class=2)
    with pytest.raises(AttributeError, match="module 'PGL.models' has no attribute 'GNC'"):
        _ = PGL.models.GNC


def test_weights_from_a_file(tmp_path: Path) -> None:
    network = create_model("GCN", input_size=5, num_class=2)
    write_pdparams({name: tensor.numpy() for name, tensor in network.state_dict().items()}, tmp_path / "gcn.pdparams")
    again = create_model("GCN", pretrained=tmp_path / "gcn.pdparams", input_size=5, num_class=2)
    for name, tensor in again.state_dict().items():
        np.testing.assert_array_equal(tensor.numpy(), network.state_dict()[name].numpy())
    with pytest.raises(ValueError, match="does not fit the model"):
        create_model("GCN", pretrained=tmp_path / "gcn.pdparams", input_size=6, num_class=2)
    with pytest.raises(FileNotFoundError):
        create_model("GCN", pretrained=tmp_path / "none.pdparams", input_size=6, num_class=2)


class Experiment(Section):
    """A config of a network."""

    network: Annotated[Component, Named(NETWORKS)]


@pytest.mark.parametrize("name", list_models())
def test_a_network_of_a_config(tmp_path: Path, name: str) -> None:
    path = tmp_path / "graph.yaml"
    required = {"RGCN": ", hidden_size: 4, num_layers: 2, etypes: [a]", "Metapath2vec": ", metapath: [a2b]"}
    path.write_text(f"network: {{name: {name}{required.get(name, '')}}}\n")
    assert load_config(Experiment, path).network.name == name
    assert NETWORKS.describe(name).startswith(f"{{name: {name}")
    path.write_text(f"network:\n  name: {name}\n  drop_rat: 3\n")
    with pytest.raises(ConfigError, match=r"graph.yaml:3: unknown key 'network.drop_rat'; the nearest valid key is"):
        load_config(Experiment, path)


def test_the_number_of_layers_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    layered = [name for name in list_models() if "num_layers" in NETWORKS.describe(name)]
    assert len(layered) == 14
    for name in layered:
        path.write_text(f"network:\n  name: {name}\n  num_layers: 99999999999\n")
        limit = f"yaml:3: network: {name}: num_layers must be less than or equal to {MOST_LAYERS}, not 99999999999"
        with pytest.raises(ConfigError, match=limit):
            load_config(Experiment, path)
        with pytest.raises(ConfigError, match=f"{name}: num_layers must be greater than or equal to 0, not -1"):
            load_config(Experiment, path, ["network.num_layers=-1"])
    path.write_text("network: {name: GCNII, k_hop: 99999999999}\n")
    with pytest.raises(ConfigError, match="GCNII: k_hop must be less than or equal to 1000, not 99999999999"):
        load_config(Experiment, path)


def test_names_load_no_engine() -> None:
    code = f"import sys, PGL.models, PGL.nn; PGL.models.list_models(); sys.exit('{ENGINE}' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
