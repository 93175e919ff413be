"""Changing values: grey, normalised or scaled images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import cv2
import numpy as np
from PIL import Image

from core.vision.transforms.geometry import Picture, image_size


def normalize(
    img: Any,
    mean: Union[float, Sequence[float]],
    std: Union[float, Sequence[float]],
    data_format: str = "CHW",
    to_rgb: bool = False,
) -> np.ndarray:
    """Return (img - mean) / std.

    Args:
        img: shape (C, H, W) or (H, W, C), as ``data_format`` says.
        mean: one number, or one for each channel.
        std: one number, or one for each channel; none is zero.
        data_format: "CHW" or "HWC".
        to_rgb: reverse the channels first.

    Returns:
        float32, shape as given.

    Raises:
        ValueError: ``data_format`` is unknown, or there are not as many numbers as channels.
    """
    if data_format not in ("CHW", "HWC"):
        raise ValueError(f"normalize: data_format must be 'CHW' or 'HWC', not {data_format!r}")
    array = np.asarray(img, dtype=np.float32)
    axis = 0 if data_format == "CHW" else -1
    if to_rgb:
        array = np.flip(array, axis=axis)
    shape = (-1, 1, 1) if data_format == "CHW" else (-1,)
    values = []
    for name, given in (("mean", mean), ("std", std)):
        numbers = np.asarray(given, dtype=np.float32)
        if numbers.size not in (1, array.shape[axis]):
            raise ValueError(
                f"normalize: {name} has {numbers.size} numbers for the {array.shape[axis]} channels of an image "
                f"of shape {array.shape} ({data_format})"
            )
        values.append(numbers.reshape(shape))
    if not values[1].all():
        raise ValueError("normalize: std must not be zero")
    return (array - values[0]) / values[1]


def to_grayscale(img: Picture, num_output_channels: int = 1) -> Picture:
    """Return the brightness of an image: 0.299 R + 0.587 G + 0.114 B.

    Args:
        img: shape (H, W), (H, W, 1) or (H, W, 3) in RGB order, or a PIL image.
        num_output_channels: 1, or 3 for three equal channels.

    Returns:
        Shape (H, W, 1) or (H, W, 3), or a PIL image of mode L or RGB.

    Raises:
        ValueError: ``num_output_channels`` is neither, or the image has other channels.
    """
    if num_output_channels not in (1, 3):
        raise ValueError(f"to_grayscale: num_output_channels must be 1 or 3, not {num_output_channels!r}")
    if isinstance(img, Image.Image):
        return img.convert("L") if num_output_channels == 1 else img.convert("L").convert("RGB")
    image_size(img)
    if img.ndim == 3 and img.shape[2] not in (1, 3):
        raise ValueError(f"to_grayscale: an image has 1 or 3 channels, not {img.shape[2]}")
    gray = cv2.cvtColor(img, cv2.COLOR_RGB2GRAY) if img.ndim == 3 and img.shape[2] == 3 else img.reshape(img.shape[:2])
    return np.repeat(gray[:, :, None], num_output_channels, axis=2)


def to_tensor(pic: Picture, data_format: str = "CHW") -> np.ndarray:
    """Return an image as an array that is ready for a network: channels first, and 0...255 scaled to 0...1.

    The result is a numpy array; the loader makes the Tensor, in the parent process.

    Args:
        pic: shape (H, W) or (H, W, C), or a PIL image.
        data_format: "CHW" or "HWC": where the channels shall be.

    Returns:
        float32 in [0, 1] for uint8 images, else the image's own type; shape (C, H, W) or (H, W, C).

    Raises:
        ValueError: ``data_format`` is unknown.
    """
    if data_format not in ("CHW", "HWC"):
        raise ValueError(f"to_tensor: data_format must be 'CHW' or 'HWC', not {data_format!r}")
    image_size(pic)
    array = np.asarray(pic)
    array = array[:, :, None] if array.ndim == 2 else array
    array = array.transpose(2, 0, 1) if data_format == "CHW" else array
    return array.astype(np.float32) / np.float32(255) if array.dtype == np.uint8 else np.ascontiguousarray(array)
