"""The 102 flowers of Oxford.

Paper: M.-E. Nilsback, A. Zisserman, "Automated flower classification over a large number of classes", 2008,
https://www.robots.ox.ac.uk/~vgg/data/flowers/102.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.vision import datasets
from PaddleClas.data.dataset import ImageDataset, Transform, check_split


class Flowers(ImageDataset):
    """8,189 photographs of 102 kinds, in Paddle's split: 6,149 to train, 1,020 to validate, 1,020 to test.

    The classes' names are the numbers of the kinds, from 1.

    Args:
        data_file: the archive of photographs; unpacked once, beside it. None: the published one.
        label_file: the kinds, a Matlab file; None: the published one.
        setid_file: the split, a Matlab file; None: the published one.
        split: "train", "valid" or "test".
        download: whether published files may be downloaded.
        transform: what to do with an image.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.

    Raises:
        FileNotFoundError: a given file is missing.
        ValueError: a file is damaged or holds something else; or ``split`` is unknown.
        ConnectionError: a file cannot be downloaded; says where to put it by hand.
    """

    def __init__(
        self,
        data_file: Optional[str] = None,
        label_file: Optional[str] = None,
        setid_file: Optional[str] = None,
        split: str = "train",
        download: bool = True,
        transform: Optional[Transform] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        super().__init__([str(kind) for kind in range(1, 103)], transform)
        check_split("Flowers", split, ("train", "valid", "test"))
        self._photographs = datasets.Flowers(
            data_file, label_file, setid_file, split, None, download, "pil", maximum_bytes
        )
        self.labels = self._photographs.labels[self._photographs.indexes - 1] - 1
        if not len(self.labels) or self.labels.min() < 0 or self.labels.max() >= 102:
            raise ValueError(f"Flowers: the {split} split has no photographs, or kinds that are not 1 to 102")

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (H, W, 3), RGB."""
        return np.asarray(self._photographs[index][0])

    def label(self, index: int) -> int:
        """Return a sample's class number, the kind less 1."""
        return int(self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)
