"""What all data sets of labelled clips can do."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from core.io import Dataset
from PaddleVideo.data.sources import FrameSource

Transform = Callable[[tuple[FrameSource, int]], tuple[Any, int]]

STRIP = 6
"""How many frames a picture of a clip shows."""


class ClipDataset(Dataset):
    """Sample i is (frames after the transform, class number).

    Subclasses write ``source`` and ``label``, and ``__len__``.

    Args:
        class_names: the classes, in the order of their numbers.
        transform: what to do with (frames to choose from, class number); its first part chooses frames.
        all_classes: whether these are all classes, as names and folders say; not where only the labels name them.
    """

    def __init__(
        self, class_names: list[str], transform: Optional[Transform] = None, all_classes: bool = True
    ) -> None:
        self.class_names = class_names
        self.transform = transform
        self.all_classes = all_classes

    def source(self, index: int) -> FrameSource:
        """Return the frames of a sample."""
        raise NotImplementedError(f"{type(self).__name__} must define source(index)")

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        raise NotImplementedError(f"{type(self).__name__} must define label(index)")

    def image(self, index: int) -> np.ndarray:
        """Return a picture of a sample: frames from beginning to end, side by side, uint8 (H, W, 3)."""
        return strip(self.source(index))

    def __getitem__(self, index: int) -> tuple[Any, int]:
        sample: tuple[Any, int] = (self.source(index), self.label(index))
        return sample if self.transform is None else self.transform(sample)


def strip(source: FrameSource, frames: int = STRIP) -> np.ndarray:
    """Return frames from beginning to end side by side, with a thin line between them.

    Args:
        source: the frames.
        frames: how many to show, if there are as many.

    Returns:
        uint8 (H, W, 3).
    """
    count = min(frames, source.count)
    chosen = source.read(np.rint(np.linspace(0, source.count - 1, count)).astype(np.int64))
    parts: list[np.ndarray] = []
    for frame in chosen:
        parts += [frame, np.full((frame.shape[0], 1, 3), 255, np.uint8)]
    return np.concatenate(parts[:-1], axis=1)
