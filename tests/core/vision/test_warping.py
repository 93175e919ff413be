from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from core.vision import transforms as T
from core.vision.transforms import functional as F

NOISE = np.random.RandomState(0).randint(0, 256, (60, 80, 3), dtype=np.uint8)
SMOOTH = cv2.normalize(cv2.GaussianBlur(NOISE, (0, 0), 2), None, 0, 255, cv2.NORM_MINMAX)  # type: ignore[call-overload]
CORNERS = [[0, 0], [79, 0], [79, 59], [0, 59]]
PULLED = [[5, 3], [70, 6], [76, 50], [2, 55]]

CALLS = {
    "rotate": lambda image, kind: F.rotate(image, 23.5, kind, fill=(9, 8, 7)),
    "rotate and expand": lambda image, kind: F.rotate(image, -40, kind, expand=True, fill=3),
    "rotate around": lambda image, kind: F.rotate(image, 110, kind, center=(10, 20)),
    "affine": lambda image, kind: F.affine(image, 20, (3, -4), 1.2, (10, 5), kind, fill=5),
    "affine around": lambda image, kind: F.affine(image, -5, (0, 0), 0.7, 12, kind, center=(3, 50)),
    "perspective": lambda image, kind: F.perspective(image, CORNERS, PULLED, kind),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("interpolation", ["nearest", "bilinear", "bicubic"])
def test_arrays_give_what_pillow_gives(name: str, interpolation: str) -> None:
    ours = CALLS[name](SMOOTH, interpolation)
    pillow = np.asarray(CALLS[name](Image.fromarray(SMOOTH), interpolation))
    assert ours.shape == pillow.shape and ours.dtype == np.uint8
    error = np.abs(ours.astype(int) - pillow)
    if interpolation == "nearest":  # but for places exactly between two pixels
        assert np.mean(error > 0) < 0.003
        return
    everywhere = CALLS[name](np.full((60, 80, 3), 255, np.uint8), "bilinear")[:, :, 0]
    inside = cv2.erode(everywhere, np.ones((7, 7))) == 255  # at the rim ours blends into fill
    inside[:4], inside[-4:], inside[:, :4], inside[:, -4:] = False, False, False, False
    # OpenCV interpolates in steps of 1/32 pixel, and its bicubic kernel is a little sharper
    assert inside.mean() > 0.1 and error[inside].max() <= (6 if interpolation == "bilinear" else 16)
    assert error[inside].mean() < (0.6 if interpolation == "bilinear" else 1.2)


@pytest.mark.parametrize("interpolation", ["nearest", "bilinear", "bicubic"])
def test_quarter_turns_are_exact(interpolation: str) -> None:
    for turns in (-1, 1, 2, 3, 4):
        for image in (NOISE, NOISE[:59, :37]):
            turned = F.rotate(image, 90 * turns, interpolation, expand=True)
            np.testing.assert_array_equal(turned, np.rot90(image, turns))
        np.testing.assert_array_equal(F.rotate(NOISE[:, :60], 90 * turns), np.rot90(NOISE[:, :60], turns))


def test_whole_shifts_and_scales_are_exact() -> None:
    shifted = F.affine(NOISE, 0, (3, -2), 1.0, 0)
    np.testing.assert_array_equal(shifted[:-2, 3:], NOISE[2:, :-3])
    assert not shifted[-2:].any() and not shifted[:, :3].any()
    doubled = F.affine(NOISE, 0, (0, 0), 2.0, 0)
    np.testing.assert_array_equal(doubled, NOISE[15:45, 20:60].repeat(2, 0).repeat(2, 1))
    np.testing.assert_array_equal(F.perspective(NOISE, CORNERS, CORNERS, "bilinear"), NOISE)
    moved = F.perspective(NOISE, CORNERS, [[x + 4, y + 1] for x, y in CORNERS])
    np.testing.assert_array_equal(moved[1:, 4:], NOISE[:-1, :-4])


def test_a_shear_along_x_moves_rows() -> None:
    sheared = F.affine(NOISE, 0, (0, 0), 1.0, 45.0, center=(0, 0.5))  # the first row stays
    for row in (0, 1, 17):
        np.testing.assert_array_equal(sheared[row, : 80 - row], NOISE[row, row:])


def test_kinds_of_images_agree() -> None:
    single = F.rotate(SMOOTH[:, :, 0], 30, "bilinear", fill=4)
    assert single.shape == (60, 80)
    np.testing.assert_array_equal(F.rotate(SMOOTH[:, :, :1], 30, "bilinear", fill=4)[:, :, 0], single)
    many = np.concatenate([SMOOTH, SMOOTH], axis=2)
    turned = F.rotate(many, 30, "bilinear", fill=(4, 5, 6, 1, 2, 3))
    np.testing.assert_array_equal(turned[:, :, 0], single)
    np.testing.assert_array_equal(turned[:, :, 3:], F.rotate(SMOOTH, 30, "bilinear", fill=(1, 2, 3)))
    first = SMOOTH.astype(np.float32).transpose(2, 0, 1)
    np.testing.assert_allclose(F.rotate(first, 30, "bilinear", fill=4), turned[:, :, :3].transpose(2, 0, 1), atol=85)
    np.testing.assert_allclose(F.rotate(first, 30, "bilinear", fill=4)[0], single, atol=1.5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: F.rotate(NOISE, "30"), TypeError, "rotate: angle must be a number of degrees, not '30'"),
        (
            lambda: F.rotate(NOISE, 3, "area"),
            ValueError,
            "rotate: interpolation must be one of nearest, bilinear, bicubic",
        ),
        (lambda: F.rotate(NOISE, 3, center=(1,)), ValueError, "rotate: center must have two numbers, not 1"),
        (lambda: F.rotate(NOISE, 3, fill=(1, 2)), ValueError, r"one for each of the image's 3 channels, not \(1, 2\)"),
        (
            lambda: F.rotate(NOISE.astype(np.int64), 3),
            TypeError,
            "an image of type int64 cannot be resampled; convert it",
        ),
        (lambda: F.affine(NOISE, None, (0, 0), 1, 0), TypeError, "affine: angle must be a number of degrees, not None"),
        (
            lambda: F.affine(NOISE, 0, 5, 1, 0),
            TypeError,
            "affine: translate must be a list or tuple of two numbers, not 5",
        ),
        (lambda: F.affine(NOISE, 0, (0, 0), 0, 0), ValueError, "affine: scale must be a positive number, not 0"),
        (lambda: F.affine(NOISE, 0, (0, 0), 1, "x"), TypeError, "affine: shear must be a list or tuple of two numbers"),
        (lambda: F.perspective(NOISE, CORNERS, CORNERS[:3]), ValueError, r"endpoints must be four points \(x, y\)"),
        (
            lambda: F.perspective(NOISE, CORNERS, [[0, 0], [1, 1], [2, 2], [0, 5]]),
            ValueError,
            r"the endpoints \[.*\] are not the corners of a convex figure; move one of them",
        ),
        (
            lambda: F.perspective(NOISE, CORNERS, [[2, 6], [0, 5], [0, 1], [1, 3]]),
            ValueError,
            "the endpoints .* tilt the image too far; move one of them",
        ),
    ],
)
def test_bad_values_are_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_tiny_image_is_not_tilted() -> None:
    for shape in ((1, 1), (1, 5), (2, 2), (3, 4)):
        image = np.arange(shape[0] * shape[1], dtype=np.uint8).reshape(shape)
        for _ in range(20):
            assert T.RandomPerspective(1.0, 1.0)(image).shape == shape
