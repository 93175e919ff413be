from __future__ import annotations

import subprocess
import sys

import pytest

import PaddleClas
from core.train.config.table import Component
from PaddleClas.models import entry_function
from PaddleClas.models.registry import ALIASES, MODELS, NETWORKS


def test_list_models_matches_a_pattern_in_any_case() -> None:
    assert PaddleClas.list_models("vgg*") == ["VGG11", "VGG13", "VGG16", "VGG19"]
    assert PaddleClas.list_models("ResNet*_vd")[0] == "ResNet18_vd"
    assert len(PaddleClas.list_models("ResNet*_v?")) == 7
    assert PaddleClas.list_models("no such*") == []
    assert PaddleClas.list_models() == list(MODELS)


def test_an_unknown_name_lists_the_nearest_ones() -> None:
    nearest = r"unknown model 'resnet50-vd'; the nearest are 'ResNet50_vd', .*; PaddleClas.list_models\(\) has all"
    with pytest.raises(ValueError, match=nearest):
        PaddleClas.create_model("resnet50-vd")
    with pytest.raises(ValueError, match="unknown model 'SE154-vd'; the nearest are 'SENet154_vd'"):
        PaddleClas.create_model("SE154-vd")  # near an older name
    with pytest.raises(ValueError, match=r"unknown model '!!'; PaddleClas.list_models\(\) has all of them"):
        PaddleClas.create_model("!!")


def test_older_names_are_still_understood() -> None:
    assert entry_function("GoogleNet") is entry_function("GoogLeNet")
    assert entry_function("SE154_vd") is entry_function("SENet154_vd")
    assert entry_function("ShuffleNetV2") is entry_function("ShuffleNetV2_x1_0")
    assert not set(ALIASES) & set(MODELS)


@pytest.mark.parametrize("name", PaddleClas.list_models())
def test_every_name_of_the_table_is_an_entry_function_with_a_docstring(name: str) -> None:
    entry = entry_function(name)
    assert entry.__name__ == name
    assert entry is getattr(PaddleClas.models, name)
    assert entry.__doc__ and name in dir(PaddleClas.models)


def test_models_have_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'ResNet19'; PaddleClas.list_models"):
        PaddleClas.models.ResNet19  # noqa: B018


@pytest.mark.parametrize("class_num", [0, -1, 2.0, True, "10"])
def test_class_num_is_a_positive_whole_number(class_num: object) -> None:
    with pytest.raises(ValueError, match="class_num must be a positive whole number, not"):
        PaddleClas.create_model("LeNet", class_num=class_num)  # type: ignore[arg-type]


def test_class_num_is_the_length_of_the_last_axis() -> None:
    state = PaddleClas.create_model("MobileNetV1_x0_25", class_num=7).state_dict()
    assert list(state["fc.weight"].shape) == [256, 7]
    assert list(state["fc.bias"].shape) == [7]


def test_an_argument_that_the_network_lacks_is_named() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'depht'"):
        PaddleClas.create_model("MobileNetV1_x0_25", depht=3)


def test_a_network_is_built_as_a_config_asks() -> None:
    network = NETWORKS.build(Component.model_validate({"name": "MobileNetV1_x0_25", "class_num": 7}))
    assert list(network.state_dict()["fc.weight"].shape) == [256, 7]


def test_importing_the_package_loads_no_engine_and_no_network() -> None:
    unwanted = "{'mxnet', 'numba', 'PaddleClas.models.resnet', 'PaddleClas.models.arguments'}"
    code = f"import sys, PaddleClas; PaddleClas.list_models(); sys.exit(bool({unwanted} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
