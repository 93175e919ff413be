"""What every model promises: its size, and for the smallest of each family that it trains and saves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PaddleClas

PARAMETERS = {
    "LeNet": 61_610,
    "VGG11": 132_860_584,
    "VGG13": 133_044_904,
    "VGG16": 138_353_320,
    "VGG19": 143_661_736,
    "ResNet18": 11_693_736,
    "ResNet34": 21_801_896,
    "ResNet50": 25_557_032,
    "ResNet101": 44_549_160,
    "ResNet152": 60_192_808,
    "ResNet50_vc": 25_576_264,
    "ResNet18_vd": 11_712_968,
    "ResNet34_vd": 21_821_128,
    "ResNet50_vd": 25_576_264,
    "ResNet101_vd": 44_568_392,
    "ResNet152_vd": 60_212_040,
    "ResNet200_vd": 74_738_504,
    "MobileNetV1_x0_25": 470_072,
    "MobileNetV1_x0_5": 1_331_592,
    "MobileNetV1_x0_75": 2_585_560,
    "MobileNetV1": 4_231_976,
    "MobileNetV2_x0_25": 1_517_392,
    "MobileNetV2_x0_5": 1_965_736,
    "MobileNetV2_x0_75": 2_628_592,
    "MobileNetV2": 3_505_960,
    "MobileNetV2_x1_5": 6_852_712,
    "MobileNetV2_x2_0": 11_262_312,
}
"""Trainable parameters of the official implementations (LeNet with 10 classes, the others with 1000)."""

SMALLEST = {
    "LeNet": (2, 1, 28, 28),
    "VGG11": (1, 3, 224, 224),
    "ResNet18": (4, 3, 64, 64),
    "ResNet18_vd": (4, 3, 64, 64),
    "ResNet50_vc": (4, 3, 64, 64),
    "MobileNetV1_x0_25": (4, 3, 64, 64),
    "MobileNetV2_x0_25": (4, 3, 64, 64),
}
"""The smallest model of each family, and the shape of a small batch for it."""


def images(shape: tuple[int, ...]) -> core.Tensor:
    return core.to_tensor(np.random.RandomState(0).standard_normal(shape).astype("float32"))


def loss(logits: core.Tensor) -> core.Tensor:
    return core.nn.functional.cross_entropy(logits, core.to_tensor(np.arange(logits.shape[0], dtype="int64")))


def test_the_table_is_complete() -> None:
    assert list(PARAMETERS) == PaddleClas.list_models()


@pytest.mark.parametrize("name", PaddleClas.list_models())
def test_number_of_trainable_parameters(name: str) -> None:
    with core.LazyGuard():
        model = PaddleClas.create_model(name, class_num=10 if name == "LeNet" else 1000)
    count = sum(int(np.prod(parameter.shape)) for parameter in model.parameters() if not parameter.stop_gradient)
    assert count == PARAMETERS[name]


@pytest.mark.parametrize("name", SMALLEST)
def test_every_parameter_gets_a_finite_gradient(name: str) -> None:
    core.seed(1)
    model = PaddleClas.create_model(name, class_num=4)
    loss(model(images(SMALLEST[name]))).backward()
    for key, parameter in model.named_parameters():
        if parameter.stop_gradient:  # running statistics
            continue
        assert parameter.grad is not None, key
        gradient = parameter.grad.numpy()
        assert np.isfinite(gradient).all(), key
        if gradient.ndim > 1:  # scales and offsets may be undone by the next batch normalisation
            assert np.abs(gradient).max() > 0, key


@pytest.mark.parametrize("name", [name for name in SMALLEST if name != "VGG11"])
def test_weights_survive_a_file(name: str, tmp_path: Path) -> None:
    core.seed(2)
    model = PaddleClas.create_model(name, class_num=4)
    model(images(SMALLEST[name]))  # moves the running statistics away from 0 and 1
    core.save(model.state_dict(), str(tmp_path / "weights.pdparams"))
    again = PaddleClas.create_model(name, class_num=4)
    assert again.set_state_dict(core.load(str(tmp_path / "weights.pdparams"))) == ([], [])
    model.eval()
    again.eval()
    with core.no_grad():
        expected = model(images(SMALLEST[name])).numpy()
        np.testing.assert_array_equal(again(images(SMALLEST[name])).numpy(), expected)


@pytest.mark.parametrize("name", [name for name in SMALLEST if name != "VGG11"])
def test_a_network_is_its_features_and_its_head(name: str) -> None:
    model = PaddleClas.create_model(name, class_num=4)
    model.eval()
    with core.no_grad():
        features = model.forward_features(images(SMALLEST[name]))
        np.testing.assert_array_equal(model.forward_head(features).numpy(), model(images(SMALLEST[name])).numpy())
    assert len(features.shape) == 4


@pytest.mark.parametrize("name", PaddleClas.list_models())
def test_head_names_are_layers_with_one_output_for_each_class(name: str) -> None:
    with core.LazyGuard():
        model = PaddleClas.create_model(name, class_num=4)
    layers = dict(model.named_sublayers())
    assert [layers[head].weight.shape[-1] for head in model.head_names] == [4]
