"""MS-TCN against ppvideo's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleVideo.models.ms_tcn import MSTCN, ms_tcn
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import CASES
from tests.parity.PaddleVideo.network_weights import random_clips

INPUTS = CASES["ms_tcn"].inputs


def small(stages: int = 3) -> MSTCN:
    return ms_tcn(class_num=5, num_stages=stages, num_layers=4, num_f_maps=8, feature_dim=12)


def test_number_of_parameters() -> None:
    assert checks.trainable_parameters(ms_tcn) == checks.official_count("ms_tcn")


def test_the_answers_are_the_official_ones() -> None:
    network = small()
    checks.check_official("ms_tcn", network, INPUTS, network.loss)


def test_the_loss_by_hand() -> None:
    logits = np.log(np.array([[[[0.9, 0.5, 1e-9], [0.1, 0.5, 1.0]]]]))
    labels = np.array([[0, -100, 1]])
    network = ms_tcn(class_num=2, num_stages=1, num_layers=1, num_f_maps=2, feature_dim=2)
    found = network.loss(core.to_tensor(logits.astype("float32")), core.to_tensor(labels)).numpy()
    entropy = -(np.log(0.9) + np.log(1.0)) / 2
    changes = np.array([np.log(0.5 / 0.9), np.log(0.5 / 0.1), np.log(1e-9 / 0.5), np.log(1.0 / 0.5)])
    assert found == pytest.approx(entropy + 0.15 * np.minimum(changes**2, 16.0).mean(), rel=1e-5)


def test_videos_of_a_batch_are_alone() -> None:
    network = small()
    network.eval()
    videos = random_clips("two videos", 2, 12, 30)
    found = network(core.to_tensor(videos)).numpy()
    np.testing.assert_allclose(found[:, 1:], network(core.to_tensor(videos[1:])).numpy(), rtol=1e-4, atol=1e-6)


def test_padded_frames_change_nothing() -> None:
    network = small()
    network.eval()
    videos = random_clips("padded", 2, 12, 20)
    counts = core.to_tensor(np.array([13, 20]))
    padded, alone = network(core.to_tensor(videos), counts), network(core.to_tensor(videos[:1, :, :13]))
    np.testing.assert_allclose(padded.numpy()[:, :1, :, :13], alone.numpy(), rtol=1e-4, atol=1e-5)
    labels = np.random.default_rng(0).integers(0, 5, (1, 20))
    labels[:, 13:] = -100
    found = network.loss(padded[:, :1], core.to_tensor(labels), counts[:1])
    expected = network.loss(alone, core.to_tensor(np.ascontiguousarray(labels[:, :13])))
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(), INPUTS)
    checks.check_file(small, INPUTS, tmp_path)
    checks.check_compiled(small(2), INPUTS)


def test_export_for_any_number_of_frames(tmp_path: Path) -> None:
    checks.check_export(small(2), INPUTS, tmp_path, [(2,)])


def test_weights_begin_as_the_official_ones_do() -> None:
    """PyTorch's beginning: logits of fresh stages are small; with Paddle's own they are large, and training stalls."""
    weight = small().backbone.stage1.layers[3].conv_dilated.weight.numpy()
    assert 0.9 * (8 * 3) ** -0.5 < np.abs(weight).max() < (8 * 3) ** -0.5


def test_settings_and_features_are_checked() -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match="MSTCN: num_layers must be a positive whole number, not 0"):
        ms_tcn(num_layers=0)
    wrong: Any = core.zeros([1, 11, 30])
    with pytest.raises(ValueError, match=r"MSTCN takes features \(N, 12, T\), not \[1, 11, 30\]"):
        small()(wrong)
