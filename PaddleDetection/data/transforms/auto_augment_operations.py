"""What AutoAugment's operations do to pixels, and to boxes; see :mod:`PaddleDetection.data.transforms.auto_augment`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

import cv2
import numpy as np
from PIL import Image, ImageEnhance

from core.io.randomness import numpy_random

GREY = 128
GAP = 0.05
"""A box of no height or width at a border is moved so far into the image."""


def pixels(boxes: np.ndarray, shape: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the first and the last column and row of boxes, as (x1, y1, x2, y2) each.

    Args:
        boxes: corners in shares of the image (G, 4).
        shape: of the image, height first.
    """
    corners = (boxes.astype(np.float64) * ([shape[1], shape[0]] * 2)).astype(int)
    corners[:, 2:] = np.minimum(corners[:, 2:], [shape[1] - 1, shape[0] - 1])
    return [tuple(row) for row in corners.tolist()]


def blended(first: np.ndarray, second: np.ndarray, factor: float) -> np.ndarray:
    """Return an image between two, or beyond the second: first + factor x (second - first), uint8."""
    if factor in (0.0, 1.0):
        return second if factor else first
    mixed = first.astype(np.float32) + factor * (second.astype(np.float32) - first.astype(np.float32))
    return np.clip(mixed, 0, 255).astype(np.uint8)


def color(image: np.ndarray, factor: float) -> np.ndarray:
    """Return the image more or less colourful."""
    grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return blended(grey, image, factor)


def sharpness(image: np.ndarray, factor: float) -> np.ndarray:
    """Return the image smoother or sharper."""
    kernel = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13
    return blended(cv2.filter2D(image.astype(np.float32), -1, kernel).astype(np.uint8), image, factor)


def auto_contrast(image: np.ndarray, _: float) -> np.ndarray:
    """Return the image with each channel stretched from 0 to 255."""
    result = image.copy()
    for channel in range(3):
        least, largest = float(image[..., channel].min()), float(image[..., channel].max())
        if largest > least:
            scale = 255.0 / (largest - least)
            result[..., channel] = (image[..., channel].astype(np.float32) * scale - least * scale).astype(np.uint8)
    return result


def equalize(image: np.ndarray, _: float) -> np.ndarray:
    """Return the image with values spread so that all are about as frequent, in each channel."""
    result = image.copy()
    for channel in range(3):
        counts = np.bincount(image[..., channel].reshape(-1), minlength=256)
        step = (counts.sum() - counts[np.flatnonzero(counts)[-1]]) // 255
        if step:
            table = np.concatenate([[0], (np.cumsum(counts) + step // 2)[:-1] // step])
            result[..., channel] = np.clip(table, 0, 255).astype(np.uint8)[image[..., channel]]
    return result


def solarize_add(image: np.ndarray, added: float) -> np.ndarray:
    """Return the image with a number added to what is dark."""
    lifted = np.clip(image.astype(np.int64) + int(added), 0, 255).astype(np.uint8)
    return np.where(image < 128, lifted, image)


def posterize(image: np.ndarray, bits: float) -> np.ndarray:
    """Return the image with so many bits for each value."""
    shift = 8 - int(bits)
    return np.left_shift(np.right_shift(image, shift), shift)


def cutout(image: np.ndarray, reach: float) -> np.ndarray:
    """Return the image with a grey square of twice the reach around a random point."""
    y, x = numpy_random().randint(0, image.shape[0]), numpy_random().randint(0, image.shape[1])
    return _greyed(image, y, x, int(reach), int(reach))


def cut_out_of_a_box(image: np.ndarray, boxes: np.ndarray, share: float) -> np.ndarray:
    """Return the image with a grey rectangle around a random point of one of the boxes.

    Args:
        image: uint8 (H, W, 3).
        boxes: corners in shares of the image (G, 4).
        share: of the rectangle's sides and the box's.
    """
    box = boxes[numpy_random().randint(0, len(boxes), dtype=np.int32)].astype(np.float64)
    left, top, right, bottom = (box * ([image.shape[1], image.shape[0]] * 2)).astype(int).tolist()
    down, across = int(share * ((bottom - top + 1) / 2)), int(share * ((right - left + 1) / 2))
    y = numpy_random().randint(top, bottom + 1, dtype=np.int32)
    x = numpy_random().randint(left, right + 1, dtype=np.int32)
    return _greyed(image, int(y), int(x), down, across)


def _greyed(image: np.ndarray, y: int, x: int, down: int, across: int) -> np.ndarray:
    image = image.copy()
    image[max(y - down, 0) : y + down, max(x - across, 0) : x + across] = GREY
    return image


def _moved(image: np.ndarray, move: Callable[[Image.Image], Image.Image]) -> np.ndarray:
    """Return an image after a move of Pillow's, grey where nothing comes to lie."""
    known = np.full((*image.shape[:2], 1), 255, np.uint8)
    moved = np.array(move(Image.fromarray(np.concatenate([image, known], axis=2))))
    return np.where(moved[..., 3:] == 0, np.uint8(GREY), moved[..., :3])


def _affine(*numbers: float) -> Callable[[Image.Image], Image.Image]:
    return lambda picture: picture.transform(picture.size, Image.Transform.AFFINE, numbers)


OF_PIXELS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "AutoContrast": auto_contrast,
    "Equalize": equalize,
    "Posterize": posterize,
    "Solarize": lambda image, threshold: np.where(image < threshold, image, 255 - image),
    "SolarizeAdd": solarize_add,
    "Color": color,
    "Contrast": lambda image, factor: np.array(ImageEnhance.Contrast(Image.fromarray(image)).enhance(factor)),
    "Brightness": lambda image, factor: blended(np.zeros_like(image), image, factor),
    "Sharpness": sharpness,
    "Cutout": cutout,
    "Rotate": lambda image, degrees: _moved(image, lambda picture: picture.rotate(degrees)),
    "TranslateX": lambda image, shift: _moved(image, _affine(1, 0, shift, 0, 1, 0)),
    "TranslateY": lambda image, shift: _moved(image, _affine(1, 0, 0, 0, 1, shift)),
    "ShearX": lambda image, level: _moved(image, _affine(1, level, 0, 0, 1, 0)),
    "ShearY": lambda image, level: _moved(image, _affine(1, 0, 0, level, 1, 0)),
    "Flip": lambda image, _: image[:, ::-1],
}
"""Name to what is done to an image, uint8 (H, W, 3), with a strength."""


def _within(corners: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Return corners in pixels (G, 4) as shares of the image, clipped, and with an area."""
    shares = np.clip(corners / sides, 0.0, 1.0)
    flat = np.abs(shares[:, 2:] - shares[:, :2]) <= 1e-8
    shares[:, :2] = np.where(flat, np.minimum(shares[:, :2], 1 - GAP), shares[:, :2])
    shares[:, 2:] = np.where(flat, np.maximum(shares[:, 2:], GAP), shares[:, 2:])
    return shares.astype(np.float32)


def _corners(boxes: np.ndarray, sides: np.ndarray, middle: float = 0.0) -> np.ndarray:
    """Return the four corners of boxes as whole pixels from a point, float32 (G, 4, 2): x and y of each."""
    whole = np.trunc(sides * (boxes.astype(np.float64) - middle)).astype(np.float32)
    return whole[:, [0, 1, 2, 1, 0, 3, 2, 3]].reshape(-1, 4, 2)


def _around(corners: np.ndarray) -> np.ndarray:
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)


def _translated(axis: int) -> Callable[[np.ndarray, float, Sequence[int]], np.ndarray]:
    def boxes_of(boxes: np.ndarray, shift: float, shape: Sequence[int]) -> np.ndarray:
        sides = np.array([shape[1], shape[0]] * 2, np.float64)
        corners = np.trunc(boxes.astype(np.float64) * sides)
        corners[:, axis] = np.maximum(corners[:, axis] - int(shift), 0)
        corners[:, axis + 2] = np.minimum(corners[:, axis + 2] - int(shift), sides[axis])
        return _within(corners, sides)

    return boxes_of


def _sheared(axis: int) -> Callable[[np.ndarray, float, Sequence[int]], np.ndarray]:
    def boxes_of(boxes: np.ndarray, level: float, shape: Sequence[int]) -> np.ndarray:
        sides = np.array([shape[1], shape[0]] * 2, np.float64)
        corners = _corners(boxes, sides)
        corners[..., axis] -= np.float32(level) * corners[..., 1 - axis]
        return _within(_around(np.trunc(corners)).astype(np.float64), sides)

    return boxes_of


def _rotated(boxes: np.ndarray, degrees: float, shape: Sequence[int]) -> np.ndarray:
    sides = np.array([shape[1], shape[0]] * 2, np.float64)
    corners = _corners(boxes, sides, 0.5).astype(np.float64)
    cosine, sine = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    x, y = corners[..., 0], corners[..., 1]
    turned = np.stack([np.trunc(cosine * x + sine * y), np.trunc(cosine * y - sine * x)], axis=-1)
    return _within(_around(turned) + sides / 2, sides)


OF_BOXES: dict[str, Callable[[np.ndarray, float, Sequence[int]], np.ndarray]] = {
    "Rotate": _rotated,
    "TranslateX": _translated(0),
    "TranslateY": _translated(1),
    "ShearX": _sheared(0),
    "ShearY": _sheared(1),
}
"""Name to what becomes of boxes, corners in shares (G, 4), with the strength and the image's shape."""
