"""NeXtVLAD against a derivation in NumPy that follows the paper's sums, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleVideo.models.nextvlad import FrameBatchNorm, NeXtVLAD, NeXtVLADLayer, nextvlad
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import LENGTHS
from tests.parity.PaddleVideo.network_weights import fill, random_clips

INPUTS = (random_clips("rgb features", 3, 5, 12), random_clips("audio features", 3, 5, 6), LENGTHS)


def small(**settings: Any) -> NeXtVLAD:
    return nextvlad(class_num=7, feature_dims=(12, 6), cluster_size=3, groups=2, hidden_size=16, **settings)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def descriptors(layer: Any, x: np.ndarray) -> np.ndarray:
    """Return the descriptors of one video before the last normalisation, (width, clusters), frame by frame."""
    state = {name: tensor.numpy().astype(np.float64) for name, tensor in layer.state_dict().items()}
    sums = np.zeros((layer.width, layer.clusters))
    for frame in x.astype(np.float64):
        wide = frame @ state["fc_expansion.weight"] + state["fc_expansion.bias"]
        attention = sigmoid(wide @ state["fc_attention.weight"] + state["fc_attention.bias"])
        scores = wide @ state["cluster_weights"] - state["cluster_bn._mean"]
        scores *= state["cluster_bn.weight"] / np.sqrt(state["cluster_bn._variance"] + 1e-5)
        scores = (scores + state["cluster_bn.bias"]).reshape(layer.groups, layer.clusters)
        for group in range(layer.groups):
            part = wide[group * layer.width : (group + 1) * layer.width]
            shares = np.exp(scores[group]) / np.exp(scores[group]).sum()
            for cluster in range(layer.clusters):
                residual = part - state["cluster_weights2"][0, :, cluster]
                sums[:, cluster] += attention[group] * shares[cluster] * residual
    return sums / np.sqrt((sums**2).sum(0))


def frozen(state: dict[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    scale = state[f"{name}.weight"] / np.sqrt(state[f"{name}._variance"] + 1e-5)
    return (x - state[f"{name}._mean"]) * scale + state[f"{name}.bias"]


def test_number_of_parameters() -> None:
    def vlad(features: int) -> int:
        wide, clusters, groups = 2 * features, 128, 8
        width = wide // groups
        linear = (features + 1) * wide + (wide + 1) * groups + wide * groups * clusters
        return linear + 2 * groups * clusters + width * clusters + 2 * width * clusters

    hidden = 288 * 128 * 2048 + 2 * 2048 + 2 * 2048 * 256 + 2 * 256
    expected = vlad(1024) + vlad(128) + hidden + 2049 * 3862
    assert checks.trainable_parameters(nextvlad) == expected == 89_088_550


def test_the_layer_is_the_paper_s_sum() -> None:
    layer = NeXtVLADLayer(12, 3, 2, 2)
    fill(layer)
    layer.eval()
    x = INPUTS[0]
    mask = (np.arange(5) < LENGTHS[:, None]).astype(np.float32)[:, :, None]
    found = layer(core.to_tensor(x), core.to_tensor(mask)).numpy()
    state = {name: tensor.numpy() for name, tensor in layer.state_dict().items()}
    for video, length, row in zip(x, LENGTHS, found):
        expected = frozen(state, "vlad_bn", descriptors(layer, video[:length]).ravel())
        np.testing.assert_allclose(row, expected, rtol=1e-4, atol=1e-5)


def test_training_finds_the_same_scores_without_the_widened_features() -> None:
    layer: Any = NeXtVLADLayer(12, 3, 2, 2)
    fill(layer)
    x, weights = core.to_tensor(INPUTS[0]), [core.to_tensor(random_clips("weights", 3, 5, size)) for size in (2, 6)]
    results = []
    for scores in (layer._scores(x), layer._scores_of_wide(layer.fc_expansion(x))):
        layer.clear_gradients()
        sum((one * weight).sum() for one, weight in zip(scores, weights)).backward()
        gradients = [layer.fc_expansion, layer.fc_attention]
        gradients = [one.grad for part in gradients for one in (part.weight, part.bias)]
        results.append([one.numpy() for one in (*scores, *gradients, layer.cluster_weights.grad)])
    for found, expected in zip(*results):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_the_network_is_its_parts() -> None:
    network = small()
    fill(network)
    network.eval()
    state = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    found = network(*map(core.to_tensor, INPUTS)).numpy()
    for number, length in enumerate(LENGTHS):
        x = np.concatenate(
            [
                frozen(state, f"{name}.vlad_bn", descriptors(layer, features[number, :length]).ravel())
                for name, layer, features in zip(
                    ("rgb_vlad", "audio_vlad"), (network.rgb_vlad, network.audio_vlad), INPUTS
                )
            ]
        )
        x = frozen(state, "hidden_bn", x @ state["fc_hidden.weight"])
        inner = np.maximum(frozen(state, "gate_bn", x @ state["fc_gate1.weight"]), 0)
        x = x * sigmoid(inner @ state["fc_gate2.weight"])
        expected = x @ state["logistic.weight"] + state["logistic.bias"]
        np.testing.assert_allclose(found[number], expected, rtol=1e-4, atol=1e-5)


def test_statistics_are_those_of_frames_that_there_are() -> None:
    layer: Any = FrameBatchNorm(6)
    fill(layer)
    before = layer._mean.numpy(), layer._variance.numpy()
    x = random_clips("features", 3, 5, 6)
    exists = np.arange(5) < LENGTHS[:, None]
    found = layer(core.to_tensor(x), core.to_tensor(exists.astype(np.float32)[:, :, None])).numpy()
    frames = x[exists].astype(np.float64)
    mean, variance = frames.mean(0), frames.var(0)
    expected = (frames - mean) / np.sqrt(variance + 1e-5) * layer.weight.numpy() + layer.bias.numpy()
    np.testing.assert_allclose(found[exists], expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(layer._mean.numpy(), 0.9 * before[0] + 0.1 * mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layer._variance.numpy(), 0.9 * before[1] + 0.1 * variance, rtol=1e-5)


def test_padding_changes_nothing_in_training() -> None:
    found = []
    for padding in (0, 3):
        network: Any = small(drop_ratio=0.0)
        fill(network)
        given = [np.pad(array, [(0, 0), (0, padding), (0, 0)], constant_values=40.0) for array in INPUTS[:2]]
        outputs = network(*map(core.to_tensor, (*given, LENGTHS)))
        outputs.sum().backward()
        found.append([outputs.numpy(), network.rgb_vlad.cluster_bn._variance.numpy(), network.fc_hidden.weight.grad])
    for one, other in zip(*found):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-4, atol=1e-5)


def test_bytes_are_dequantised_differently_for_pictures_and_sound(tmp_path: Path) -> None:
    eigenvalues = np.linspace(0.0, 3.0, 12)
    np.save(tmp_path / "eigenvals.npy", eigenvalues)
    network = small(eigenvalues=tmp_path / "eigenvals.npy")
    fill(network)
    network.rgb_scale.set_value((np.sqrt(eigenvalues) + 1e-4).astype(np.float32))
    network.eval()
    shown = (np.arange(180, dtype=np.int64) * 7 % 256).astype(np.uint8).reshape(3, 5, 12)
    heard = (np.arange(90, dtype=np.int64) * 11 % 256).astype(np.uint8).reshape(3, 5, 6)
    rgb = (shown.astype(np.float64) * 4 / 255 - 2) * (np.sqrt(eigenvalues) + 1e-4)
    audio = heard.astype(np.float64) * 4 / 255 - 2 + 4 / 512
    lengths = core.to_tensor(LENGTHS)
    expected = network(*[core.to_tensor(one.astype(np.float32)) for one in (rgb, audio)], lengths).numpy()
    found = network(core.to_tensor(shown), core.to_tensor(heard), lengths).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    scale = small(eigenvalues=tmp_path / "eigenvals.npy").rgb_scale.numpy()
    np.testing.assert_allclose(scale, np.sqrt(eigenvalues) + 1e-4, rtol=1e-6)


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(), INPUTS)
    checks.check_file(small, INPUTS, tmp_path)
    checks.check_compiled(small(), INPUTS)


def test_export_for_any_number_of_videos_and_frames(tmp_path: Path) -> None:
    checks.check_export(small(), INPUTS, tmp_path, [(0, 1), (0, 1), (0,)], onnx=True)
    quantised = [((array + 1) * 127).astype(np.uint8) for array in INPUTS[:2]]
    checks.check_export(small(eigenvalues=[2.0] * 12), (*quantised, LENGTHS), tmp_path, [(0, 1), (0, 1), (0,)])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"groups": 5}, "NeXtVLAD: 5 groups do not divide 1024 x 2 channels"),
        ({"hidden_size": 0}, "NeXtVLAD: hidden_size must be a positive whole number, not 0"),
        ({"eigenvalues": [1.0, 2.0]}, "NeXtVLAD: eigenvalues must be 1024 numbers from 0"),
        ({"eigenvalues": [-1.0] * 1024}, "NeXtVLAD: eigenvalues must be 1024 numbers from 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        nextvlad(**settings)
