"""Custom kernels of losses and pooling against plain numpy and enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.kernels.layers.ctc import ctc
from core.kernels.layers.logistic import logistic_loss, logistic_loss_reference
from core.kernels.layers.pooling import gather_positions, maximum_positions, scatter_positions


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(), (5,), (3, 4)])
def test_logistic_loss_equals_its_reference(dtype: str, shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(0)
    x = (generator.standard_normal(shape) * 20).astype(dtype)
    label = np.asarray(generator.uniform(size=shape)).astype(dtype)
    result = logistic_loss(np.asarray(x), label)
    assert result.dtype == dtype and result.shape == shape
    np.testing.assert_allclose(result, logistic_loss_reference(x, label), rtol=1e-5 if dtype == "float32" else 1e-14)


def test_ctc_gradient_is_the_difference_of_losses() -> None:
    generator = np.random.default_rng(1)
    logits = generator.standard_normal((5, 2, 4))
    arguments = (np.array([[1, 1, 3], [2, 0, 9]]), np.array([5, 4]), np.array([3, 2]), 0)
    arguments[0][1, 1] = 3
    loss, gradient = ctc(logits, *arguments)
    for place in itertools.product(range(5), range(2), range(4)):
        moved = [logits.copy(), logits.copy()]
        moved[0][place] += 1e-6
        moved[1][place] -= 1e-6
        slope = (ctc(moved[0], *arguments)[0].sum() - ctc(moved[1], *arguments)[0].sum()) / 2e-6
        assert gradient[place] == pytest.approx(slope, abs=1e-7)
    assert not gradient[4, 1].any()


def test_ctc_of_a_label_that_does_not_fit_is_zero() -> None:
    logits = np.zeros((2, 1, 3))
    loss, gradient = ctc(logits, np.array([[1, 1]]), np.array([2]), np.array([2]), 0)
    assert loss.tolist() == [0.0] and not gradient.any()


def test_ctc_of_an_empty_label_is_the_probability_of_blanks() -> None:
    logits = np.zeros((3, 1, 4))
    loss, _ = ctc(logits, np.zeros((1, 0), int), np.array([3]), np.array([0]), 2)
    assert loss[0] == pytest.approx(3 * np.log(4))


@pytest.mark.parametrize("pairs", [((0, 0), (0, 0)), ((1, 0), (0, 2)), ((1, 1), (1, 1))])
def test_positions_of_maxima_by_enumeration(pairs: tuple[tuple[int, int], ...]) -> None:
    x = np.random.default_rng(2).standard_normal((2, 2, 5, 4))
    found = maximum_positions(x, (2, 3), (2, 1), pairs)
    values = gather_positions(x, found)
    for n, c, i, j in np.ndindex(*found.shape):
        rows = range(max(i * 2 - pairs[0][0], 0), min(i * 2 - pairs[0][0] + 2, 5))
        columns = range(max(j - pairs[1][0], 0), min(j - pairs[1][0] + 3, 4))
        assert values[n, c, i, j] == max(x[n, c, r, k] for r in rows for k in columns)


def test_scattering_adds_up_or_the_last_wins() -> None:
    values, places = np.array([[[1.0, 2.0, 4.0]]]), np.array([[[3, 0, 3]]])
    np.testing.assert_array_equal(scatter_positions(values, places, (2, 2), True), [[[[2, 0], [0, 5]]]])
    np.testing.assert_array_equal(scatter_positions(values, places, (2, 2), False), [[[[2, 0], [0, 4]]]])
