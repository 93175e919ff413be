from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from PIL import Image

from core.io.randomness import beta, normal, sample_scope
from core.vision import transforms as T

IMAGE = np.random.RandomState(0).randint(1, 255, (40, 60, 3), dtype=np.uint8)


def drawn(transform: Callable[[Any], Any], count: int = 300, image: Any = IMAGE) -> list[Any]:
    """Return the parameters that a transform draws for many samples."""
    found = []
    for index in range(count):
        with sample_scope(2, 0, index):
            transform(image)
        found.append(transform.params)  # type: ignore[attr-defined]
    return found


def test_random_affine_draws_within_its_bounds() -> None:
    found = drawn(T.RandomAffine((10, 30), (0.1, 0.25), (0.5, 2.0), (-3, 4, 5, 6)), image=IMAGE[:, :, 0])
    angles, shifts, scales, shears = (np.array(part) for part in zip(*found))
    assert 10 <= angles.min() < 11 and 29 < angles.max() <= 30
    assert np.abs(shifts[:, 0]).max() in (5, 6) and np.abs(shifts[:, 1]).max() in (9, 10)
    assert 0.5 <= scales.min() < 0.6 and 1.9 < scales.max() <= 2.0
    assert -3 <= shears[:, 0].min() and shears[:, 0].max() <= 4 and 5 <= shears[:, 1].min() and shears[:, 1].max() <= 6
    assert drawn(T.RandomAffine(0))[0] == (0.0, (0, 0), 1.0, (0.0, 0.0))
    np.testing.assert_array_equal(T.RandomAffine(0)(IMAGE), IMAGE)
    assert {shear for _, _, _, shear in drawn(T.RandomAffine(0, shear=(0, 1)), 3)} != {(0.0, 0.0)}


def test_random_rotation_rotates_by_what_it_drew() -> None:
    rotation = T.RandomRotation(30, "bilinear", fill=(1, 2, 3))
    angles = np.array(drawn(rotation))
    assert -30 <= angles.min() < -28 and 28 < angles.max() <= 30
    np.testing.assert_array_equal(rotation(IMAGE), T.rotate(IMAGE, rotation.params, "bilinear", fill=(1, 2, 3)))
    assert T.RandomRotation((90, 90), expand=True)(IMAGE).shape == (60, 40, 3)


def test_random_perspective_pulls_corners_inwards() -> None:
    found = drawn(T.RandomPerspective(0.6, 0.5))
    tilted = [params for params in found if params is not None]
    assert 0.5 < len(tilted) / len(found) < 0.7
    for start, end in tilted:
        assert start == [[0, 0], [59, 0], [59, 39], [0, 39]]
        assert all(0 <= x <= 15 or 44 <= x < 60 for x, _ in end) and all(0 <= y <= 10 or 29 <= y < 40 for _, y in end)
    assert T.RandomPerspective(0.0)(IMAGE) is IMAGE


def test_random_erasing_erases_what_it_drew() -> None:
    erasing = T.RandomErasing(0.5, scale=(0.1, 0.2), ratio=(0.5, 2.0))
    found = drawn(erasing)
    erased = [params for params in found if params is not None]
    assert 0.4 < len(erased) / len(found) < 0.6
    for _, _, height, width, _ in erased:
        assert 0.09 < height * width / 2400 < 0.22 and 0.4 < height / width < 2.3
    with sample_scope(2, 0, next(i for i, params in enumerate(found) if params is not None)):
        result = erasing(IMAGE)
    top, left, height, width, _ = erasing.params
    expected = IMAGE.copy()
    expected[top : top + height, left : left + width] = 0
    np.testing.assert_array_equal(result, expected)


def test_random_erasing_values() -> None:
    def erased(value: Any, image: Any) -> tuple[np.ndarray, tuple[slice, slice]]:
        transform = T.RandomErasing(1.0, scale=(0.2, 0.3), ratio=(1, 1), value=value)
        with sample_scope(0, 0, 0):
            result = np.asarray(transform(image))
        top, left, height, width, _ = transform.params
        return result, (slice(top, top + height), slice(left, left + width))

    for image in (IMAGE, Image.fromarray(IMAGE)):
        result, place = erased([1, 2, 3], image)
        assert (result[place] == [1, 2, 3]).all()
    first = (IMAGE / 255).transpose(2, 0, 1)
    result, place = erased([0.1, 0.2, 0.3], first)
    np.testing.assert_allclose(result[(slice(None), *place)].mean(axis=(1, 2)), [0.1, 0.2, 0.3])
    result, place = erased("random", first)
    noise = result[(slice(None), *place)]
    assert abs(noise.mean()) < 0.1 and abs(noise.std() - 1) < 0.1
    result, place = erased("random", IMAGE)
    assert len(np.unique(result[place])) > 200 and result.dtype == np.uint8
    assert erased("random", IMAGE[:, :, 0])[0].shape == (40, 60)
    with pytest.raises(ValueError, match="do not fit a rectangle"):
        erased([1, 2], IMAGE)


def test_tiny_images() -> None:
    for shape in ((1, 1, 3), (1, 9), (2, 2), (50, 1)):
        image = np.ones(shape, np.uint8)
        for index in range(20):
            with sample_scope(0, 0, index):
                assert T.RandomResizedCrop(4)(image).shape[:2] == (4, 4)
                assert T.RandomErasing(1.0)(image).shape == shape
                assert T.RandomAffine(30, (0.5, 0.5))(image).shape == shape
                assert T.RandomRotation(45, expand=True)(image).ndim == len(shape)
                assert T.RandAugment()(image).shape == shape
                assert T.AutoAugment()(image).shape == shape
                assert T.ColorJitter(0.5, 0.5, 0.5, 0.5)(image).shape == shape


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: T.RandomAffine(-1), ValueError, r"degrees must not be negative, not -1; or give \(least, greatest\)"),
        (lambda: T.RandomAffine("1"), TypeError, "RandomAffine: degrees must be a number or a list of them, not '1'"),
        (lambda: T.RandomAffine((1, 2, 3)), ValueError, "RandomAffine: degrees must have 2 numbers, not 3"),
        (lambda: T.RandomAffine(1, (0, 2)), ValueError, r"translate must be two numbers between 0 and 1, not \(0, 2\)"),
        (lambda: T.RandomAffine(1, scale=(0, 1)), ValueError, r"RandomAffine: scale must be positive, not \(0, 1\)"),
        (
            lambda: T.RandomAffine(1, scale=(2, 1)),
            ValueError,
            r"RandomAffine: scale must be \(least, greatest\), not \(2, 1\)",
        ),
        (lambda: T.RandomAffine(1, shear=(1, 2, 3)), ValueError, "RandomAffine: shear must have 2 or 4 numbers, not 3"),
        (
            lambda: T.RandomAffine(1, interpolation="area"),
            ValueError,
            "RandomAffine: interpolation must be one of nearest",
        ),
        (lambda: T.RandomAffine(1, fill="red"), ValueError, "RandomAffine: fill must be one number or one for each"),
        (lambda: T.RandomAffine(1, center=3), ValueError, r"RandomAffine: center must be \(x, y\) or None, not 3"),
        (lambda: T.RandomRotation(-3), ValueError, "RandomRotation: degrees must not be negative"),
        (lambda: T.RandomPerspective(2), ValueError, "RandomPerspective: prob must lie between 0 and 1, not 2"),
        (lambda: T.RandomPerspective(0.5, 2), ValueError, "distortion_scale must lie between 0 and 1, not 2"),
        (lambda: T.RandomErasing(-0.1), ValueError, "RandomErasing: prob must lie between 0 and 1, not -0.1"),
        (lambda: T.RandomErasing(scale=(0.5, 2)), ValueError, r"scale \(0.5, 2\) must lie between 0 and 1, and ratio"),
        (
            lambda: T.RandomErasing(ratio=(3, 1)),
            ValueError,
            r"RandomErasing: ratio must be \(least, greatest\), not \(3, 1\)",
        ),
        (
            lambda: T.RandomErasing(value="zero"),
            ValueError,
            "value must be a number, a list of numbers or 'random', not 'zero'",
        ),
        (lambda: T.RandomResizedCrop(4, scale=(0, 1)), ValueError, r"scale \(0, 1\) and ratio .* must be positive"),
        (
            lambda: T.RandomResizedCrop(4, ratio=2),
            ValueError,
            r"RandomResizedCrop: ratio must be \(least, greatest\), not 2",
        ),
        (
            lambda: T.RandomResizedCrop(4, interpolation="x"),
            ValueError,
            "RandomResizedCrop: interpolation must be one of",
        ),
        (lambda: T.RandomCrop(4, padding_mode="x"), ValueError, "RandomCrop: padding_mode must be one of constant"),
        (lambda: T.RandomCrop(4, padding=(1, 2, 3)), ValueError, "padding must be 1, 2 or 4 non-negative numbers"),
        (lambda: T.RandomVerticalFlip(None), ValueError, "RandomVerticalFlip: prob must lie between 0 and 1, not None"),
    ],
)
def test_bad_values_are_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_normal_and_beta_draws_belong_to_the_sample() -> None:
    with sample_scope(1, 0, 5):
        first = normal((1000, 2)), [beta(0.5, 2.0) for _ in range(1000)]
    with sample_scope(1, 0, 5):
        second = normal((1000, 2)), [beta(0.5, 2.0) for _ in range(1000)]
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1] == second[1]
    assert first[0].shape == (1000, 2) and abs(first[0].mean()) < 0.1 and abs(first[0].std() - 1) < 0.1
    assert abs(np.mean(first[1]) - 0.2) < 0.03  # 0.5 / (0.5 + 2)
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.standard_normal((2, 2)), np.random.beta(1.0, 2.0)  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    np.testing.assert_array_equal(normal((2, 2)), expected[0])
    assert beta(1.0, 2.0) == expected[1]
