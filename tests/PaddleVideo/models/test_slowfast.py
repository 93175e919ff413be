"""SlowFast against ppvideo's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.nn import functional as F
from PaddleVideo.models.slowfast import SlowFast, slow_frames, slowfast_r50, slowfast_r50_8x8, slowfast_r101
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import CLIPS, LARGER_CLIPS
from tests.parity.PaddleVideo.network_weights import fill

SMALL: dict[str, Any] = {"class_num": 7, "num_frames": 8, "alpha": 4, "beta": 4, "width": 8, "crop_size": 32}
INPUTS = (CLIPS.transpose(0, 2, 1, 3, 4).copy(),)


def tiny() -> SlowFast:
    return slowfast_r50(**SMALL, blocks=(1, 1, 1, 1))


@pytest.mark.parametrize("build", [slowfast_r50, slowfast_r50_8x8])
def test_number_of_parameters(build: Any) -> None:
    assert checks.trainable_parameters(build) == checks.official_count(build.__name__)


def test_number_of_parameters_of_101_layers() -> None:
    slow = 3 * 1024 * 256 + 9 * 256 * 256 + 256 * 1024 + 2 * (256 + 256 + 1024)
    fast = 3 * 128 * 32 + 9 * 32 * 32 + 32 * 128 + 2 * (32 + 32 + 128)
    expected = checks.official_count("slowfast_r50") + 17 * (slow + fast)
    assert checks.trainable_parameters(slowfast_r101) == expected == 62_826_968


def test_the_answers_are_the_official_ones() -> None:
    checks.check_official("slowfast", slowfast_r50(**SMALL), INPUTS, scores=lambda logits: F.softmax(logits))


@pytest.mark.exhaustive
def test_a_larger_frame_is_seen_in_many_places() -> None:
    clips = LARGER_CLIPS.transpose(0, 2, 1, 3, 4).copy()
    network = slowfast_r50(**SMALL)
    checks.check_official("slowfast_larger", network, (clips,), scores=lambda logits: F.softmax(logits))
    np.testing.assert_allclose(F.softmax(network(core.to_tensor(clips))).sum().numpy(), 1.0, rtol=1e-5)


def test_which_frames_the_slow_pathway_sees() -> None:
    np.testing.assert_array_equal(slow_frames(32, 8), [0, 10, 20, 31])
    np.testing.assert_array_equal(slow_frames(32, 4), [0, 4, 8, 13, 17, 22, 26, 31])
    network = tiny()
    fill(network)
    network.eval()
    still = np.repeat(INPUTS[0][:, :1], 8, axis=1)
    shown = []
    for frame in range(8):
        clip = still.copy()
        clip[:, frame] = INPUTS[0][:, 3]
        with core.no_grad():
            fast = core.to_tensor(clip).transpose([0, 2, 1, 3, 4])
            slow = core.index_select(fast, core.to_tensor(slow_frames(8, 4)), axis=2)
        shown.append(bool(np.abs(slow.numpy() - slow.numpy()[:, :, :1]).max()))
    assert shown == [True, False, False, False, False, False, False, True]


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(tiny(), INPUTS)
    checks.check_file(tiny, INPUTS, tmp_path)
    checks.check_compiled(tiny(), INPUTS)


@pytest.mark.exhaustive
def test_export(tmp_path: Path) -> None:
    checks.check_export(tiny(), INPUTS, tmp_path, onnx=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depth": 18}, "SlowFast has 50 or 101 layers, not 18"),
        ({"num_frames": 30}, "SlowFast: alpha 8 does not divide num_frames 30"),
        ({"width": 12}, "SlowFast: beta 8 does not divide width 12"),
        ({"crop_size": 16}, "SlowFast: crop_size must be 32 or more, not 16"),
        ({"blocks": (1, 2)}, r"SlowFast: blocks must be four numbers, of each stage, not \[1, 2\]"),
        ({"alpha": 0}, "SlowFast: alpha must be a positive whole number, not 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        SlowFast(**settings)


def test_clips_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="the network is made for clips of 8 frames, not 4"):
        tiny()(core.zeros([1, 4, 3, 32, 32]))
