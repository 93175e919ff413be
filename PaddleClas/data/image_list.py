"""Images named in a list file, as ImageNet's are."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.vision.datasets.lists import class_names, listed_path, read_list
from core.vision.inputs import read_picture
from PaddleClas.data.dataset import ImageDataset, Transform


class ImageNetDataset(ImageDataset):
    """Images of a list file with lines "relative/path.jpg label".

    Args:
        image_root: the folder, or the URL, that the paths are relative to.
        cls_label_path: the list file, or its URL: UTF-8; each line holds a path, a space or tab, and a class number
            from 0. Paths may be separated by the backslashes of Windows.
        class_names_path: a file with one class name per line, in the order of the numbers; None: the numbers.
        transform: what to do with an image.

    Raises:
        FileNotFoundError: a list file is missing.
        ValueError: a line is not "path label", names a drive of Windows, a label has no name, or the list is empty;
            names file and line.
    """

    def __init__(
        self,
        image_root: str,
        cls_label_path: str,
        class_names_path: Optional[str] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        self.samples = [(listed_path(image_root, path), label) for path, (label,) in read_list(cls_label_path)]
        names = class_names(cls_label_path, self.samples, class_names_path)
        super().__init__(names, transform, all_classes=class_names_path is not None)

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (H, W, 3), RGB."""
        return read_picture(self.samples[index][0])

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return self.samples[index][1]

    def __len__(self) -> int:
        return len(self.samples)
