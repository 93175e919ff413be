"""From an image to a network's numbers: to_tensor, normalize, erase; and the first two in one pass."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Optional, Union

import cv2
import numpy as np
from PIL import Image

from core.vision.transforms.kinds import (
    Picture,
    channels_first,
    channels_last,
    image_size,
    is_number,
    is_tensor,
)

Numbers = Union[float, Sequence[float]]


def to_tensor(pic: Picture, data_format: str = "CHW") -> Any:
    """Return an image as an array that is ready for a network: channels first, and 0...255 scaled to 0...1.

    The result is a numpy array; the loader makes the Tensor, in the parent process.

    Args:
        pic: a PIL image, or an array of shape (H, W) or (H, W, C). A Tensor (C, H, W) stays one.
        data_format: "CHW" or "HWC": where the channels shall be.

    Returns:
        float32 in [0, 1] for 8-bit images and those of mode "1"; int32 for 16-bit and 32-bit PIL images; else the
        image's own type. Shape (C, H, W) or (H, W, C).

    Raises:
        ValueError: ``data_format`` is unknown.
        TypeError: ``pic`` is no image.
    """
    if data_format not in ("CHW", "HWC"):
        raise ValueError(f"to_tensor: data_format must be 'CHW' or 'HWC', not {data_format!r}")
    image_size(pic)
    if is_tensor(pic):
        return pic if data_format == "CHW" else pic.transpose([1, 2, 0])
    array = _pil_array(pic) if isinstance(pic, Image.Image) else pic
    array = array[:, :, None] if array.ndim == 2 else array
    if array.dtype == np.uint8 and data_format == "CHW":
        return _planes(array, _scaled_table(array.shape[2]))
    array = array.transpose(2, 0, 1) if data_format == "CHW" else array
    return array.astype(np.float32) / np.float32(255) if array.dtype == np.uint8 else np.ascontiguousarray(array)


def normalize(img: Any, mean: Numbers, std: Numbers, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    """Return (img - mean) / std.

    Args:
        img: shape (C, H, W) or (H, W, C), as ``data_format`` says, or (H, W); a PIL image, which has its channels last;
            or a Tensor.
        mean: one number, or one for each channel.
        std: one number, or one for each channel; none is zero.
        data_format: "CHW" or "HWC".
        to_rgb: reverse the channels first; a Tensor's stay in order, as in Paddle.

    Returns:
        float32; float64 where NumPy makes it of the image's type and float32, as of int32, int64 and float64. Its shape
        is the image's, but (1, H, W) for (H, W) with "CHW". A Tensor for a Tensor.

    Raises:
        ValueError: ``data_format`` is unknown, or there are not as many numbers as channels.
        TypeError: ``img`` is no image.
    """
    if data_format not in ("CHW", "HWC"):
        raise ValueError(f"normalize: data_format must be 'CHW' or 'HWC', not {data_format!r}")
    if is_tensor(img):
        import core  # a Tensor exists, so the engine is loaded

        return core.to_tensor(normalize(img.numpy(), mean, std, data_format))
    if not isinstance(img, (np.ndarray, Image.Image)):
        raise TypeError(f"an image is a numpy array, a PIL image or a Tensor, not {type(img).__name__}")
    array = given = np.asarray(img, dtype=None if isinstance(img, np.ndarray) else np.float32)
    if array.ndim < 2:
        raise ValueError(f"normalize: an image has 2 or 3 axes, not shape {array.shape}")
    if array.ndim == 2:
        array = array[:, :, None] if data_format == "HWC" else array[None]
    axis = -3 if data_format == "CHW" else -1
    if to_rgb:
        array = np.flip(array, axis=axis)
    shape = (-1, 1, 1) if data_format == "CHW" else (-1,)
    subtracted, divisor = _statistics(mean, std, array.shape[axis], f"an image of shape {array.shape} ({data_format})")
    result = array - subtracted.reshape(shape)
    result /= divisor.reshape(shape)
    return result if data_format == "CHW" else result.reshape(given.shape)


def to_normalized(
    img: np.ndarray, mean: Numbers, std: Numbers, to_rgb: bool = False, scale: Optional[float] = None
) -> np.ndarray:
    """Return ``normalize(to_tensor(img), mean, std)``, to the last bit, in one pass.

    A channel of bytes has only 256 values, so each is looked up.

    Args:
        img: uint8, shape (H, W) or (H, W, C).
        mean: one number, or one for each channel.
        std: one number, or one for each channel.
        to_rgb: reverse the channels first.
        scale: what to multiply bytes by; None: divide by 255, as :func:`to_tensor` does.

    Returns:
        float32, shape (C, H, W).

    Raises:
        ValueError: there are not as many numbers as channels, or ``std`` is zero.
    """
    array = img[:, :, None] if img.ndim == 2 else img
    channels = array.shape[2]
    shape = (channels, *array.shape[:2])
    _statistics(mean, std, channels, f"an image of shape {shape} (CHW)")
    table = _normalized_table(_hashable(mean), _hashable(std), channels, scale)
    return _planes(array, table, reverse=to_rgb)


@channels_last
def _erase(img: Picture, i: int, j: int, h: int, w: int, v: Any) -> Picture:
    array = np.array(img)
    array[i : i + h, j : j + w] = np.asarray(v).astype(array.dtype)
    return Image.fromarray(array) if isinstance(img, Image.Image) else array


def erase(img: Picture, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Picture:
    """Overwrite a rectangle of an image.

    Args:
        img: the image.
        i: first row.
        j: first column.
        h: rows.
        w: columns.
        v: the values: a number, one for each channel, or an array that fits the rectangle; with channels where the
            image has them.
        inplace: change an array itself.

    Returns:
        The changed image.

    Raises:
        ValueError: the rectangle leaves the image, or ``v`` does not fit into it.
    """
    rows, columns = image_size(img)
    if min(i, j) < 0 or min(h, w) < 1 or i + h > rows or j + w > columns:
        raise ValueError(f"erase: rows {i}...{i + h} and columns {j}...{j + w} leave the {rows}x{columns} image")
    values = v.numpy() if is_tensor(v) else np.asarray(v)
    first = channels_first(img)
    if first and values.ndim == 3:
        values = values.transpose(1, 2, 0)
    shape = (h, w) if _axes(img) == 2 else (h, w, _channels(img))
    try:
        values = np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(f"erase: values of shape {np.shape(v)} do not fit a rectangle of shape {shape}") from None
    if inplace and isinstance(img, np.ndarray):
        target = img.transpose(1, 2, 0) if first else img
        target[i : i + h, j : j + w] = values
        return img
    return _erase(img, i, j, h, w, values)


def _axes(img: Picture) -> int:
    if isinstance(img, Image.Image):
        return 2 if len(img.getbands()) == 1 else 3
    return min(len(img.shape), 3)


def _channels(img: Picture) -> int:
    if isinstance(img, Image.Image):
        return len(img.getbands())
    return int(img.shape[-3]) if channels_first(img) else int(img.shape[2])


def _pil_array(pic: Image.Image) -> np.ndarray:
    if pic.mode in ("I", "I;16"):
        return np.asarray(pic, dtype=np.int32)
    return np.asarray(pic, dtype=np.uint8) * 255 if pic.mode == "1" else np.asarray(pic)


def _planes(img: np.ndarray, table: np.ndarray, reverse: bool = False) -> np.ndarray:
    """Look up each channel of (H, W, C) bytes in its row of a table, float32 of shape (C, 256)."""
    height, width, channels = img.shape
    result = np.empty((channels, height, width), dtype=np.float32)
    for channel in range(channels):
        source = channels - 1 - channel if reverse else channel
        plane = img[:, :, 0] if channels == 1 else cv2.extractChannel(img, source)
        cv2.LUT(plane, table[channel], dst=result[channel])
    return result


@functools.lru_cache(maxsize=8)
def _scaled_table(channels: int) -> np.ndarray:
    return np.tile(np.arange(256, dtype=np.float32) / np.float32(255), (channels, 1))


@functools.lru_cache(maxsize=32)
def _normalized_table(mean: Any, std: Any, channels: int, scale: Optional[float]) -> np.ndarray:
    scaled = _scaled_table(channels) if scale is None else np.arange(256, dtype=np.float32) * np.float32(scale)
    subtracted, divisor = _statistics(mean, std, channels, "")
    return (scaled - subtracted.reshape(-1, 1)) / divisor.reshape(-1, 1) * np.ones((channels, 1), np.float32)


def _hashable(numbers: Any) -> Any:
    return numbers if is_number(numbers) else tuple(np.asarray(numbers, dtype=np.float32).ravel().tolist())


def _statistics(mean: Numbers, std: Numbers, channels: int, described: str) -> tuple[np.ndarray, np.ndarray]:
    found = []
    for name, given in (("mean", mean), ("std", std)):
        numbers = np.asarray(given, dtype=np.float32).ravel()
        if numbers.size not in (1, channels):
            raise ValueError(f"normalize: {name} has {numbers.size} numbers for the {channels} channels of {described}")
        found.append(numbers)
    if not found[1].all():
        raise ValueError("normalize: std must not be zero")
    return found[0], found[1]
