"""CIFAR-10 and CIFAR-100: small photographs.

Paper: A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009,
https://www.cs.toronto.edu/~kriz/cifar.html.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.vision import datasets
from PaddleClas.data.dataset import ImageDataset, Transform, check_split

TEN = "airplane automobile bird cat deer dog frog horse ship truck"
HUNDRED = (
    "apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly camel can "
    "castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur dolphin "
    "elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster "
    "man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck "
    "pine_tree plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew skunk "
    "skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone television tiger "
    "tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm"
)


class Cifar10(ImageDataset):
    """Photographs of 32 x 32 pixels in 10 classes: 50,000 to train, 10,000 to test.

    Args:
        data_file: the archive "for Python" or the binary one, or the folder that it was unpacked to; None: the
            published one.
        split: "train" or "test".
        download: whether the published one may be downloaded.
        transform: what to do with an image.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.

    Raises:
        FileNotFoundError: ``data_file`` is missing.
        ValueError: it is not such an archive, is damaged, or asks for code to be run; or ``split`` is unknown.
        ConnectionError: the published one cannot be downloaded; says where to put it by hand.
    """

    published: Any = datasets.Cifar10
    names = TEN

    def __init__(
        self,
        data_file: Optional[str] = None,
        split: str = "train",
        download: bool = True,
        transform: Optional[Transform] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        super().__init__(self.names.split(), transform)
        owner = type(self).__name__
        check_split(owner, split, ("train", "test"))
        read = self.published(data_file, split, None, download, "cv2", maximum_bytes)
        self.images, self.labels = read.images, read.labels
        if self.labels.min() < 0 or self.labels.max() >= len(self.class_names):
            wrong = self.labels[(self.labels < 0) | (self.labels >= len(self.class_names))][0]
            raise ValueError(f"{owner}: {read.data_file!r} has label {wrong}, of {len(self.class_names)} classes")

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (32, 32, 3), RGB."""
        return np.ascontiguousarray(self.images[index].transpose(1, 2, 0))

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return int(self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)


class Cifar100(Cifar10):
    """Photographs of 32 x 32 pixels in 100 classes: 50,000 to train, 10,000 to test; the fine labels.

    Args:
        data_file: the archive "for Python" or the binary one, or the folder that it was unpacked to; None: the
            published one.
        split: "train" or "test".
        download: whether the published one may be downloaded.
        transform: what to do with an image.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the file's size, whichever is more.
    """

    published = datasets.Cifar100
    names = HUNDRED
