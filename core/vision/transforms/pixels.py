"""Changing values by tables: the color operations of AutoAugment that are no adjustments. Images are uint8, grey or
RGB.

An array becomes what :mod:`PIL.ImageOps` makes of the PIL image of the same pixels, to the last bit but for sharpness.
"""

from __future__ import annotations

from typing import Callable

import cv2
import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from core.vision.transforms.kinds import Picture, channel_count, image_size, is_integer, is_number


def invert(img: Picture) -> Picture:
    """Return 255 minus each value.

    Args:
        img: a PIL image, or an array, uint8 of shape (H, W), (H, W, 1) or (H, W, 3).

    Returns:
        An image of the same kind.
    """
    if isinstance(img, Image.Image):
        return ImageOps.invert(img)
    _check("invert", img)
    return 255 - img


def solarize(img: Picture, threshold: float) -> Picture:
    """Invert the values that reach a threshold.

    Args:
        img: a PIL image, or an array, uint8 of shape (H, W), (H, W, 1) or (H, W, 3).
        threshold: from 0 (invert all) to 256 (none).

    Returns:
        An image of the same kind.

    Raises:
        ValueError: ``threshold`` is out of range.
    """
    if not is_number(threshold) or not 0 <= threshold <= 256:
        raise ValueError(f"solarize: threshold must lie between 0 and 256, not {threshold!r}")
    if isinstance(img, Image.Image):
        return ImageOps.solarize(img, threshold)  # type: ignore[arg-type]  # Pillow compares with it only, and a float will do
    _check("solarize", img)
    values = np.arange(256)
    return _looked_up(img, np.where(values < threshold, values, 255 - values))


def posterize(img: Picture, bits: int) -> Picture:
    """Keep the upper bits of each value.

    Args:
        img: a PIL image, or an array, uint8 of shape (H, W), (H, W, 1) or (H, W, 3).
        bits: how many, from 1 to 8.

    Returns:
        An image of the same kind.

    Raises:
        ValueError: ``bits`` is out of range.
    """
    if not is_integer(bits) or not 1 <= bits <= 8:
        raise ValueError(f"posterize: bits must be a whole number from 1 to 8, not {bits!r}")
    if isinstance(img, Image.Image):
        return ImageOps.posterize(img, bits)
    _check("posterize", img)
    return img & np.uint8(256 - 2 ** (8 - bits))


def autocontrast(img: Picture) -> Picture:
    """Spread each channel's values over 0 to 255.

    Args:
        img: a PIL image, or an array, uint8 of shape (H, W), (H, W, 1) or (H, W, 3).

    Returns:
        An image of the same kind; a channel of one value stays as it is.
    """
    if isinstance(img, Image.Image):
        return ImageOps.autocontrast(img)
    _check("autocontrast", img)
    return _by_channel(img, _spread)


def equalize(img: Picture) -> Picture:
    """Make each channel's values equally frequent.

    Args:
        img: a PIL image, or an array, uint8 of shape (H, W), (H, W, 1) or (H, W, 3).

    Returns:
        An image of the same kind; a channel of one value stays as it is.
    """
    if isinstance(img, Image.Image):
        return ImageOps.equalize(img)
    _check("equalize", img)
    return _by_channel(img, _equal)


def adjust_sharpness(img: Picture, sharpness_factor: float) -> Picture:
    """Multiply the distance of an image's values from those of the smoothed image.

    Args:
        img: a PIL image, or an array, uint8 of shape (H, W), (H, W, 1) or (H, W, 3).
        sharpness_factor: 0 gives a smoothed image, 1 the image itself, 2 a sharpened one.

    Returns:
        An image of the same kind.

    Raises:
        ValueError: the factor is negative.
    """
    if not is_number(sharpness_factor) or not sharpness_factor >= 0:
        raise ValueError(
            f"adjust_sharpness: sharpness_factor must be a number that is not negative, not {sharpness_factor!r}"
        )
    if isinstance(img, Image.Image):
        return ImageEnhance.Sharpness(img).enhance(sharpness_factor)
    _check("adjust_sharpness", img)
    if min(img.shape[:2]) < 3:
        return img
    kernel = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], dtype=np.float32) / 13
    smooth = img.copy()  # the rim is not smoothed
    smooth[1:-1, 1:-1] = cv2.filter2D(img, -1, kernel).reshape(img.shape)[1:-1, 1:-1]
    return cv2.addWeighted(img, sharpness_factor, smooth, 1.0 - sharpness_factor, 0.0).reshape(img.shape)


def _spread(channel: np.ndarray) -> np.ndarray:
    low, high = int(channel.min()), int(channel.max())
    if low == high:
        return np.arange(256)
    scale = 255.0 / (high - low)
    return np.clip((np.arange(256) * scale - low * scale).astype(np.int64), 0, 255)


def _equal(channel: np.ndarray) -> np.ndarray:
    counts = np.bincount(channel.ravel(), minlength=256)
    present = counts[counts > 0]
    step = int(present.sum() - present[-1]) // 255
    if len(present) < 2 or step == 0:
        return np.arange(256)
    below = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return np.minimum((step // 2 + below) // step, 255)


def _by_channel(img: np.ndarray, table: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    channels = img[:, :, None] if img.ndim == 2 else img
    tables = [table(channels[:, :, i]) for i in range(channels.shape[2])]
    return _looked_up(img, np.stack(tables, axis=1) if len(tables) > 1 else tables[0])


def _looked_up(img: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Replace each value by its entry in a table of shape (256,), or (256, C) with a column for each channel."""
    shape = (1, 256) if table.ndim == 1 else (1, 256, table.shape[1])
    return cv2.LUT(img, table.astype(np.uint8).reshape(shape)).reshape(img.shape)


def _check(name: str, img: Picture) -> None:
    image_size(img)
    if not isinstance(img, np.ndarray) or img.dtype != np.uint8 or channel_count(img) not in (1, 3):
        kind = f"{img.dtype} of shape {tuple(img.shape)}"
        raise ValueError(f"{name}: an image is uint8 of shape (H, W), (H, W, 1) or (H, W, 3), not {kind}")
