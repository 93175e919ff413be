"""Transforms that draw where to cut, whether to mirror, and what to erase.

They draw from :mod:`core.io.randomness`, so that in a seeded loader the draw belongs to the sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
from PIL import Image

from core.io.randomness import integer, normal, uniform
from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform
from core.vision.transforms.geometry import PADDING_MODES, border_widths
from core.vision.transforms.kinds import Fill, Size, channels_first, is_number, is_tensor
from core.vision.transforms.transforms import check_interpolation


class RandomCrop(BaseTransform):
    """Cut out a rectangle at a random place.

    Args:
        size: (height, width), or one number for both.
        padding: a border to add first, as for :class:`Pad`; None: none.
        pad_if_needed: widen an image that is smaller than the rectangle.
        fill: the border's value.
        padding_mode: the border's kind.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        size: Size,
        padding: Optional[Size] = None,
        pad_if_needed: bool = False,
        fill: Fill = 0,
        padding_mode: str = "constant",
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.size = F.pair("RandomCrop: size", size)
        if padding is not None:
            border_widths(padding)
        if padding_mode not in PADDING_MODES:
            known = ", ".join(PADDING_MODES)
            raise ValueError(f"RandomCrop: padding_mode must be one of {known}, not {padding_mode!r}")
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    def _get_params(self, inputs: tuple[Any, ...]) -> tuple[int, int]:
        rows, columns = F.image_size(self._bordered(self._first_image(inputs)))
        height, width = self.size
        if rows < height or columns < width:
            raise ValueError(
                f"RandomCrop: the {rows}x{columns} image is smaller than {height}x{width}; resize it, "
                "or set padding or pad_if_needed"
            )
        return integer(0, rows - height + 1), integer(0, columns - width + 1)

    def _apply_image(self, image: Any) -> Any:
        top, left = self.params
        return F.crop(self._bordered(image), top, left, *self.size)

    def _bordered(self, image: Any) -> Any:
        if self.padding is not None:
            image = F.pad(image, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            rows, columns = F.image_size(image)
            missing = (max(self.size[1] - columns, 0), max(self.size[0] - rows, 0))
            if any(missing):
                image = F.pad(image, missing, self.fill, self.padding_mode)
        return image


class RandomResizedCrop(BaseTransform):
    """Cut out a rectangle of random area, shape and place, and resize it.

    Paper: "Going Deeper with Convolutions", https://arxiv.org/abs/1409.4842.

    Args:
        size: (height, width) of the result, or one number for both.
        scale: bounds of the rectangle's share of the image's area.
        ratio: bounds of its width divided by its height; drawn evenly in the logarithm.
        interpolation: as for :class:`Resize`.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        size: Size,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4, 4.0 / 3),
        interpolation: str = "bilinear",
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.size = F.pair("RandomResizedCrop: size", size)
        self.scale = bounds("RandomResizedCrop: scale", scale)
        self.ratio = bounds("RandomResizedCrop: ratio", ratio)
        if self.scale[0] <= 0 or self.ratio[0] <= 0:
            raise ValueError(f"RandomResizedCrop: scale {scale} and ratio {ratio} must be positive")
        self.interpolation = check_interpolation("RandomResizedCrop", interpolation)

    def _get_params(self, inputs: tuple[Any, ...]) -> tuple[int, int, int, int]:
        rows, columns = F.image_size(self._first_image(inputs))
        for _ in range(10):
            area = uniform(*self.scale) * rows * columns
            aspect = math.exp(uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            width, height = int(round(math.sqrt(area * aspect))), int(round(math.sqrt(area / aspect)))
            if 0 < width <= columns and 0 < height <= rows:
                return integer(0, rows - height + 1), integer(0, columns - width + 1), height, width
        width, height = columns, rows
        if columns / rows < self.ratio[0]:
            height = max(1, min(rows, int(round(columns / self.ratio[0]))))
        elif columns / rows > self.ratio[1]:
            width = max(1, min(columns, int(round(rows * self.ratio[1]))))
        return (rows - height) // 2, (columns - width) // 2, height, width

    def _apply_image(self, image: Any) -> Any:
        return F.resize(F.crop(image, *self.params), self.size, self.interpolation)


class RandomHorizontalFlip(BaseTransform):
    """Mirror left to right, or not.

    Args:
        prob: the probability of mirroring, between 0 and 1.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``prob`` is out of range.
    """

    def __init__(self, prob: float = 0.5, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.prob = probability(type(self).__name__, prob)

    def _get_params(self, inputs: tuple[Any, ...]) -> bool:
        F.image_size(self._first_image(inputs))
        return uniform() < self.prob

    def _apply_image(self, image: Any) -> Any:
        return F.hflip(image) if self.params else image


class RandomVerticalFlip(RandomHorizontalFlip):
    """Mirror top to bottom, or not.

    Args:
        prob: the probability of mirroring, between 0 and 1.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``prob`` is out of range.
    """

    def _apply_image(self, image: Any) -> Any:
        return F.vflip(image) if self.params else image


class RandomErasing(BaseTransform):
    """Overwrite a random rectangle, or not.

    Paper: "Random Erasing Data Augmentation", https://arxiv.org/abs/1708.04896.

    Args:
        prob: the probability of erasing, between 0 and 1.
        scale: bounds of the rectangle's share of the image's area.
        ratio: bounds of its height divided by its width; drawn evenly in the logarithm.
        value: what is written: a number, one for each channel, or "random" for noise: normal in floating-point images,
            any byte in others.
        inplace: change an array itself.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Union[float, Sequence[float], str] = 0,
        inplace: bool = False,
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.prob = probability("RandomErasing", prob)
        self.scale = bounds("RandomErasing: scale", scale)
        self.ratio = bounds("RandomErasing: ratio", ratio)
        if self.scale[0] < 0 or self.scale[1] > 1 or self.ratio[0] <= 0:
            raise ValueError(f"RandomErasing: scale {scale} must lie between 0 and 1, and ratio {ratio} be positive")
        numbers = [value] if is_number(value) else list(value) if isinstance(value, (list, tuple)) else []
        if value != "random" and (not numbers or not all(map(is_number, numbers))):
            raise ValueError(f"RandomErasing: value must be a number, a list of numbers or 'random', not {value!r}")
        self.value = value
        self.inplace = inplace

    def _get_params(self, inputs: tuple[Any, ...]) -> Optional[tuple[int, int, int, int, Any]]:
        image = self._first_image(inputs)
        rows, columns = F.image_size(image)
        if uniform() >= self.prob:
            return None
        for _ in range(10):
            area = uniform(*self.scale) * rows * columns
            aspect = math.exp(uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            height, width = int(round(math.sqrt(area * aspect))), int(round(math.sqrt(area / aspect)))
            if 0 < height < rows and 0 < width < columns:
                values = _noise(image, height, width) if self.value == "random" else _by_channel(image, self.value)
                return integer(0, rows - height + 1), integer(0, columns - width + 1), height, width, values
        return None

    def _apply_image(self, image: Any) -> Any:
        if self.params is None:
            return image
        top, left, height, width, values = self.params
        return F.erase(image, top, left, height, width, values, self.inplace)


def probability(owner: str, value: Any) -> float:
    """Return a probability as it is.

    Args:
        owner: the transform, for the message.
        value: a number.

    Raises:
        ValueError: it does not lie between 0 and 1.
    """
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(f"{owner}: prob must lie between 0 and 1, not {value!r}")
    return value


def bounds(name: str, value: Any) -> tuple[float, float]:
    """Return two rising numbers as they are.

    Args:
        name: what they are, for the message.
        value: a list or tuple.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, (list, tuple)) or len(value) != 2 or not all(map(is_number, value)) or value[0] > value[1]:
        raise ValueError(f"{name} must be (least, greatest), not {value!r}")
    return value[0], value[1]


def _channels(image: Any) -> tuple[int, ...]:
    """Return (C,), or () for a grey image without an axis of channels."""
    if isinstance(image, Image.Image):
        bands = len(image.getbands())
        return (bands,) if bands > 1 else ()
    if len(image.shape) == 2:
        return ()
    return (int(image.shape[-3 if channels_first(image) else -1]),)


def _noise(image: Any, height: int, width: int) -> np.ndarray:
    """Return noise for a rectangle, in the image's own order of axes."""
    noise = normal((height, width, *_channels(image)))
    floating = is_tensor(image) or (isinstance(image, np.ndarray) and image.dtype.kind == "f")
    noise = noise if floating else np.mod((noise * 255).astype(np.int64), 256)
    return noise.transpose(2, 0, 1) if channels_first(image) else noise


def _by_channel(image: Any, value: Any) -> np.ndarray:
    """Return a number, or one for each channel, so that it can be spread over a rectangle."""
    values = np.asarray(value, dtype=np.float64)
    return values.reshape(-1, 1, 1) if channels_first(image) and values.ndim else values
