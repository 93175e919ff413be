"""MNIST and data sets in its file format.

Format: Y. LeCun, C. Cortes, "The MNIST database of handwritten digits", http://yann.lecun.com/exdb/mnist (IDX files).
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.vision.datasets.idx import read_idx
from PaddleClas.data.dataset import ImageDataset, Transform, colored


class MNIST(ImageDataset):
    """Grey images and labels in two IDX files, plain or gzipped.

    Args:
        image_path: the images' file.
        label_path: the labels' file.
        class_names: the classes' names; None: "0" to "9".
        color: "gray" for (H, W, 1) or "rgb" for (H, W, 3).
        transform: what to do with an image.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file is not IDX, is truncated or empty, or the two do not fit.
    """

    def __init__(
        self,
        image_path: str,
        label_path: str,
        class_names: Optional[list[str]] = None,
        color: str = "gray",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(class_names or [str(digit) for digit in range(10)], transform)
        self.images, self.labels = read_idx(image_path), read_idx(label_path)
        self.color = color
        if self.images.ndim != 3 or self.labels.ndim != 1 or len(self.images) != len(self.labels):
            raise ValueError(
                f"MNIST: {image_path!r} of shape {self.images.shape} and {label_path!r} of shape {self.labels.shape} "
                "are not N images and N labels"
            )
        if not len(self.labels):
            raise ValueError(f"MNIST: {image_path!r} holds no images")
        if self.labels.max() >= len(self.class_names):
            raise ValueError(f"MNIST: {label_path!r} has label {self.labels.max()}, of {len(self.class_names)} classes")
        colored(np.zeros((1, 1), np.uint8), color)

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (H, W, 1) or (H, W, 3)."""
        return colored(self.images[index], self.color)

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return int(self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)
