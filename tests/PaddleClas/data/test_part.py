from __future__ import annotations

import numpy as np
import pytest

from PaddleClas.data import ImageDataset, Part
from PaddleClas.data.part import part_indices

LABELS = [0] * 10 + [1] * 5 + [2] * 2


class Numbers(ImageDataset):
    """Images that hold their own index."""

    def image(self, index: int) -> np.ndarray:
        return np.full((2, 2, 3), index, np.uint8)

    def label(self, index: int) -> int:
        return LABELS[index]

    def __len__(self) -> int:
        return len(LABELS)


def test_parts_whose_shares_meet_divide_every_class() -> None:
    labels = np.array(LABELS)
    parts = [part_indices(labels, share) for share in ([0, 0.6], [0.6, 0.8], [0.8, 1])]
    assert sorted(sum(parts, [])) == list(range(17))
    assert [np.bincount(labels[part], minlength=3).tolist() for part in parts] == [[6, 3, 1], [2, 1, 1], [2, 1, 0]]
    assert parts[0] == sorted(parts[0]) and parts[0] != list(range(len(parts[0])))


def test_a_part_never_changes() -> None:
    assert part_indices(np.array(LABELS), [0, 0.5]) == [1, 2, 4, 8, 9, 10, 11, 16]


def test_a_part_gives_the_samples_of_the_whole() -> None:
    whole = Numbers(["a", "b", "c"], transform=lambda image: image + 100)
    part = Part(whole, [0.5, 1])
    assert len(part) == 9 and part.class_names == ["a", "b", "c"]
    for position, index in enumerate(part.indices):
        assert part.image(position)[0, 0, 0] == index and part.label(position) == LABELS[index]
        image, label = part[position]
        assert image[0, 0, 0] == index + 100 and label == LABELS[index]


def test_a_class_without_images_is_named() -> None:
    with pytest.raises(ValueError, match=r"share \[0.8, 1\] leaves no image of class 'c', which has 2; make the share"):
        Part(Numbers(["a", "b", "c"]), [0.8, 1])
