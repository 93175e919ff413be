"""Changing colors: grey, brightness, contrast, saturation, hue.

An array holds red, green and blue in this order, or grey; in uint8 from 0 to 255, in floating point from 0 to 1. It
becomes what the PIL image of the same pixels becomes, but for one or two steps in saturation and a few in hue.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageEnhance

from core.vision.transforms.kinds import Picture, channel_count, channels_last, is_number

UNCOLORED_MODES = ("1", "L", "I", "F", "I;16")


@channels_last
def to_grayscale(img: Picture, num_output_channels: int = 1) -> Picture:
    """Return the brightness of an image: 0.299 R + 0.587 G + 0.114 B.

    Args:
        img: the image, in RGB, RGBA (whose transparency is dropped) or grey.
        num_output_channels: 1, or 3 for three equal channels.

    Returns:
        An array of shape (H, W, 1) or (H, W, 3), a PIL image of mode L or RGB, or a Tensor with as many channels.

    Raises:
        ValueError: ``num_output_channels`` is neither, or the image has other channels.
    """
    if num_output_channels not in (1, 3):
        raise ValueError(f"to_grayscale: num_output_channels must be 1 or 3, not {num_output_channels!r}")
    if isinstance(img, Image.Image):
        return img.convert("L") if num_output_channels == 1 else img.convert("L").convert("RGB")
    if channel_count(img) == 4:
        img = np.ascontiguousarray(img[:, :, :3])
    _check_array("to_grayscale", img)
    return np.repeat(_gray(img)[:, :, None], num_output_channels, axis=2)


@channels_last
def adjust_brightness(img: Picture, brightness_factor: float) -> Picture:
    """Multiply an image's values.

    Args:
        img: the image.
        brightness_factor: 0 gives black, 1 the image itself, 2 twice the brightness.

    Returns:
        The adjusted image.

    Raises:
        ValueError: the factor is negative, or the image is neither grey nor RGB.
        TypeError: the array's type is neither uint8 nor floating point.
    """
    factor = _factor("adjust_brightness", "brightness_factor", brightness_factor)
    if isinstance(img, Image.Image):
        return _enhanced("adjust_brightness", ImageEnhance.Brightness, img, factor)
    _check_array("adjust_brightness", img)
    return _blend_with_number(img, 0.0, factor)


@channels_last
def adjust_contrast(img: Picture, contrast_factor: float) -> Picture:
    """Multiply the distance of an image's values from their mean brightness.

    Args:
        img: the image.
        contrast_factor: 0 gives plain grey, 1 the image itself, 2 twice the contrast.

    Returns:
        The adjusted image.

    Raises:
        ValueError: the factor is negative, or the image is neither grey nor RGB.
        TypeError: the array's type is neither uint8 nor floating point.
    """
    factor = _factor("adjust_contrast", "contrast_factor", contrast_factor)
    if isinstance(img, Image.Image):
        return _enhanced("adjust_contrast", ImageEnhance.Contrast, img, factor)
    _check_array("adjust_contrast", img)
    mean = float(_gray(img).mean())
    return _blend_with_number(img, float(int(mean + 0.5)) if img.dtype == np.uint8 else mean, factor)


@channels_last
def adjust_saturation(img: Picture, saturation_factor: float) -> Picture:
    """Multiply the distance of an image's colors from grey.

    Args:
        img: the image; a grey one stays as it is.
        saturation_factor: 0 gives a grey image, 1 the image itself, 2 twice the saturation.

    Returns:
        The adjusted image.

    Raises:
        ValueError: the factor is negative, or the image is neither grey nor RGB.
        TypeError: the array's type is neither uint8 nor floating point.
    """
    factor = _factor("adjust_saturation", "saturation_factor", saturation_factor)
    if isinstance(img, Image.Image):
        return _enhanced("adjust_saturation", ImageEnhance.Color, img, factor)
    _check_array("adjust_saturation", img)
    if channel_count(img) == 1:
        return img
    gray = np.repeat(_gray(img)[:, :, None], 3, axis=2)
    if img.dtype == np.uint8:
        return cv2.addWeighted(img, factor, gray, 1.0 - factor, 0.0)
    return np.clip(gray + factor * (img - gray), 0, 1).astype(img.dtype)


@channels_last
def adjust_hue(img: Picture, hue_factor: float) -> Picture:
    """Turn an image's hues around the color circle.

    Args:
        img: the image; a grey one stays as it is.
        hue_factor: in turns, from -0.5 to 0.5: red becomes green at 1/3; both ends give the complementary colors.

    Returns:
        The adjusted image.

    Raises:
        ValueError: the factor is out of range, or the image is neither grey nor RGB.
        TypeError: the array's type is neither uint8 nor floating point.
    """
    if not is_number(hue_factor) or not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"adjust_hue: hue_factor must lie between -0.5 and 0.5, not {hue_factor!r}")
    if isinstance(img, Image.Image):
        return _adjust_pil_hue(img, hue_factor)
    _check_array("adjust_hue", img)
    if channel_count(img) == 1 or hue_factor == 0:
        return img
    if img.dtype == np.uint8:
        wheel = cv2.cvtColor(img, cv2.COLOR_RGB2HSV_FULL)
        wheel[:, :, 0] = wheel[:, :, 0] + np.uint8(int(hue_factor * 255) % 256)  # turns around at 256
        return cv2.cvtColor(wheel, cv2.COLOR_HSV2RGB_FULL)
    wheel = cv2.cvtColor(img.astype(np.float32), cv2.COLOR_RGB2HSV)
    wheel[:, :, 0] = (wheel[:, :, 0] + 360.0 * hue_factor) % 360.0
    return np.clip(cv2.cvtColor(wheel, cv2.COLOR_HSV2RGB), 0, 1).astype(img.dtype)


def _enhanced(name: str, enhancer: Any, img: Image.Image, factor: float) -> Image.Image:
    try:
        return enhancer(img).enhance(factor)
    except ValueError:
        raise ValueError(f"{name}: a PIL image of mode {img.mode} has no such colors; convert it to L or RGB") from None


def _adjust_pil_hue(img: Image.Image, factor: float) -> Image.Image:
    if img.mode in UNCOLORED_MODES:
        return img
    hue, saturation, value = img.convert("HSV").split()
    step = int(factor * 255)
    turned = Image.merge("HSV", (hue.point([(i + step) % 256 for i in range(256)]), saturation, value))
    colored = turned.convert(img.mode)
    if "A" in img.getbands():
        colored.putalpha(img.getchannel("A"))
    return colored


def _gray(img: np.ndarray) -> np.ndarray:
    """Return shape (H, W)."""
    if channel_count(img) == 1:
        return img.reshape(img.shape[:2])
    gray = cv2.cvtColor(img if img.dtype == np.uint8 else img.astype(np.float32), cv2.COLOR_RGB2GRAY)
    return gray.astype(img.dtype, copy=False)


def _blend_with_number(img: np.ndarray, number: float, factor: float) -> np.ndarray:
    """Return number + factor (img - number); uint8 values are cut to whole numbers, as Pillow does."""
    if img.dtype == np.uint8:
        table = np.float32(number) + np.float32(factor) * (np.arange(256, dtype=np.float32) - np.float32(number))
        return cv2.LUT(img, np.clip(table, 0, 255).astype(np.uint8)).reshape(img.shape)
    return np.clip(number + factor * (img - number), 0, 1).astype(img.dtype)


def _factor(transform: str, name: str, value: Any) -> float:
    if not is_number(value) or not value >= 0:
        raise ValueError(f"{transform}: {name} must be a number that is not negative, not {value!r}")
    return float(value)


def _check_array(name: str, img: np.ndarray) -> None:
    if channel_count(img) not in (1, 3):
        raise ValueError(f"{name}: an image has 1 or 3 channels, not {channel_count(img)}")
    if img.dtype != np.uint8 and img.dtype.kind != "f":
        raise TypeError(f"{name}: an image is uint8 (0 to 255) or floating point (0 to 1), not {img.dtype.name}")
