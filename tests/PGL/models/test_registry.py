"""Networks by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import PGL
from core.weights import write_pdparams
from PGL.models.registry import MODELS, create_model, list_models, model_class


def test_every_name_is_a_class_of_its_module() -> None:
    for name in list_models():
        assert model_class(name).__name__ == name
        assert model_class(name).__module__ == f"PGL.models.{MODELS[name]}"
        assert getattr(PGL.models, name) is model_class(name)


def test_names_by_pattern() -> None:
    assert list_models("gat*") == ["GAT", "GATv2"]
    assert "GCN" in dir(PGL.models)


def test_a_misspelt_name_is_told_its_neighbours() -> None:
    with pytest.raises(ValueError, match=r"there is no model 'GNC'; nearest: .*GCN.*; PGL.models.list_models\(\)"):
        create_model("GNC", input_size=3, num_class=2)
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


def test_names_load_no_engine() -> None:
    code = "import sys, PGL.models, PGL.nn; PGL.models.list_models(); sys.exit('mxnet' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
