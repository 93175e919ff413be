"""A part of a data set: some of each class's images, for sets that come without a split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from PaddleClas.data.dataset import ImageDataset


class Part(ImageDataset):
    """From each class the same share of its images; parts whose shares meet share no image and leave none out.

    Args:
        dataset: the whole data set, with its transform.
        share: where the part begins and ends, between 0 and 1: (0, 0.8) and (0.8, 1) divide the set in two.

    Raises:
        ValueError: the part of a class that has images, or the whole part, is empty.
    """

    def __init__(self, dataset: ImageDataset, share: Sequence[float]) -> None:
        super().__init__(dataset.class_names, dataset.transform, dataset.all_classes)
        self.whole = dataset
        labels = np.array([dataset.label(index) for index in range(len(dataset))], dtype=np.int64)
        self.indices = part_indices(labels, share)
        lost = sorted(set(labels.tolist()) - set(labels[self.indices].tolist()))
        if lost:
            count = int((labels == lost[0]).sum())
            raise ValueError(
                f"share {list(share)} leaves no image of class {dataset.class_names[lost[0]]!r}, which has {count}; "
                "make the share larger"
            )

    def image(self, index: int) -> np.ndarray:
        """Return an image before the transform: uint8, shape (H, W, C)."""
        return self.whole.image(self.indices[index])

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return self.whole.label(self.indices[index])

    def __len__(self) -> int:
        return len(self.indices)


def part_indices(labels: np.ndarray, share: Sequence[float]) -> list[int]:
    """Choose the samples of a part.

    Args:
        labels: class numbers, shape (N,).
        share: where the part begins and ends, between 0 and 1.

    Returns:
        Sorted sample numbers, the same at every call: each class is shuffled in a fixed way and cut at the share.
    """
    source = np.random.RandomState(0)  # its stream is frozen, whatever numpy's version
    chosen: list[int] = []
    for number in np.unique(labels):
        members = source.permutation(np.flatnonzero(labels == number)).tolist()
        first, last = (round(edge * len(members)) for edge in share)
        chosen += members[first:last]
    return sorted(chosen)
