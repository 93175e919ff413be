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


@pytest.mark.parametrize("name", small_first(STAGED, share=4, turn=3))
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


@pytest.mark.parametrize("name", small_first(STAGED, share=4, turn=2))
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


OF_EVERY_KIND = (
    *("LeNet", "AlexNet", "ResNet18", "SqueezeNet1_1", "GoogLeNet", "ResNeXt101_32x8d_wsl", "Xception41"),
    *("PPLCNetV2_small", "DeiT_tiny_distilled_patch16_224", "MobileViT_XXS", "SwinTransformer_tiny_patch4_window7_224"),
)
"""Networks whose last layers stand in different places: linear, a convolution, several, in a sequence."""


@pytest.mark.parametrize("name", OF_EVERY_KIND)
def test_the_last_layer_can_be_replaced_and_taken_away(name: str) -> None:
    with core.LazyGuard():
        network = PaddleClas.create_model(name, class_num=7)
        features, parameters = network.num_features, len(network.parameters())
        network.reset_classifier(3)
    layers = dict(network.named_sublayers())
    for head in network.head_names:
        weight = layers[head].weight
        assert weight.shape[:2] == ([features, 3] if weight.ndim == 2 else [3, features])
        assert not weight.stop_gradient
        features = weight.shape[0] if weight.ndim == 2 and head != network.head_names[0] else features
    assert len(network.parameters()) == parameters
    width = network.num_features
    network.reset_classifier(0)
    assert network.num_features == width
    lost = 1 if name == "ResNeXt101_32x8d_wsl" and layers["fc" if "fc" in layers else "_out"].bias is None else 2
    assert len(network.parameters()) == parameters - lost * len(network.head_names)
    network.reset_classifier(4)
    assert len(network.parameters()) == parameters


@pytest.mark.parametrize("name", ["SqueezeNet1_1", "ResNet18", "PPLCNet_x0_25"])
def test_a_network_without_its_last_layer_gives_vectors(name: str) -> None:
    core.seed(2)
    network = PaddleClas.create_model(name, class_num=7)
    network.eval()
    x = images((2, 3, 64, 64))
    with core.no_grad():
        logits = network(x).numpy()
        (head,) = network.head_names
        last = dict(network.named_sublayers())[head]
        network.reset_classifier(0)
        vectors = network(x).numpy()
    assert vectors.shape == (2, network.num_features)
    if name != "SqueezeNet1_1":  # which takes means after its last layer
        np.testing.assert_allclose(vectors @ last.weight.numpy() + last.bias.numpy(), logits, atol=1e-4)
    network.reset_classifier(5)
    assert network(x).shape == [2, 5]


@pytest.mark.parametrize("count", [-1, 2.0, True, "ten"])
def test_numbers_of_classes_that_are_none(count: object) -> None:
    with core.LazyGuard():
        network = PaddleClas.create_model("ResNet18", class_num=7)
    with pytest.raises(ValueError, match="class_num must be a whole number, 0 for no last layer, not"):
        network.reset_classifier(count)
