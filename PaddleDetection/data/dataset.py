"""What all data sets of images with objects can do."""

from __future__ import annotations

import abc
import functools
from typing import Any, Callable, Optional

from core.io import Dataset
from core.io.randomness import numpy_random

Sample = dict[str, Any]
"""An image with its objects, by PaddleDetection's names of fields."""

Transform = Callable[[Sample], Sample]


class DetectionDataset(Dataset, abc.ABC):
    """Sample i is a dict: an image with its objects, after the transform.

    Before the transform it has "index", the number i; "im_id" int64 (1,); the pixels as "image", uint8 (H, W, 3), or
    their file as "im_file"; "gt_bbox" float32 (G, 4), corners x1, y1, x2, y2 in pixels; "gt_class" int32 (G, 1);
    "is_crowd" and "difficult" int32 (G, 1); and, where there are masks, "gt_segm" uint8 (G, H, W) or "gt_poly", of each
    object its polygons or run lengths. A transform finds as "another" a function that draws a further sample.

    Args:
        class_names: the classes, in the order of their numbers.
        transform: what to do with a sample; None: nothing.

    Attributes:
        category_ids: what result files call the classes: from 1 on, unless the annotations have numbers of their own.
    """

    def __init__(self, class_names: list[str], transform: Optional[Transform] = None) -> None:
        self.class_names = class_names
        self.category_ids = list(range(1, len(class_names) + 1))
        self.transform = transform

    @abc.abstractmethod
    def sample(self, index: int) -> Sample:
        """Return a sample before the transform."""

    def objects(self, index: int) -> Sample:
        """Return a sample without its pixels: what an evaluation compares with; of some sets "area", too, (G,)."""
        return {name: value for name, value in self.sample(index).items() if name != "image"}

    @abc.abstractmethod
    def __len__(self) -> int:
        """Return the number of images."""

    def __getitem__(self, index: int) -> Sample:
        sample = {"index": index, **self.sample(index)}
        if self.transform is None:
            return sample
        return self.transform({**sample, "another": functools.partial(_drawn, self)})


def _drawn(dataset: DetectionDataset) -> Sample:
    """Return a random sample before the transform."""
    return dataset.sample(numpy_random().randint(len(dataset)))
