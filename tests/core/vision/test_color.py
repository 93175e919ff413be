from __future__ import annotations

import colorsys
from typing import Any, Callable

import numpy as np
import pytest
from PIL import Image, ImageOps

from core.vision import transforms as T
from core.vision.transforms import functional as F
from core.vision.transforms import pixels

IMAGE = np.random.RandomState(0).randint(0, 256, (31, 27, 3), dtype=np.uint8)
FACTORS = [0.0, 0.3, 1.0, 1.7]


@pytest.mark.parametrize("factor", FACTORS)
def test_adjustments_give_what_pillow_gives(factor: float) -> None:
    for adjust, tolerance in (
        (F.adjust_brightness, 0),
        (F.adjust_contrast, 0),
        (F.adjust_saturation, 2),
        (pixels.adjust_sharpness, 1),
    ):
        for image in (IMAGE, IMAGE[:, :, 0]):
            expected = np.asarray(adjust(Image.fromarray(image), factor))
            assert np.abs(adjust(image, factor).astype(int) - expected).max() <= tolerance, adjust.__name__


def test_adjustments_by_hand() -> None:
    pixel = np.array([[[10, 20, 30], [90, 80, 70]]], dtype=np.uint8)
    assert F.adjust_brightness(pixel, 1.5).tolist() == [[[15, 30, 45], [135, 120, 105]]]
    assert F.adjust_brightness(pixel, 9)[0, 1].tolist() == [255, 255, 255]
    gray = F.to_grayscale(pixel)  # 0.299 R + 0.587 G + 0.114 B
    assert gray.tolist() == [[[18], [82]]]
    assert F.adjust_contrast(pixel, 0).tolist() == [[[50] * 3] * 2]
    assert F.adjust_contrast(pixel, 2).tolist() == [[[0, 0, 10], [130, 110, 90]]]
    assert F.adjust_saturation(pixel, 2).tolist() == [[[2, 22, 42], [98, 78, 58]]]
    assert F.adjust_saturation(pixel, 0).tolist() == [[[18] * 3, [82] * 3]]


@pytest.mark.parametrize("factor", [-0.5, -0.2, 0.1, 1 / 3, 0.5])
def test_hue_turns_the_color_circle(factor: float) -> None:
    colors = IMAGE.astype(np.float64) / 255
    expected = np.empty_like(colors)
    for place in np.ndindex(colors.shape[:2]):
        hue, saturation, value = colorsys.rgb_to_hsv(*colors[place])
        expected[place] = colorsys.hsv_to_rgb((hue + factor) % 1.0, saturation, value)
    first = F.adjust_hue(colors.astype(np.float32), factor)
    np.testing.assert_allclose(first, expected, atol=2e-3)
    bytes_error = np.abs(F.adjust_hue(IMAGE, factor) - expected * 255)  # the circle has 256 steps here
    assert bytes_error.max() <= 13 and bytes_error.mean() < 2
    pillow = np.asarray(F.adjust_hue(Image.fromarray(IMAGE), factor)).astype(int)
    assert np.abs(F.adjust_hue(IMAGE, factor) - pillow).max() <= 13


def test_hue_leaves_grey_and_transparency_alone() -> None:
    assert F.adjust_hue(IMAGE, 0) is IMAGE
    gray = IMAGE[:, :, :1]
    assert F.adjust_hue(gray, 0.3) is gray and F.adjust_saturation(gray, 2) is gray
    assert F.adjust_hue(Image.fromarray(IMAGE[:, :, 0]), 0.3).mode == "L"
    transparent = Image.fromarray(np.concatenate([IMAGE, IMAGE[:, :, :1]], axis=2))
    turned = F.adjust_hue(transparent, 0.3)
    np.testing.assert_array_equal(np.asarray(turned)[:, :, 3], IMAGE[:, :, 0])
    solid = F.adjust_hue(Image.fromarray(IMAGE), 0.3)
    np.testing.assert_array_equal(np.asarray(turned)[:, :, :3], np.asarray(solid))


@pytest.mark.parametrize("layout", ["channels first", "channels last"])
@pytest.mark.parametrize("factor", FACTORS)
def test_floating_point_images_hold_zero_to_one(layout: str, factor: float) -> None:
    image = (IMAGE / np.float32(255)).astype(np.float32)
    image = image.transpose(2, 0, 1) if layout == "channels first" else image
    for adjust in (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation):
        ours = adjust(image, factor)
        assert ours.shape == image.shape and ours.dtype == np.float32
        last = ours.transpose(1, 2, 0) if layout == "channels first" else ours
        np.testing.assert_allclose(last * 255, adjust(IMAGE, factor), atol=2.1)


@pytest.mark.parametrize(
    ("ours", "pillow"),
    [
        (pixels.invert, ImageOps.invert),
        (pixels.autocontrast, ImageOps.autocontrast),
        (pixels.equalize, ImageOps.equalize),
        (lambda image: pixels.solarize(image, 100), lambda image: ImageOps.solarize(image, 100)),
        (lambda image: pixels.posterize(image, 3), lambda image: ImageOps.posterize(image, 3)),
    ],
)
def test_tables_give_what_pillow_gives(ours: Callable[[Any], Any], pillow: Callable[[Any], Any]) -> None:
    dark = (IMAGE // 3 + 20).astype(np.uint8)
    for image in (IMAGE, dark, dark[:, :, 0], np.full((4, 5, 3), 7, np.uint8)):
        expected = np.asarray(pillow(Image.fromarray(image)))
        np.testing.assert_array_equal(ours(image), expected)
        np.testing.assert_array_equal(np.asarray(ours(Image.fromarray(image))), expected)
    assert ours(dark[:, :, :1]).shape == (31, 27, 1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: F.adjust_brightness(IMAGE, -1), ValueError, "brightness_factor must be a number that is not negative"),
        (lambda: F.adjust_contrast(IMAGE, float("nan")), ValueError, "contrast_factor must be .* not nan"),
        (lambda: F.adjust_saturation(IMAGE, "2"), ValueError, "saturation_factor must be .* not '2'"),
        (lambda: F.adjust_hue(IMAGE, 0.6), ValueError, "hue_factor must lie between -0.5 and 0.5, not 0.6"),
        (lambda: F.adjust_hue(IMAGE[:, :, :2], 0.1), ValueError, "adjust_hue: an image has 1 or 3 channels, not 2"),
        (
            lambda: F.adjust_contrast(IMAGE.astype(int), 1),
            TypeError,
            "an image is uint8 .* or floating point .* not int64",
        ),
        (lambda: pixels.solarize(IMAGE, 300), ValueError, "threshold must lie between 0 and 256, not 300"),
        (lambda: pixels.posterize(IMAGE, 0), ValueError, "bits must be a whole number from 1 to 8, not 0"),
        (lambda: pixels.invert(IMAGE / 255), ValueError, "invert: an image is uint8 of shape .* not float64 of shape"),
        (lambda: pixels.adjust_sharpness(IMAGE, -1), ValueError, "sharpness_factor must be .* not -1"),
        (lambda: T.BrightnessTransform(-1), ValueError, "BrightnessTransform: brightness must lie between 0 and inf"),
        (lambda: T.HueTransform(0.7), ValueError, "HueTransform: hue must lie between 0 and 0.5, not 0.7"),
        (lambda: T.ContrastTransform((2, 1)), ValueError, r"contrast must rise between 0.0 and inf, not \(2, 1\)"),
        (lambda: T.SaturationTransform("a"), TypeError, r"saturation must be a number or \(least, greatest\), not 'a'"),
        (lambda: T.ColorJitter(hue=(-1, 0)), ValueError, "hue must rise between -0.5 and 0.5"),
    ],
)
def test_bad_values_are_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_jitter_draws_factors_and_order() -> None:
    jitter = T.ColorJitter(brightness=0.5, contrast=(1.5, 2.0), hue=0.1)
    orders = set()
    for _ in range(60):
        jitter(IMAGE)
        names = [adjust.__name__ for adjust, _ in jitter.params]
        factors = dict(zip(names, (factor for _, factor in jitter.params)))
        assert sorted(names) == ["adjust_brightness", "adjust_contrast", "adjust_hue"]
        assert 0.5 <= factors["adjust_brightness"] <= 1.5 and 1.5 <= factors["adjust_contrast"] <= 2.0
        assert abs(factors["adjust_hue"]) <= 0.1
        orders.add(tuple(names))
    assert len(orders) == 6
    assert T.ColorJitter()(IMAGE) is IMAGE
