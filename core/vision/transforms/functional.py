"""Transforms as functions of one image; :mod:`core.vision.transforms.kinds` says what an image can be.

The result is of the image's kind: a PIL image gives a PIL image, an array an array of its own type, a Tensor a Tensor.
"""

from __future__ import annotations

from core.vision.transforms.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    to_grayscale,
)
from core.vision.transforms.geometry import center_crop, crop, hflip, pad, resize, vflip
from core.vision.transforms.kinds import image_size, pair
from core.vision.transforms.values import erase, normalize, to_tensor
from core.vision.transforms.warping import affine, perspective, rotate

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "affine",
    "center_crop",
    "crop",
    "erase",
    "hflip",
    "image_size",
    "normalize",
    "pad",
    "pair",
    "perspective",
    "resize",
    "rotate",
    "to_grayscale",
    "to_tensor",
    "vflip",
]
