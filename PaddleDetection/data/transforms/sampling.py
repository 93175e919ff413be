"""SSD's sampling of parts by their overlap with objects, and one of two lists of transforms.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``. There CropWithSampling takes
boxes as shares of the image; here they are pixels, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.io.randomness import numpy_random, python_random
from core.train.config.signatures import Share
from core.train.config.table import Component
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.faces import part_of, will_do, with_part, within

_NUMBERS = 8


class CropWithSampling:
    """Cut out one of several parts of random size and place (SSD, arXiv 1512.02325); masks are taken away.

    Args:
        batch_sampler: parts that are tried, eight numbers each: how many at most, trials, least and largest
            share of the image's sides, least and largest ratio of width to height, least and largest overlap with an
            object; a limit of 0 is none.
        satisfy_all: whether a part must overlap all objects so much, not only one.
        avoid_no_bbox: whether a part without objects will not do.

    Raises:
        ValueError: numbers are missing.
    """

    def __init__(
        self, batch_sampler: Sequence[Sequence[float]], satisfy_all: bool = False, avoid_no_bbox: bool = True
    ) -> None:
        for numbers in batch_sampler:
            if len(numbers) != _NUMBERS:
                raise ValueError(f"CropWithSampling: a sampler has {_NUMBERS} numbers, not {len(numbers)}: {numbers}")
        self.batch_sampler, self.satisfy_all, self.avoid_no_bbox = list(batch_sampler), satisfy_all, avoid_no_bbox

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample, cut where a part will do; one without objects stays as it is."""
        height, width = sample["image"].shape[:2]
        if not len(sample["gt_bbox"]):
            return sample
        boxes = (sample["gt_bbox"] / np.array([width, height] * 2, np.float32)).astype(np.float64)
        parts = []
        for sampler in self.batch_sampler:
            found = 0
            for _ in range(int(sampler[1])):
                if found >= sampler[0]:
                    break
                part = _drawn(sampler)
                if will_do([*sampler, 0, 0], part, boxes, self.satisfy_all):
                    parts.append(part)
                    found += 1
        while parts:
            part = parts.pop(int(numpy_random().uniform(0, len(parts)))).clip(0.0, 1.0)
            moved, kept = within(boxes, part)
            corners = (part * [width, height, width, height]).astype(int)
            if (len(kept) or not self.avoid_no_bbox) and (corners[2:] > corners[:2]).all():
                return with_part(sample, part_of(sample["image"], corners), moved, kept)
        return sample


class RandomSelect:
    """Do one of two lists of transforms.

    Args:
        transforms1: the first list, each with "name" and its settings, as in a config.
        transforms2: the second one.
        p: how often the first is chosen.
    """

    def __init__(
        self, transforms1: Sequence[Mapping[str, Any]], transforms2: Sequence[Mapping[str, Any]], p: Share = 0.5
    ) -> None:
        from PaddleDetection.data.pipeline import TRANSFORMS  # the table has this class

        self.lists = [
            [TRANSFORMS.build(TRANSFORMS.check(Component.model_validate(one))) for one in listed]
            for listed in (transforms1, transforms2)
        ]
        self.p = p

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample after one of the lists."""
        for transform in self.lists[python_random().random() >= self.p]:
            sample = transform(sample)
        return sample


def _drawn(sampler: Sequence[float]) -> np.ndarray:
    """Return the corners of a random part, as shares of an image."""
    scale = numpy_random().uniform(sampler[2], sampler[3])
    ratio = min(max(numpy_random().uniform(sampler[4], sampler[5]), scale**2), scale**-2)
    across, down = scale * ratio**0.5, scale / ratio**0.5
    left, top = numpy_random().uniform(0, 1 - across), numpy_random().uniform(0, 1 - down)
    return np.array([left, top, left + across, top + down])
