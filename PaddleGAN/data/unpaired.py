"""Images of two kinds that do not belong together, and images of one kind."""

from __future__ import annotations

import os
from typing import Any, Optional

from core.io import Dataset
from core.io.randomness import integer
from PaddleGAN.data.images import Transform, images_below, read_images, read_list


class UnpairedDataset(Dataset):
    """Images (A, B) of two kinds; an epoch shows each image of the larger kind once.

    Paper: J.-Y. Zhu et al., "Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial Networks", 2017,
        https://arxiv.org/abs/1703.10593; trainA and trainB are the layout of its data sets.

    Args:
        root_a: the folder of the kind A, as trainA, or a list of its images, as trainA.txt, relative to the list.
        root_b: likewise of the kind B.
        random_b: go through A in order and draw B, as in training; else B goes in order too. The shorter one starts
            again at its end.
        transform: a function of one image; it draws for A and B apart.

    Raises:
        NotADirectoryError: there is no such folder.
        FileNotFoundError: a list, or an image of it, is missing.
        ValueError: there are no images of one kind.
    """

    images_together = 1

    def __init__(self, root_a: str, root_b: str, random_b: bool = True, transform: Optional[Transform] = None) -> None:
        self.samples_a, self.samples_b = (_images("UnpairedDataset", root) for root in (root_a, root_b))
        self.random_b = random_b
        self.transform = transform

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if not 0 <= index < len(self):
            raise IndexError(f"sample {index} is outside an UnpairedDataset of {len(self)} samples")
        number = integer(0, len(self.samples_b)) if self.random_b else index % len(self.samples_b)
        first = read_images(self.transform, self.samples_a[index % len(self.samples_a)])
        return first, read_images(self.transform, self.samples_b[number])

    def __len__(self) -> int:
        return max(len(self.samples_a), len(self.samples_b))


class SingleDataset(Dataset):
    """Images of one kind; sample i is a tuple of one image.

    Args:
        root: their folder, or a list of them, relative to the list.
        transform: a function of one image.

    Raises:
        NotADirectoryError: there is no such folder.
        FileNotFoundError: the list, or an image of it, is missing.
        ValueError: there are no images.
    """

    images_together = 1

    def __init__(self, root: str, transform: Optional[Transform] = None) -> None:
        self.samples = _images("SingleDataset", root)
        self.transform = transform

    def __getitem__(self, index: int) -> tuple[Any]:
        return (read_images(self.transform, self.samples[index]),)

    def __len__(self) -> int:
        return len(self.samples)


def _images(owner: str, root: str) -> list[str]:
    if root.lower().endswith(".txt"):
        return [row[0] for row in read_list(owner, root, os.path.dirname(root), columns=1)]
    return images_below(owner, root)
