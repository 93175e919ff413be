"""Transforms as objects, to be chained with :class:`Compose`: those that do not draw."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform
from core.vision.transforms.geometry import OPENCV_INTERPOLATION, PADDING_MODES, PIL_INTERPOLATION, border_widths
from core.vision.transforms.kinds import Fill, Size, is_integer, is_tensor
from core.vision.transforms.values import to_normalized


class Resize(BaseTransform):
    """Resize; see :func:`core.vision.transforms.functional.resize`.

    Args:
        size: (height, width), or one number for the shorter side.
        interpolation: "bilinear", "nearest", "bicubic", "lanczos"; for arrays also "area", for PIL images also "box"
            and "hamming".
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``size`` is not positive, or ``interpolation`` is unknown.
    """

    def __init__(self, size: Size, interpolation: str = "bilinear", keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        if not is_integer(size) or size <= 0:
            F.pair("Resize: size", size)
        self.size = size
        self.interpolation = check_interpolation("Resize", interpolation)

    def _apply_image(self, image: Any) -> Any:
        return F.resize(image, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Cut out the middle.

    Args:
        size: (height, width), or one number for both.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``size`` is not positive.
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

    Raises:
        ValueError: ``padding`` or ``padding_mode`` is unknown.
    """

    def __init__(
        self, padding: Size, fill: Fill = 0, padding_mode: str = "constant", keys: Optional[Sequence[str]] = None
    ) -> None:
        super().__init__(keys)
        border_widths(padding)
        if padding_mode not in PADDING_MODES:
            raise ValueError(f"Pad: padding_mode must be one of {', '.join(PADDING_MODES)}, not {padding_mode!r}")
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

    Raises:
        ValueError: ``num_output_channels`` is neither.
    """

    def __init__(self, num_output_channels: int = 1, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        if num_output_channels not in (1, 3):
            raise ValueError(f"Grayscale: num_output_channels must be 1 or 3, not {num_output_channels!r}")
        self.num_output_channels = num_output_channels

    def _apply_image(self, image: Any) -> Any:
        return F.to_grayscale(image, self.num_output_channels)


class Normalize(BaseTransform):
    """Subtract a mean and divide by a standard deviation, channel by channel.

    Args:
        mean: one number, or one for each channel.
        std: one number, or one for each channel.
        data_format: "CHW" or "HWC".
        to_rgb: reverse the channels first, but for Tensors.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``data_format`` is unknown.
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
        self.data_format = _check_format("Normalize", data_format)
        self.to_rgb = to_rgb

    def _apply_image(self, image: Any) -> Any:
        return F.normalize(image, self.mean, self.std, self.data_format, self.to_rgb)

    def _together_with(self, following: Any, data: Any) -> Optional[Callable[[Any], Any]]:
        if self.data_format == "HWC" and _reorders(following) and _is_pixels(data) and _whole(self, following):
            return self._from_pixels(1.0)
        return None

    def _from_pixels(self, scale: Optional[float]) -> Callable[[Any], Any]:
        return functools.partial(to_normalized, mean=self.mean, std=self.std, to_rgb=self.to_rgb, scale=scale)


class Transpose(BaseTransform):
    """Reorder the axes of an image; one of shape (H, W) gets a channel axis last, before that.

    Args:
        order: the old axis for each new one.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``order`` does not name each axis once.
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        if not isinstance(order, (list, tuple)) or sorted(order) != list(range(len(order))):
            raise ValueError(f"Transpose: order must name each axis once, such as (2, 0, 1), not {order!r}")
        self.order = tuple(order)

    def _apply_image(self, image: Any) -> Any:
        F.image_size(image)
        if is_tensor(image):
            return image.transpose(list(self.order))
        array = np.asarray(image)
        array = array[:, :, None] if array.ndim == 2 else array
        if array.ndim != len(self.order):
            raise ValueError(f"Transpose: order {self.order} does not fit an image of shape {array.shape}")
        return array.transpose(self.order)

    def _together_with(self, following: Any, data: Any) -> Optional[Callable[[Any], Any]]:
        if _reorders(self) and _normalizes(following) and _is_pixels(data) and _whole(self, following):
            return following._from_pixels(1.0)
        return None


class ToTensor(BaseTransform):
    """Channels first and 0...255 scaled to 0...1; see :func:`core.vision.transforms.functional.to_tensor`.

    Args:
        data_format: "CHW" or "HWC".
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``data_format`` is unknown.
    """

    def __init__(self, data_format: str = "CHW", keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.data_format = _check_format("ToTensor", data_format)

    def _apply_image(self, image: Any) -> Any:
        return F.to_tensor(image, self.data_format)

    def _together_with(self, following: Any, data: Any) -> Optional[Callable[[Any], Any]]:
        if self.data_format == "CHW" and _normalizes(following) and _is_pixels(data) and _whole(self, following):
            return following._from_pixels(None)
        return None


def check_interpolation(owner: str, interpolation: str, known: Optional[Sequence[str]] = None) -> str:
    """Refuse an unknown interpolation.

    Args:
        owner: the transform, for the message.
        interpolation: what was asked for.
        known: what there is; None: all that :func:`resize` knows for some kind of image.

    Returns:
        ``interpolation``.

    Raises:
        ValueError: it is not there.
    """
    names = list(dict.fromkeys([*OPENCV_INTERPOLATION, *PIL_INTERPOLATION])) if known is None else list(known)
    if interpolation not in names:
        raise ValueError(f"{owner}: interpolation must be one of {', '.join(names)}, not {interpolation!r}")
    return interpolation


def _check_format(owner: str, data_format: str) -> str:
    if data_format not in ("CHW", "HWC"):
        raise ValueError(f"{owner}: data_format must be 'CHW' or 'HWC', not {data_format!r}")
    return data_format


def _is_pixels(data: Any) -> bool:
    return isinstance(data, np.ndarray) and data.dtype == np.uint8 and data.ndim in (2, 3) and data.size > 0


def _whole(first: BaseTransform, second: BaseTransform) -> bool:
    """Tell whether these are the classes above, not subclasses that may do something else, and take one image."""
    classes = (Normalize, Transpose, ToTensor)
    return type(first) in classes and type(second) in classes and first.keys == second.keys == ("image",)


def _reorders(transform: Any) -> bool:
    return isinstance(transform, Transpose) and transform.order == (2, 0, 1)


def _normalizes(transform: Any) -> bool:
    return isinstance(transform, Normalize) and transform.data_format == "CHW"
