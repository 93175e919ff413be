"""Moving pixels to places between others: affine maps, rotations, perspective.

A map is written as a matrix from a place in the result to its place in the image, x to the right and y down, where
pixel (row i, column j) covers the square from (j, i) to (j + 1, i + 1). This is Pillow's convention, so an array gives
what the PIL image of the same pixels gives; only at the rim, bilinear and bicubic values of an array blend into
``fill``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import cv2
import numpy as np
from PIL import Image

from core.vision.transforms.geometry import OPENCV_INTERPOLATION, PIL_INTERPOLATION
from core.vision.transforms.kinds import (
    Fill,
    Picture,
    channel_count,
    channels_last,
    check_opencv_type,
    fill_values,
    image_size,
    is_number,
)

INTERPOLATIONS = ("nearest", "bilinear", "bicubic")
Points = Sequence[Sequence[float]]


@channels_last
def affine(
    img: Picture,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Union[float, Sequence[float]],
    interpolation: str = "nearest",
    fill: Fill = 0,
    center: Optional[Sequence[float]] = None,
) -> Picture:
    """Shear, rotate, scale and shift an image, which keeps its size.

    Args:
        img: the image.
        angle: degrees, clockwise.
        translate: pixels to the right and down.
        scale: factor; positive.
        shear: degrees along x, or (along x, along y).
        interpolation: "nearest", "bilinear" or "bicubic".
        fill: the value outside the image, one for all channels or one for each.
        center: (x, y) that stays in place but for ``translate``, in pixels from the upper left corner; None: the
            middle.

    Returns:
        The moved image.

    Raises:
        TypeError: an argument is of the wrong kind.
        ValueError: an argument is out of range.
    """
    if not is_number(angle):
        raise TypeError(f"affine: angle must be a number of degrees, not {angle!r}")
    shift = _two_numbers("affine: translate", translate)
    if not is_number(scale) or scale <= 0:
        raise ValueError(f"affine: scale must be a positive number, not {scale!r}")
    slants = (float(shear), 0.0) if is_number(shear) else _two_numbers("affine: shear", shear)
    height, width = image_size(img)
    middle = (width * 0.5, height * 0.5) if center is None else _two_numbers("affine: center", center)
    matrix = np.linalg.inv(_affine_matrix(angle, shift, scale, slants, middle))
    return warp("affine", img, matrix, (height, width), interpolation, fill)


@channels_last
def rotate(
    img: Picture,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Optional[Sequence[float]] = None,
    fill: Fill = 0,
) -> Picture:
    """Rotate an image.

    Args:
        img: the image.
        angle: degrees, counter-clockwise.
        interpolation: "nearest", "bilinear" or "bicubic".
        expand: make the result large enough to hold the whole image, rotated around its middle.
        center: (x, y) that stays in place, in pixels from the upper left corner; None: the middle.
        fill: the value outside the image, one for all channels or one for each.

    Returns:
        The rotated image.

    Raises:
        TypeError: ``angle`` is no number.
        ValueError: another argument is unknown.
    """
    if not is_number(angle):
        raise TypeError(f"rotate: angle must be a number of degrees, not {angle!r}")
    height, width = image_size(img)
    middle = (width * 0.5, height * 0.5) if center is None else _two_numbers("rotate: center", center)
    matrix = np.linalg.inv(_affine_matrix(-angle, (0.0, 0.0), 1.0, (0.0, 0.0), middle))
    matrix = np.round(matrix, 12)  # multiples of 90 degrees move pixels exactly
    size = (height, width)
    if expand:
        corners = np.round(np.linalg.inv(matrix) @ [[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1]], 9)
        upper, lower = np.ceil(corners[:2].max(axis=1)), np.floor(corners[:2].min(axis=1))
        wide, high = (upper - lower).astype(int).tolist()
        size = (high, wide)
        matrix = matrix @ _shift((width - wide) / 2.0, (height - high) / 2.0)
    return warp("rotate", img, matrix, size, interpolation, fill)


@channels_last
def perspective(
    img: Picture, startpoints: Points, endpoints: Points, interpolation: str = "nearest", fill: Fill = 0
) -> Picture:
    """Move four points of an image to four places, and everything between as a plane in space would.

    Args:
        img: the image.
        startpoints: four (x, y) in pixels: upper left, upper right, lower right, lower left.
        endpoints: where they shall be.
        interpolation: "nearest", "bilinear" or "bicubic".
        fill: the value outside the image, one for all channels or one for each.

    Returns:
        The moved image; it keeps its size.

    Raises:
        ValueError: these are not the four corners of a convex figure each, or an argument is unknown.
    """
    return warp("perspective", img, homography(startpoints, endpoints), image_size(img), interpolation, fill)


def homography(startpoints: Points, endpoints: Points) -> np.ndarray:
    """Return the map that takes four end points to the start points, as a plane in space would move.

    Args:
        startpoints: four (x, y): the corners of a convex figure, in order.
        endpoints: likewise.

    Returns:
        Shape (3, 3), for places (x, y, 1).

    Raises:
        ValueError: these are no such corners, or the place (0, 0) would come from infinitely far away.
    """
    start, end = _four_corners("startpoints", startpoints), _four_corners("endpoints", endpoints)
    rows, values = [], []
    for (x, y), (u, v) in zip(end, start):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    solution = _solved(np.array(rows, np.longdouble), np.array(values, np.longdouble))
    if solution is None:
        raise ValueError(f"perspective: the endpoints {endpoints!r} tilt the image too far; move one of them")
    return np.append(solution, 1.0).reshape(3, 3)


def _solved(rows: np.ndarray, values: np.ndarray) -> Optional[np.ndarray]:
    """Solve linear equations; None where they have no single solution. NumPy's answer depends on the processor."""
    table = np.column_stack([rows, values])
    for i in range(len(table)):
        pivot = i + int(np.abs(table[i:, i]).argmax())
        if abs(table[pivot, i]) < 1e-12 * np.abs(rows).max():
            return None
        table[[i, pivot]] = table[[pivot, i]]
        table[i] /= table[i, i]
        others = np.arange(len(table)) != i
        table[others] -= table[others, i : i + 1] * table[i]
    return table[:, -1].astype(np.float64)


def warp(
    name: str, img: Any, matrix: np.ndarray, size: tuple[int, int], interpolation: str, fill: Fill
) -> Union[np.ndarray, Image.Image]:
    """Fill a result: each place takes the value at the place that a matrix sends it to.

    Args:
        name: the transform, for messages.
        img: a PIL image, or an array of shape (H, W) or (H, W, C).
        matrix: shape (3, 3), for places (x, y, 1).
        size: (height, width) of the result.
        interpolation: "nearest", "bilinear" or "bicubic".
        fill: the value outside the image, one for all channels or one for each.

    Returns:
        An image of the same kind.

    Raises:
        ValueError: ``interpolation`` or ``fill`` is unknown.
    """
    if interpolation not in INTERPOLATIONS:
        raise ValueError(f"{name}: interpolation must be one of {', '.join(INTERPOLATIONS)}, not {interpolation!r}")
    if isinstance(img, Image.Image):
        values = fill_values(name, fill, len(img.getbands()))
        return img.transform(
            size[::-1],
            Image.Transform.PERSPECTIVE if matrix[2, :2].any() else Image.Transform.AFFINE,
            (matrix / matrix[2, 2]).reshape(9)[: 8 if matrix[2, :2].any() else 6].tolist(),
            PIL_INTERPOLATION[interpolation],
            fillcolor=values[0] if len(values) == 1 else values,
        )
    check_opencv_type(name, img, interpolation)
    values = fill_values(name, fill, channel_count(img))
    centered = _shift(-0.5, -0.5) @ matrix @ _shift(0.5, 0.5)  # OpenCV counts from the middle of the first pixel
    flags = OPENCV_INTERPOLATION[interpolation] | cv2.WARP_INVERSE_MAP
    if img.ndim == 3 and img.shape[2] > 4:
        channels = [_opencv_warp(img[:, :, i], centered, size, flags, values[i : i + 1]) for i in range(img.shape[2])]
        return np.stack(channels, axis=2)
    return _opencv_warp(img, centered, size, flags, values).reshape(*size, *img.shape[2:])


def _opencv_warp(
    img: np.ndarray, matrix: np.ndarray, size: tuple[int, int], flags: int, fill: Sequence[float]
) -> np.ndarray:
    if matrix[2, :2].any():
        return cv2.warpPerspective(img, matrix, size[::-1], flags=flags, borderValue=fill)
    return cv2.warpAffine(img, matrix[:2] / matrix[2, 2], size[::-1], flags=flags, borderValue=fill)


def _affine_matrix(
    angle: float, shift: Sequence[float], scale: float, shear: Sequence[float], center: Sequence[float]
) -> np.ndarray:
    """Return the map from image to result: shear along x, along y, rotate, scale, all around center, and shift."""
    turn, along_x, along_y = (math.radians(value) for value in (angle, shear[0], shear[1]))
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    slant = np.array([[1.0, 0.0], [-math.tan(along_y), 1.0]]) @ np.array([[1.0, -math.tan(along_x)], [0.0, 1.0]])
    linear = np.eye(3)
    linear[:2, :2] = scale * rotation @ slant
    return _shift(center[0] + shift[0], center[1] + shift[1]) @ linear @ _shift(-center[0], -center[1])


def _shift(x: float, y: float) -> np.ndarray:
    return np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]])


def _two_numbers(name: str, value: Any) -> tuple[float, float]:
    if not isinstance(value, (list, tuple)) or not all(map(is_number, value)):
        raise TypeError(f"{name} must be a list or tuple of two numbers, not {value!r}")
    if len(value) != 2:
        raise ValueError(f"{name} must have two numbers, not {len(value)}")
    return float(value[0]), float(value[1])


def _four_corners(name: str, points: Points) -> np.ndarray:
    try:
        corners = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        corners = np.empty(0)
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise ValueError(f"perspective: {name} must be four points (x, y), not {points!r}")
    sides = np.roll(corners, -1, axis=0) - corners
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    if not ((turns > 0).all() or (turns < 0).all()):
        raise ValueError(f"perspective: the {name} {points!r} are not the corners of a convex figure; move one of them")
    return corners
