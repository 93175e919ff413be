"""What all data sets of labelled images can do."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from core.io import Dataset

Transform = Callable[[np.ndarray], Any]


class ImageDataset(Dataset):
    """Sample i is (image after the transform, class number).

    Subclasses write ``image`` and ``label``, and ``__len__``.

    Args:
        class_names: the classes, in the order of their numbers.
        transform: what to do with an image; None: nothing.
        all_classes: whether these are all classes, as names and folders say; not where only the labels name them.
    """

    def __init__(
        self, class_names: list[str], transform: Optional[Transform] = None, all_classes: bool = True
    ) -> None:
        self.class_names = class_names
        self.all_classes = all_classes
        self.transform = transform

    def image(self, index: int) -> np.ndarray:
        """Return an image before the transform: uint8, shape (H, W, C)."""
        raise NotImplementedError(f"{type(self).__name__} must define image(index)")

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        raise NotImplementedError(f"{type(self).__name__} must define label(index)")

    def __getitem__(self, index: int) -> tuple[Any, int]:
        image = self.image(index)
        return (image if self.transform is None else self.transform(image)), self.label(index)


def check_split(owner: str, split: str, known: tuple[str, ...]) -> None:
    """Refuse an unknown split.

    Args:
        owner: the data set, for the message.
        split: what was asked for.
        known: what there is.

    Raises:
        ValueError: it is not there.
    """
    if split not in known:
        raise ValueError(f"{owner}: split must be one of {', '.join(known)}, not {split!r}")


def colored(image: np.ndarray, color: str) -> np.ndarray:
    """Return a grey image (H, W) as (H, W, 1) for "gray", or repeated to (H, W, 3) for "rgb".

    Args:
        image: shape (H, W).
        color: "gray" or "rgb".

    Raises:
        ValueError: ``color`` is neither.
    """
    if color not in ("gray", "rgb"):
        raise ValueError(f"color must be 'gray' or 'rgb', not {color!r}")
    return image[:, :, None] if color == "gray" else np.repeat(image[:, :, None], 3, axis=2)
