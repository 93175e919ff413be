"""Moving whole pixels: resize, crop, pad, flip. Images are of any kind that :mod:`core.vision.transforms.kinds` names.

The result is of the image's kind and type. An array keeps its channel axis.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageOps

from core.vision.formats import pixel_limit
from core.vision.transforms.kinds import (
    Fill,
    Picture,
    Size,
    channels_last,
    check_opencv_type,
    fill_values,
    image_size,
    is_integer,
    pair,
)

OPENCV_INTERPOLATION = {
    "nearest": cv2.INTER_NEAREST,
    "bilinear": cv2.INTER_LINEAR,
    "area": cv2.INTER_AREA,
    "bicubic": cv2.INTER_CUBIC,
    "lanczos": cv2.INTER_LANCZOS4,
}
PIL_INTERPOLATION = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "box": Image.Resampling.BOX,
    "lanczos": Image.Resampling.LANCZOS,
    "hamming": Image.Resampling.HAMMING,
}
PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


@channels_last
def resize(img: Picture, size: Size, interpolation: str = "bilinear") -> Picture:
    """Resize an image.

    Args:
        img: the image.
        size: (height, width); or one number for the shorter side, the other following in proportion, rounded down.
        interpolation: "nearest", "bilinear", "bicubic", "lanczos"; for arrays also "area"; for PIL images also "box"
            and "hamming". PIL images are smoothed when they shrink; arrays only by "area".

    Returns:
        The resized image.

    Raises:
        ValueError: ``size`` or ``interpolation`` is unknown, or the result has more pixels than images may have.
        TypeError: the array's type cannot be resampled.
    """
    height, width = image_size(img)
    target = _target_size(height, width, size)
    modes: dict[str, Any] = PIL_INTERPOLATION if isinstance(img, Image.Image) else OPENCV_INTERPOLATION
    if interpolation not in modes:
        raise ValueError(f"resize: interpolation must be one of {', '.join(modes)}, not {interpolation!r}")
    if target == (height, width):
        return img
    _check_result("resize", *target)
    if isinstance(img, Image.Image):
        return img.resize(target[::-1], modes[interpolation])
    check_opencv_type("resize", img, interpolation)
    resized = cv2.resize(img, target[::-1], interpolation=modes[interpolation])
    return resized.reshape(*target, -1) if img.ndim == 3 else resized


@channels_last
def crop(img: Picture, top: int, left: int, height: int, width: int) -> Picture:
    """Cut a rectangle out of an image.

    Args:
        img: the image.
        top: first row.
        left: first column.
        height: rows.
        width: columns.

    Returns:
        The rectangle; of an array, a view.

    Raises:
        ValueError: it is empty or does not lie within the image.
    """
    rows, columns = image_size(img)
    if height < 1 or width < 1:
        raise ValueError(f"crop: a rectangle of {height}x{width} pixels is empty")
    if top < 0 or left < 0 or top + height > rows or left + width > columns:
        raise ValueError(
            f"crop: rows {top}...{top + height} and columns {left}...{left + width} leave the {rows}x{columns} image; "
            "resize or pad it first"
        )
    if isinstance(img, Image.Image):
        return img.crop((left, top, left + width, top + height))
    return img[top : top + height, left : left + width]


def center_crop(img: Picture, output_size: Size) -> Picture:
    """Cut the middle out of an image.

    Args:
        img: the image.
        output_size: (height, width), or one number for both.

    Returns:
        The middle.

    Raises:
        ValueError: the image is smaller.
    """
    height, width = pair("center_crop: output_size", output_size)
    rows, columns = image_size(img)
    if rows < height or columns < width:
        raise ValueError(
            f"center_crop: the {rows}x{columns} image is smaller than {height}x{width}; resize or pad it first"
        )
    return crop(img, int(round((rows - height) / 2.0)), int(round((columns - width) / 2.0)), height, width)


@channels_last
def pad(img: Picture, padding: Size, fill: Fill = 0, padding_mode: str = "constant") -> Picture:
    """Add a border.

    Args:
        img: the image.
        padding: pixels: one number for all sides, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the border's value, one for all channels or one for each; for "constant".
        padding_mode: "constant", "edge" (repeat the last pixel), "reflect" (mirror without it) or "symmetric" (mirror
            with it).

    Returns:
        The larger image.

    Raises:
        ValueError: ``padding``, ``fill`` or ``padding_mode`` is unknown, or the result has more pixels than images may
            have.
    """
    if padding_mode not in PADDING_MODES:
        raise ValueError(f"pad: padding_mode must be one of {', '.join(PADDING_MODES)}, not {padding_mode!r}")
    left, top, right, bottom = border_widths(padding)
    rows, columns = image_size(img)
    _check_result("pad", top + rows + bottom, left + columns + right)
    if isinstance(img, Image.Image):
        return _pad_pil(img, (left, top, right, bottom), fill, padding_mode)
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (img.ndim - 2)
    if padding_mode != "constant":
        return np.pad(img, widths, mode=padding_mode)  # type: ignore[call-overload]  # numpy's stubs ask for a literal mode
    values = fill_values("pad", fill, 1 if img.ndim == 2 else img.shape[2])
    bordered = np.empty((img.shape[0] + top + bottom, img.shape[1] + left + right, *img.shape[2:]), dtype=img.dtype)
    bordered[:] = values[0] if img.ndim == 2 else values
    bordered[top : top + img.shape[0], left : left + img.shape[1]] = img
    return bordered


def border_widths(padding: Size) -> tuple[int, int, int, int]:
    """Return a border as (left, top, right, bottom).

    Args:
        padding: 1, 2 or 4 numbers of pixels, as for :func:`pad`.

    Returns:
        Four of them.

    Raises:
        ValueError: there is another number of them, or one is negative.
    """
    sides = [padding] if is_integer(padding) else list(padding) if isinstance(padding, (list, tuple)) else []
    if len(sides) not in (1, 2, 4) or not all(is_integer(side) and side >= 0 for side in sides):
        raise ValueError(f"pad: padding must be 1, 2 or 4 non-negative numbers, not {padding!r}")
    left, top, right, bottom = (sides * 4)[:4]
    return int(left), int(top), int(right), int(bottom)


@channels_last
def hflip(img: Picture) -> Picture:
    """Mirror an image left to right.

    Args:
        img: the image.

    Returns:
        The mirrored image.
    """
    if isinstance(img, Image.Image):
        return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return _flipped(img, 1)


@channels_last
def vflip(img: Picture) -> Picture:
    """Mirror an image top to bottom.

    Args:
        img: the image.

    Returns:
        The mirrored image.
    """
    if isinstance(img, Image.Image):
        return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return _flipped(img, 0)


def _check_result(name: str, height: int, width: int) -> None:
    """Refuse an image that is larger than any that is read."""
    limit = pixel_limit()
    if height * width > limit:
        raise ValueError(
            f"{name}: an image of {height}x{width} pixels is larger than {limit:,} pixels "
            "(CORE_MAXIMUM_PIXELS sets the limit)"
        )


def _flipped(img: np.ndarray, axis: int) -> np.ndarray:
    if img.dtype == np.uint8:
        return cv2.flip(img, axis).reshape(img.shape)  # much faster than numpy's
    return np.ascontiguousarray(np.flip(img, axis))


def _pad_pil(img: Image.Image, border: tuple[int, int, int, int], fill: Fill, padding_mode: str) -> Image.Image:
    if padding_mode == "constant":
        values = fill_values("pad", fill, len(img.getbands()))
        value: Any = values[0] if len(values) == 1 else values
        bordered = ImageOps.expand(img, border, value)
    else:
        array = np.asarray(img)
        left, top, right, bottom = border
        widths = [(top, bottom), (left, right)] + [(0, 0)] * (array.ndim - 2)
        bordered = Image.fromarray(np.pad(array, widths, mode=padding_mode))  # type: ignore[call-overload]  # numpy's stubs ask for a literal mode
    if img.mode == "P":
        bordered = bordered if bordered.mode == "P" else Image.frombytes("P", bordered.size, bordered.tobytes())
        bordered.putpalette(img.getpalette() or [])
    return bordered


def _target_size(height: int, width: int, size: Size) -> tuple[int, int]:
    if not is_integer(size):
        return pair("resize: size", size)
    shorter = int(size)
    if shorter <= 0:
        raise ValueError(f"resize: size must be positive, not {size}")
    if width <= height:
        return int(shorter * height / width), shorter
    return shorter, int(shorter * width / height)
