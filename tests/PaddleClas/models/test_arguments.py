"""Networks of a config: every entry of the table with its exact arguments."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated

import pytest
import yaml

import PaddleClas
from core.train.config.schema import ConfigError, Section, load_config
from core.train.config.table import Component, Named
from PaddleClas.models.arguments import signature
from PaddleClas.models.pretrained import INQUIRY
from PaddleClas.models.registry import ALIASES, NETWORKS, entry_function
from tests.PaddleClas.models.test_models import FAMILY_OF
from tests.sampling import sampled

OWN = ["class_num", "pretrained", "adapt_head"]


class Experiment(Section):
    """A config of a network."""

    network: Annotated[Component, Named(NETWORKS)]


def load(folder: Path, network: str) -> Component:
    path = folder / "run.yaml"
    path.write_text(f"network:\n  {network}\n")
    return load_config(Experiment, path).network


@pytest.mark.parametrize("name", sampled([*PaddleClas.list_models(), *ALIASES], 4, group=FAMILY_OF.get))
def test_every_network_is_checked_with_its_arguments(tmp_path: Path, name: str) -> None:
    described = yaml.safe_load(NETWORKS.describe(name))
    assert described.pop("name") == name
    assert list(described)[:3] == OWN
    arguments = {**described, "class_num": 10}
    checked = load(tmp_path, "\n  ".join(yaml.safe_dump({"name": name, **arguments}).splitlines()))
    assert (checked.name, checked.arguments) == (name, arguments)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"name: {name}\n  clas_num: 10\n  class_num: 10")
    message = "run.yaml:3: unknown key 'network.clas_num'; the nearest valid key is 'network.class_num' (valid here: "
    assert message in str(caught.value)
    network, given = entry_function(name)(pretrained=INQUIRY, **{key: described[key] for key in list(described)[3:]})
    given.pop("use_ssld", None)
    inspect.signature(network).bind(**given)


@pytest.mark.parametrize(
    ("name", "further"),
    [
        ("LeNet", []),
        ("VGG11", ["stop_grad_layers"]),
        (
            "ResNet50_vd",
            ["use_ssld", "input_image_channel", "stride_list", "max_pool", "lr_mult_list", "use_first_short_conv"],
        ),
        ("MobileNetV3_small_x0_5", ["dropout_prob"]),
        ("EfficientNetB0", ["squeeze", "even", "drop_connect"]),
        ("EfficientNetB0_small", ["drop_connect"]),
        ("RegNetX_4GF", []),
        ("ResNeSt50_fast_1s1x64d", ["depth", "stem_width"]),
        ("GoogLeNet", []),
        ("InceptionV3", []),
        ("NASNetA_mobile", ["drop_path"]),
    ],
)
def test_what_an_entry_fixes_is_no_argument(name: str, further: list[str]) -> None:
    assert list(signature(name).parameters) == OWN + further


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("{name: ResNet18, class_num: 10, drop_rat: 0.5}", r"run.yaml:2: unknown key 'network.drop_rat'; the nearest"),
        ("{name: ResNet18, class_num: 10, depth: 50}", "run.yaml:2: unknown key 'network.depth'; the nearest"),
        ("{name: ResNet18, class_num: 10, use_ssld: true}", "run.yaml:2: unknown key 'network.use_ssld'"),
        ("{name: ShuffleNetV2_x1_0, class_num: 10, activation: relu}", "unknown key 'network.activation'"),
        ("{name: ResNet18, class_num: 10, features_only: true}", "unknown key 'network.features_only'"),
        ("{name: ResNet81, class_num: 10}", "run.yaml:2: network: unknown model 'ResNet81'; the nearest are"),
        ("{name: ResNet18}", "run.yaml:2: network: ResNet18 needs the argument 'class_num'"),
        (
            "{name: ResNet18, class_num: 10, stride_list: 2}",
            "run.yaml:2: network: ResNet18: stride_list must be list of integer, not 2",
        ),
        (
            "{name: ResNet18, class_num: 10, pretrained: 1}",
            "network: ResNet18: pretrained must be true or false or text, not 1",
        ),
    ],
)
def test_a_network_with_a_mistake(tmp_path: Path, network: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, network)


@pytest.mark.parametrize(
    ("class_num", "wanted"),
    [
        ("0", "greater than or equal to 1, not 0"),
        ("-1", "greater than or equal to 1, not -1"),
        ("99999999999", "less than or equal to 1000000, not 99999999999"),
        ("2.0", "integer, not 2.0"),
        ("true", "integer, not True"),
        ("ten", "integer, not 'ten'"),
    ],
)
def test_the_number_of_classes_of_a_config(tmp_path: Path, class_num: str, wanted: str) -> None:
    with pytest.raises(ConfigError, match=f"^.*run.yaml:3: network: VGG11: class_num must be {wanted}$"):
        load(tmp_path, f"name: VGG11\n  class_num: {class_num}")
