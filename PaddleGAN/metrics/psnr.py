"""The peak signal-to-noise ratio."""

from __future__ import annotations

from typing import Any

import numpy as np

from PaddleGAN.metrics.pictures import ImageMean, compared_parts


def psnr(generated: Any, target: Any, crop_border: int = 0, test_y_channel: bool = False) -> np.ndarray:
    """Return 20 log10(255 / root of the mean squared difference), all channels together, in decibels.

    Args:
        generated: uint8, shape (N, H, W, C); or floating point, shape (N, C, H, W), -1 to 1.
        target: as many images of the same size, of either kind.
        crop_border: pixels at each border that are left out.
        test_y_channel: whether of images in color luma alone (ITU-R BT.601) is compared, as in super-resolution.

    Returns:
        Float64, shape (N,); infinite for equal images.

    Raises:
        ValueError: the shapes differ, or are not those of images.
    """
    first, second = compared_parts("PSNR", generated, target, crop_border, test_y_channel)
    squared = ((first - second) ** 2).mean(axis=(1, 2, 3))
    with np.errstate(divide="ignore"):
        return 10 * np.log10(255.0**2 / squared)


class PSNR(ImageMean):
    """The mean over images of the peak signal-to-noise ratio, in decibels; arguments as for :func:`psnr`."""

    measure = staticmethod(psnr)

    def name(self) -> str:
        """Return "psnr"."""
        return "psnr"
