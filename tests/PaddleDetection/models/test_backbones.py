"""Detectors' MobileNetV3, VGG and BlazeNet against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from PaddleDetection.models.backbones.blazenet import BlazeNet
from PaddleDetection.models.backbones.mobilenet_v3 import MobileNetV3
from PaddleDetection.models.backbones.vgg import VGG
from PaddleDetection.models.heads.tower import Towers
from PaddleDetection.models.necks.blaze_neck import BlazeNeck
from tests.parity.PaddleDetection import backbone_cases as cases
from tests.parity.stored import stored_arrays


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "backbones.npz"
    return stored_arrays(path)


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


class Face(nn.Layer):
    """A BlazeNet with its neck."""

    def __init__(self, settings: dict[str, Any], neck_type: str) -> None:
        super().__init__()
        self.backbone = BlazeNet(**settings)
        self.neck = BlazeNeck(self.backbone.channels, self.backbone.strides, neck_type)

    def forward(self, image: Any) -> Any:
        return self.neck(self.backbone(image))


def network_of(name: str) -> Any:
    kind, _, case = name.partition(" ")
    with core.LazyGuard():
        if kind == "face":
            return Face(*cases.FACES[case])
        return MobileNetV3(**cases.MOBILE[case]) if kind == "mobile" else VGG(**cases.VGGS[case])


NAMES = [
    "mobile large",
    "mobile small lite",
    "vgg 300",
    pytest.param("vgg 512", marks=pytest.mark.zoo),
    "face plain",
    "face deep",
    "face fpn",
]


@pytest.mark.parametrize("name", NAMES)
def test_feature_maps_and_gradients_as_the_official_ones(name: str, official: dict[str, np.ndarray]) -> None:
    network = network_of(name)
    shapes = {key: list(value.shape) for key, value in network.state_dict().items()}
    assert sorted(shapes) == official[f"{name} keys"].tolist()
    network.set_state_dict(cases.weights(name, shapes))
    network.eval()
    size = cases.VGG_SIZES[name[4:]] if name.startswith("vgg") else (cases.HEIGHT, cases.WIDTH)
    image = core.to_tensor(cases.image(name, 1, *size), stop_gradient=name.startswith("vgg"))
    maps = core.jit.to_static(network.__call__)(image)
    mixed = core.add_n([(one * core.to_tensor(cases.mixture(name, one.shape))).sum() for one in maps])
    if not image.stop_gradient:
        mixed.backward()
    for level, one in enumerate(maps):
        near(cases.sample(one.numpy()), official[f"{name} {level}"])
    if image.stop_gradient:
        return
    near(image.grad.numpy()[:, :, ::4, ::4], official[f"{name} gradient"])
    for key, parameter in network.named_parameters():
        assert parameter.stop_gradient or np.isfinite(parameter.grad.numpy()).all(), key


def test_deformable_towers_as_the_official_ones(official: dict[str, np.ndarray]) -> None:
    towers = Towers(cases.PYRAMID_CHANNELS[0], cases.PYRAMID_OUT, 2, "gn", use_dcn=True)
    shapes = {key: list(value.shape) for key, value in towers.state_dict().items()}
    assert sorted(shapes) == official["tower keys"].tolist()
    towers.set_state_dict(cases.weights("tower", shapes))
    given = core.to_tensor(cases.pyramid_maps()[0], stop_gradient=False)
    found = core.jit.to_static(towers.__call__)(given)
    core.add_n([(one * core.to_tensor(cases.mixture("tower", one.shape))).sum() for one in found]).backward()
    for number, one in enumerate(found):
        near(cases.sample(one.numpy()), official[f"tower {number}"])
    near(cases.sample(given.grad.numpy()), official["tower gradient"])


def test_every_weight_of_a_vgg_has_a_gradient() -> None:
    network = VGG(normalizations=(20.0, -1), extra_block_filters=())
    core.add_n([one.sum() for one in network(core.to_tensor(cases.image("vgg", 1, 32, 32)))]).backward()
    for key, parameter in network.named_parameters():
        assert np.isfinite(parameter.grad.numpy()).all(), key


def test_sizes_of_cells() -> None:
    with core.LazyGuard():
        assert MobileNetV3().strides == (8, 16, 32)
        assert network_of("mobile small lite").strides == (16, 32, 64, 128, 256, 512)
        assert network_of("face fpn").neck.strides == (8, 16)
        assert network_of("face fpn").neck.channels == (48, 48)


def test_rates_and_decays_of_their_own() -> None:
    with core.LazyGuard():
        network = MobileNetV3(lr_mult_list=(0.25, 0.25, 0.5, 0.5, 0.75), conv_decay=4e-5)
        face = BlazeNet()
    rates = {key: one.optimize_attr["learning_rate"] for key, one in network.named_parameters()}
    places = ("conv1.conv", "conv7.conv", "conv8.linear_conv.conv", "conv16.mid_se.conv1")
    found = [{value for key, value in rates.items() if key.startswith(place)} for place in places]
    assert found == [{0.25}, set(), {0.5}, {0.75}]
    assert network.conv4.linear_conv.bn.weight.regularizer._coeff == 0.0
    assert network.conv5.mid_se.conv2.bias.regularizer._coeff == 4e-5
    assert face.conv1._conv.weight.optimize_attr["learning_rate"] == 0.1
    assert face.conv1._batch_norm.weight.optimize_attr["learning_rate"] == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MobileNetV3(model_name="medium"), "model_name must be 'large' or 'small', not 'medium'"),
        (lambda: MobileNetV3(scale=0), "scale must be positive, not 0"),
        (lambda: VGG(11), "VGG of detectors has 16 or 19 layers, not 11"),
        (lambda: VGG(normalizations=(20.0,)), "normalizations must be 6, one a feature map, not 1"),
        (lambda: BlazeNet(act="gelu"), "act must be relu, hard_swish or null, not 'gelu'"),
        (lambda: BlazeNet(((24,),)), r"a block of BlazeNet has 2 numbers, perhaps a stride, not \[24\]"),
        (lambda: BlazeNeck((8, 8), (8, 16), "ssh"), "neck_type must be one of None, only_fpn, only_ssh, fpn_ssh"),
        (lambda: BlazeNeck((6, 8), (8, 16), "only_ssh"), r"needs channels that 4 divides, not \(6, 8\)"),
    ],
)
def test_refuses(make: Any, message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        make()
