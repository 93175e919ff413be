"""MNIST and data sets in its file format.

Format: Y. LeCun, C. Cortes, "The MNIST database of handwritten digits", http://yann.lecun.com/exdb/mnist (IDX files).
"""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Optional

import numpy as np

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
        ValueError: a file is not IDX, is truncated, or the two do not fit.
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
        if len(self.labels) and self.labels.max() >= len(self.class_names):
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


def read_idx(path: str) -> np.ndarray:
    """Read an IDX file of unsigned bytes.

    Args:
        path: the file, plain or gzipped.

    Returns:
        uint8, in the shape that the file states.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: it is not IDX, or its length does not fit its header.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no IDX file {path!r}")
    with open(path, "rb") as stream:
        data = stream.read()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error):
            raise ValueError(f"{path!r} is a broken gzip file; fetch it again") from None
    if len(data) < 4 or data[:3] != b"\x00\x00\x08" or len(data) < 4 + 4 * data[3]:
        raise ValueError(f"{path!r} is not an IDX file of unsigned bytes")
    shape = tuple(int(extent) for extent in np.frombuffer(data, dtype=">u4", count=data[3], offset=4))
    expected = int(np.prod(shape, dtype=np.int64))
    body = data[4 + 4 * data[3] :]
    if len(body) != expected:
        raise ValueError(f"{path!r} is truncated: its header promises {expected} bytes of data, {len(body)} are there")
    return np.frombuffer(body, dtype=np.uint8).reshape(shape)
