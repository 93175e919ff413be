"""Bicubic resizing as MATLAB's imresize does it, by which the small pictures of super-resolution are defined.

The kernel is Keys' cubic with a = -0.5 (https://doi.org/10.1109/TASSP.1981.1163711). To make a picture smaller the
kernel is widened by the factor, so that it averages; pixels beyond the border mirror those within it. Rows come first,
then columns (the stronger reduction first where the two differ), and bytes are rounded after each, as in MATLAB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Union

import numpy as np

KERNEL_WIDTH = 4.0


def imresize(image: np.ndarray, scale: Union[float, Sequence[int]]) -> np.ndarray:
    """Resize a picture.

    Args:
        image: (H, W, C) or (H, W); uint8, or floating point.
        scale: a factor: sides become that times as long, rounded up; or (height, width) of the result.

    Returns:
        The same type and channels.

    Raises:
        ValueError: the factor or a side is not positive, or the picture has no pixels.
    """
    sides = image.shape[:2]
    if isinstance(scale, (int, float)):
        factors = [float(scale)] * 2
        wanted = [math.ceil(side * scale) for side in sides]
    else:
        wanted = [int(side) for side in scale]
        factors = [after / before if before else 0.0 for before, after in zip(sides, wanted)]
    if len(wanted) != 2 or min(sides) < 1 or min(wanted) < 1 or min(factors) <= 0:
        raise ValueError(f"imresize: pictures of {list(sides)} pixels cannot be resized by {scale}")
    for axis in sorted((0, 1), key=lambda axis: factors[axis]):
        image = _along(image, axis, wanted[axis], factors[axis])
    return image


def _along(image: np.ndarray, axis: int, length: int, factor: float) -> np.ndarray:
    """Resize one axis."""
    weights, places = contributions(image.shape[axis], length, factor)
    moved = np.moveaxis(image, axis, 0)
    result = np.zeros((length, *moved.shape[1:]), np.float64)
    for tap in range(weights.shape[1]):
        result += weights[:, tap].reshape(-1, *[1] * (moved.ndim - 1)) * moved[places[:, tap]]
    if image.dtype == np.uint8:
        result = np.floor(result.clip(0, 255) + 0.5)
    return np.ascontiguousarray(np.moveaxis(result, 0, axis)).astype(image.dtype)


def contributions(before: int, after: int, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how much each pixel of a row gives to each pixel of the resized one.

    Args:
        before: pixels of the row.
        after: pixels of the resized row.
        factor: by which its pixels are closer together; not after / before where that was rounded up.

    Returns:
        Weights, float64 (after, taps), each row with the sum 1, and the pixels' numbers, (after, taps).
    """
    shrink = min(factor, 1.0)
    width = KERNEL_WIDTH / shrink
    centers = (np.arange(after) + 0.5) / factor - 0.5
    first = np.floor(centers - width / 2).astype(np.int64) + 1
    places = first[:, None] + np.arange(math.ceil(width) + 1)
    weights = shrink * cubic(shrink * (centers[:, None] - places))
    weights /= weights.sum(axis=1, keepdims=True)
    mirrored = np.concatenate([np.arange(before), np.arange(before)[::-1]])
    used = weights.any(axis=0)
    return weights[:, used], mirrored[places[:, used] % (2 * before)]


def cubic(distance: np.ndarray) -> np.ndarray:
    """Return Keys' kernel with a = -0.5, which is 0 from a distance of 2."""
    far = np.abs(distance)
    near = 1.5 * far**3 - 2.5 * far**2 + 1
    middle = -0.5 * far**3 + 2.5 * far**2 - 4 * far + 2
    return np.where(far <= 1, near, np.where(far <= 2, middle, 0.0))
