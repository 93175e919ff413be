"""Detectors' ResNets and feature pyramids against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.nn import functional as F
from PaddleDetection.models.backbones.conv_norm import ConvNorm
from PaddleDetection.models.backbones.resnet import Res5Head, ResNet
from PaddleDetection.models.necks.fpn import FPN
from PaddleDetection.models.norms import Norm
from tests.parity.PaddleDetection import backbone_cases as cases
from tests.parity.stored import stored_arrays


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "resnet.npz"
    return stored_arrays(path)


def set_weights(layer: Any, case: str) -> None:
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(cases.weights(case, shapes))


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


def mixed(case: str, levels: list[Any]) -> Any:
    return core.add_n([(one * core.to_tensor(cases.mixture(case, one.shape))).sum() for one in levels])


def sizes(layer: Any) -> int:
    return sum(parameter.size for parameter in layer.parameters() if not parameter.stop_gradient)


@pytest.mark.parametrize(
    "name", ["r18", "dcn", *(pytest.param(name, marks=pytest.mark.zoo) for name in ("r50vd dcn", "r101 groups"))]
)
def test_stages_and_gradients_as_the_official_ones(name: str, official: dict[str, np.ndarray]) -> None:
    with core.LazyGuard():
        network = ResNet(**cases.RESNETS[name])
    set_weights(network, name)
    assert sorted(network.state_dict()) == official[f"{name} keys"].tolist()
    network.eval()
    for level, one in enumerate(core.jit.to_static(network.__call__)(core.to_tensor(cases.image(name)))):
        near(cases.sample(one.numpy()), official[f"{name} {level}"])
    if name not in cases.LEARNING:
        return
    network.train()
    image = core.to_tensor(cases.image(name, 2, *cases.LEARNING[name]), stop_gradient=False)
    levels = network(image)
    near(cases.sample(levels[-1].numpy()), official[f"{name} training"])
    mixed(name, levels).backward()
    near(image.grad.numpy()[:, :, ::2, ::4], official[f"{name} gradient"])
    for key, parameter in network.named_parameters():
        assert parameter.stop_gradient or np.isfinite(parameter.grad.numpy()).all(), key


@pytest.mark.parametrize("name", cases.PYRAMIDS)
def test_pyramid_as_the_official_one(name: str, official: dict[str, np.ndarray]) -> None:
    neck = FPN(cases.PYRAMID_CHANNELS, (8, 16, 32), cases.PYRAMID_OUT, **cases.PYRAMIDS[name])
    set_weights(neck, name)
    assert sorted(neck.state_dict()) == official[f"{name} keys"].tolist()
    given = [core.to_tensor(one, stop_gradient=False) for one in cases.pyramid_maps()]
    levels = core.jit.to_static(neck.__call__)(given)
    assert neck.strides == (8, 16, 32, 64, 128)[: len(levels)]
    assert neck.channels == (cases.PYRAMID_OUT,) * len(levels)
    for level, one in enumerate(levels):
        near(cases.sample(one.numpy()), official[f"{name} {level}"])
    mixed(name, levels).backward()
    for level, one in enumerate(given):
        near(cases.sample(one.grad.numpy()), official[f"{name} gradient {level}"])


def test_frozen_stages_and_normalisations() -> None:
    with core.LazyGuard():
        network = ResNet(18, freeze_at=1, lr_mult_list=(1.0, 1.0, 0.5, 0.1), freeze_norm=False)
        whole, frozen = ResNet(18, freeze_at=-1, freeze_norm=False), ResNet(18, freeze_at=-1)
    learning = {key.split(".")[0] for key, one in network.named_parameters() if not one.stop_gradient}
    assert learning == {"res4", "res5"}
    factors = {
        key.split(".")[0]: one.optimize_attr["learning_rate"]
        for key, one in network.named_parameters()
        if not one.stop_gradient
    }
    assert factors == {"res4": 0.5, "res5": 0.1}
    assert sizes(whole) == 11_176_512 + 64 * 64 + 2 * 64  # torchvision's without its last layer; a shortcut
    assert not [key for key, one in frozen.named_parameters() if "norm" in key and not one.stop_gradient]


def test_frozen_normalisation_keeps_its_statistics_in_training() -> None:
    network = ResNet(18, num_stages=1, return_idx=(0,))
    network.train()
    before = {key: value.numpy() for key, value in network.state_dict().items()}
    image = core.to_tensor(cases.image("frozen"))
    found = network(image)[0].numpy()
    for key, value in network.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[key])
    network.eval()
    np.testing.assert_allclose(network(image)[0].numpy(), found, rtol=1e-5, atol=1e-6 * np.abs(found).max())


@pytest.mark.parametrize("compiled", [False, True])
def test_a_convolution_that_normalises_has_the_gradient_of_both(compiled: bool) -> None:
    source = np.random.RandomState(0)
    layer: Any = ConvNorm(4, 6, 3, 2, 2, F.relu, Norm(freeze_norm=True))
    for name, value in layer.norm.state_dict().items():
        layer.norm.state_dict()[name].set_value(source.uniform(0.5, 2.0, value.shape).astype(np.float32))
    image = source.randn(2, 4, 9, 8).astype(np.float32)

    def learned(training: bool) -> list[np.ndarray]:
        layer.train() if training else layer.eval()  # in evaluation the two are done one after the other
        x: Any = core.to_tensor(image, stop_gradient=False)
        function = core.jit.to_static(lambda x: (layer(x) ** 2).sum()) if compiled else lambda x: (layer(x) ** 2).sum()
        total = function(x)
        total.backward()
        found = [total.numpy(), x.grad.numpy(), layer.conv.weight.grad.numpy()]
        layer.clear_gradients()
        return found

    for one, other in zip(learned(True), learned(False)):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5 * np.abs(other).max())
    assert layer.norm.weight.grad is None


def test_fifth_stage_alone_is_that_of_the_network() -> None:
    network, head = ResNet(18), Res5Head(18)
    assert head.channels == 512
    stage = network.state_dict()
    shared = {key: value for key, value in head.state_dict().items() if "res5c" not in key}
    assert {key: value.shape for key, value in shared.items()} == {
        key: value.shape for key, value in stage.items() if key.startswith("res5")
    }
    with core.LazyGuard():
        fifty = Res5Head(50)
    assert (fifty.channels, sizes(fifty)) == (2048, 14_942_208)


def test_scale_is_a_factor_on_every_number_of_channels_but_the_images() -> None:
    with core.LazyGuard():
        whole, half = ResNet(18), ResNet(18, scale=0.5)
    assert half.channels == (32, 64, 128, 256)
    colours = {"conv1.conv1.conv.weight": [32, 3, 7, 7]}
    halves = {key: [*(size // 2 for size in one.shape[:2]), *one.shape[2:]] for key, one in whole.state_dict().items()}
    assert {key: one.shape for key, one in half.state_dict().items()} == {**halves, **colours}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depth": 20}, "ResNet has 18, 34, 50, 101, 152, 200 layers, not 20"),
        ({"variant": "e"}, "variant must be 'a', 'b', 'c' or 'd', not 'e'"),
        ({"depth": 18, "groups": 2}, "no bottlenecks: groups must be 1 and base_width 64"),
        ({"lr_mult_list": (1.0,)}, "lr_mult_list must hold 4 numbers, one a stage, not 1"),
        ({"return_idx": (0, 4)}, r"return_idx \(0, 4\) names a stage that is not among 0 to 3"),
        ({"num_stages": 2, "return_idx": (1,), "dcn_v2_stages": (3,)}, r"dcn_v2_stages \(3,\) names a stage"),
        ({"scale": 0.02}, "scale must be at least 1/32, not 0.02: no channels are left"),
        ({"norm_type": "ln"}, "norm_type 'ln' is unknown; it is one of bn, sync_bn, gn, None"),
    ],
)
def test_refuses(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        ResNet(**settings)


def test_pyramid_refuses() -> None:
    with pytest.raises(ValueError, match="extra_stage 2 needs has_extra_convs: true; it is 1 at most without"):
        FPN((8,), (8,), extra_stage=2)
    with pytest.raises(ValueError, match="FPN takes 1 to 4 feature maps of a backbone, not 0"):
        FPN((), ())
