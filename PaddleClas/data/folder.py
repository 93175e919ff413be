"""Images in one folder per class."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

import numpy as np

from core.vision.image import image_files, read_image
from PaddleClas.data.dataset import ImageDataset, Transform

SPLITS = frozenset(("train", "val", "valid", "validation", "test"))


class DatasetFolder(ImageDataset):
    """Images below root/class name/, the classes numbered in alphabetical order.

    Args:
        root: the folder of the classes' folders.
        classes: the classes' names in the order of their numbers, for a split that lacks some; None: the folders there.
        transform: what to do with an image.

    Raises:
        NotADirectoryError: ``root`` is no folder.
        ValueError: it holds no class folders, one that is not in ``classes``, one without images, or splits.
    """

    def __init__(self, root: str, classes: Optional[list[str]] = None, transform: Optional[Transform] = None) -> None:
        if not os.path.isdir(root):
            raise NotADirectoryError(f"DatasetFolder: no folder {root!r}")
        found = sorted(
            entry.name for entry in Path(root).iterdir() if entry.is_dir() and not entry.name.startswith(".")
        )
        if not found:
            raise ValueError(f"DatasetFolder: {root!r} holds no folders; it should hold one per class")
        if classes is None and SPLITS.issuperset(found):
            raise ValueError(
                f"DatasetFolder: the folders in {root!r} ({', '.join(found)}) are splits, not classes; name one of them"
            )
        super().__init__(found if classes is None else list(classes), transform)
        numbers = {name: number for number, name in enumerate(self.class_names)}
        unknown = [name for name in found if name not in numbers]
        if unknown:
            raise ValueError(f"DatasetFolder: the folder {unknown[0]!r} in {root!r} is none of the classes {classes}")
        files = {name: image_files(os.path.join(root, name)) for name in found}
        self.samples = [(path, numbers[name]) for name in found for path in files[name]]
        if not self.samples:
            raise ValueError(f"DatasetFolder: there are no images below {root!r}")
        empty = [name for name in found if not files[name]]
        if empty:
            raise ValueError(
                f"DatasetFolder: there are no images in {os.path.join(root, empty[0])!r}; fill it or remove it"
            )

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (H, W, 3), RGB."""
        return read_image(self.samples[index][0])

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return self.samples[index][1]

    def __len__(self) -> int:
        return len(self.samples)
