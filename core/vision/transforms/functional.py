"""Transforms as functions of one image: a numpy array of shape (H, W) or (H, W, C), or a PIL image.

A PIL image comes back as a PIL image, an array as an array of its own type, with its channel axis kept.
"""

from __future__ import annotations

from core.vision.transforms.color import normalize, to_grayscale, to_tensor
from core.vision.transforms.geometry import center_crop, crop, hflip, image_size, pad, pair, resize, vflip

__all__ = [
    "center_crop",
    "crop",
    "hflip",
    "image_size",
    "normalize",
    "pad",
    "pair",
    "resize",
    "to_grayscale",
    "to_tensor",
    "vflip",
]
