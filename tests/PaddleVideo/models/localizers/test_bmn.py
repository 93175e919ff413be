"""BMN, its loss and its post-processing against ppvideo's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleVideo.intervals import overlaps
from PaddleVideo.models.localizers.bmn import BMN, bmn, intervals, sampling_weights
from PaddleVideo.models.localizers.bmn_loss import BMNLoss
from PaddleVideo.models.localizers.bmn_targets import bmn_targets
from PaddleVideo.models.localizers.proposals import (
    boundary_steps,
    candidates,
    proposals,
    soft_suppressed,
)
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.interval_cases import DURATION, SEGMENTS, STEPS, STORED
from tests.parity.PaddleVideo.network_cases import CASES, DRAWS, FOLDER, PROPOSALS

INPUTS = CASES["bmn"].inputs


def small(width: int = 256) -> BMN:
    return bmn(tscale=12, dscale=10, num_sample=4, feat_dim=16, width=width)


def replayed(outputs: Any, *truth: Any) -> Any:
    return BMNLoss(12, 10)(*outputs, *truth, draws=core.to_tensor(DRAWS.astype("float64")))


def test_number_of_parameters() -> None:
    assert checks.trainable_parameters(bmn) == checks.official_count("bmn") == 2_782_980


def test_the_answers_are_the_official_ones() -> None:
    checks.check_official("bmn", small(), INPUTS, replayed)


def test_samples_are_interpolated() -> None:
    found = sampling_weights(12, 10, 0.5, 4, 3)
    starts, durations = intervals(12, 10)
    assert found.shape == (4, 12, len(starts)) and len(starts) == sum(12 - duration for duration in range(10))
    column = int(np.flatnonzero((starts == 4) & (durations == 3))[0])  # steps 4 to 7, seen from 2 to 9
    places = 2.0 + 7.0 / 11.0 * np.arange(12)
    expected = np.zeros((4, 12))
    for number, place in enumerate(places):
        lower = int(place)
        expected[number // 3, lower] += (1 - place + lower) / 3
        expected[number // 3, min(lower + 1, 11)] += (place - lower) / 3
    np.testing.assert_allclose(found[:, :, column], expected, atol=1e-6)
    first = int(np.flatnonzero((starts == 0) & (durations == 0))[0])  # from -0.5 to 0.5: all before 0 is step 0
    assert found[0, 0, first] == pytest.approx(1.0) and found[:2, 1:, first].max() == 0


def test_a_batch_without_actions_has_a_finite_loss() -> None:
    features = core.to_tensor(INPUTS[0])
    network = small()
    nothing = [core.zeros([2, *shape]) for shape in ([10, 12], [12], [12])]
    loss = network.loss(*network(features), *nothing)
    loss.backward()
    assert np.isfinite(loss.numpy())
    for name, parameter in network.named_parameters():
        assert parameter.grad is None or np.isfinite(parameter.grad.numpy()).all(), name


def test_the_sampled_intervals_come_from_the_seed() -> None:
    network, truth = small(), [core.to_tensor(one) for one in CASES["bmn"].targets]
    outputs = network(core.to_tensor(INPUTS[0]))
    found = []
    for seed in (1, 1, 2):
        core.seed(seed)
        found.append(float(network.loss(*outputs, *truth)))
    assert found[0] == found[1] != found[2]


def test_boundaries_candidates_and_proposals_are_the_official_ones() -> None:
    stored = np.load(FOLDER / "bmn_proposals.npz")
    maps, starts, ends = PROPOSALS
    np.testing.assert_array_equal(boundary_steps(starts), stored["starts"] > 0)
    np.testing.assert_array_equal(boundary_steps(ends), stored["ends"] > 0)
    rows = candidates(maps, starts, ends)
    assert len(rows) > 102
    np.testing.assert_allclose(rows, stored["candidates"], rtol=1e-5)
    np.testing.assert_allclose(soft_suppressed(rows), stored["proposals"], rtol=1e-5)
    found = proposals(maps, starts, ends, duration=40.0)
    np.testing.assert_allclose(found[:, :2], stored["proposals"][:, :2].clip(0, 1) * 40, rtol=1e-5)


def test_boundaries_by_hand() -> None:
    scores = np.array([0.1, 0.3, 0.2, 1.0, 0.6, 0.1, 0.2])
    np.testing.assert_array_equal(boundary_steps(scores), [False, True, False, True, True, False, True])


def test_suppression_by_hand() -> None:
    rows = np.array([[0.0, 0.4, 0.9], [0.0, 0.5, 0.8], [0.6, 0.9, 0.5]])
    found = soft_suppressed(rows)
    np.testing.assert_allclose(overlaps(rows[1:], rows[:1])[:, 0], [0.8, 0.0])
    assert 0.8 > 0.55 + 0.35 * 0.4
    lowered = 0.8 * np.exp(-(0.8**2) / 0.4)
    np.testing.assert_allclose(found, [[0.0, 0.4, 0.9], [0.6, 0.9, 0.5], [0.0, 0.5, lowered]])
    assert soft_suppressed(np.zeros((0, 3))).shape == (0, 3)
    np.testing.assert_allclose(soft_suppressed(rows[:1]), rows[:1])
    assert overlaps(np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]])) == 0.0


def test_targets_are_the_official_ones() -> None:
    stored = json.loads(STORED.read_text())
    found = bmn_targets(np.array(SEGMENTS), DURATION, STEPS, STEPS)
    for one, key in zip(found, ("gt_iou_map", "gt_start", "gt_end")):
        np.testing.assert_allclose(one, stored[key], atol=1e-6)
    shorter = bmn_targets(np.array(SEGMENTS), DURATION, STEPS, 5)[0]
    np.testing.assert_array_equal(shorter, found[0][:5])


def test_targets_by_hand() -> None:
    shared, begins, ends = bmn_targets(np.array([[2.0, 6.0]]), 10.0, 10, 10)
    assert shared[3, 2] == pytest.approx(1.0) and shared[1, 2] == pytest.approx(0.5)  # steps 2 to 5; 2 and 3
    assert begins[[5, 6, 7, 8, 9]].max() == 0
    np.testing.assert_allclose(begins[[0, 1, 2, 3]], [0.5, 1.0, 1.0, 0.5], atol=1e-6)
    np.testing.assert_allclose(ends[[4, 5, 6, 7]], [0.5, 1.0, 1.0, 0.5], atol=1e-6)
    nothing = bmn_targets(np.zeros((0, 2)), 10.0, 10, 8)
    assert [one.shape for one in nothing] == [(8, 10), (10,), (10,)] and not any(one.any() for one in nothing)
    with pytest.raises(ValueError, match="the duration of a video must be more than 0 seconds, not 0"):
        bmn_targets(np.zeros((0, 2)), 0.0, 10, 8)


def test_files_of_fluid_1_have_a_name_for_every_parameter() -> None:
    with core.LazyGuard():
        network = bmn()
    names = network.older_names()
    assert set(names.values()) == set(network.state_dict())
    assert names["TEM_e2_b"] == "backbone.te_conv2.bias"


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(16), INPUTS)
    checks.check_file(small, INPUTS, tmp_path)
    checks.check_compiled(small(16), INPUTS)


def test_export(tmp_path: Path) -> None:
    checks.check_export(small(16), INPUTS, tmp_path, onnx=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dscale": 101}, "BMN: dscale 101 is longer than a video, tscale 100"),
        ({"feat_dim": 10}, "BMN: feat_dim must be a multiple of 4, as convolutions have 4 groups, not 10"),
        ({"width": 30}, "BMN: width must be a multiple of 4, as convolutions have 4 groups, not 30"),
        ({"num_sample": 0}, "BMN: num_sample must be a positive whole number, not 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        bmn(**settings)


def test_features_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"BMN takes features \(N, 16, 12\), not \[1, 16, 11\]"):
        small()(core.zeros([1, 16, 11]))
