"""Transforms as objects, to be chained with :class:`Compose`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform, Compose
from core.vision.transforms.random_transforms import (
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
)

__all__ = [
    "BaseTransform",
    "CenterCrop",
    "Compose",
    "Grayscale",
    "Normalize",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomVerticalFlip",
    "Resize",
    "ToTensor",
    "Transpose",
]

Size = Union[int, Sequence[int]]


class Resize(BaseTransform):
    """Resize; see :func:`core.vision.transforms.functional.resize`.

    Args:
        size: (height, width), or one number for the shorter side.
        interpolation: "bilinear", "nearest", "bicubic", "area" or "lanczos".
        keys: kinds of the sample's fields.
    """

    def __init__(self, size: Size, interpolation: str = "bilinear", keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.size = size
        self.interpolation = interpolation

    def _apply_image(self, image: Any) -> Any:
        return F.resize(image, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Cut out the middle.

    Args:
        size: (height, width), or one number for both.
        keys: kinds of the sample's fields.
    """

    def __init__(self, size: Size, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.size = F.pair("CenterCrop: size", size)

    def _apply_image(self, image: Any) -> Any:
        return F.center_crop(image, self.size)


class Pad(BaseTransform):
    """Add a border; see :func:`core.vision.transforms.functional.pad`.

    Args:
        padding: pixels: for all sides, (left and right, top and bottom), or (left, top, right, bottom).
        fill: the border's value.
        padding_mode: "constant", "edge", "reflect" or "symmetric".
        keys: kinds of the sample's fields.
    """

    def __init__(
        self, padding: Size, fill: Size = 0, padding_mode: str = "constant", keys: Optional[Sequence[str]] = None
    ) -> None:
        super().__init__(keys)
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def _apply_image(self, image: Any) -> Any:
        return F.pad(image, self.padding, self.fill, self.padding_mode)


class Grayscale(BaseTransform):
    """Take away the color; see :func:`core.vision.transforms.functional.to_grayscale`.

    Args:
        num_output_channels: 1, or 3 for three equal channels.
        keys: kinds of the sample's fields.
    """

    def __init__(self, num_output_channels: int = 1, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, image: Any) -> Any:
        return F.to_grayscale(image, self.num_output_channels)


class Normalize(BaseTransform):
    """Subtract a mean and divide by a standard deviation, channel by channel.

    Args:
        mean: one number, or one for each channel.
        std: one number, or one for each channel.
        data_format: "CHW" or "HWC".
        to_rgb: reverse the channels first.
        keys: kinds of the sample's fields.
    """

    def __init__(
        self,
        mean: Union[float, Sequence[float]] = 0.0,
        std: Union[float, Sequence[float]] = 1.0,
        data_format: str = "CHW",
        to_rgb: bool = False,
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.mean = mean
        self.std = std
        self.data_format = data_format
        self.to_rgb = to_rgb

    def _apply_image(self, image: Any) -> Any:
        return F.normalize(image, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """Reorder the axes of an image; one of shape (H, W) gets a channel axis first.

    Args:
        order: the old axis for each new one.
        keys: kinds of the sample's fields.
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.order = tuple(order)

    def _apply_image(self, image: Any) -> Any:
        array = np.asarray(image)
        return (array[:, :, None] if array.ndim == 2 else array).transpose(self.order)


class ToTensor(BaseTransform):
    """Channels first and 0...255 scaled to 0...1; see :func:`core.vision.transforms.functional.to_tensor`.

    Args:
        data_format: "CHW" or "HWC".
        keys: kinds of the sample's fields.
    """

    def __init__(self, data_format: str = "CHW", keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, image: Any) -> Any:
        return F.to_tensor(image, self.data_format)
