"""AttentionLSTM against ppvideo's, and its loss, which no batch size divides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.nn import functional as F
from PaddleVideo.models.attention_lstm import AttentionLSTM, attention_lstm
from PaddleVideo.models.youtube8m import FeatureClassifier, dequantized
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import CASES, HIDDEN_SIZES
from tests.parity.PaddleVideo.network_weights import fill

INPUTS = CASES["attention_lstm"].inputs


def small(**settings: Any) -> AttentionLSTM:
    sizes: dict[str, Any] = {"feature_dims": (12, 6), "embedding_size": 8, "lstm_size": 6}
    return attention_lstm(class_num=7, hidden_sizes=HIDDEN_SIZES, **sizes, **settings)


def test_number_of_parameters() -> None:
    assert checks.trainable_parameters(attention_lstm) == 108_737_304


def test_the_answers_are_the_official_ones() -> None:
    network = small()
    checks.check_official("attention_lstm", network, INPUTS, network.loss, lambda logits: [logits, F.sigmoid(logits)])


def test_the_loss_is_the_sum_over_classes_videos_and_devices() -> None:
    logits, labels = np.array([[0.0, 1.0], [-2.0, 3.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    terms = np.log1p(np.exp(logits)) - labels * logits
    given = core.to_tensor(logits.astype("float32")), core.to_tensor(labels.astype("float32"))
    np.testing.assert_allclose(small().loss(*given).numpy(), terms.sum(), rtol=1e-6)
    eight = small(gpu_count=8)
    np.testing.assert_allclose(eight.loss(*given).numpy(), 8 * terms.sum(), rtol=1e-6)
    mean = FeatureClassifier.loss(eight, *given).numpy()
    np.testing.assert_allclose(mean, terms.sum() / 2, rtol=1e-6)


def test_what_lies_beyond_a_video_s_end_does_not_count() -> None:
    network = small()
    fill(network)
    network.eval()
    rgb, audio, lengths = (array.copy() for array in INPUTS)
    given = network(*map(core.to_tensor, (rgb, audio, lengths))).numpy()
    rgb[1, 3:], audio[2, 1:] = 50.0, -50.0
    np.testing.assert_allclose(network(*map(core.to_tensor, (rgb, audio, lengths))).numpy(), given, rtol=1e-6)


def test_bytes_become_numbers_in_the_network() -> None:
    levels = core.to_tensor(np.array([0, 1, 255], np.uint8))
    found = dequantized(levels).numpy()
    np.testing.assert_allclose(found, np.array([0, 1, 255]) * 4 / 255 - 2 + 4 / 512, rtol=1e-5)
    np.testing.assert_allclose(dequantized(levels, half_step=False).numpy(), [-2, 4 / 255 - 2, 2], rtol=1e-5)
    network = small()
    network.eval()
    shown = np.arange(3 * 5 * 12, dtype=np.uint8).reshape(3, 5, 12)
    heard = np.arange(3 * 5 * 6, dtype=np.uint8).reshape(3, 5, 6)
    numbers = [(one.astype(np.float32) * 4 / 255 - 2 + 4 / 512) for one in (shown, heard)]
    lengths = core.to_tensor(INPUTS[2])
    expected = network(*map(core.to_tensor, numbers), lengths).numpy()
    found = network(core.to_tensor(shown), core.to_tensor(heard), lengths).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(), INPUTS)
    checks.check_file(small, INPUTS, tmp_path)
    checks.check_compiled(small(), INPUTS)


def test_export(tmp_path: Path) -> None:
    checks.check_export(small(), INPUTS, tmp_path, onnx=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_num": 0}, "AttentionLSTM: class_num must be a positive whole number, not 0"),
        ({"feature_dims": (12,)}, r"feature_dims must be two numbers, of pictures and sound, not \[12\]"),
        ({"feature_dims": (12, -1)}, "AttentionLSTM: feature_dims must be a positive whole number, not -1"),
        ({"hidden_sizes": [8]}, r"AttentionLSTM: hidden_sizes must be two numbers, not \[8\]"),
        ({"lstm_size": 2.5}, "AttentionLSTM: lstm_size must be a positive whole number, not 2.5"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        AttentionLSTM(**settings)


def test_features_of_another_width_are_refused() -> None:
    rgb, audio, lengths = map(core.to_tensor, INPUTS)
    with pytest.raises(ValueError, match=r"takes features of sound \(N, T, 6\), not \[3, 5, 12\]"):
        small()(rgb, rgb, lengths)
