"""StNet against derivations in NumPy, block by block, its backbone against TSN's; what its quirk does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
import PaddleVideo
from PaddleVideo.models.registry import NETWORKS
from PaddleVideo.models.resnet import FrameResNet
from PaddleVideo.models.stnet import StNet, TemporalBlock, TemporalXception, stnet_r50
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_weights import fill, random_clips

INPUTS = (random_clips("segments", 2, 6, 3, 32, 32),)


def small() -> StNet:
    return stnet_r50(class_num=7, seglen=2, width=8)


def normalised(state: dict[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    """Return features (C, ...) after a normalisation in evaluation."""
    shape = (-1,) + (1,) * (x.ndim - 1)
    mean, variance, scale, shift = (
        state[f"{name}.{kind}"].reshape(shape) for kind in ("_mean", "_variance", "weight", "bias")
    )
    return (x - mean) / np.sqrt(variance + 1e-5) * scale + shift


def over_time(kernel: np.ndarray, bias: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return a convolution over three steps, with zeros beyond the ends: kernel (O, C, 3), x (C, S, ...)."""
    padded = np.pad(x, [(0, 0), (1, 1)] + [(0, 0)] * (x.ndim - 2))
    found = sum(np.einsum("oc,cs...->os...", kernel[:, :, tap], padded[:, tap : tap + x.shape[1]]) for tap in range(3))
    return found + bias.reshape((-1,) + (1,) * (x.ndim - 1))


def state_of(layer: Any) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().astype(np.float64) for name, tensor in layer.state_dict().items()}


@pytest.mark.parametrize("name", ["stnet_r50", "stnet_r101"])
def test_number_of_parameters(name: str) -> None:
    resnet = {"stnet_r50": 23_508_032, "stnet_r101": 42_500_160}[name]  # of three channels, without a last layer
    temporal = sum(3 * channels**2 + channels + 2 * channels for channels in (512, 1024))
    xception = 2 * 2048 + 4 * 2048 + 2049 * 1024 + 2 * 1024 + 4 * 1024 + 1025 * 1024 + 2049 * 1024 + 2 * 1024
    expected = resnet + 12 * 64 * 49 + temporal + xception + 1025 * 400
    assert checks.trainable_parameters(NETWORKS.resolve(name)) == expected


def test_activation_comes_before_normalisation() -> None:
    """The convolution over time is normalised after its ReLU: swapped, this would fail."""
    block: Any = TemporalBlock(4)
    fill(block)
    block.eval()
    x = random_clips("maps", 6, 4, 3, 5)
    state = state_of(block)
    found = block(core.to_tensor(x), 3).numpy().reshape(2, 3, 4, 3, 5)
    other_way = np.zeros_like(found)
    for clip in range(2):
        volume = x[3 * clip : 3 * clip + 3].transpose(1, 0, 2, 3).astype(np.float64)
        filtered = over_time(state["conv.weight"][:, :, :, 0, 0], state["conv.bias"], volume)
        expected = normalised(state, "bn", np.maximum(filtered, 0)) + volume
        np.testing.assert_allclose(found[clip].transpose(1, 0, 2, 3), expected, rtol=1e-4, atol=1e-5)
        other_way[clip] = (np.maximum(normalised(state, "bn", filtered), 0) + volume).transpose(1, 0, 2, 3)
    assert np.abs(found - other_way).max() > 0.1
    assert (found - x.reshape(2, 3, 4, 3, 5)).min() < 0  # which no ReLU at the end would leave


def test_the_xception_block() -> None:
    layer: Any = TemporalXception(6)
    fill(layer)
    layer.eval()
    x = random_clips("features", 2, 6, 5)
    state = state_of(layer)

    def depthwise(name: str, y: np.ndarray) -> np.ndarray:
        kernel = state[f"{name}.weight"][:, 0, :, 0]
        full = np.zeros((len(kernel), len(kernel), 3))
        full[np.arange(len(kernel)), np.arange(len(kernel))] = kernel
        return over_time(full, state[f"{name}.bias"], y)

    def pointwise(name: str, y: np.ndarray) -> np.ndarray:
        return state[f"{name}.weight"][:, :, 0, 0] @ y + state[f"{name}.bias"][:, None]

    found = layer(core.to_tensor(x)).numpy()
    for one, row in zip(x.astype(np.float64), found):
        y = normalised(state, "bn", one)
        inner = np.maximum(normalised(state, "bndw", pointwise("att_2", depthwise("att_conv", y))), 0)
        expected = pointwise("dw", y) + pointwise("att1_2", depthwise("att1", inner))
        np.testing.assert_allclose(row, np.maximum(normalised(state, "bn2", expected), 0), rtol=1e-4, atol=1e-5)


def test_the_network_is_its_parts() -> None:
    network: Any = small()
    fill(network)
    network.eval()
    images = core.to_tensor(INPUTS[0].reshape(6, 6, 32, 32))  # segments of two frames of three colours
    plain = FrameResNet(50, width=8)
    inner = {name[len("backbone.") :]: tensor for name, tensor in network.state_dict().items() if "backbone" in name}
    inner["conv._conv.weight"] = core.zeros([8, 3, 7, 7])
    plain.set_state_dict({name: inner[name] for name in plain.state_dict()})
    plain.eval()
    with core.no_grad():
        x = core.nn.functional.max_pool2d(network.backbone.conv(images), 3, 2, padding=1)
        for name in plain.block_names:
            x = getattr(plain, name)(x)
            if name == "res3d":
                x = network.backbone.temporal3(x, 3)
            if name == "res4f":
                x = network.backbone.temporal4(x, 3)
        features = x.numpy().mean((2, 3)).reshape(2, 3, -1).transpose(0, 2, 1)
        pooled = network.head.xception(core.to_tensor(features.copy())).numpy().max(2)
        expected = pooled @ network.head.fc.weight.numpy() + network.head.fc.bias.numpy()
        found = network(core.to_tensor(INPUTS[0])).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_weights_of_images_see_all_frames_alike(tmp_path: Path) -> None:
    with core.LazyGuard():
        classifier = PaddleClas.create_model("ResNet50", class_num=5)
    classifier.materialize()
    path = str(tmp_path / "image.pdparams")
    core.save(classifier.state_dict(), path)
    network = PaddleVideo.create_model("stnet_r50", class_num=5, pretrained=path)
    kernel = network.state_dict()["backbone.conv._conv.weight"].numpy()
    image = classifier.state_dict()["stem.0.conv.weight"].numpy()
    assert kernel.shape == (64, 15, 7, 7)
    for channel in (0, 4, 14):
        np.testing.assert_allclose(kernel[:, channel], image.mean(1) / 5, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(
        network.state_dict()["backbone.res4c.conv1._conv.weight"].numpy(),
        classifier.state_dict()["blocks.9.conv1.conv.weight"].numpy(),
    )


@pytest.mark.parametrize("name", ["stnet_r50", "stnet_r101"])
def test_files_of_fluid_1_have_a_name_for_every_parameter(name: str) -> None:
    with core.LazyGuard():
        network = PaddleVideo.create_model(name)
    names = network.older_names()
    assert set(names.values()) == set(network.state_dict())
    numbers = {"stnet_r50": (24, 44), "stnet_r101": (24, 95)}[name]  # 1 + 10 + 13; and 1 + 19 or 70 further on
    for number, layer in zip(numbers, ("temporal3", "temporal4")):
        assert names[f"batch_norm_{number}.w_2"] == f"backbone.{layer}.bn._variance"


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(), INPUTS)
    checks.check_file(small, INPUTS, tmp_path)


def test_compilation_of_the_blocks() -> None:
    checks.check_compiled(TemporalXception(6), (random_clips("features", 2, 6, 5),))


def test_export_for_any_number_of_segments(tmp_path: Path) -> None:
    network = small()
    checks.check_export(network, INPUTS, tmp_path)
    network.eval()
    assert network(core.to_tensor(INPUTS[0][:, :4])).shape == [2, 7]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depth": 34}, "StNet has 50, 101 or 152 layers, not 34"),
        ({"seglen": 0}, "StNet: seglen must be a positive whole number, not 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        StNet(**settings)


def test_frames_that_fill_no_segments_are_refused() -> None:
    with pytest.raises(ValueError, match="StNet takes clips whose frames are a multiple of 2, not 5"):
        small()(core.zeros([1, 5, 3, 32, 32]))
