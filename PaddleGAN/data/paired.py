"""Pairs of images that show the same thing in two ways, for translation with a teacher."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.io import Dataset
from core.vision.image import read_image
from PaddleGAN.data.images import Transform, check_same_size, images_below, read_list, transformed

DIRECTIONS = ("AtoB", "BtoA")


class PairedDataset(Dataset):
    """Pairs (input, target) from a list of "A⇥B", or from images that hold A on their left and B on their right half.

    Paper: P. Isola et al., "Image-to-Image Translation with Conditional Adversarial Networks", 2017,
        https://arxiv.org/abs/1611.07004; the halves are the layout of its data sets.

    Args:
        root: the folder of the images, or the one that the list's paths are relative to.
        list_path: a list with an A, a tab and a B in each line; None: every image below ``root`` holds a pair.
        direction: "AtoB": A is the input and B the target; or "BtoA".
        transform: a function of the pair, a tuple; it must draw once for both.

    Raises:
        NotADirectoryError: ``root`` is no folder.
        FileNotFoundError: the list, or an image of it, is missing.
        ValueError: there are no pairs, a line is no pair, or the direction is unknown.
    """

    images_together = 2

    def __init__(
        self,
        root: str,
        list_path: Optional[str] = None,
        direction: str = "AtoB",
        transform: Optional[Transform] = None,
    ) -> None:
        check_direction("PairedDataset", direction)
        self.direction = direction
        self.transform = transform
        self.samples: list[tuple[str, ...]]
        if list_path is None:
            self.samples = [(path,) for path in images_below("PairedDataset", root)]
        else:
            self.samples = read_list("PairedDataset", list_path, root, columns=2)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        paths = self.samples[index]
        if len(paths) == 1:
            first, second = _halves(read_image(paths[0]), paths[0])
        else:
            first, second = (read_image(path) for path in paths)
            check_same_size(first, second, paths)
        pair = (first, second) if self.direction == "AtoB" else (second, first)
        return transformed(self.transform, pair, paths)

    def __len__(self) -> int:
        return len(self.samples)


def check_direction(owner: str, direction: str) -> None:
    """Refuse an unknown direction.

    Args:
        owner: the data set, for the message.
        direction: "AtoB" or "BtoA".

    Raises:
        ValueError: it is neither.
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"{owner}: direction must be 'AtoB' or 'BtoA', not {direction!r}")


def _halves(image: np.ndarray, path: str) -> tuple[np.ndarray, np.ndarray]:
    width = image.shape[1]
    if width % 2:
        raise ValueError(f"{path!r} is {width} pixels wide; two images side by side have an even width")
    return np.ascontiguousarray(image[:, : width // 2]), np.ascontiguousarray(image[:, width // 2 :])
