"""Transforms that draw.

They draw from :mod:`core.io.randomness`, so that in a seeded loader the draw belongs to the sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

from core.io.randomness import integer, uniform
from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform

Size = Union[int, Sequence[int]]


class RandomCrop(BaseTransform):
    """Cut out a rectangle at a random place.

    Args:
        size: (height, width), or one number for both.
        padding: a border to add first, as for :class:`Pad`; None: none.
        pad_if_needed: widen an image that is smaller than the rectangle.
        fill: the border's value.
        padding_mode: the border's kind.
        keys: kinds of the sample's fields.
    """

    def __init__(
        self,
        size: Size,
        padding: Optional[Size] = None,
        pad_if_needed: bool = False,
        fill: Size = 0,
        padding_mode: str = "constant",
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.size = F.pair("RandomCrop: size", size)
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

    Args:
        size: (height, width) of the result, or one number for both.
        scale: bounds of the rectangle's share of the image's area.
        ratio: bounds of its width divided by its height; drawn evenly in the logarithm.
        interpolation: as for :class:`Resize`.
        keys: kinds of the sample's fields.
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
        if not 0 < scale[0] <= scale[1] or not 0 < ratio[0] <= ratio[1]:
            raise ValueError(f"RandomResizedCrop: scale {scale} and ratio {ratio} must be positive and rising")
        self.scale = scale
        self.ratio = ratio
        self.interpolation = interpolation

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
            height = min(rows, int(round(columns / self.ratio[0])))
        elif columns / rows > self.ratio[1]:
            width = min(columns, int(round(rows * self.ratio[1])))
        return (rows - height) // 2, (columns - width) // 2, height, width

    def _apply_image(self, image: Any) -> Any:
        return F.resize(F.crop(image, *self.params), self.size, self.interpolation)


class RandomHorizontalFlip(BaseTransform):
    """Mirror left to right, or not.

    Args:
        prob: the probability of mirroring, between 0 and 1.
        keys: kinds of the sample's fields.
    """

    def __init__(self, prob: float = 0.5, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        if not 0 <= prob <= 1:
            raise ValueError(f"{type(self).__name__}: prob must lie between 0 and 1, not {prob!r}")
        self.prob = prob

    def _get_params(self, inputs: tuple[Any, ...]) -> bool:
        return uniform() < self.prob

    def _apply_image(self, image: Any) -> Any:
        return F.hflip(image) if self.params else image


class RandomVerticalFlip(RandomHorizontalFlip):
    """Mirror top to bottom, or not.

    Args:
        prob: the probability of mirroring, between 0 and 1.
        keys: kinds of the sample's fields.
    """

    def _apply_image(self, image: Any) -> Any:
        return F.vflip(image) if self.params else image
