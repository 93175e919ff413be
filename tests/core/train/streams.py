"""The small regression on a stream whose length nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import numpy as np

from core.io import DataLoader, IterableDataset
from core.io.randomness import uniform
from tests.core.train.regression import TRUE_WEIGHT, Regression


class PointStream(IterableDataset):
    """So many points of a plane, other ones in each epoch; None: without end."""

    def __init__(self, count: Optional[int]) -> None:
        self.count = count

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        given = 0
        while self.count is None or given < self.count:
            point = np.array([uniform(-1.0, 1.0), uniform(-1.0, 1.0)], np.float32)
            yield point, point @ TRUE_WEIGHT
            given += 1


class StreamRegression(Regression):
    """Trains on a stream.

    Args:
        count: of its points.
        **options: of the regression.
    """

    def __init__(self, count: Optional[int], **options: Any) -> None:
        super().__init__(**options)
        self.count = count
        self.asked: list[tuple[int, float]] = []

    def loader(self, split: str) -> Optional[DataLoader]:
        if split != "train":
            return super().loader(split)
        return DataLoader(
            PointStream(self.count), batch_size=self.batch_size, num_workers=self.num_workers, seed=1
        )

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Any]:
        self.asked.append((steps_per_epoch, epochs))
        return super().phases(steps_per_epoch, epochs)  # type: ignore[arg-type]
