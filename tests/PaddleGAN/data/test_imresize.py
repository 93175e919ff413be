"""imresize against MATLAB's known weights, its formula written out, and Pillow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PIL import Image

from PaddleGAN.data import imresize
from PaddleGAN.data.imresize import contributions


def cubic(x: float) -> float:
    x = abs(x)
    if x <= 1:
        return 1.5 * x**3 - 2.5 * x**2 + 1
    return -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2 if x <= 2 else 0.0


def by_loops(row: np.ndarray, length: int, factor: float) -> np.ndarray:
    """MATLAB's resampling of a row, number by number: the kernel is as wide as the step is, the border mirrors."""
    shrink = min(factor, 1.0)
    result = []
    for place in range(length):
        center = (place + 0.5) / factor - 0.5
        total = weights = 0.0
        for other in range(math.floor(center - 2 / shrink) - 1, math.ceil(center + 2 / shrink) + 2):
            weight = cubic((center - other) * shrink)
            mirrored = other % (2 * len(row))
            total += weight * row[mirrored if mirrored < len(row) else 2 * len(row) - 1 - mirrored]
            weights += weight
        result.append(total / weights)
    return np.array(result)


def test_halves_weigh_as_in_matlab() -> None:
    weights, places = contributions(20, 10, 0.5)
    np.testing.assert_allclose(weights[4] * 256, [-3, -9, 29, 111, 111, 29, -9, -3])
    assert places[4].tolist() == list(range(5, 13))
    assert places[0].tolist() == [2, 1, 0, 0, 1, 2, 3, 4]  # mirrored at the border


@pytest.mark.parametrize(("length", "factor"), [(5, 0.25), (7, 0.4), (34, 2.0), (51, 3.0), (13, 0.75)])
def test_rows_are_those_of_the_formula(length: int, factor: float) -> None:
    row = np.random.default_rng(0).uniform(0, 1, 17)
    found = imresize(np.tile(row[:, None], (1, 5)), factor)
    np.testing.assert_allclose(found[:, 0], by_loops(row, length, factor), atol=1e-12)


def test_bytes_are_rounded_after_each_axis() -> None:
    image = np.random.default_rng(1).integers(0, 256, (12, 16, 3), np.uint8)
    rows = np.stack([[by_loops(image[:, x, c].astype(float), 6, 0.5) for x in range(16)] for c in range(3)], -1)
    halved = np.floor(rows.transpose(1, 0, 2).clip(0, 255) + 0.5)
    both = np.stack([[by_loops(halved[y, :, c], 8, 0.5) for y in range(6)] for c in range(3)], -1)
    expected = np.floor(both.clip(0, 255) + 0.5).astype(np.uint8)
    np.testing.assert_array_equal(imresize(image, 0.5), expected)


def test_within_the_border_pillow_says_the_same() -> None:
    image = np.random.default_rng(2).integers(0, 256, (64, 80, 3), np.uint8)
    pillow = np.asarray(Image.fromarray(image).resize((20, 16), Image.Resampling.BICUBIC), np.int32)
    difference = np.abs(imresize(image, 0.25).astype(np.int32) - pillow)[2:-2, 2:-2]
    assert difference.max() <= 1


def test_a_factor_of_one_and_other_sizes() -> None:
    image = np.random.default_rng(3).integers(0, 256, (9, 7, 3), np.uint8)
    np.testing.assert_array_equal(imresize(image, 1), image)
    assert imresize(image, 0.5).shape == (5, 4, 3)  # rounded up
    assert imresize(image, (3, 11)).shape == (3, 11, 3)
    assert (imresize(np.full((9, 7), 77, np.uint8), (30, 2)) == 77).all()


@pytest.mark.parametrize("scale", [0, -1.0, (0, 4)])
def test_what_cannot_be_resized(scale: object) -> None:
    with pytest.raises(ValueError, match=r"imresize: pictures of \[4, 4\] pixels cannot be resized by "):
        imresize(np.zeros((4, 4), np.uint8), scale)  # type: ignore[arg-type]  # what is wrong with it is the point
