"""Attributes of drawn faces, measured by program: right on fresh faces, and still so after what generators do."""

from __future__ import annotations

import functools
from typing import Callable

import cv2
import numpy as np
import pytest

from PaddleGAN.data import FACE_ATTRIBUTES, Faces
from PaddleGAN.metrics import AttributeEditing, attribute_margins, measure_attributes

Harm = Callable[[np.ndarray], np.ndarray]


@functools.cache
def faces(count: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    dataset = Faces(count, size=size, seed=1234)
    images, attributes = zip(*(dataset[index] for index in range(count)))
    return np.stack(images), np.stack(attributes) > 0.5


def as_numbers(images: np.ndarray) -> np.ndarray:
    return (images.transpose(0, 3, 1, 2) / 127.5 - 1).astype(np.float32)


def blurred(image: np.ndarray) -> np.ndarray:
    return cv2.GaussianBlur(image, (0, 0), 1.0)


def noisy(image: np.ndarray) -> np.ndarray:
    noise = np.random.RandomState(int(image[0, 0, 0])).normal(0, 8, image.shape)
    return np.clip(np.rint(image + noise), 0, 255).astype(np.uint8)


def compressed(image: np.ndarray) -> np.ndarray:
    _, data = cv2.imencode(".jpg", image[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 60])
    return cv2.imdecode(data, cv2.IMREAD_COLOR)[:, :, ::-1]


def all_of_it(image: np.ndarray) -> np.ndarray:
    return compressed(noisy(blurred(image)))


@pytest.mark.parametrize(("count", "size"), [(120, 64), (30, 128)])
def test_right_on_fresh_faces(count: int, size: int) -> None:
    images, attributes = faces(count, size)
    shares = (measure_attributes(images) == attributes).mean(axis=0)
    assert (shares >= 0.995).all(), dict(zip(FACE_ATTRIBUTES, shares))


@pytest.mark.parametrize("harm", [blurred, noisy, compressed, all_of_it])
def test_right_after_harm(harm: Harm) -> None:
    images, attributes = faces(120, 64)
    harmed = np.stack([harm(image) for image in images[:60]])
    shares = (measure_attributes(harmed) == attributes[:60]).mean(axis=0)
    assert (shares >= 0.97).all(), dict(zip(FACE_ATTRIBUTES, shares))


def test_generators_numbers_are_measured_as_bytes_are() -> None:
    images, attributes = faces(120, 64)
    margins = attribute_margins(as_numbers(images[:5]))
    assert margins.shape == (5, 9) and margins.dtype == np.float32
    assert np.allclose(margins, attribute_margins(images[:5]), atol=1e-3)
    assert ((margins > 0) == attributes[:5]).all()


@pytest.mark.parametrize("kind", ["black", "noise"])
def test_anything_can_be_measured(kind: str) -> None:
    images = np.zeros((2, 64, 64, 3), np.uint8)
    if kind == "noise":
        images = np.random.RandomState(0).randint(0, 256, images.shape, dtype=np.uint8)
    margins = attribute_margins(images)
    assert np.isfinite(margins).all()
    colors = [FACE_ATTRIBUTES.index(name) for name in ("Black_Hair", "Blond_Hair", "Brown_Hair")]
    assert ((margins[:, colors] > 0).sum(axis=1) == 1).all()


def test_refusals() -> None:
    with pytest.raises(ValueError, match="attributes: they are measured on images in color; these are grey"):
        measure_attributes(np.zeros((1, 64, 64, 1), np.uint8))
    with pytest.raises(ValueError, match=r"attributes: images are bytes .* not float64 of shape \(64, 64, 3\)"):
        measure_attributes(np.zeros((64, 64, 3)))


def test_what_is_no_number_has_no_attribute() -> None:
    assert not measure_attributes(np.full((1, 3, 64, 64), np.nan, np.float32)).any()


def test_no_images_have_no_attributes() -> None:
    assert measure_attributes(np.zeros((0, 64, 64, 3), np.uint8)).shape == (0, 9)


def test_editing_is_judged_by_what_is_on_the_picture() -> None:
    names = ["Eyeglasses", "Mustache", "Blond_Hair"]
    plain = Faces(4, attributes=names, fixed={"Eyeglasses": False})
    worn = Faces(4, attributes=names, fixed={"Eyeglasses": True})
    before = np.stack([plain[index][1] for index in range(4)])
    wanted = np.stack([worn[index][1] for index in range(4)])
    # of four faces that should get glasses the last one does not
    edited = np.stack([worn[0][0], worn[1][0], worn[2][0], plain[3][0]])
    metric = AttributeEditing(names)
    metric.update(edited[:3], wanted[:3], (wanted != before)[:3])
    metric.update(edited[3:], wanted[3:], (wanted != before)[3:])
    assert metric.accumulate() == [0.75, 1.0] and metric.name() == ["editing_accuracy", "attributes_kept"]
    assert metric.by_attribute() == {"Eyeglasses": [0.75, 0.0], "Mustache": [0.0, 1.0], "Blond_Hair": [0.0, 1.0]}
    metric.reset()
    assert metric.accumulate() == [0.0, 0.0]


def test_editing_by_a_classifier() -> None:
    metric = AttributeEditing(["Male", "Young"], measure=lambda images: images > 0)
    metric.update(np.array([[1, -1], [1, 1]]), np.array([[1, 0], [0, 1]]), np.array([[1, 0], [1, 0]]))
    assert metric.accumulate() == [0.5, 1.0]
    with pytest.raises(ValueError, match=r"wanted ones of \(2, 3\) and changes of \(2, 2\) do not fit"):
        metric.update(np.ones((2, 2)), np.ones((2, 3)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="AttributeEditing: 'Male' cannot be measured by program; give a classifier"):
        AttributeEditing(["Bald", "Male"])
