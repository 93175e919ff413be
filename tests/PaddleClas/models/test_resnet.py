from __future__ import annotations

import numpy as np
import pytest

import core
import PaddleClas
from PaddleClas.models.resnet import ResNet


def count(model: core.nn.Layer) -> int:
    return sum(int(np.prod(parameter.shape)) for parameter in model.parameters() if not parameter.stop_gradient)


@pytest.mark.parametrize(("name", "parameters"), [("ResNet18", 11_689_512), ("ResNet34", 21_797_672)])
def test_without_the_first_shortcut_the_sizes_are_those_of_torchvision(name: str, parameters: int) -> None:
    with core.LazyGuard():
        model = PaddleClas.create_model(name, use_first_short_conv=False)
    assert count(model) == parameters
    assert "blocks.0.short.conv.weight" not in model.state_dict()


@pytest.mark.parametrize(
    ("arguments", "features"),
    [
        ({}, [1, 512, 2, 2]),
        ({"max_pool": False}, [1, 512, 2, 2]),
        ({"max_pool": False, "stride_list": (1, 1, 2, 2, 2)}, [1, 512, 8, 8]),
        ({"stride_list": (2, 1, 1, 2, 2), "version": "vd"}, [1, 512, 8, 8]),
    ],
)
def test_strides_decide_the_size_of_the_features(arguments: dict[str, object], features: list[int]) -> None:
    model = ResNet(18, class_num=2, input_image_channel=1, **arguments)  # type: ignore[arg-type]
    model.eval()
    with core.no_grad():
        assert list(model.forward_features(core.ones([1, 1, 64, 64])).shape) == features


def test_learning_rate_factors_reach_the_stem_and_the_stages() -> None:
    with core.LazyGuard():
        model = PaddleClas.create_model("ResNet18_vd", lr_mult_list=(0.1, 0.2, 0.3, 0.4, 0.5))
    factors = {key: value.optimize_attr["learning_rate"] for key, value in model.named_parameters()}
    assert factors["stem.2.bn.weight"] == 0.1
    assert factors["blocks.0.conv0.conv.weight"] == factors["blocks.1.conv1.bn.bias"] == 0.2
    assert factors["blocks.2.short.conv.weight"] == 0.3
    assert factors["blocks.7.conv1.conv.weight"] == 0.5
    assert factors["fc.weight"] == 1.0


def test_the_classifier_starts_uniform_within_its_bound() -> None:
    weight = ResNet(18, class_num=50).fc.weight.numpy()
    assert 0.95 * 512**-0.5 < np.abs(weight).max() <= 512**-0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": 20}, "ResNet has 18, 34, 50, 101, 152, 200 layers, not 20"),
        ({"depth": 18, "version": "vx"}, "version must be 'vb' or 'vd', not 'vx'"),
        ({"depth": 18, "stride_list": (2, 2)}, "stride_list must hold 5 numbers .* not 2"),
        ({"depth": 18, "lr_mult_list": [1.0] * 4}, "lr_mult_list must hold 5 numbers .* not 4"),
        ({"depth": 50, "use_first_short_conv": False}, "use_first_short_conv=False needs ResNet-18 or -34"),
        ({"depth": 18, "use_first_short_conv": False, "max_pool": False}, "the first shortcut changes the shape"),
    ],
)
def test_arguments_that_make_no_network(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ResNet(**arguments)  # type: ignore[arg-type]
