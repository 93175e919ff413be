"""What drawn scenes of digits and of faces have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.vision.datasets.digits import SPLITS
from PaddleDetection.data.dataset import DetectionDataset, Transform


class DrawnScenes(DetectionDataset):
    """Drawn scenes; the same split and index is the same scene always.

    Args:
        class_names: of the objects.
        split: "train", "valid" or "test".
        count: how many scenes.
        size: side of the canvas, pixels.
        most: the largest number of objects of a scene; the smallest is 1.
        transform: what to do with a sample.

    Raises:
        ValueError: the split is unknown, or a number is too small.
    """

    def __init__(
        self, class_names: Sequence[str], split: str, count: int, size: int, most: int, transform: Optional[Transform]
    ) -> None:
        super().__init__(list(class_names), transform)
        owner = type(self).__name__
        if split not in SPLITS:
            raise ValueError(f"{owner}: split must be one of {', '.join(SPLITS)}, not {split!r}")
        for name, value, least in (("count", count, 1), ("size", size, 64), ("most", most, 1)):
            if value < least:
                raise ValueError(f"{owner}: {name} must be at least {least}, not {value}")
        self.split, self.count, self.size, self.most = split, count, size, most

    def __len__(self) -> int:
        return self.count

    def source(self, index: int) -> np.random.RandomState:
        """Return the random numbers of a scene.

        Raises:
            IndexError: there is no such scene.
        """
        if not 0 <= index < self.count:
            raise IndexError(f"{type(self).__name__} has {self.count} scenes, no number {index}")
        return np.random.RandomState([SPLITS.index(self.split), index])
