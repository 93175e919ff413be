"""Transforms that draw how to change colors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from core.io.randomness import permutation, uniform
from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform
from core.vision.transforms.kinds import is_number

Range = Union[float, Sequence[float]]


class _RandomAdjustment(BaseTransform):
    """Draw a factor, and adjust an image with it."""

    name = ""
    center = 1.0
    limits = (0.0, float("inf"))
    adjust: Callable[[Any, float], Any]

    def __init__(self, value: Range, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.value = _factors(f"{type(self).__name__}: {self.name}", value, self.center, self.limits)

    def _get_params(self, inputs: tuple[Any, ...]) -> Optional[float]:
        F.image_size(self._first_image(inputs))
        return None if self.value is None else uniform(*self.value)

    def _apply_image(self, image: Any) -> Any:
        return image if self.params is None else type(self).adjust(image, self.params)


class BrightnessTransform(_RandomAdjustment):
    """Adjust the brightness; see :func:`core.vision.transforms.functional.adjust_brightness`.

    Args:
        value: v for a factor between max(0, 1 - v) and 1 + v; or (least, greatest) factor.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``value`` is negative or falling.
        TypeError: it is neither a number nor two.
    """

    name = "brightness"
    adjust = staticmethod(F.adjust_brightness)


class ContrastTransform(_RandomAdjustment):
    """Adjust the contrast; see :func:`core.vision.transforms.functional.adjust_contrast`.

    Args:
        value: v for a factor between max(0, 1 - v) and 1 + v; or (least, greatest) factor.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``value`` is negative or falling.
        TypeError: it is neither a number nor two.
    """

    name = "contrast"
    adjust = staticmethod(F.adjust_contrast)


class SaturationTransform(_RandomAdjustment):
    """Adjust the saturation; see :func:`core.vision.transforms.functional.adjust_saturation`.

    Args:
        value: v for a factor between max(0, 1 - v) and 1 + v; or (least, greatest) factor.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``value`` is negative or falling.
        TypeError: it is neither a number nor two.
    """

    name = "saturation"
    adjust = staticmethod(F.adjust_saturation)


class HueTransform(_RandomAdjustment):
    """Adjust the hue; see :func:`core.vision.transforms.functional.adjust_hue`.

    Args:
        value: v for a factor between -v and v, at most 0.5; or (least, greatest) factor.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``value`` is out of range or falling.
        TypeError: it is neither a number nor two.
    """

    name = "hue"
    center = 0.0
    limits = (-0.5, 0.5)
    adjust = staticmethod(F.adjust_hue)


class ColorJitter(BaseTransform):
    """Adjust brightness, contrast, saturation and hue, in random order.

    Args:
        brightness: as for :class:`BrightnessTransform`.
        contrast: as for :class:`ContrastTransform`.
        saturation: as for :class:`SaturationTransform`.
        hue: as for :class:`HueTransform`.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: a value is out of range.
        TypeError: a value is neither a number nor two.
    """

    def __init__(
        self,
        brightness: Range = 0,
        contrast: Range = 0,
        saturation: Range = 0,
        hue: Range = 0,
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.hue = hue
        self._adjustments: list[_RandomAdjustment] = [
            BrightnessTransform(brightness),
            ContrastTransform(contrast),
            SaturationTransform(saturation),
            HueTransform(hue),
        ]

    def _get_params(self, inputs: tuple[Any, ...]) -> list[tuple[Callable[[Any, float], Any], float]]:
        F.image_size(self._first_image(inputs))
        chosen = []
        for number in permutation(len(self._adjustments)):
            adjustment = self._adjustments[number]
            if adjustment.value is not None:
                chosen.append((type(adjustment).adjust, uniform(*adjustment.value)))
        return chosen

    def _apply_image(self, image: Any) -> Any:
        for adjust, factor in self.params:
            image = adjust(image, factor)
        return image


def _factors(name: str, value: Any, center: float, limits: tuple[float, float]) -> Optional[tuple[float, float]]:
    """Return (least, greatest) factor, or None where both leave an image as it is."""
    if is_number(value):
        if not 0 <= value <= limits[1]:
            raise ValueError(f"{name} must lie between 0 and {limits[1]}, not {value!r}")
        found = (max(center - value, limits[0]), center + value)
    elif isinstance(value, (list, tuple)) and len(value) == 2 and all(map(is_number, value)):
        if not limits[0] <= value[0] <= value[1] <= limits[1]:
            raise ValueError(f"{name} must rise between {limits[0]} and {limits[1]}, not {value!r}")
        found = (value[0], value[1])
    else:
        raise TypeError(f"{name} must be a number or (least, greatest), not {value!r}")
    return None if found[0] == found[1] == center else found
