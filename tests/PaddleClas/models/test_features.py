"""Feature maps of stages: the declared channels and strides are those that come out."""

from __future__ import annotations

import numpy as np
import pytest

import core
import PaddleClas
from tests.PaddleClas.models.test_models import SMALLEST, images, small_first

WITHOUT_PADDING = ("AlexNet", "SqueezeNet1_1", "GoogLeNet", "InceptionV3", "InceptionV4")
"""Networks whose poolings or convolutions lose pixels at the border."""

STAGED = [name for name in SMALLEST if name != "LeNet"]


@pytest.mark.parametrize("name", small_first(STAGED, share=2))
def test_maps_have_the_declared_channels_and_strides(name: str) -> None:
    backbone = PaddleClas.create_model(name, features_only=True)
    backbone.eval()
    shape = (1, *SMALLEST[name][1:])
    with core.no_grad():
        maps = backbone(images(shape))
    assert [map.shape[1] for map in maps] == list(backbone.channels)
    for map, stride in zip(maps, backbone.strides):
        lost = -(-shape[2] // stride) - map.shape[2]
        assert map.shape[2] == map.shape[3]
        assert lost == 0 or (name in WITHOUT_PADDING and 0 < lost <= 4)
    assert list(backbone.strides) == sorted(backbone.strides)


@pytest.mark.parametrize("name", small_first(STAGED, share=3))
def test_every_parameter_of_an_extractor_serves_the_maps(name: str) -> None:
    backbone = PaddleClas.create_model(name, features_only=True)
    sum(map.mean() for map in backbone(images(SMALLEST[name]))).backward()
    assert [key for key, value in backbone.named_parameters() if not value.stop_gradient and value.grad is None] == []


def test_stages_can_be_chosen() -> None:
    core.seed(1)
    every = PaddleClas.create_model("ResNet18", features_only=True)
    some = PaddleClas.create_model("ResNet18", features_only=True, out_indices=(1, -1))
    assert (some.channels, some.strides) == ((128, 512), (8, 32))
    assert not any("fc" in key for key in some.state_dict())
    some.set_state_dict(every.state_dict())
    every.eval()
    some.eval()
    with core.no_grad():
        expected, actual = every(images((1, 3, 64, 64))), some(images((1, 3, 64, 64)))
    np.testing.assert_array_equal(actual[0].numpy(), expected[1].numpy())
    np.testing.assert_array_equal(actual[1].numpy(), expected[3].numpy())


@pytest.mark.parametrize("indices", [(4,), (-5,), (1, 1), (2, 1), ()])
def test_stages_that_do_not_exist_are_named(indices: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"out_indices must be stages of ResNet, 0 to 3, in rising order, not \["):
        PaddleClas.create_model("ResNet18", features_only=True, out_indices=indices)


def test_a_network_for_one_size_has_no_stages() -> None:
    with pytest.raises(ValueError, match="LeNet5 has no stages"):
        PaddleClas.create_model("LeNet", features_only=True)
    with pytest.raises(ValueError, match="out_indices needs features_only=True"):
        PaddleClas.create_model("ResNet18", out_indices=(1,))
