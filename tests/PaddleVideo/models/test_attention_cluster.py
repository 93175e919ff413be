"""AttentionCluster against a derivation in NumPy, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleVideo.models.attention_cluster import AttentionCluster, ShiftingAttention, attention_cluster
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import LENGTHS
from tests.parity.PaddleVideo.network_weights import fill, random_clips

INPUTS = (random_clips("rgb features", 3, 5, 12), random_clips("audio features", 3, 5, 6), LENGTHS)


def small() -> AttentionCluster:
    return attention_cluster(class_num=7, feature_dims=(12, 6), cluster_nums=(3, 2), hidden_sizes=(8, 10))


def attended(x: np.ndarray, weight: Any, bias: Any, scale: Any, shift: Any) -> np.ndarray:
    """Return the vectors of one video's clusters, cluster by cluster, frame by frame."""
    vectors = []
    for cluster in range(len(scale)):
        scores = np.array([weight[cluster] @ frame + bias[cluster] for frame in x], np.float64)
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        vector = sum(share * frame for share, frame in zip(weights, x)) * scale[cluster] + shift[cluster]
        vectors.append(vector / np.sqrt((vector**2).sum()) / np.sqrt(len(scale)))
    return np.concatenate(vectors)


def test_number_of_parameters() -> None:
    attentions = 32 * (1024 + 1 + 2) + 32 * (128 + 1 + 2)
    layers = (32 * 1152 + 1) * 1024 + 1025 * 4096 + 4097 * 3862
    assert checks.trainable_parameters(attention_cluster) == attentions + layers == 57_807_830


def test_each_cluster_attends_by_itself() -> None:
    layer: Any = ShiftingAttention(6, 4)
    fill(layer)
    x, lengths = random_clips("features", 3, 5, 6), LENGTHS
    mask = np.arange(5) < lengths[:, None]
    found = layer(core.to_tensor(x), core.to_tensor(mask)).numpy()
    weight = layer.conv.weight.numpy()[:, :, 0, 0]
    parameters = weight, layer.conv.bias.numpy(), layer.shift_w.numpy(), layer.shift_b.numpy()
    for video, length, row in zip(x, lengths, found):
        np.testing.assert_allclose(row, attended(video[:length], *parameters), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose((found**2).sum(1), np.ones(3), rtol=1e-5)


def test_the_network_is_its_parts() -> None:
    network = small()
    fill(network)
    network.eval()
    state = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    found = network(*map(core.to_tensor, INPUTS)).numpy()
    for number, length in enumerate(LENGTHS):
        parts = []
        for kind, features in enumerate(INPUTS[:2]):
            names = ("conv.weight", "conv.bias", "shift_w", "shift_b")
            weight, bias, scale, shift = (state[f"satt{kind}.{name}"] for name in names)
            parts.append(attended(features[number, :length], weight[:, :, 0, 0], bias, scale, shift))
        x = np.concatenate(parts)
        for name in ("fc1", "fc2"):
            x = np.tanh(x @ state[f"{name}.weight"] + state[f"{name}.bias"])
        expected = x @ state["logistic.weight"] + state["logistic.bias"]
        np.testing.assert_allclose(found[number], expected, rtol=1e-4, atol=1e-5)


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(), INPUTS)
    checks.check_file(small, INPUTS, tmp_path)
    checks.check_compiled(small(), INPUTS)


def test_export_for_any_number_of_videos_and_frames(tmp_path: Path) -> None:
    checks.check_export(small(), INPUTS, tmp_path, [(0, 1), (0, 1), (0,)])


def test_settings_are_checked() -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match="must be a positive whole number, not 0"):
        attention_cluster(cluster_nums=(0, 2))
    with core.LazyGuard(), pytest.raises(ValueError, match=r"hidden_sizes must be two numbers, not \[8, 8, 8\]"):
        attention_cluster(hidden_sizes=[8, 8, 8])
