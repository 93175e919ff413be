"""BSN against what its paper and its release say, in NumPy: features of intervals, which count, targets, losses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from PaddleVideo.models.localizers.bmn import intervals
from PaddleVideo.models.localizers.bmn_targets import bsn_targets
from PaddleVideo.models.localizers.bsn import BSN, bsn, feature_weights
from PaddleVideo.models.localizers.proposals import boundary_steps, proposals
from tests.PaddleVideo.models import network_checks as checks

INPUTS = [np.random.RandomState(0).randn(2, 6, 10).astype(np.float32)]


def small() -> BSN:
    return bsn(tscale=10, dscale=6, feat_dim=6, hidden_dim=8, interval_dim=4)


def interval_feature(scores: np.ndarray, first: float, last: float) -> np.ndarray:
    """Return the 32 numbers of an interval (parts of the video), interpolated place by place as in the release."""
    count = len(scores)
    known = np.concatenate([[-9.0, -0.5 / count], (np.arange(count) + 0.5) / count, [1.0 + 0.5 / count, 9.0]])
    levels = np.concatenate([[0.0, 0.0], scores, [0.0, 0.0]])
    reach, rows = 0.25 * (last - first), []
    for low, high, samples in ((first, last, 16), (first - reach, first + reach, 8), (last - reach, last + reach, 8)):
        length = (high - low) / (samples - 1)
        places = low - length / 2 + length / 3 * np.arange(3 * samples + 1)
        found = np.interp(places, known, levels)
        rows += [found[3 * number : 3 * number + 4].mean() for number in range(samples)]
    return np.array(rows)


def test_features_of_intervals_are_those_of_the_release() -> None:
    scores = np.random.RandomState(1).rand(10)
    found = np.einsum("stk,t->ks", feature_weights(10, 6), scores)
    starts, durations = intervals(10, 6)
    for column in (0, 4, 9, 30, len(starts) - 1):
        first, last = starts[column] / 10, (starts[column] + durations[column] + 1) / 10
        np.testing.assert_allclose(found[column], interval_feature(scores, first, last), atol=1e-6)


def test_intervals_are_judged_by_their_features() -> None:
    network = small()
    network.eval()
    maps, _, _, action = (part.numpy() for part in network(core.to_tensor(INPUTS[0])))
    assert maps.shape == (2, 1, 6, 10) and not maps[0, 0, 5, 6:].any()  # beyond the video
    read = interval_feature(action[1], 0.2, 0.6)  # four steps from the third on
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    hidden = np.maximum(0.1 * (read @ weights["hidden.weight"] + weights["hidden.bias"]), 0.0)
    score = 1 / (1 + np.exp(-0.1 * (hidden @ weights["judge.weight"] + weights["judge.bias"])))
    np.testing.assert_allclose(maps[1, 0, 3, 2], score, rtol=1e-5)


def test_intervals_between_possible_boundaries_count() -> None:
    draw = np.random.RandomState(2)
    starts, ends = draw.rand(2, 10).astype(np.float32), draw.rand(2, 10).astype(np.float32)
    found = small().candidates(core.to_tensor(starts), core.to_tensor(ends)).numpy()
    first, durations = intervals(10, 6)
    for row in range(2):
        begins, finishes = boundary_steps(starts[row]), boundary_steps(ends[row])
        begins[0] = finishes[-1] = True
        np.testing.assert_array_equal(found[row] > 0, begins[first] & finishes[first + durations])


def test_the_loss_is_that_of_the_release() -> None:
    draw, network = np.random.RandomState(3), small()
    maps, overlaps = draw.rand(2, 1, 6, 10), draw.rand(2, 6, 10)
    scores, truth = draw.uniform(0.1, 0.9, (3, 2, 10)), draw.rand(3, 2, 10)
    draws = draw.rand(2, 2, len(intervals(10, 6)[0]))
    given = [maps, *scores, overlaps, *truth, draws]
    found = network.loss(*(core.to_tensor(part.astype(np.float32)) for part in given))
    total = 0.0
    for score, wanted in zip(scores, truth):
        positive = wanted > 0.5
        share = 0.5 * positive.size / positive.sum()
        rest = 0.5 * positive.size / (positive.size - positive.sum())
        total -= (share * np.log(score + 1e-6) * positive + rest * np.log(1 - score + 1e-6) * ~positive).mean()
    starts, durations = intervals(10, 6)
    kept = network.candidates(*(core.to_tensor(part.astype(np.float32)) for part in scores[:2])).numpy() > 0
    wanted, said = overlaps[:, durations, starts], maps[:, 0, durations, starts]
    large, middle = kept & (wanted > 0.6), kept & (wanted <= 0.6) & (wanted > 0.2)
    small_ones = kept & (wanted <= 0.2)
    weights = large.astype(float) + kept * (middle * draws[0] > 1 - large.sum() / middle.sum())
    weights += kept * (small_ones * draws[1] > 1 - 2 * large.sum() / small_ones.sum())
    total += 0.5 * (weights * (said - wanted) ** 2).sum() / weights.sum()
    np.testing.assert_allclose(found.numpy(), total, rtol=1e-5)


def test_targets_by_hand() -> None:
    overlaps, begins, ends, inside = bsn_targets(np.array([[2.0, 6.5]]), 10.0, 10, 6)
    np.testing.assert_allclose(inside, [0, 0, 1, 1, 1, 1, 0.5, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(begins, [0, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0], atol=1e-6)  # a step long, around 2
    np.testing.assert_allclose(ends, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0], atol=1e-6)
    assert overlaps[3, 2] == pytest.approx(4 / 4.5)
    _, begins, _, _ = bsn_targets(np.array([[0.0, 100.0]]), 100.0, 20, 6)
    np.testing.assert_allclose(begins[:2], [1, 0], atol=1e-6)  # a tenth of the action around its begin


def test_proposals_of_one_map() -> None:
    maps, starts, ends = np.full((1, 3, 4), 0.1), np.full(4, 0.1), np.full(4, 0.1)
    maps[0, 1, 2], starts[2], ends[3] = 0.5, 0.9, 0.9
    np.testing.assert_allclose(proposals(maps, starts, ends, 8.0, alpha=0.75, low=0.65)[0], [4.0, 8.0, 0.405])


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_file(small, INPUTS, tmp_path)
    checks.check_compiled(small(), INPUTS)


def test_settings_and_features_are_checked() -> None:
    with pytest.raises(ValueError, match="BSN: dscale 7 is longer than a video, tscale 5"):
        bsn(tscale=5, dscale=7)
    with pytest.raises(ValueError, match=r"BSN takes features \(N, 6, 10\), not \[1, 5, 10\]"):
        small()(core.zeros([1, 5, 10]))
