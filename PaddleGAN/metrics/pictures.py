"""What metrics take for images, bytes or a generator's numbers, and the mean of what compares them."""

from __future__ import annotations

from typing import Any, Callable, ClassVar

import numpy as np

from core.metric.metric import Metric, as_array


def as_pictures(owner: str, images: Any) -> np.ndarray:
    """Return images as numbers from 0 to 255, channels last, not rounded.

    Args:
        owner: the metric, for the message.
        images: uint8, shape (N, H, W, C); or floating point, shape (N, C, H, W), -1 to 1, an array or a Tensor, as a
            generator gives them. C is 1 or 3.

    Returns:
        Float32, shape (N, H, W, C).

    Raises:
        ValueError: the images have another shape or type.
    """
    array = as_array(images)
    if array.ndim == 4 and array.dtype == np.uint8 and array.shape[3] in (1, 3):
        return array.astype(np.float32)
    if array.ndim == 4 and array.dtype.kind == "f" and array.shape[1] in (1, 3):
        return np.ascontiguousarray((array.transpose(0, 2, 3, 1).astype(np.float32) + 1) * np.float32(127.5))
    raise ValueError(
        f"{owner}: images are bytes of shape (N, H, W, C) or numbers from -1 to 1 of shape (N, C, H, W), in grey or "
        f"color, not {array.dtype} of shape {array.shape}"
    )


def as_picture_pairs(owner: str, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return two batches of images of one shape, each as :func:`as_pictures` does.

    Args:
        owner: the metric, for the message.
        first: images.
        second: as many, of the same size.

    Returns:
        Both, float64.

    Raises:
        ValueError: one has another shape or type, or the two differ in shape.
    """
    one, other = as_pictures(owner, first), as_pictures(owner, second)
    if one.shape != other.shape:
        raise ValueError(f"{owner}: images of shapes {one.shape} and {other.shape} cannot be compared")
    return one.astype(np.float64), other.astype(np.float64)


LUMA = (65.481, 128.553, 24.966)
"""Of red, green and blue from 0 to 1 in ITU-R BT.601's luma, from 16 to 235."""


def compared_parts(
    owner: str, first: Any, second: Any, crop_border: int, test_y_channel: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return what is compared of two batches of images, float64 (N, H, W, C).

    Args:
        owner: the metric, for the message.
        first: images, as for :func:`as_pictures`.
        second: as many, of the same size.
        crop_border: pixels at each border that are left out.
        test_y_channel: whether of images in color luma alone is compared, as in super-resolution.

    Raises:
        ValueError: the images cannot be compared, or nothing is left of them.
    """
    parts = as_picture_pairs(owner, first, second)
    height, width = parts[0].shape[1:3]
    if crop_border < 0 or 2 * crop_border >= min(height, width):
        raise ValueError(f"{owner}: images of {height}x{width} pixels cannot be cut by {crop_border} at each border")
    cut = [part[:, crop_border : height - crop_border, crop_border : width - crop_border] for part in parts]
    if test_y_channel and cut[0].shape[3] == 3:
        cut = [(part @ np.array(LUMA) / 255 + 16)[..., None] for part in cut]
    return cut[0], cut[1]


class ImageMean(Metric):
    """The mean over images of a measure that compares them.

    Args:
        crop_border: as for the measure.
        test_y_channel: likewise.
    """

    measure: ClassVar[Callable[..., np.ndarray]]

    def __init__(self, crop_border: int = 0, test_y_channel: bool = False) -> None:
        self.crop_border, self.test_y_channel = crop_border, test_y_channel
        self.reset()

    def reset(self) -> None:
        """Forget everything gathered so far."""
        self.values: list[float] = []

    def update(self, generated: Any, target: Any) -> float:
        """Take in a batch, as the measure does; return its mean."""
        values = self.measure(generated, target, self.crop_border, self.test_y_channel)
        self.values += values.tolist()
        return float(values.mean())

    def accumulate(self) -> float:
        """Return the mean over all images since the last reset; 0.0 when none came in."""
        return float(np.mean(self.values)) if self.values else 0.0
