"""Structural similarity.

Paper: Z. Wang et al., "Image quality assessment: from error visibility to structural similarity", 2004,
https://doi.org/10.1109/TIP.2003.819861.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from PaddleGAN.metrics.pictures import ImageMean, compared_parts

WINDOW = 11
SIGMA = 1.5


def ssim(generated: Any, target: Any, crop_border: int = 0, test_y_channel: bool = False) -> np.ndarray:
    """Return the structural similarity, the mean over channels and over the places where the window fits.

    The window is the paper's, Gaussian, 11 pixels wide with a standard deviation of 1.5, and so are the constants.

    Args:
        generated: uint8, shape (N, H, W, C); or floating point, shape (N, C, H, W), -1 to 1.
        target: as many images of the same size, of either kind.
        crop_border: pixels at each border that are left out.
        test_y_channel: whether of images in color luma alone (ITU-R BT.601) is compared, as in super-resolution.

    Returns:
        Float64, shape (N,), at most 1.

    Raises:
        ValueError: the shapes differ, are not those of images, or the images are smaller than the window.
    """
    first, second = compared_parts("SSIM", generated, target, crop_border, test_y_channel)
    if min(first.shape[1:3]) < WINDOW:
        height, width = first.shape[1:3]
        raise ValueError(f"SSIM: its window is {WINDOW} pixels wide; images of {height}x{width} are smaller")
    return np.array([_similarity(one, other) for one, other in zip(first, second)], np.float64)


def _similarity(first: np.ndarray, second: np.ndarray) -> float:
    steady, lively = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mean_1, mean_2 = _blurred(first), _blurred(second)
    variance_1 = _blurred(first**2) - mean_1**2
    variance_2 = _blurred(second**2) - mean_2**2
    covariance = _blurred(first * second) - mean_1 * mean_2
    upper = (2 * mean_1 * mean_2 + steady) * (2 * covariance + lively)
    lower = (mean_1**2 + mean_2**2 + steady) * (variance_1 + variance_2 + lively)
    return float((upper / lower).mean())


def _blurred(image: np.ndarray) -> np.ndarray:
    border = WINDOW // 2
    return cv2.GaussianBlur(image, (WINDOW, WINDOW), SIGMA)[border:-border, border:-border]


class SSIM(ImageMean):
    """The mean over images of the structural similarity; arguments as for :func:`ssim`."""

    measure = staticmethod(ssim)

    def name(self) -> str:
        """Return "ssim"."""
        return "ssim"
