"""The image operators of official recipes, under their names there: a recipe's ``transform_ops`` can be taken over.

They follow https://github.com/PaddlePaddle/PaddleClas, ``ppcls/data/preprocess/ops/operators.py``. Images are arrays of
bytes in RGB, shape (H, W, 3), from our data sets; an official recipe starts from the bytes of a file.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np
from PIL import Image

from core.io.randomness import integer, uniform
from core.vision.decoding import decode_image
from core.vision.transforms import BaseTransform
from core.vision.transforms import functional as F
from core.vision.transforms.values import to_normalized

Size = Union[int, Sequence[int]]


class DecodeImage(BaseTransform):
    """Decode the bytes of an image file; an image that is decoded already only gets its channels in order.

    Args:
        to_rgb: red first; else blue first.
        channel_first: give shape (C, H, W).
    """

    def __init__(self, to_rgb: bool = True, channel_first: bool = False) -> None:
        super().__init__()
        self.to_rgb = to_rgb
        self.channel_first = channel_first

    def _apply_image(self, image: Any) -> np.ndarray:
        if isinstance(image, (bytes, bytearray)):
            image = decode_image(bytes(image), "in memory")
        F.image_size(image)
        array = np.asarray(image)
        array = array if self.to_rgb else np.ascontiguousarray(array[:, :, ::-1])
        return array.transpose(2, 0, 1) if self.channel_first else array


class ResizeImage(BaseTransform):
    """Resize.

    Args:
        size: one number for both sides, or (width, height).
        resize_short: the length of the shorter side; the other one follows in proportion, rounded.
        interpolation: "nearest", "bilinear", "area", "bicubic" or "lanczos"; None: "bilinear".
        backend: "cv2", or "pil", which smooths when it shrinks.

    Raises:
        ValueError: not exactly one of ``size`` and ``resize_short`` is given, or ``backend`` is unknown.
    """

    def __init__(
        self,
        size: Optional[Size] = None,
        resize_short: Optional[int] = None,
        interpolation: Optional[str] = None,
        backend: str = "cv2",
    ) -> None:
        super().__init__()
        if (size is None) == (resize_short is None):
            raise ValueError("ResizeImage: give either size or resize_short")
        if resize_short is not None and resize_short < 1:
            raise ValueError(f"ResizeImage: resize_short must be positive, not {resize_short!r}")
        self.size = None if size is None else F.pair("ResizeImage: size", size)[::-1]
        self.resize_short = resize_short
        self.interpolation = interpolation or "bilinear"
        self.backend = _check_backend("ResizeImage", backend)

    def _apply_image(self, image: np.ndarray) -> np.ndarray:
        target = self.size
        if self.resize_short is not None:
            rows, columns = F.image_size(image)
            share = self.resize_short / min(rows, columns)
            target = int(round(rows * share)), int(round(columns * share))
        assert target is not None
        return _resized(image, target, self.interpolation, self.backend)


class CropImage(BaseTransform):
    """Cut out the middle.

    Args:
        size: one number for both sides, or (width, height).
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = F.pair("CropImage: size", size)[::-1]

    def _apply_image(self, image: np.ndarray) -> np.ndarray:
        height, width = self.size
        rows, columns = F.image_size(image)
        if rows < height or columns < width:
            raise ValueError(f"CropImage: the {rows}x{columns} image is smaller than {height}x{width}; resize it first")
        return F.crop(image, (rows - height) // 2, (columns - width) // 2, height, width)


class RandCropImage(BaseTransform):
    """Cut out a rectangle of random area, shape and place, and resize it.

    Args:
        size: of the result: one number for both sides, or (width, height).
        scale: bounds of the rectangle's share of the image's area; None: 0.08 to 1.
        ratio: bounds of its width divided by its height; None: 3/4 to 4/3.
        interpolation: as for :class:`ResizeImage`.
        use_log_aspect: draw the ratio evenly in the logarithm.
        backend: "cv2" or "pil".
    """

    def __init__(
        self,
        size: Size,
        scale: Optional[Sequence[float]] = None,
        ratio: Optional[Sequence[float]] = None,
        interpolation: Optional[str] = None,
        use_log_aspect: bool = False,
        backend: str = "cv2",
    ) -> None:
        super().__init__()
        self.size = F.pair("RandCropImage: size", size)[::-1]
        self.scale = tuple(scale or (0.08, 1.0))
        self.ratio = tuple(ratio or (3 / 4, 4 / 3))
        for name, bounds in (("scale", self.scale), ("ratio", self.ratio)):
            if len(bounds) != 2 or not 0 < bounds[0] <= bounds[1]:
                raise ValueError(f"RandCropImage: {name} must be two rising positive numbers, not {bounds!r}")
        self.interpolation = interpolation or "bilinear"
        self.use_log_aspect = use_log_aspect
        self.backend = _check_backend("RandCropImage", backend)

    def _get_params(self, inputs: tuple[Any, ...]) -> tuple[int, int, int, int]:
        rows, columns = F.image_size(inputs[0])
        low, high = self.ratio
        ratio = math.exp(uniform(math.log(low), math.log(high))) if self.use_log_aspect else uniform(low, high)
        most = min(columns / rows / ratio, rows / columns * ratio)  # what a rectangle of this shape can cover
        share = uniform(min(self.scale[0], most), min(self.scale[1], most))
        side = math.sqrt(rows * columns * share)
        width, height = max(int(side * math.sqrt(ratio)), 1), max(int(side / math.sqrt(ratio)), 1)
        left, top = integer(0, columns - width + 1), integer(0, rows - height + 1)
        return top, left, height, width

    def _apply_image(self, image: np.ndarray) -> np.ndarray:
        return _resized(F.crop(image, *self.params), self.size, self.interpolation, self.backend)


class RandFlipImage(BaseTransform):
    """Mirror, or not.

    Args:
        flip_code: 1 left to right, 0 top to bottom, -1 both.
        prob: the probability of mirroring.
    """

    def __init__(self, flip_code: int = 1, prob: float = 0.5) -> None:
        super().__init__()
        if flip_code not in (-1, 0, 1):
            raise ValueError(f"RandFlipImage: flip_code must be -1, 0 or 1, not {flip_code!r}")
        if not 0 <= prob <= 1:
            raise ValueError(f"RandFlipImage: prob must lie between 0 and 1, not {prob!r}")
        self.flip_code = flip_code
        self.prob = prob

    def _get_params(self, inputs: tuple[Any, ...]) -> bool:
        F.image_size(inputs[0])
        return uniform() < self.prob

    def _apply_image(self, image: np.ndarray) -> np.ndarray:
        if self.params and self.flip_code in (-1, 1):
            image = F.hflip(image)
        if self.params and self.flip_code in (-1, 0):
            image = F.vflip(image)
        return image


class NormalizeImage(BaseTransform):
    """Return (image * scale - mean) / std, in float32.

    Args:
        scale: a number, or a fraction as text such as "1.0/255.0"; None: 1/255.
        mean: one number for each channel; None: ImageNet's.
        std: one number for each channel; None: ImageNet's.
        order: "chw" for images (C, H, W); "" or "hwc" for (H, W, C).

    Raises:
        ValueError: ``scale`` or ``order`` is unknown.
    """

    def __init__(
        self,
        scale: Union[float, str, None] = None,
        mean: Optional[Sequence[float]] = None,
        std: Optional[Sequence[float]] = None,
        order: str = "chw",
    ) -> None:
        super().__init__()
        if order not in ("chw", "hwc", ""):
            raise ValueError(f"NormalizeImage: order must be 'chw', 'hwc' or '', not {order!r}")
        self.scale = 1.0 / 255.0 if scale is None else _number(scale)
        self.mean = tuple(mean or (0.485, 0.456, 0.406))
        self.std = tuple(std or (0.229, 0.224, 0.225))
        self.order = order

    def _apply_image(self, image: Any) -> np.ndarray:
        scaled = np.asarray(image, dtype=np.float32) * np.float32(self.scale)
        return F.normalize(scaled, self.mean, self.std, "CHW" if self.order == "chw" else "HWC")

    def _together_with(self, following: Any, data: Any) -> Optional[Callable[[Any], Any]]:
        bytes_last = isinstance(data, np.ndarray) and data.dtype == np.uint8 and data.ndim == 3 and data.size > 0
        if type(self) is NormalizeImage and type(following) is ToCHWImage and self.order != "chw" and bytes_last:
            return functools.partial(to_normalized, mean=self.mean, std=self.std, scale=self.scale)
        return None


class ToCHWImage(BaseTransform):
    """Turn an image of shape (H, W, C) into one of shape (C, H, W)."""

    def _apply_image(self, image: Any) -> np.ndarray:
        F.image_size(image)
        array = np.asarray(image)
        return (array[:, :, None] if array.ndim == 2 else array).transpose(2, 0, 1)


def _resized(image: np.ndarray, size: tuple[int, ...], interpolation: str, backend: str) -> np.ndarray:
    if backend == "cv2":
        return F.resize(image, size, interpolation)
    F.image_size(image)
    return np.asarray(F.resize(Image.fromarray(image), size, interpolation))


def _check_backend(owner: str, backend: str) -> str:
    if backend not in ("cv2", "pil"):
        raise ValueError(f"{owner}: backend must be 'cv2' or 'pil', not {backend!r}")
    return backend


def _number(scale: Union[float, str]) -> float:
    """Read 0.5 or "1.0/255.0"; text is never evaluated."""
    if isinstance(scale, (int, float)):
        return float(scale)
    parts = re.fullmatch(r"\s*([\d.]+)\s*(?:/\s*([\d.]+)\s*)?", scale)
    try:
        if parts is not None:
            return float(parts[1]) / float(parts[2] or 1)
    except (ValueError, ZeroDivisionError):
        pass
    raise ValueError(f"NormalizeImage: scale must be a number or a fraction of two, not {scale!r}")
