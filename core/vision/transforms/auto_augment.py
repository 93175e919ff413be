"""Augmentation by learned or random choices among 14 operations.

Each operation has a strength from 0 (none) to 1 (the end of its range in the AutoAugment paper).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np
from PIL import Image

from core.io.randomness import integer, uniform
from core.vision.transforms import functional as F
from core.vision.transforms import pixels
from core.vision.transforms.base import BaseTransform
from core.vision.transforms.kinds import Fill, fill_values, is_integer, is_number
from core.vision.transforms.transforms import check_interpolation
from core.vision.transforms.warping import INTERPOLATIONS, warp

Chosen = tuple[str, float]
"""The name of an operation and its strength, from -1 to 1."""

OPERATIONS = (
    "ShearX",
    "ShearY",
    "TranslateX",
    "TranslateY",
    "Rotate",
    "AutoContrast",
    "Invert",
    "Equalize",
    "Solarize",
    "Posterize",
    "Contrast",
    "Color",
    "Brightness",
    "Sharpness",
)
SIGNED = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Contrast", "Color", "Brightness", "Sharpness")

# Two operations each, written as (name, probability, level from 0 to 9): appendix of the paper.
POLICIES: dict[str, tuple[tuple[tuple[str, float, int], tuple[str, float, int]], ...]] = {
    "imagenet": (
        (("Posterize", 0.4, 8), ("Rotate", 0.6, 9)),
        (("Solarize", 0.6, 5), ("AutoContrast", 0.6, 5)),
        (("Equalize", 0.8, 8), ("Equalize", 0.6, 3)),
        (("Posterize", 0.6, 7), ("Posterize", 0.6, 6)),
        (("Equalize", 0.4, 7), ("Solarize", 0.2, 4)),
        (("Equalize", 0.4, 4), ("Rotate", 0.8, 8)),
        (("Solarize", 0.6, 3), ("Equalize", 0.6, 7)),
        (("Posterize", 0.8, 5), ("Equalize", 1.0, 2)),
        (("Rotate", 0.2, 3), ("Solarize", 0.6, 8)),
        (("Equalize", 0.6, 8), ("Posterize", 0.4, 6)),
        (("Rotate", 0.8, 8), ("Color", 0.4, 0)),
        (("Rotate", 0.4, 9), ("Equalize", 0.6, 2)),
        (("Equalize", 0.0, 7), ("Equalize", 0.8, 8)),
        (("Invert", 0.6, 4), ("Equalize", 1.0, 8)),
        (("Color", 0.6, 4), ("Contrast", 1.0, 8)),
        (("Rotate", 0.8, 8), ("Color", 1.0, 2)),
        (("Color", 0.8, 8), ("Solarize", 0.8, 7)),
        (("Sharpness", 0.4, 7), ("Invert", 0.6, 8)),
        (("ShearX", 0.6, 5), ("Equalize", 1.0, 9)),
        (("Color", 0.4, 0), ("Equalize", 0.6, 3)),
        (("Equalize", 0.4, 7), ("Solarize", 0.2, 4)),
        (("Solarize", 0.6, 5), ("AutoContrast", 0.6, 5)),
        (("Invert", 0.6, 4), ("Equalize", 1.0, 8)),
        (("Color", 0.6, 4), ("Contrast", 1.0, 8)),
        (("Equalize", 0.8, 8), ("Equalize", 0.6, 3)),
    ),
    "cifar10": (
        (("Invert", 0.1, 7), ("Contrast", 0.2, 6)),
        (("Rotate", 0.7, 2), ("TranslateX", 0.3, 9)),
        (("Sharpness", 0.8, 1), ("Sharpness", 0.9, 3)),
        (("ShearY", 0.5, 8), ("TranslateY", 0.7, 9)),
        (("AutoContrast", 0.5, 8), ("Equalize", 0.9, 2)),
        (("ShearY", 0.2, 7), ("Posterize", 0.3, 7)),
        (("Color", 0.4, 3), ("Brightness", 0.6, 7)),
        (("Sharpness", 0.3, 9), ("Brightness", 0.7, 9)),
        (("Equalize", 0.6, 5), ("Equalize", 0.5, 1)),
        (("Contrast", 0.6, 7), ("Sharpness", 0.6, 5)),
        (("Color", 0.7, 7), ("TranslateX", 0.5, 8)),
        (("Equalize", 0.3, 7), ("AutoContrast", 0.4, 8)),
        (("TranslateY", 0.4, 3), ("Sharpness", 0.2, 6)),
        (("Brightness", 0.9, 6), ("Color", 0.2, 8)),
        (("Solarize", 0.5, 2), ("Invert", 0.0, 3)),
        (("Equalize", 0.2, 0), ("AutoContrast", 0.6, 0)),
        (("Equalize", 0.2, 8), ("Equalize", 0.6, 4)),
        (("Color", 0.9, 9), ("Equalize", 0.6, 6)),
        (("AutoContrast", 0.8, 4), ("Solarize", 0.2, 8)),
        (("Brightness", 0.1, 3), ("Color", 0.7, 0)),
        (("Solarize", 0.4, 5), ("AutoContrast", 0.9, 3)),
        (("TranslateY", 0.9, 9), ("TranslateY", 0.7, 9)),
        (("AutoContrast", 0.9, 2), ("Solarize", 0.8, 3)),
        (("Equalize", 0.8, 8), ("Invert", 0.1, 3)),
        (("TranslateY", 0.7, 9), ("AutoContrast", 0.9, 1)),
    ),
}


class _Augmentation(BaseTransform):
    """Apply the operations that ``_get_params`` chose."""

    def __init__(self, fill: Fill, interpolation: str, keys: Optional[Sequence[str]]) -> None:
        super().__init__(keys)
        name = type(self).__name__
        fill_values(name, fill, len(fill) if isinstance(fill, (list, tuple)) else 1)
        self.fill = fill
        self.interpolation = check_interpolation(name, interpolation, INTERPOLATIONS)

    def _apply_image(self, image: Any) -> Any:
        F.image_size(image)
        if not isinstance(image, Image.Image) and image.dtype != np.uint8:
            raise ValueError(
                f"{type(self).__name__}: augment images of bytes, before ToTensor and Normalize; not {image.dtype}"
            )
        for name, strength in self.params:
            image = apply_operation(image, name, strength, self.interpolation, self.fill)
        return image


class AutoAugment(_Augmentation):
    """Apply one of 25 learned pairs of operations to a PIL image or an array of bytes.

    Paper: "AutoAugment: Learning Augmentation Strategies from Data", https://arxiv.org/abs/1805.09501.

    Args:
        policy: the data set that the pairs were learned on: "imagenet" or "cifar10".
        fill: the value outside the image.
        interpolation: "nearest", "bilinear" or "bicubic".
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is unknown.
    """

    def __init__(
        self,
        policy: str = "imagenet",
        fill: Fill = 128,
        interpolation: str = "nearest",
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(fill, interpolation, keys)
        if policy not in POLICIES:
            raise ValueError(f"AutoAugment: policy must be one of {', '.join(POLICIES)}, not {policy!r}")
        self.policy = policy

    def _get_params(self, inputs: tuple[Any, ...]) -> list[Chosen]:
        pairs = POLICIES[self.policy]
        chosen = []
        for name, probability, level in pairs[integer(0, len(pairs))]:
            applied, sign = uniform() < probability, -1 if integer(0, 2) else 1
            if applied:
                chosen.append((name, level / 9 * (sign if name in SIGNED else 1)))
        return chosen


class RandAugment(_Augmentation):
    """Apply operations that are drawn evenly, all with the same strength, to a PIL image or an array of bytes.

    Paper: "RandAugment: Practical automated data augmentation with a reduced search space",
    https://arxiv.org/abs/1909.13719.

    Args:
        num_layers: how many operations, one after another.
        magnitude: their strength, from 0 to 10.
        fill: the value outside the image.
        interpolation: "nearest", "bilinear" or "bicubic".
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        num_layers: int = 2,
        magnitude: float = 5,
        fill: Fill = 128,
        interpolation: str = "nearest",
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(fill, interpolation, keys)
        if not is_integer(num_layers) or num_layers < 1:
            raise ValueError(f"RandAugment: num_layers must be a positive integer, not {num_layers!r}")
        if not is_number(magnitude) or not 0 <= magnitude <= 10:
            raise ValueError(f"RandAugment: magnitude must lie between 0 and 10, not {magnitude!r}")
        self.num_layers = num_layers
        self.magnitude = magnitude

    def _get_params(self, inputs: tuple[Any, ...]) -> list[Chosen]:
        chosen = []
        for _ in range(self.num_layers):
            name, sign = OPERATIONS[integer(0, len(OPERATIONS))], -1 if integer(0, 2) else 1
            chosen.append((name, self.magnitude / 10 * (sign if name in SIGNED else 1)))
        return chosen


def apply_operation(img: Any, name: str, strength: float, interpolation: str = "nearest", fill: Fill = 128) -> Any:
    """Apply one operation.

    Args:
        img: a PIL image, or an array, uint8 of shape (H, W), (H, W, 1) or (H, W, 3).
        name: one of :data:`OPERATIONS`.
        strength: from -1 to 1: a share of the end of the operation's range: 0.3 of a shear, 150/331 of the width or
            height of a translation, 30 degrees of a rotation, threshold 0 of Solarize, 4 bits of Posterize, a factor of
            1 +- 0.9 of Contrast, Color, Brightness and Sharpness.
        interpolation: "nearest", "bilinear" or "bicubic".
        fill: the value outside the image.

    Returns:
        An image of the same kind.
    """
    height, width = F.image_size(img)
    if name in _ENHANCEMENTS:
        return _ENHANCEMENTS[name](img, 1.0 + 0.9 * strength)
    if name in _FIXED:
        return _FIXED[name](img)
    if name == "Solarize":
        return pixels.solarize(img, 256 - 256 * strength)
    if name == "Posterize":
        return pixels.posterize(img, 8 - round(4 * strength))
    if name == "Rotate":
        return F.rotate(img, 30 * strength, interpolation, fill=fill)
    matrix = np.eye(3)
    entry = {"ShearX": (0, 1), "ShearY": (1, 0), "TranslateX": (0, 2), "TranslateY": (1, 2)}[name]
    reach = {"ShearX": 0.3, "ShearY": 0.3, "TranslateX": width * 150 / 331, "TranslateY": height * 150 / 331}[name]
    matrix[entry] = reach * strength
    return warp(name, img, matrix, (height, width), interpolation, fill)


_ENHANCEMENTS: dict[str, Callable[[Any, float], Any]] = {
    "Contrast": F.adjust_contrast,
    "Color": F.adjust_saturation,
    "Brightness": F.adjust_brightness,
    "Sharpness": pixels.adjust_sharpness,
}
_FIXED: dict[str, Callable[[Any], Any]] = {
    "AutoContrast": pixels.autocontrast,
    "Invert": pixels.invert,
    "Equalize": pixels.equalize,
}
