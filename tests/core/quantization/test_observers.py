"""Scales of activations and weights, against hand computation and a plain derivation of the divergence."""

from __future__ import annotations

import math

import numpy as np
import pytest

import core
from core import nn
from core.quantization.observers import (
    AbsMaxChannelWiseWeightObserver,
    HistObserver,
    KLObserver,
    MovingAverageObserver,
)
from core.quantization.observers.histogram import best_cut, divergence
from core.quantization.observers.moving_average import MovingAverageObserverLayer


def observed(description, *batches):
    layer = description._instance(None)
    for batch in batches:
        assert layer(core.to_tensor(np.float32(batch))).shape == list(np.shape(batch))
    return layer


def test_a_moving_average_of_the_largest_magnitudes() -> None:
    layer = observed(MovingAverageObserver(moving_rate=0.75), [[1.0, -4.0]], [[2.0, 0.5]], [[-8.0, 1.0]])
    assert float(layer.scales()) == 0.75 * (0.75 * 4 + 0.25 * 2) + 0.25 * 8
    assert layer.samples == 3 and layer.bit_length() == 8 and layer.quant_axis() == -1 and layer.zero_points() is None
    np.testing.assert_allclose(layer.means, [-5 / 3, -2.5 / 3])
    assert float(observed(MovingAverageObserver(moving_rate=1.0), [[1.0]], [[-9.0]], [[2.0]]).scales()) == 9
    layer.cal_thresholds()


def test_images_have_a_mean_for_each_channel() -> None:
    images = np.random.default_rng(0).standard_normal((3, 2, 4, 5))
    layer = observed(MovingAverageObserver(), images[:2], images[2:])
    np.testing.assert_allclose(layer.means, images.mean((0, 2, 3)), rtol=1e-5)


def test_numbers_have_a_sign_where_values_have() -> None:
    assert not observed(MovingAverageObserver(sign=None), [[1.0, 0.0]], [[3.0, 2.0]]).signed
    assert observed(MovingAverageObserver(sign=None), [[1.0, 0.0]], [[-0.5, 2.0]]).signed
    assert observed(MovingAverageObserver(), [[1.0]]).signed
    assert not observed(HistObserver(sign=False), [[-1.0]]).signed


def test_a_percentile_of_the_magnitudes_without_zeros() -> None:
    values = np.concatenate([np.zeros(500), np.arange(1, 101), -np.arange(1, 101)])
    assert float(observed(HistObserver(bins_count=100, percent=0.9), [values]).scales()) == pytest.approx(90)
    assert float(observed(HistObserver(bins_count=100, percent=1.0), [values]).scales()) == pytest.approx(100)
    assert float(observed(HistObserver(bins_count=100, percent=1e-9), [values]).scales()) == pytest.approx(1)


def test_where_larger_values_come_pairs_of_bins_become_one() -> None:
    layer = observed(HistObserver(bins_count=4), [[0.5, 1.0, 1.5, 2.0]])
    assert layer.reach == 2 and layer.counts.tolist() == [1, 1, 1, 1]
    layer(core.to_tensor(np.float32([[7.0, -3.0, 0, 0]])))
    assert layer.reach == 8 and layer.counts.tolist() == [4, 1, 0, 1]


def plain_divergence(counts: list[int], cut: int, levels: int) -> float:
    """The same as a loop over bins, from the definition."""
    wanted = [float(count) for count in counts[:cut]]
    wanted[-1] += sum(counts[cut:])
    left = [0.0] * cut
    for number in range(levels):
        mine = [bin for bin in range(cut) if bin * levels // cut == number]
        filled = [bin for bin in mine if counts[bin]]
        for bin in filled:
            left[bin] = sum(counts[bin] for bin in mine) / len(filled)
    if not sum(left):
        return math.inf
    terms = []
    for have, keep in zip(wanted, left):
        if have:
            p, q = have / sum(wanted), keep / sum(left)
            terms.append(p * math.log(p / max(q, 1e-6)))
    return sum(terms)


def test_the_divergence_is_the_definitions() -> None:
    counts = np.random.default_rng(3).integers(0, 40, 64) * (np.arange(64) % 7 != 3)
    for cut in (8, 13, 31, 64):
        assert divergence(counts, cut, 8) == pytest.approx(plain_divergence(counts.tolist(), cut, 8), abs=1e-12)
    assert divergence(np.array([0, 0, 5, 1]), 2, 2) == math.inf


def test_the_cut_of_a_known_histogram() -> None:
    """A bell and a few far values: the cut is where a search by the plain definition puts it."""
    bell = np.round(4000 * np.exp(-0.5 * (np.arange(256) / 30) ** 2)).astype(np.int64)
    bell[250] = 2
    cuts = range(251, 124, -1)
    wanted = min(cuts, key=lambda cut: plain_divergence(bell.tolist(), cut, 16))
    assert best_cut(bell, 16) == wanted and 124 < wanted < 251
    assert best_cut(np.zeros(256, np.int64), 16) == 256 and best_cut(bell, 256) == 256
    assert best_cut(np.eye(1, 256, 3, dtype=np.int64)[0] * 9, 16) == 4  # a single value: no more bins than up to it


def test_a_far_value_widens_the_scale_by_no_more_than_double() -> None:
    values = np.random.default_rng(0).standard_normal(20000)
    values[7] = 60
    assert 30 <= float(observed(KLObserver(), [values]).scales()) < 35
    assert float(observed(HistObserver(), [values]).scales()) < 5
    assert float(observed(MovingAverageObserver(), [values]).scales()) == 60


def test_each_output_of_a_weight_has_a_scale() -> None:
    weight = np.float32([[1, -3], [0, 2]])
    for layer, wanted, axis in ((nn.Linear(2, 2), [1, 3], 1), (nn.Conv2D(2, 2, 1), [3, 2], 0)):
        observer = AbsMaxChannelWiseWeightObserver()._instance(layer)
        assert observer.scales() is None
        observer(core.to_tensor(weight))
        assert observer.scales().tolist() == wanted and observer.quant_axis() == axis
        assert observer.bit_length() == 8 and observer.zero_points() is None
        observer.cal_thresholds()


def test_hostile_values() -> None:
    """Constants, zeros, nothing, and what is not finite."""
    for description in (MovingAverageObserver(), HistObserver(), KLObserver()):
        assert description._instance(None).scales() is None
        assert float(observed(description, np.zeros((2, 3))).scales()) == pytest.approx(1e-7)
        assert float(observed(description, np.full((2, 3), 2.0)).scales()) == pytest.approx(2, rel=1e-3)
        assert observed(description, np.zeros((0, 3))).scales() is None
        broken = observed(description, [[1.0, np.nan, np.inf]])
        assert not broken.is_finite and float(broken.scales()) == pytest.approx(1, rel=1e-3)
    observer = AbsMaxChannelWiseWeightObserver()._instance(nn.Linear(2, 2))
    observer(core.zeros([2, 2]))
    assert observer.scales().tolist() == [np.float32(1e-8)] * 2


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="moving_rate is a number from 0 to 1, not 2"):
        MovingAverageObserver(moving_rate=2)
    with pytest.raises(ValueError, match="percent is a share above 0 and up to 1, not 0"):
        HistObserver(percent=0)
    with pytest.raises(ValueError, match="KLObserver: bins_count is an even number from 2, not 7"):
        KLObserver(bins_count=7)
    assert isinstance(MovingAverageObserver()._instance(None), MovingAverageObserverLayer)
