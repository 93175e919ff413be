"""Transforms of pictures of different sizes that show the same: small ones first, the large one last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.io.randomness import integer, uniform
from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform
from core.vision.transforms.random_transforms import probability


class SRPairedRandomCrop(BaseTransform):
    """Cut the same random square out of small pictures and of the large one.

    Args:
        gt_patch_size: pixels of a side of the large square, a multiple of the scale.
        scale: how many times larger it is than the small ones.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: the size is no multiple of the scale.
    """

    def __init__(self, gt_patch_size: int, scale: int, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        if scale < 1 or gt_patch_size < scale or gt_patch_size % scale:
            raise ValueError(
                f"SRPairedRandomCrop: gt_patch_size must be a multiple of the scale, not {gt_patch_size} and {scale}"
            )
        self.gt_patch_size, self.scale = gt_patch_size, scale

    def __call__(self, inputs: Any) -> Any:
        """Return the squares of a tuple of pictures; of a single one, at scale 1, the square."""
        if not isinstance(inputs, tuple):
            return self((inputs,))[0]
        small = self.gt_patch_size // self.scale
        rows, columns = F.image_size(inputs[0])
        height, width = F.image_size(inputs[-1])
        if (height, width) != (rows * self.scale, columns * self.scale):
            raise ValueError(
                f"SRPairedRandomCrop: the large picture is {height}x{width}, not {self.scale} times the small one's "
                f"{rows}x{columns}; are data and transform of the same scale?"
            )
        if min(rows, columns) < small:
            raise ValueError(
                f"SRPairedRandomCrop: the {height}x{width} picture is smaller than {self.gt_patch_size} x "
                f"{self.gt_patch_size}; choose a smaller gt_patch_size"
            )
        top, left = integer(0, rows - small + 1), integer(0, columns - small + 1)
        squares = [F.crop(image, top, left, small, small) for image in inputs[:-1]]
        corner = (top * self.scale, left * self.scale)
        return (*squares, F.crop(inputs[-1], *corner, self.gt_patch_size, self.gt_patch_size))


class PairedRandomTransposeHW(BaseTransform):
    """Swap rows and columns of all pictures, or not; with both mirrorings that gives quarter turns.

    Args:
        prob: the probability of swapping, between 0 and 1.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: ``prob`` is out of range.
    """

    def __init__(self, prob: float = 0.5, keys: Optional[Sequence[str]] = None) -> None:
        super().__init__(keys)
        self.prob = probability("PairedRandomTransposeHW", prob)

    def _get_params(self, inputs: tuple[Any, ...]) -> bool:
        return uniform() < self.prob

    def _apply_image(self, image: Any) -> Any:
        if not self.params:
            return image
        return np.ascontiguousarray(np.swapaxes(image, 0, 1))
