"""Transforms as objects, to be chained with :class:`Compose`.

Random ones draw from :mod:`core.io.randomness`, so that in a seeded loader the draw belongs to the sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from core.io.randomness import integer, uniform
from core.vision.transforms import functional as F

Size = Union[int, Sequence[int]]


class Compose:
    """Several transforms, one after another.

    Args:
        transforms: functions of the sample.
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = list(transforms)

    def __call__(self, data: Any) -> Any:
        """Return ``data`` after all transforms, in order."""
        for transform in self.transforms:
            data = transform(data)
        return data

    def __repr__(self) -> str:
        return f"Compose({', '.join(type(transform).__name__ for transform in self.transforms)})"


class BaseTransform:
    """A transform of some fields of a sample, which draws its random parameters once for all of them.

    Subclasses write ``_apply_image``, and ``_get_params`` when they draw.

    Args:
        keys: the kinds of the sample's fields, in order: "image" is transformed, a kind without a method of its own is
            passed on, and so are fields beyond these. None: ("image",).

    Raises:
        TypeError: ``keys`` is not a list or tuple.
    """

    def __init__(self, keys: Optional[Sequence[str]] = None) -> None:
        if keys is not None and not isinstance(keys, (list, tuple)):
            raise TypeError(f"{type(self).__name__}: keys must be a list or tuple, not {keys!r}")
        self.keys = ("image",) if keys is None else tuple(keys)
        self.params: Any = None

    def __call__(self, inputs: Any) -> Any:
        """Transform one image, or the fields of a tuple."""
        fields = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(fields)
        outputs = []
        for position, field in enumerate(fields):
            key = self.keys[position] if position < len(self.keys) else None
            apply = getattr(self, f"_apply_{key}", None)
            outputs.append(field if apply is None else apply(field))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _get_params(self, inputs: tuple[Any, ...]) -> Any:
        return None

    def _apply_image(self, image: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _apply_image(image)")

    def _first_image(self, inputs: tuple[Any, ...]) -> Any:
        return inputs[self.keys.index("image")] if "image" in self.keys else inputs[0]


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
