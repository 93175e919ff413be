"""MNIST, Fashion-MNIST, and data sets in their file format.

Format: Y. LeCun, C. Cortes, "The MNIST database of handwritten digits", http://yann.lecun.com/exdb/mnist (IDX files).
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.vision import datasets
from PaddleClas.data.dataset import ImageDataset, Transform, check_split, colored


class MNIST(ImageDataset):
    """Handwritten digits, 60,000 to train and 10,000 to test; or any grey images and labels in two IDX files.

    Args:
        image_path: the images' file, plain or gzipped; None: the published one.
        label_path: the labels' file; None, as ``image_path``: the published one.
        class_names: the classes' names; None: "0" to "9".
        color: "gray" for (H, W, 1) or "rgb" for (H, W, 3).
        split: "train" or "test": which of the published files.
        download: whether they may be downloaded.
        transform: what to do with an image.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file is not IDX, is truncated or empty, or the two do not fit; or an argument is unknown.
        ConnectionError: a published file cannot be downloaded; says where to put it by hand.
    """

    published: Any = datasets.MNIST
    names: tuple[str, ...] = tuple("0123456789")

    def __init__(
        self,
        image_path: Optional[str] = None,
        label_path: Optional[str] = None,
        class_names: Optional[list[str]] = None,
        color: str = "gray",
        split: str = "train",
        download: bool = True,
        transform: Optional[Transform] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        super().__init__(class_names or list(self.names), transform)
        owner = type(self).__name__
        check_split(owner, split, ("train", "test"))
        if (image_path is None) != (label_path is None):
            raise ValueError(f"{owner}: give image_path and label_path, or neither, for the published files")
        read = self.published(image_path, label_path, split, None, download, "cv2", maximum_bytes)
        self.images, self.labels = read.images, read.labels
        self.color = color
        if not len(self.labels):
            raise ValueError(f"{owner}: {read.image_path!r} holds no images")
        if self.labels.max() >= len(self.class_names):
            classes = len(self.class_names)
            raise ValueError(f"{owner}: {read.label_path!r} has label {self.labels.max()}, of {classes} classes")
        colored(np.zeros((1, 1), np.uint8), color)

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (H, W, 1) or (H, W, 3)."""
        return colored(self.images[index], self.color)

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return int(self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)


class FashionMNIST(MNIST):
    """Articles of clothing, 60,000 to train and 10,000 to test, in the files of MNIST.

    Paper: H. Xiao, K. Rasul, R. Vollgraf, "Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning
    Algorithms", 2017, https://arxiv.org/abs/1708.07747.

    Args:
        image_path: the images' file, plain or gzipped; None: the published one.
        label_path: the labels' file; None, as ``image_path``: the published one.
        class_names: the classes' names; None: "T-shirt" to "ankle boot".
        color: "gray" for (H, W, 1) or "rgb" for (H, W, 3).
        split: "train" or "test": which of the published files.
        download: whether they may be downloaded.
        transform: what to do with an image.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.
    """

    published = datasets.FashionMNIST
    names = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
