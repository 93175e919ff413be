"""Handwritten digits that ship inside scikit-learn: 1,797 grey images of 8 x 8 pixels, no download.

Source: E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
https://archive.ics.uci.edu/dataset/80 (its test set).
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.vision.datasets.digits import SPLITS, read_digits, split_indices
from PaddleClas.data.dataset import ImageDataset, Transform, check_split, colored


class Digits(ImageDataset):
    """The handwritten digits in a fixed split: 1,259 to train, 179 to validate, 359 to test; classes in proportion.

    Args:
        split: "train", "valid" or "test".
        color: "rgb" for (8, 8, 3) or "gray" for (8, 8, 1).
        transform: what to do with an image.

    Raises:
        ValueError: ``split`` or ``color`` is unknown.
    """

    def __init__(self, split: str = "train", color: str = "rgb", transform: Optional[Transform] = None) -> None:
        super().__init__([str(digit) for digit in range(10)], transform)
        check_split("Digits", split, SPLITS)
        images, labels = read_digits()
        chosen = split_indices(labels)[split]
        self.images = [colored(image, color) for image in images[chosen]]
        self.labels = labels[chosen].tolist()

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (8, 8, 3) or (8, 8, 1), white on black."""
        return self.images[index]

    def label(self, index: int) -> int:
        """Return the digit."""
        return self.labels[index]

    def __len__(self) -> int:
        return len(self.labels)
