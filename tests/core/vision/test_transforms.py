from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from core.io.randomness import sample_scope
from core.vision import transforms as T
from core.vision.transforms import functional as F

IMAGE = np.random.RandomState(0).randint(0, 256, (6, 8, 3), dtype=np.uint8)


def bilinear(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """Half-pixel bilinear interpolation with clamped edges, pixel by pixel."""
    rows, columns = image.shape[:2]
    result = np.empty((height, width, image.shape[2]))
    for i in range(height):
        for j in range(width):
            y = min(max((i + 0.5) * rows / height - 0.5, 0), rows - 1)
            x = min(max((j + 0.5) * columns / width - 0.5, 0), columns - 1)
            top, left = int(y), int(x)
            bottom, right = min(top + 1, rows - 1), min(left + 1, columns - 1)
            upper = image[top, left] * (1 - x + left) + image[top, right] * (x - left)
            lower = image[bottom, left] * (1 - x + left) + image[bottom, right] * (x - left)
            result[i, j] = upper * (1 - y + top) + lower * (y - top)
    return result


@pytest.mark.parametrize("size", [(12, 20), (3, 5)])
def test_resize_is_half_pixel_bilinear(size: tuple[int, int]) -> None:
    exact = F.resize(IMAGE.astype(np.float32), size)
    np.testing.assert_allclose(exact, bilinear(IMAGE.astype(float), *size), atol=1e-2)
    np.testing.assert_allclose(T.Resize(size)(IMAGE), bilinear(IMAGE.astype(float), *size), atol=1.01)


def test_resize_of_the_shorter_side() -> None:
    assert T.Resize(3)(IMAGE).shape == (3, 4, 3)
    assert T.Resize(9)(IMAGE.transpose(1, 0, 2)).shape == (12, 9, 3)
    assert T.Resize(6)(IMAGE) is IMAGE
    assert T.Resize(4)(IMAGE[:, :, :1]).shape == (4, 5, 1)
    assert T.Resize(4)(IMAGE[:, :, 0]).shape == (4, 5)
    picture = T.Resize((4, 10))(Image.fromarray(IMAGE))
    assert isinstance(picture, Image.Image) and picture.size == (10, 4)
    nearest = T.Resize((12, 16), interpolation="nearest")(IMAGE)
    np.testing.assert_array_equal(nearest, IMAGE.repeat(2, 0).repeat(2, 1))


def test_crops_and_flips() -> None:
    np.testing.assert_array_equal(T.CenterCrop((2, 4))(IMAGE), IMAGE[2:4, 2:6])
    np.testing.assert_array_equal(T.CenterCrop(2)(Image.fromarray(IMAGE)), IMAGE[2:4, 3:5])
    np.testing.assert_array_equal(F.crop(IMAGE, 1, 2, 3, 4), IMAGE[1:4, 2:6])
    np.testing.assert_array_equal(T.RandomHorizontalFlip(1.0)(IMAGE), IMAGE[:, ::-1])
    np.testing.assert_array_equal(T.RandomVerticalFlip(1.0)(IMAGE), IMAGE[::-1])
    np.testing.assert_array_equal(F.hflip(Image.fromarray(IMAGE)), IMAGE[:, ::-1])
    np.testing.assert_array_equal(F.vflip(Image.fromarray(IMAGE)), IMAGE[::-1])
    assert T.RandomHorizontalFlip(0.0)(IMAGE) is IMAGE
    with pytest.raises(ValueError, match=r"crop: rows 0\.\.\.7 and columns 0\.\.\.2 leave the 6x8 image"):
        F.crop(IMAGE, 0, 0, 7, 2)


def test_pad_modes_against_numpy() -> None:
    np.testing.assert_array_equal(
        F.pad(IMAGE, (1, 2, 3, 4), 7), np.pad(IMAGE, ((2, 4), (1, 3), (0, 0)), constant_values=7)
    )
    for mode in ("edge", "reflect", "symmetric"):
        expected = np.pad(IMAGE, ((2, 2), (1, 1), (0, 0)), mode=mode)  # type: ignore[call-overload]
        np.testing.assert_array_equal(T.Pad((1, 2), padding_mode=mode)(IMAGE), expected)
    bordered = T.Pad(1, fill=(10, 20, 30))(Image.fromarray(IMAGE))
    assert bordered.size == (10, 8) and bordered.getpixel((0, 0)) == (10, 20, 30)
    with pytest.raises(ValueError, match="padding must be 1, 2 or 4 non-negative numbers"):
        F.pad(IMAGE, (1, 2, 3))
    with pytest.raises(ValueError, match="padding_mode must be one of"):
        F.pad(IMAGE, 1, padding_mode="wrap")


def test_random_crop_visits_every_place_and_repeats() -> None:
    crop = T.RandomCrop((5, 6))
    places = set()
    for index in range(200):
        with sample_scope(0, 0, index):
            cut = crop(IMAGE)
        with sample_scope(0, 0, index):
            np.testing.assert_array_equal(crop(IMAGE), cut)
        top, left = crop.params
        np.testing.assert_array_equal(cut, IMAGE[top : top + 5, left : left + 6])
        places.add((top, left))
    assert places == {(i, j) for i in range(2) for j in range(3)}
    assert T.RandomCrop(8, padding=2)(IMAGE).shape == (8, 8, 3)
    assert T.RandomCrop((10, 9), pad_if_needed=True)(IMAGE).shape == (10, 9, 3)
    with pytest.raises(ValueError, match="the 6x8 image is smaller than 7x7"):
        T.RandomCrop(7)(IMAGE)


def test_random_resized_crop_keeps_its_bounds() -> None:
    image = np.zeros((40, 60), np.uint8)
    crop = T.RandomResizedCrop((10, 12), scale=(0.2, 0.5), ratio=(0.5, 2.0))
    for index in range(50):
        with sample_scope(3, 0, index):
            assert crop(image).shape == (10, 12)
        _, _, height, width = crop.params
        assert 0.15 < height * width / 2400 < 0.56
        assert 0.45 < width / height < 2.2
    wide = T.RandomResizedCrop(8, scale=(1.0, 1.0), ratio=(1.0, 1.0))
    assert wide(image).shape == (8, 8) and wide.params == (0, 10, 40, 40)


def test_normalize_and_to_tensor() -> None:
    scaled = T.ToTensor()(IMAGE)
    assert scaled.dtype == np.float32 and scaled.shape == (3, 6, 8)
    np.testing.assert_allclose(scaled, IMAGE.transpose(2, 0, 1) / 255.0, rtol=1e-6)
    assert T.ToTensor(data_format="HWC")(IMAGE[:, :, 0]).shape == (6, 8, 1)
    assert T.ToTensor()(IMAGE.astype(np.float64)).max() > 1
    mean, std = [0.1, 0.2, 0.3], [0.5, 0.6, 0.7]
    expected = (scaled - np.reshape(mean, (3, 1, 1))) / np.reshape(std, (3, 1, 1))
    np.testing.assert_allclose(T.Normalize(mean, std)(scaled), expected, rtol=1e-5)
    turned = F.normalize(IMAGE, [1, 2, 3], 2.0, data_format="HWC", to_rgb=True)
    np.testing.assert_allclose(turned, (IMAGE[:, :, ::-1] - np.array([1.0, 2, 3])) / 2)
    with pytest.raises(ValueError, match=r"mean has 2 numbers for the 3 channels of an image of shape \(3, 6, 8\)"):
        F.normalize(scaled, [0, 1], 1.0)
    with pytest.raises(ValueError, match="std must not be zero"):
        F.normalize(scaled, 0.0, 0.0)


def test_grayscale_is_the_luma() -> None:
    luma = IMAGE @ np.array([0.299, 0.587, 0.114])
    gray = T.Grayscale()(IMAGE)
    assert gray.shape == (6, 8, 1) and gray.dtype == np.uint8
    np.testing.assert_allclose(gray[:, :, 0], luma, atol=0.51)
    np.testing.assert_array_equal(T.Grayscale(3)(gray), np.repeat(gray, 3, axis=2))
    np.testing.assert_array_equal(F.to_grayscale(gray[:, :, 0]), gray)
    assert np.asarray(T.Grayscale(3)(Image.fromarray(IMAGE))).shape == (6, 8, 3)
    with pytest.raises(ValueError, match="num_output_channels must be 1 or 3, not 2"):
        F.to_grayscale(IMAGE, 2)
    with pytest.raises(ValueError, match="an image has 1 or 3 channels, not 2"):
        F.to_grayscale(IMAGE[:, :, :2])


def test_transpose_and_compose() -> None:
    assert T.Transpose()(IMAGE).shape == (3, 6, 8)
    assert T.Transpose()(IMAGE[:, :, 0]).shape == (1, 6, 8)
    chain = T.Compose([T.Resize((4, 4)), T.Transpose(), lambda image: image + 0.5])
    assert chain(IMAGE).shape == (3, 4, 4)
    assert repr(T.Compose([T.Resize(3)])) == "Compose(Resize)"


def test_fields_of_a_sample_share_their_draw() -> None:
    flip = T.RandomHorizontalFlip(0.5, keys=("image", "image"))
    outcomes = set()
    for index in range(20):
        with sample_scope(0, 0, index):
            first, second, label = flip((IMAGE, IMAGE, 7))
        assert label == 7
        np.testing.assert_array_equal(first, second)
        outcomes.add(bool((first == IMAGE).all()))
    assert outcomes == {True, False}


def test_kinds_of_fields() -> None:
    class Shift(T.BaseTransform):
        def _apply_points(self, points: np.ndarray) -> np.ndarray:
            return points + 1

    assert Shift(keys=("points",))((np.zeros(1), "label"))[0] == 1
    with pytest.raises(NotImplementedError, match="RandomCrop: no method _apply_label for the key 'label'"):
        T.RandomCrop(3, keys=("image", "label"))
    with pytest.raises(NotImplementedError, match="Pad does not transform boxes; define _apply_boxes"):
        T.Pad(3, keys=("image", "boxes"))((IMAGE, np.zeros((1, 4))))
    with pytest.raises(NotImplementedError, match="Pad does not transform masks; define _apply_mask"):
        T.Pad(3, keys=("mask",))(IMAGE)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: T.Resize((4, 4), interpolation="cubic")(IMAGE), "interpolation must be one of .* not 'cubic'"),
        (lambda: T.Resize(0), "Resize: size must be one positive number or .* not 0"),
        (lambda: F.resize(IMAGE, 0), "resize: size must be positive, not 0"),
        (lambda: T.CenterCrop((1, 2, 3)), "must be one positive number or"),
        (lambda: T.ToTensor(data_format="NCHW")(IMAGE), "data_format must be 'CHW' or 'HWC', not 'NCHW'"),
        (lambda: T.RandomHorizontalFlip(2), "prob must lie between 0 and 1, not 2"),
        (lambda: F.image_size(np.zeros(3)), r"an image has shape .* not \(3,\)"),
    ],
)
def test_bad_values_are_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_wrong_kinds_are_named() -> None:
    with pytest.raises(TypeError, match="an image is a numpy array, a PIL image or a Tensor, not list"):
        T.Resize(3)([[1, 2]])
    with pytest.raises(TypeError, match="keys must be a list or tuple, not 'image'"):
        T.Resize(3, keys="image")
    with pytest.raises(NotImplementedError, match="must define _apply_image"):
        T.BaseTransform()(IMAGE)


@pytest.mark.parametrize("kind", [np.asarray, Image.fromarray])
def test_results_larger_than_images_may_be_are_refused_before_they_are_made(kind: Any) -> None:
    limit = r"larger than 120,000,000 pixels \(CORE_MAXIMUM_PIXELS sets the limit\)$"
    with pytest.raises(ValueError, match=f"^resize: an image of 100000000000x1 pixels is {limit}"):
        F.resize(kind(IMAGE), (10**11, 1))
    with pytest.raises(ValueError, match=f"^resize: an image of 1000000x1333333 pixels is {limit}"):
        F.resize(kind(IMAGE), 10**6)
    with pytest.raises(ValueError, match=f"^pad: an image of 2000006x2000008 pixels is {limit}"):
        F.pad(kind(IMAGE), 10**6)
