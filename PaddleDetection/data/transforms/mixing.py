"""Two images in one.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``. Both stand right
after Decode: the second sample comes from the data set as it is, by the sample's field "another", and is decoded here.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.io.randomness import current_epoch, numpy_random
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.basic import Decode


def is_over(epochs: Optional[int]) -> bool:
    """Return whether the epoch that is read comes after some first ones.

    Args:
        epochs: how many; None: all. Outside of a seeded loader no epoch is over.
    """
    return epochs is not None and (current_epoch() or 0) >= epochs


class Mixup:
    """Blend the image with another of the data set; the objects of both have their image's share as "gt_score".

    Masks are left out: they would not tell which image they are of. (Zhang et al., Bag of Freebies for Training Object
    Detection Neural Networks, https://arxiv.org/abs/1902.04103.)

    Args:
        alpha: of the Beta distribution of the first image's share.
        beta: likewise.
        epochs: in so many epochs from the first; None: in all.

    Raises:
        ValueError: one of them is not positive.
    """

    def __init__(self, alpha: float = 1.5, beta: float = 1.5, epochs: Optional[int] = None) -> None:
        for name, value in (("alpha", alpha), ("beta", beta)):
            if value <= 0:
                raise ValueError(f"{type(self).__name__}: {name} must be positive, not {value}")
        self.alpha, self.beta, self.epochs = alpha, beta, epochs

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample mixed with another.

        Raises:
            ValueError: the sample does not know its data set.
        """
        if is_over(self.epochs):
            return sample
        if "another" not in sample:
            raise ValueError(f"{type(self).__name__} needs a second sample: use it in a data set's own transforms")
        second = Decode()(sample["another"]())
        share = float(np.clip(numpy_random().beta(self.alpha, self.beta), 0.0, 1.0))
        if share >= 1:
            return sample
        if share <= 0:
            return {**second, "index": sample["index"], "another": sample["another"]}
        mixed = {name: value for name, value in sample.items() if name not in ("gt_poly", "gt_segm")}
        mixed["image"] = self.mixed(sample["image"], second["image"], share)
        for name in ("gt_bbox", "gt_class", "is_crowd", "difficult"):
            if name in sample:
                mixed[name] = np.concatenate([sample[name], second[name]])
        shares = [np.full((len(part["gt_class"]), 1), of) for part, of in ((sample, share), (second, 1 - share))]
        mixed["gt_score"] = np.concatenate(shares).astype(np.float32)
        return mixed

    def mixed(self, first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
        """Return the images' blend: uint8, as large as the larger sides of the two.

        Args:
            first: (H, W, 3).
            second: of any size.
            share: of the first.
        """
        image = np.zeros((*np.maximum(first.shape[:2], second.shape[:2]), first.shape[2]), np.float32)
        image[: first.shape[0], : first.shape[1]] = first.astype(np.float32) * np.float32(share)
        image[: second.shape[0], : second.shape[1]] += second.astype(np.float32) * np.float32(1 - share)
        return image.astype(np.uint8)


class Cutmix(Mixup):
    """Put a rectangle of another image in the place of this one's (Yun et al., https://arxiv.org/abs/1905.04899).

    All objects of both images stay, with their image's share as "gt_score", as PaddleDetection has it.

    Args:
        alpha: of the Beta distribution of the first image's share.
        beta: likewise.
        epochs: in so many epochs from the first; None: in all.
    """

    def mixed(self, first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
        """Return the first image with a rectangle of the second, float32; see :meth:`Mixup.mixed`."""
        height, width = np.maximum(first.shape[:2], second.shape[:2]).tolist()
        side = np.sqrt(1.0 - share)
        across, down = int(width * side) // 2, int(height * side) // 2
        x, y = numpy_random().randint(width), numpy_random().randint(height)
        columns = slice(max(x - across, 0), min(x + across, width - 1))
        rows = slice(max(y - down, 0), min(y + down, height - 1))
        images = np.zeros((2, height, width, first.shape[2]), np.float32)
        for place, image in enumerate((first, second)):
            images[place, : image.shape[0], : image.shape[1]] = image
        images[0, rows, columns] = images[1, rows, columns]
        return images[0]
