from __future__ import annotations

import logging
import os
from pathlib import Path

import numpy as np
import pytest

import core
import PaddleClas
from core.weights import cache_path, load_weights, write_pdparams, write_safetensors
from PaddleClas.models.weights import SSLD_WEIGHTS, WEIGHTS

NAME = "MobileNetV1_x0_25"


def arrays(model: core.nn.Layer) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in model.state_dict().items()}


@pytest.fixture(scope="module")
def state() -> dict[str, np.ndarray]:
    return arrays(PaddleClas.create_model(NAME, class_num=5))


@pytest.fixture(scope="module")
def path(state: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "five.pdparams"
    write_pdparams(state, path)
    return path


def test_a_path_gives_exactly_the_weights_of_the_file(state: dict[str, np.ndarray], path: Path) -> None:
    for source in (path, str(path)):
        loaded = arrays(PaddleClas.create_model(NAME, class_num=5, pretrained=source))
        assert list(loaded) == list(state)
        for name, value in state.items():
            np.testing.assert_array_equal(loaded[name], value)


def test_safetensors_load_as_well(state: dict[str, np.ndarray], tmp_path: Path) -> None:
    write_safetensors(state, tmp_path / "five.safetensors")
    loaded = arrays(PaddleClas.create_model(NAME, class_num=5, pretrained=tmp_path / "five.safetensors"))
    np.testing.assert_array_equal(loaded["fc.weight"], state["fc.weight"])


def test_a_loaded_network_trains(path: Path) -> None:
    model = PaddleClas.create_model(NAME, class_num=5, pretrained=path)
    model(core.ones([1, 3, 32, 32])).sum().backward()
    trained = [parameter for parameter in model.parameters() if not parameter.stop_gradient]
    assert len(trained) == 83
    assert all(np.isfinite(parameter.grad.numpy()).all() for parameter in trained)


def test_another_head_is_refused_and_the_message_says_what_to_do(path: Path) -> None:
    changes = r"fc.weight \(\[256, 5\] -> \[256, 3\]\), fc.bias \(\[5\] -> \[3\]\)"
    message = f"five.pdparams' does not fit the model: 2 entries differ: {changes}"
    with pytest.raises(ValueError, match=message + "; pass adapt_head=True to keep a fresh head"):
        PaddleClas.create_model(NAME, class_num=3, pretrained=path)


def test_adapt_head_keeps_a_fresh_head_and_lists_it(
    state: dict[str, np.ndarray], path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        model = PaddleClas.create_model(NAME, class_num=3, pretrained=path, adapt_head=True)
    assert "135 of 137 entries of the model loaded" in caplog.text
    assert "fresh: fc.weight ([256, 5] -> [256, 3])" in caplog.text and "fresh: fc.bias ([5] -> [3])" in caplog.text
    loaded = arrays(model)
    assert loaded["fc.weight"].shape == (256, 3) and loaded["fc.weight"].std() > 0
    for name, value in state.items():
        if not name.startswith("fc."):
            np.testing.assert_array_equal(loaded[name], value)


def test_a_living_head_is_left_alone(path: Path) -> None:
    model = PaddleClas.create_model(NAME, class_num=3)
    before = arrays(model)
    assert list(load_weights(model, path, adapt_head=True).fresh) == ["fc.weight", "fc.bias"]
    np.testing.assert_array_equal(model.fc.weight.numpy(), before["fc.weight"])


def test_adapt_head_adapts_nothing_but_the_head(path: Path) -> None:
    with pytest.raises(ValueError, match=r"does not fit the model: .*conv.conv.weight \(\[8, 3, 3, 3\] -> \[16, 3"):
        PaddleClas.create_model("MobileNetV1_x0_5", class_num=5, pretrained=path, adapt_head=True)


def test_adapt_head_without_weights_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="adapt_head=True needs pretrained weights"):
        PaddleClas.create_model(NAME, adapt_head=True)


def test_missing_and_unexpected_parameters_are_named(state: dict[str, np.ndarray], tmp_path: Path) -> None:
    other = {**state, "head.weight": np.zeros(3, "float32")}
    del other["conv.bn._mean"]
    write_pdparams(other, tmp_path / "other.pdparams")
    message = "does not fit the model: it lacks 1 entry: conv.bn._mean; the model has no head.weight"
    with pytest.raises(ValueError, match=message):
        PaddleClas.create_model(NAME, class_num=5, pretrained=tmp_path / "other.pdparams")
    with pytest.raises(ValueError, match="it lacks .* and 133 more"):
        PaddleClas.create_model(NAME, class_num=5, pretrained=_file(tmp_path / "empty.pdparams", {}))


def _file(path: Path, values: dict[str, np.ndarray]) -> Path:
    write_pdparams(values, path)
    return path


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.pdparams': there is no such file"):
        PaddleClas.create_model(NAME, pretrained=tmp_path / "none.pdparams")


@pytest.mark.parametrize("pretrained", [None, 1, ["a"]])
def test_pretrained_is_a_bool_or_a_path(pretrained: object) -> None:
    with pytest.raises(TypeError, match="pretrained must be False, True or the path of a weight file, not"):
        PaddleClas.create_model(NAME, pretrained=pretrained)  # type: ignore[arg-type]


def test_official_weights_come_from_the_cache_and_the_log_says_that_they_are_unverified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path))
    target = cache_path(WEIGHTS[NAME].url)
    os.makedirs(target.parent)
    expected = arrays(PaddleClas.create_model(NAME))
    write_pdparams(expected, target)
    with caplog.at_level(logging.WARNING):
        model = PaddleClas.create_model(NAME, pretrained=True)
    assert f"the SHA-256 of {WEIGHTS[NAME].url} is not known" in caplog.text
    np.testing.assert_array_equal(model.fc.weight.numpy(), expected["fc.weight"])


def test_official_weights_out_of_reach_say_where_to_put_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "no mirror"))
    with pytest.raises(ConnectionError, match="cannot download .*put it at .*MobileNetV1_x0_25_pretrained.pdparams"):
        PaddleClas.create_model(NAME, pretrained=True)


def test_a_model_without_published_weights_says_so() -> None:
    with pytest.raises(ValueError, match="no weights are published for LeNet: pass pretrained=PATH"):
        PaddleClas.create_model("LeNet", pretrained=True)


def test_distilled_weights_are_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path))
    name = "MobileNetV3_small_x0_35"
    target = cache_path(SSLD_WEIGHTS[name].url)
    assert target.name == "MobileNetV3_small_x0_35_ssld_pretrained.pdparams"
    os.makedirs(target.parent)
    expected = arrays(PaddleClas.create_model(name, use_ssld=True))  # without weights there is nothing to choose
    write_pdparams(expected, target)
    model = PaddleClas.create_model(name, pretrained=True, use_ssld=True)
    np.testing.assert_array_equal(model.fc.weight.numpy(), expected["fc.weight"])


def test_distilled_weights_that_are_not_published(path: Path) -> None:
    with pytest.raises(ValueError, match="no distilled weights are published for ResNet18; they are for ResNet34_vd, "):
        PaddleClas.create_model("ResNet18", pretrained=True, use_ssld=True)
    with pytest.raises(ValueError, match="use_ssld=True chooses among the official weights, but pretrained is a path"):
        PaddleClas.create_model(NAME, class_num=5, pretrained=path, use_ssld=True)
