"""Handwritten digits that ship inside scikit-learn: 1,797 grey images of 8 x 8 pixels, no download.

Source: E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
https://archive.ics.uci.edu/dataset/80 (its test set).
"""

from __future__ import annotations

import functools
from typing import Optional

import numpy as np

from PaddleClas.data.dataset import ImageDataset, Transform, check_split, colored

SPLITS = ("train", "valid", "test")


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
        images, labels = _load()
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


def split_indices(labels: np.ndarray) -> dict[str, np.ndarray]:
    """Divide samples so that each class is divided alike: a fifth to test, a tenth to validate, the rest to train.

    Args:
        labels: class numbers, shape (N,).

    Returns:
        Sorted sample numbers for each split; the same at every call.
    """
    source = np.random.RandomState(0)  # its stream is frozen, whatever numpy's version
    parts: dict[str, list[int]] = {split: [] for split in SPLITS}
    for digit in np.unique(labels):
        members = source.permutation(np.flatnonzero(labels == digit)).tolist()
        test, valid = round(0.2 * len(members)), round(0.1 * len(members))
        parts["test"] += members[:test]
        parts["valid"] += members[test : test + valid]
        parts["train"] += members[test + valid :]
    return {split: np.sort(np.array(members, dtype=np.int64)) for split, members in parts.items()}


@functools.lru_cache(maxsize=1)
def _load() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    raw = load_digits()
    return np.round(raw.images * (255.0 / 16.0)).astype(np.uint8), raw.target.astype(np.int64)
