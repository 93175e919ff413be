"""Sums that are activated and shifted in one go, and their gradients, against NumPy."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from core.kernels.layers import shifted_join as kernels


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def shifted(x: np.ndarray, frames: int, ends: tuple[int, int], reverse: bool) -> np.ndarray:
    """Return the frames with their first channels from the frame before, the next ones from that after."""
    video = x.reshape(-1, frames, *x.shape[1:])
    result = video.copy()
    before, after = np.zeros_like(video), np.zeros_like(video)
    before[:, 1:], after[:, :-1] = video[:, :-1], video[:, 1:]
    if reverse:
        before, after = after, before
    result[:, :, : ends[0]] = before[:, :, : ends[0]]
    result[:, :, ends[0] : ends[1]] = after[:, :, ends[0] : ends[1]]
    return result.reshape(x.shape)


def computed(arrays: list[np.ndarray], **options: Any) -> list[np.ndarray]:
    first, second, *given = arrays
    joined, result, *gradients = (np.full_like(first, np.nan) for _ in range(4))
    kernels.join_and_shift(first, second, out=(joined, result), **options)
    kernels.join_and_shift_gradients(given, (), [joined, result], gradients, **options)
    return [joined, result, *gradients]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "frames", "ends"), [((6, 8, 3, 5), 3, (2, 4)), ((2, 3, 1, 1), 1, (1, 2)), ((4, 7, 2, 2), 2, (0, 7))]
)
def test_results_and_gradients(shape: tuple[int, ...], frames: int, ends: tuple[int, int], reverse: bool) -> None:
    arrays = [draw(*shape, seed=seed) for seed in range(4)]
    options = {"frames": frames, "ends": ends, "reverse": reverse}
    joined, result, *gradients = computed(arrays, **options)
    expected = np.maximum(arrays[0] + arrays[1], 0)
    np.testing.assert_array_equal(joined, expected)
    np.testing.assert_array_equal(result, shifted(expected, **options))
    back = shifted(arrays[3], frames, ends, not reverse)
    for gradient in gradients:
        np.testing.assert_array_equal(gradient, (arrays[2] + back) * (expected > 0))


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    arrays, options = [draw(8, 12, 9, 9, seed=seed) for seed in range(4)], {"frames": 4, "ends": (3, 6)}
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = computed(arrays, reverse=False, **options)
    finally:
        numba.set_num_threads(before)
    for one, other in zip(alone, computed(arrays, reverse=False, **options)):
        np.testing.assert_array_equal(one, other)


def test_nan_stays_and_a_gradient_may_be_unwanted() -> None:
    arrays = [draw(2, 2, 1, 1, seed=seed) for seed in range(4)]
    arrays[0][0] = np.nan
    options: dict[str, Any] = {"frames": 2, "ends": (1, 2), "reverse": False}
    joined, result, gradient, _ = computed(arrays, **options)
    assert np.isnan(joined[0]).all() and np.isnan(result[1, 0, 0, 0])
    alone = np.full_like(gradient, np.nan)
    kernels.join_and_shift_gradients(arrays[2:], (), [joined, result], [None, alone], **options)
    np.testing.assert_array_equal(alone, gradient)
