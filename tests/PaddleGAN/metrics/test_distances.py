"""FID and KID: against closed forms, a matrix square root, and the answers of ppgan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import linalg

from PaddleGAN.metrics import FID, KID, frechet_distance, polynomial_mmd

STORED = np.load(Path(__file__).with_name("references.npz"))
FIRST, SECOND = STORED["features_1"], STORED["features_2"]


class Given:
    """Features that are the images themselves."""

    description = "the numbers given"

    def __call__(self, images: np.ndarray) -> np.ndarray:
        return images


def test_frechet_distance_of_independent_coordinates() -> None:
    deviations = np.array([1.0, 2.0, 0.5]), np.array([3.0, 2.0, 0.0])
    means = np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0])
    found = frechet_distance(means[0], np.diag(deviations[0] ** 2), means[1], np.diag(deviations[1] ** 2))
    assert found == pytest.approx(((means[0] - means[1]) ** 2).sum() + ((deviations[0] - deviations[1]) ** 2).sum())


def test_frechet_distance_by_a_matrix_square_root() -> None:
    source = np.random.RandomState(0)
    covariances = [part @ part.T for part in source.standard_normal((2, 6, 6))]
    means = source.standard_normal((2, 6))
    root = linalg.sqrtm(covariances[0] @ covariances[1]).real
    expected = ((means[0] - means[1]) ** 2).sum() + np.trace(covariances[0] + covariances[1] - 2 * root)
    assert frechet_distance(means[0], covariances[0], means[1], covariances[1]) == pytest.approx(expected, rel=1e-9)


def test_few_samples_of_many_numbers_do_no_harm() -> None:
    features = np.random.RandomState(0).standard_normal((5, 40))
    metric = FID(Given())
    metric.update(features, features)
    assert abs(metric.accumulate()) < 1e-4
    metric.update(real=features + 3)  # half of the real ones are shifted now
    assert metric.accumulate() > 80


def test_fid_as_ppgan() -> None:
    metric = FID(Given())
    metric.update(generated=FIRST[:7])
    metric.update(FIRST[7:], SECOND)
    assert metric.accumulate() == pytest.approx(float(STORED["ppgan_fid"]), rel=1e-9)
    assert metric.name() == "fid" and metric.description == "the numbers given"
    metric.reset()
    with pytest.raises(ValueError, match="FID: at least two generated images are needed; there are 0"):
        metric.accumulate()


def test_one_feature_is_enough() -> None:
    metric = FID(Given())
    metric.update(np.array([[1.0], [3.0]]), np.array([[0.0], [4.0]]))
    assert metric.accumulate() == pytest.approx((np.sqrt(2) - np.sqrt(8)) ** 2)


def test_one_image_has_no_distance() -> None:
    for metric in (FID(Given()), KID(Given())):
        metric.update(FIRST, SECOND[:1])
        name = type(metric).__name__
        with pytest.raises(ValueError, match=f"{name}: at least two real images are needed; there are 1"):
            metric.accumulate()


def test_features_must_be_numbers() -> None:
    metric = FID(Given())
    metric.update(np.array([[1.0], [np.nan]]), np.ones((2, 1)))
    with pytest.raises(ValueError, match="FID: features of generated images are infinite or not numbers"):
        metric.accumulate()


def test_mmd_as_written_down_pair_by_pair() -> None:
    assert polynomial_mmd(FIRST, SECOND) == pytest.approx(float(STORED["kernel_mmd"]), rel=1e-10)


def test_kid_is_the_mean_over_subsets() -> None:
    metric = KID(Given(), subsets=3, subset_size=1000)
    metric.update(FIRST[:50], SECOND)
    mean, deviation = metric.accumulate()  # each subset is everything, in another order
    assert mean == pytest.approx(polynomial_mmd(FIRST[:50], SECOND)) and deviation < 1e-9
    assert metric.name() == ["kid", "kid_deviation"]
    smaller = KID(Given(), subsets=200, subset_size=20, seed=1)
    smaller.update(FIRST, SECOND)
    mean, deviation = smaller.accumulate()
    assert abs(mean - float(STORED["kernel_mmd"])) < 3 * deviation / np.sqrt(200) and deviation > 0.1
    assert smaller.accumulate() == [mean, deviation]


def test_kid_is_unbiased() -> None:
    source = np.random.RandomState(3)
    values = [polynomial_mmd(*source.standard_normal((2, 10, 4))) for _ in range(400)]
    assert abs(np.mean(values)) < 3 * np.std(values) / 20


def test_refusals() -> None:
    with pytest.raises(ValueError, match="KID: subsets must be positive and subset_size at least 2, not 0 and 10"):
        KID(Given(), subsets=0, subset_size=10)
