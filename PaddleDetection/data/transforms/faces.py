"""Data-anchor sampling: faces are brought to the sizes of anchors (PyramidBox, Tang et al., arXiv 1803.07737).

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``. Where that one finds no part
that will do, it leaves boxes as shares of the image; here such a sample stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Optional

import cv2
import numpy as np

from core.io.randomness import numpy_random, python_random
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.objects import OF_OBJECTS, overlaps

_NUMBERS = 10
_OVERLAP, _COVERAGE = slice(6, 8), slice(8, 10)


class CropWithDataAchorSampling:
    """Cut out a square part of the image, in one of two ways.

    The one draws a face and a size around that of an anchor, not much larger than the face is, and takes the part that
    has the face at this size once it is resized; the other takes a part of random size. Faces stay whose centres are in
    the part and whose area is large enough. The first way resizes the part, and is black beyond the image. Masks are
    taken away. The name is spelt as in PaddleDetection.

    Args:
        batch_sampler: parts of random size that are tried, ten numbers each: how many at most, trials, least
            and largest share of the image's sides, least and largest ratio of width to height, least and largest
            overlap with a face, least and largest part of a face that is covered; a limit of 0 is none.
        anchor_sampler: parts that bring a face to an anchor's size; of the ten numbers the shares and ratios do not
            count. None: there are none.
        target_size: pixels of the sides to which parts will be resized.
        das_anchor_scales: sides of the anchors, pixels.
        sampling_prob: how often the second way is taken.
        min_size: faces whose area, once resized, is smaller than this one's square are left out.
        avoid_no_bbox: whether a part without faces will not do.

    Raises:
        ValueError: numbers are missing, or there is no target size.
    """

    def __init__(
        self,
        batch_sampler: Sequence[Sequence[float]],
        anchor_sampler: Optional[Sequence[Sequence[float]]] = None,
        target_size: Optional[int] = None,
        das_anchor_scales: Sequence[float] = (16, 32, 64, 128),
        sampling_prob: float = 0.5,
        min_size: float = 8.0,
        avoid_no_bbox: bool = True,
    ) -> None:
        self.batch_sampler, self.anchor_sampler = list(batch_sampler), list(anchor_sampler or [])
        for numbers in (*self.batch_sampler, *self.anchor_sampler):
            if len(numbers) != _NUMBERS:
                raise ValueError(
                    f"CropWithDataAchorSampling: a sampler has {_NUMBERS} numbers, not {len(numbers)}: {list(numbers)}"
                )
        if target_size is None or target_size < 1:
            raise ValueError(f"CropWithDataAchorSampling: target_size must be a positive number, not {target_size}")
        if len(das_anchor_scales) < 2:
            raise ValueError("CropWithDataAchorSampling: das_anchor_scales must be at least two sizes")
        self.target_size, self.das_anchor_scales = target_size, list(das_anchor_scales)
        self.sampling_prob, self.min_size, self.avoid_no_bbox = sampling_prob, min_size, avoid_no_bbox

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample, cut where a part will do; one without faces stays as it is."""
        height, width = sample["image"].shape[:2]
        if not len(sample["gt_bbox"]):
            return sample
        boxes = (sample["gt_bbox"] / np.array([width, height] * 2, np.float32)).astype(np.float64)
        anchored = numpy_random().uniform(0.0, 1.0) > self.sampling_prob
        samplers = self.anchor_sampler if anchored else self.batch_sampler
        parts = [part for sampler in samplers for part in self._parts(sampler, boxes, width, height, anchored)]
        while parts:
            part = parts.pop(int(numpy_random().uniform(0, len(parts))))
            if not anchored:
                part = part.clip(0.0, 1.0)
            moved, kept = within(boxes, part)
            areas = ((moved[:, 2:] - moved[:, :2]) * self.target_size).prod(axis=1)
            kept = kept[areas[kept] >= self.min_size**2]
            if len(kept) or not self.avoid_no_bbox:
                corners = (part * [width, height, width, height]).astype(int)
                image = self._resized(sample["image"], corners) if anchored else part_of(sample["image"], corners)
                return with_part(sample, image, moved, kept)
        return sample

    def _parts(
        self, sampler: Sequence[float], boxes: np.ndarray, width: int, height: int, anchored: bool
    ) -> Iterator[np.ndarray]:
        """Yield the parts that a sampler finds, corners as shares of the image."""
        found = 0
        for _ in range(int(sampler[1])):
            if found >= sampler[0]:
                return
            part = self._at_anchor(boxes, width, height) if anchored else _square(sampler, width, height)
            if will_do(sampler, part, boxes):
                found += 1
                yield part

    def _at_anchor(self, boxes: np.ndarray, width: int, height: int) -> np.ndarray:
        scales = self.das_anchor_scales
        left, top, right, bottom = boxes[numpy_random().randint(0, len(boxes))].tolist()
        x, y, wide, high = width * left, height * top, width * (right - left), height * (bottom - top)
        area, largest = wide * high, 0
        for place in range(len(scales) - 1):
            if scales[place] ** 2 < area < scales[place + 1] ** 2:
                largest = place + 1
                break
        if area > scales[-2] ** 2:
            largest = len(scales) - 2
        chosen = numpy_random().randint(0, largest + 1) if largest else 0
        most = 2.0 * scales[chosen]
        if chosen == largest:
            most = min(most, 2 * math.sqrt(area))
        side = wide * self.target_size / python_random().uniform(scales[chosen] / 2.0, most)
        if side < max(height, width):
            corner = [_before(start, length, side) for start, length in ((x, wide), (y, high))]
        else:
            corner = [numpy_random().uniform(edge - side, 0.0) for edge in (width, height)]
        start = np.array([math.floor(value) for value in corner]) / [width, height]
        return np.concatenate([start, start + np.array([side / width, side / height])])

    def _resized(self, image: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """Return the part between corners in pixels, black beyond the image, at the target size, float32."""
        left, top, right, bottom = corners.tolist()
        canvas = np.zeros((bottom - top, right - left, 3), np.float32)
        height, width = image.shape[:2]
        first, last = (max(left, 0), max(top, 0)), (min(right - 1, width), min(bottom - 1, height))
        seen = image[first[1] : last[1], first[0] : last[0]]  # as in PaddleDetection without the last row and column
        canvas[first[1] - top : last[1] - top, first[0] - left : last[0] - left] = seen
        return cv2.resize(canvas, (self.target_size, self.target_size), interpolation=cv2.INTER_AREA)


def within(boxes: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return boxes as shares of a part, clipped to it, (G, 4), and the numbers of those whose centres lie in it.

    Args:
        boxes: corners (G, 4).
        part: corners (4,).
    """
    size = np.tile(part[2:] - part[:2], 2)
    moved = ((boxes - np.tile(part[:2], 2)) / size).clip(0.0, 1.0)
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    inside = ((part[:2] <= centres) & (centres <= part[2:])).all(axis=1)
    return moved, np.flatnonzero(inside & (moved[:, :2] < moved[:, 2:]).all(axis=1))


def will_do(sampler: Sequence[float], part: np.ndarray, boxes: np.ndarray, every: bool = False) -> bool:
    """Return whether a part overlaps and covers a face, or every one, as a sampler asks for.

    Args:
        sampler: ten numbers.
        part: corners (4,).
        boxes: corners (G, 4).
        every: whether it must be every one.
    """
    limits = np.array(sampler)
    if not limits[6:].any():
        return True
    sides = np.minimum(boxes[:, 2:], part[2:]) - np.maximum(boxes[:, :2], part[:2])
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    covered = sides.clip(0).prod(axis=1) / np.maximum(areas, 1e-300)
    fits = np.ones(len(boxes), bool)
    for (least, most), values in ((limits[_OVERLAP], overlaps(boxes, part)), (limits[_COVERAGE], covered)):
        fits &= ((least == 0) | (values >= least)) & ((most == 0) | (values <= most))
    return bool(fits.all() if every else fits.any())


def _square(sampler: Sequence[float], width: int, height: int) -> np.ndarray:
    """Return the corners of a random square, as shares of an image."""
    scale = numpy_random().uniform(sampler[2], sampler[3])
    ratio = min(max(numpy_random().uniform(sampler[4], sampler[5]), scale**2), scale**-2)
    across, down = scale * ratio**0.5, scale / ratio**0.5
    if height < width:
        across = down * height / width
    else:
        down = across * width / height
    left = numpy_random().uniform(0, 1 - across)
    top = numpy_random().uniform(0, 1 - down)
    return np.array([left, top, left + across, top + down])


def _before(start: float, length: float, side: float) -> float:
    """Return where a part begins that has a face on it, or lies on the face where that one is longer."""
    ends = (start + length - side, start) if length <= side else (start, start + length - side)
    return float(numpy_random().uniform(*ends))


def part_of(image: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the part of an image (H, W, 3) between corners in pixels (4,)."""
    left, top, right, bottom = corners.tolist()
    return image[top:bottom, left:right]


def with_part(sample: Sample, image: np.ndarray, boxes: np.ndarray, kept: np.ndarray) -> Sample:
    """Return the sample with a part of its image, and the faces that are kept; boxes are shares of the part."""
    for name in ("gt_poly", "gt_segm"):
        sample.pop(name, None)
    height, width = image.shape[:2]
    sample["image"] = image
    sample["gt_bbox"] = (boxes[kept] * [width, height, width, height]).astype(np.float32)
    for name in OF_OBJECTS:
        if name in sample:
            sample[name] = sample[name][kept]
    return sample
