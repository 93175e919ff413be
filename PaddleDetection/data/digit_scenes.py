"""Scenes of light handwritten digits on darker canvases, among clutter: boxes, classes and masks without a download.

The digits are those that ship inside scikit-learn. A split's scenes are drawn with the digits of that split alone, so a
detector meets handwriting in the test scenes that it has never seen.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

import cv2
import numpy as np

from core.vision.datasets.digits import read_digits, split_indices
from PaddleDetection.data.dataset import Sample, Transform
from PaddleDetection.data.scenes import DrawnScenes

SIDES = (0.12, 0.48)
"""Height of a digit, as a share of the canvas: 1 to 4."""

CANVAS, INK = (0, 120), (190, 255)
"""Between which values the colours of canvases and of digits lie; those of lines and rings lie anywhere."""

OVERLAP = 0.3
"""The largest intersection over union of two digits' boxes, and the largest part of a digit that a later one hides."""

TRIALS = 30
"""Places that are tried for a digit before it is left out."""


class Placed(NamedTuple):
    """A digit on the canvas.

    Attributes:
        label: which digit.
        mask: its pixels that no later digit hides, bool (H, W).
        box: corners x1, y1, x2, y2 of its pixels, float32 (4,).
    """

    label: int
    mask: np.ndarray
    box: np.ndarray


class DigitScenes(DrawnScenes):
    """Drawn scenes; the same split and index is the same scene always.

    Args:
        split: "train", "valid" or "test": which digits are drawn.
        count: how many scenes.
        size: side of the canvas, pixels.
        most: the largest number of digits of a scene; the smallest is 1.
        transform: what to do with a sample.

    Raises:
        ValueError: the split is unknown, or a number is too small.
    """

    def __init__(
        self,
        split: str = "train",
        count: int = 1000,
        size: int = 160,
        most: int = 8,
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__([str(digit) for digit in range(10)], split, count, size, most, transform)
        images, labels = read_digits()
        chosen = split_indices(labels)[split]
        self.images, self.labels = images[chosen], labels[chosen]

    def sample(self, index: int) -> Sample:
        """Draw a scene."""
        source = self.source(index)
        image = background(source, self.size)
        placed: list[Placed] = []
        for _ in range(source.randint(1, self.most + 1)):
            number = source.randint(len(self.images))
            _place(source, image, placed, self.images[number], int(self.labels[number]))
        count = len(placed)
        return {
            "im_id": np.array([index], np.int64),
            "image": np.round(image).astype(np.uint8),
            "gt_bbox": np.stack([digit.box for digit in placed]),
            "gt_class": np.array([[digit.label] for digit in placed], np.int32),
            "is_crowd": np.zeros((count, 1), np.int32),
            "difficult": np.zeros((count, 1), np.int32),
            "gt_segm": np.stack([digit.mask for digit in placed]).astype(np.uint8),
        }


def background(source: np.random.RandomState, size: int) -> np.ndarray:
    """Return a canvas of two blending colours with lines, rings and specks, float32 (size, size, 3)."""
    corners = source.uniform(*CANVAS, (2, 2, 3)).astype(np.float32)
    image = cv2.resize(corners, (size, size), interpolation=cv2.INTER_LINEAR)
    for _ in range(source.randint(4, 12)):
        colour = source.uniform(0, 255, 3).tolist()
        first, second = source.randint(0, size, (2, 2)).tolist()
        width = int(source.randint(1, 4))
        if source.rand() < 0.6:
            cv2.line(image, first, second, colour, width, cv2.LINE_AA)
        else:
            cv2.ellipse(image, first, (int(source.randint(3, size // 6)),) * 2, 0, 0, 270, colour, width, cv2.LINE_AA)
    return np.clip(image + source.randint(-10, 11, image.shape, np.int8), 0, 255)


def _place(
    source: np.random.RandomState, image: np.ndarray, placed: list[Placed], digit: np.ndarray, label: int
) -> None:
    """Draw a digit where it hides little of the others; the first one always finds its place."""
    size = len(image)
    for _ in range(TRIALS):
        side = size * float(np.exp(source.uniform(*np.log(SIDES))))
        height, width = max(int(side), 8), max(int(side * source.uniform(0.7, 1.0)), 8)
        top, left = source.randint(0, size - height + 1), source.randint(0, size - width + 1)
        window = slice(top, top + height), slice(left, left + width)
        part = cv2.resize(digit.astype(np.float32) / 255, (width, height), interpolation=cv2.INTER_CUBIC).clip(0, 1)
        ink = part > 0.5
        box = _box(ink) + np.array([left, top, left, top], np.float32)
        if any(box_overlap(box, other.box) > OVERLAP for other in placed):
            continue
        if any((other.mask[window] & ink).sum() > OVERLAP * other.mask.sum() for other in placed):
            continue
        colour = source.uniform(*INK, 3).astype(np.float32)
        image[window] += (colour - image[window]) * part[:, :, None]
        for number, other in enumerate(placed):
            if (other.mask[window] & ink).any():
                other.mask[window] &= ~ink
                placed[number] = Placed(other.label, other.mask, _box(other.mask))
        mask = np.zeros((size, size), bool)
        mask[window] = ink
        placed.append(Placed(label, mask, box))
        return


def _box(mask: np.ndarray) -> np.ndarray:
    """Return the corners of what is in a mask; the right and lower edges lie behind the last pixel."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], np.float32)


def box_overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Return the intersection over union of two boxes."""
    left, top, right, bottom = first.tolist()
    other = second.tolist()
    width, height = min(right, other[2]) - max(left, other[0]), min(bottom, other[3]) - max(top, other[1])
    common = max(width, 0.0) * max(height, 0.0)
    return common / ((right - left) * (bottom - top) + (other[2] - other[0]) * (other[3] - other[1]) - common)
