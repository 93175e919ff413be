"""Moving pixels: resize, crop, pad, flip an image, a numpy array of shape (H, W) or (H, W, C), or a PIL image.

A PIL image comes back as a PIL image, an array as an array of its own type, with its channel axis kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import cv2
import numpy as np
from PIL import Image

Picture = Union[np.ndarray, Image.Image]

_OPENCV_INTERPOLATION = {
    "nearest": cv2.INTER_NEAREST,
    "bilinear": cv2.INTER_LINEAR,
    "area": cv2.INTER_AREA,
    "bicubic": cv2.INTER_CUBIC,
    "lanczos": cv2.INTER_LANCZOS4,
}
_PIL_INTERPOLATION = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "box": Image.Resampling.BOX,
    "lanczos": Image.Resampling.LANCZOS,
    "hamming": Image.Resampling.HAMMING,
}
_PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


def image_size(img: Picture) -> tuple[int, int]:
    """Return an image's (height, width).

    Args:
        img: an array of shape (H, W) or (H, W, C), or a PIL image.

    Returns:
        Height and width in pixels.

    Raises:
        TypeError: it is neither.
        ValueError: the array has another number of axes.
    """
    if isinstance(img, Image.Image):
        return img.height, img.width
    if not isinstance(img, np.ndarray):
        raise TypeError(f"an image is a numpy array or a PIL image, not {type(img).__name__}")
    if img.ndim not in (2, 3):
        raise ValueError(f"an image has shape (H, W) or (H, W, C), not {img.shape}")
    return img.shape[0], img.shape[1]


def resize(img: Picture, size: Union[int, Sequence[int]], interpolation: str = "bilinear") -> Picture:
    """Resize an image.

    Args:
        img: shape (H, W) or (H, W, C), or a PIL image.
        size: (height, width); or one number for the shorter side, the other following in proportion, rounded down.
        interpolation: "nearest", "bilinear", "bicubic", "lanczos"; for arrays also "area"; for PIL images also "box"
            and "hamming". Only PIL's smooths when it shrinks.

    Returns:
        The resized image.

    Raises:
        ValueError: ``size`` or ``interpolation`` is unknown.
    """
    height, width = image_size(img)
    target = _target_size(height, width, size)
    modes: dict[str, Any] = _PIL_INTERPOLATION if isinstance(img, Image.Image) else _OPENCV_INTERPOLATION
    if interpolation not in modes:
        raise ValueError(f"resize: interpolation must be one of {', '.join(modes)}, not {interpolation!r}")
    if target == (height, width):
        return img
    if isinstance(img, Image.Image):
        return img.resize(target[::-1], modes[interpolation])
    resized = cv2.resize(img, target[::-1], interpolation=modes[interpolation])
    return resized.reshape(*target, -1) if img.ndim == 3 else resized


def crop(img: Picture, top: int, left: int, height: int, width: int) -> Picture:
    """Cut a rectangle out of an image.

    Args:
        img: shape (H, W) or (H, W, C), or a PIL image.
        top: first row.
        left: first column.
        height: rows.
        width: columns.

    Returns:
        The rectangle.

    Raises:
        ValueError: it does not lie within the image.
    """
    rows, columns = image_size(img)
    if top < 0 or left < 0 or top + height > rows or left + width > columns:
        raise ValueError(
            f"crop: rows {top}...{top + height} and columns {left}...{left + width} leave the {rows}x{columns} image; "
            "resize or pad it first"
        )
    if isinstance(img, Image.Image):
        return img.crop((left, top, left + width, top + height))
    return img[top : top + height, left : left + width]


def center_crop(img: Picture, output_size: Union[int, Sequence[int]]) -> Picture:
    """Cut the middle out of an image.

    Args:
        img: shape (H, W) or (H, W, C), or a PIL image.
        output_size: (height, width), or one number for both.

    Returns:
        The middle.

    Raises:
        ValueError: the image is smaller.
    """
    height, width = pair("center_crop: output_size", output_size)
    rows, columns = image_size(img)
    return crop(img, int(round((rows - height) / 2.0)), int(round((columns - width) / 2.0)), height, width)


def pad(
    img: Picture,
    padding: Union[int, Sequence[int]],
    fill: Union[int, Sequence[int]] = 0,
    padding_mode: str = "constant",
) -> Picture:
    """Add a border.

    Args:
        img: shape (H, W) or (H, W, C), or a PIL image.
        padding: pixels: one number for all sides, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the border's value, one for all channels or one for each; for "constant".
        padding_mode: "constant", "edge" (repeat the last pixel), "reflect" (mirror without it) or "symmetric" (mirror
            with it).

    Returns:
        The larger image.

    Raises:
        ValueError: ``padding`` or ``padding_mode`` is unknown.
    """
    image_size(img)
    if padding_mode not in _PADDING_MODES:
        raise ValueError(f"pad: padding_mode must be one of {', '.join(_PADDING_MODES)}, not {padding_mode!r}")
    sides = [padding] if isinstance(padding, int) else list(padding)
    if len(sides) not in (1, 2, 4) or min(sides) < 0:
        raise ValueError(f"pad: padding must be 1, 2 or 4 non-negative numbers, not {padding!r}")
    left, top, right, bottom = sides * 4 if len(sides) == 1 else sides * 2 if len(sides) == 2 else sides
    array = np.asarray(img)
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (array.ndim - 2)
    if padding_mode != "constant":
        bordered = np.pad(array, widths, mode=padding_mode)  # type: ignore[call-overload]
    else:
        shape = (array.shape[0] + top + bottom, array.shape[1] + left + right, *array.shape[2:])
        bordered = np.empty(shape, dtype=array.dtype)
        bordered[:] = fill
        bordered[top : top + array.shape[0], left : left + array.shape[1]] = array
    return Image.fromarray(bordered) if isinstance(img, Image.Image) else bordered


def hflip(img: Picture) -> Picture:
    """Mirror an image left to right; shape as given."""
    image_size(img)
    if isinstance(img, Image.Image):
        return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img: Picture) -> Picture:
    """Mirror an image top to bottom; shape as given."""
    image_size(img)
    if isinstance(img, Image.Image):
        return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return np.ascontiguousarray(img[::-1])


def pair(name: str, value: Union[int, Sequence[int]]) -> tuple[int, int]:
    """Return one number as a pair of it, and a pair as it is.

    Args:
        name: what is asked for, for the message.
        value: a positive number or two.

    Returns:
        (height, width).

    Raises:
        ValueError: it is neither.
    """
    numbers = [value, value] if isinstance(value, int) else list(value)
    if len(numbers) != 2 or any(number <= 0 for number in numbers):
        raise ValueError(f"{name} must be one positive number or (height, width), not {value!r}")
    return int(numbers[0]), int(numbers[1])


def _target_size(height: int, width: int, size: Union[int, Sequence[int]]) -> tuple[int, int]:
    if not isinstance(size, int):
        return pair("resize: size", size)
    if size <= 0:
        raise ValueError(f"resize: size must be positive, not {size}")
    if width <= height:
        return int(size * height / width), size
    return size, int(size * width / height)
