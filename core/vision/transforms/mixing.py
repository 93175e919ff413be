"""Mixing the samples of a batch: for a loader's ``collate_fn``.

collate_fn=Compose([Mixup(class_num=10), default_collate_fn])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.io.collate import default_collate_fn
from core.io.randomness import beta, integer, permutation
from core.vision.transforms.kinds import is_integer, is_number

Sample = tuple[np.ndarray, np.ndarray]


class Mixup:
    """Replace each image by a weighted mean of it and another one of the batch, and its label likewise.

    Paper: "mixup: Beyond Empirical Risk Minimization", https://arxiv.org/abs/1710.09412.

    Args:
        class_num: the number of classes.
        alpha: the weight is drawn, once for the batch, from the beta distribution with both parameters alpha.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(self, class_num: int, alpha: float = 1.0) -> None:
        name = type(self).__name__
        if not is_integer(class_num) or class_num < 1:
            raise ValueError(f"{name}: class_num must be a positive integer, not {class_num!r}")
        if not is_number(alpha) or not alpha > 0:
            raise ValueError(f"{name}: alpha must be positive, not {alpha!r}")
        self.class_num = class_num
        self.alpha = alpha

    def __call__(self, batch: Sequence[Any]) -> list[Sample]:
        """Return the mixed samples.

        Args:
            batch: B samples (image, class number): arrays of one shape, (C, H, W) or (H, W, C); or a clip's frames,
                with an axis of time before these.

        Returns:
            B samples (image, shares of the classes): float32 of shape (class_num,), for a loss with soft labels. Images
            keep their type.

        Raises:
            ValueError: the images differ in shape, or a label is out of range.
        """
        images, labels = self._checked(batch)
        weight, order = beta(self.alpha, self.alpha), permutation(len(images))
        return self._mixed(images, labels, weight, order)

    def _mixed(self, images: list[np.ndarray], labels: np.ndarray, weight: float, order: list[int]) -> list[Sample]:
        mixed = []
        for image, other in zip(images, (images[position] for position in order)):
            mean = image * np.float32(weight) + other * np.float32(1 - weight)
            mixed.append(np.round(mean).astype(image.dtype) if image.dtype.kind in "iu" else mean.astype(image.dtype))
        return list(zip(mixed, _shares(labels, order, weight)))

    def _checked(self, batch: Sequence[Any]) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the images and, in shape (B, class_num), their labels."""
        name = type(self).__name__
        images, labels = [], np.zeros((len(batch), self.class_num), dtype=np.float32)
        for position, (image, label) in enumerate(batch):
            number = int(np.asarray(label).reshape(-1)[0])
            if not 0 <= number < self.class_num:
                raise ValueError(f"{name}: label {number} of sample {position} is none of {self.class_num} classes")
            labels[position, number] = 1
            images.append(np.asarray(image))
        shapes = {image.shape for image in images}
        if len(shapes) != 1 or images[0].ndim not in (3, 4):
            raise ValueError(
                f"{name}: the images of a batch need one shape of three axes, or clips one of four, not "
                f"{sorted(shapes)}"
            )
        return images, labels


class CutMix(Mixup):
    """Paste a rectangle of another image of the batch into each image, and mix the labels by area.

    Paper: "CutMix: Regularization Strategy to Train Strong Classifiers with Localizable Features",
    https://arxiv.org/abs/1905.04899.

    Args:
        class_num: the number of classes.
        alpha: the share that stays is drawn, once for the batch, from the beta distribution with both parameters alpha.
        data_format: "CHW" or "HWC": how the images lie.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(self, class_num: int, alpha: float = 1.0, data_format: str = "CHW") -> None:
        super().__init__(class_num, alpha)
        if data_format not in ("CHW", "HWC"):
            raise ValueError(f"CutMix: data_format must be 'CHW' or 'HWC', not {data_format!r}")
        self.data_format = data_format

    def _mixed(self, images: list[np.ndarray], labels: np.ndarray, weight: float, order: list[int]) -> list[Sample]:
        first = self.data_format == "CHW"
        rows, columns = images[0].shape[-2:] if first else images[0].shape[-3:-1]
        side = math.sqrt(1 - weight)
        top, bottom = _interval(integer(0, rows), int(rows * side), rows)
        left, right = _interval(integer(0, columns), int(columns * side), columns)
        place = (slice(top, bottom), slice(left, right))
        index: tuple[Any, ...] = (..., *place) if first else (..., *place, slice(None))
        mixed = [image.copy() for image in images]
        for image, position in zip(mixed, order):
            image[index] = images[position][index]
        kept = 1 - (bottom - top) * (right - left) / (rows * columns)
        return list(zip(mixed, _shares(labels, order, kept)))


class OneOf:
    """Mixes each batch by one of several ways, and makes arrays of it.

    Args:
        mixes: the ways; none of them leaves batches as they are.
    """

    def __init__(self, mixes: Sequence[Any]) -> None:
        self.mixes = list(mixes)

    def __call__(self, batch: Any) -> Any:
        """Return images or clips, and labels; of mixed ones shares of the classes, float32 (N, class_num)."""
        if self.mixes:
            batch = self.mixes[integer(0, len(self.mixes))](batch)
        return default_collate_fn(batch)


def _interval(middle: int, length: int, limit: int) -> tuple[int, int]:
    return max(middle - length // 2, 0), min(middle - length // 2 + length, limit)


def _shares(labels: np.ndarray, order: list[int], weight: float) -> list[np.ndarray]:
    return list((labels * np.float32(weight) + labels[order] * np.float32(1 - weight)).astype(np.float32))
