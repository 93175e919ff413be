"""Preprocessed images as pictures: what the transforms did to their numbers is undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.train.config.table import Component

LARGEST = 256
"""Pixels of an image's longer side on a sheet, at most."""

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""What NormalizeImage takes where it is given nothing: those of ImageNet."""


def to_picture(image: Any, transforms: Sequence[Component]) -> np.ndarray:
    """Return a preprocessed image as one that can be drawn: normalisation is undone, channels are last.

    Args:
        image: what the transforms returned.
        transforms: which ones they were.

    Returns:
        uint8, (H, W, C).
    """
    array = np.asarray(image, np.float32)
    array = array.transpose(1, 2, 0) if array.shape[0] in (1, 3) else array
    for part in reversed(transforms):
        arguments = part.arguments
        if part.name in ("Normalize", "NormalizeImage"):
            mean = arguments.get("mean", MEAN if part.name == "NormalizeImage" else 0.0)
            std = arguments.get("std", STD if part.name == "NormalizeImage" else 1.0)
            array = array * np.asarray(std, np.float32) + np.asarray(mean, np.float32)
    if array.max(initial=0) <= 8:  # fractions, which changes of colours may raise above 1; else bytes
        array = array * 255
    return np.rint(np.nan_to_num(array).clip(0, 255)).astype(np.uint8)
