"""MNIST and Fashion-MNIST, for generators of digits and clothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.vision import datasets


class _GreyImages(datasets.MNIST):
    images_together = 1

    def __getitem__(self, index: int) -> tuple[Any, int]:  # type: ignore[override]  # the class is a number here
        image: np.ndarray = self.images[index][:, :, None]
        return (image if self.transform is None else self.transform(image)), int(self.labels[index])


class MNIST(_GreyImages):
    """Handwritten digits in their IDX files; sample i is (image, class number).

    The image before the transform is uint8 of shape (28, 28, 1). Arguments and errors are those of
    :class:`core.vision.datasets.MNIST`.
    """


class FashionMNIST(_GreyImages):
    """Articles of clothing in the files of MNIST; samples, arguments and errors are those of :class:`MNIST`."""

    sources = datasets.FashionMNIST.sources
    class_names = (
        *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
        *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
    )
