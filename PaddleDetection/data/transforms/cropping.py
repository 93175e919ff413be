"""Random parts of images.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``. Where that one fails (a crop as
large as the image, one larger than it, RandomScaledCrop always), these take what fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Optional

import numpy as np
from pycocotools import mask as coco

from core.io.randomness import numpy_random, python_random
from core.train.config.signatures import Share
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.basic import Resize
from PaddleDetection.data.transforms.objects import cut, overlaps, within
from PaddleDetection.data.transforms.padding import Pad


class RandomCrop:
    """Cut out a part that overlaps an object enough (SSD's way); objects stay whose centres are in it.

    Args:
        aspect_ratio: least and largest ratio of width to height; None: sides are drawn apart.
        thresholds: of the overlap of the part with an object's box; one is drawn.
        scaling: least and largest share of the image's sides.
        num_attempts: trials for each threshold.
        allow_no_crop: leaving the image alone is drawn as often as each threshold.
        cover_all_box: all objects must overlap so much, not only one.
        is_mask_crop: "gt_poly" follows, as run lengths, and objects whose masks are not in the part are left out;
            otherwise "gt_poly", which would not fit any more, is taken away.
    """

    def __init__(
        self,
        aspect_ratio: Optional[Sequence[float]] = (0.5, 2.0),
        thresholds: Sequence[Share] = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9),
        scaling: Sequence[float] = (0.3, 1.0),
        num_attempts: int = 50,
        allow_no_crop: bool = True,
        cover_all_box: bool = False,
        is_mask_crop: bool = False,
    ) -> None:
        self.aspect_ratio, self.thresholds, self.scaling = aspect_ratio, list(thresholds), scaling
        self.num_attempts, self.allow_no_crop = num_attempts, allow_no_crop
        self.cover_all_box, self.is_mask_crop = cover_all_box, is_mask_crop

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample, perhaps cut; one without objects stays as it is."""
        if len(sample["gt_bbox"]) == 0:
            return sample
        height, width = sample["image"].shape[:2]
        thresholds: list[Any] = [*self.thresholds, *([None] if self.allow_no_crop else [])]
        numpy_random().shuffle(thresholds)
        for threshold in thresholds:
            if threshold is None:
                return sample
            done = self.fitting(sample, threshold, self._areas(height, width))
            if done is not None:
                return done
        return sample

    def fitting(self, sample: Sample, threshold: float, areas: Iterator[tuple[int, int, int, int]]) -> Optional[Sample]:
        """Return the sample cut to the first of some areas that will do; None if there is none.

        Args:
            sample: with objects.
            threshold: of the overlap.
            areas: corners, pixels.
        """
        boxes = sample["gt_bbox"]
        for area in areas:
            corners = np.array(area, np.float32)
            found = overlaps(boxes, corners)
            if found.max() < threshold or (self.cover_all_box and found.min() < threshold):
                continue
            clipped, kept = within(boxes, corners)
            if len(kept):
                return self._cut(sample, area, clipped, kept)
        return None

    def _cut(
        self, sample: Sample, area: tuple[int, int, int, int], boxes: np.ndarray, kept: np.ndarray
    ) -> Sample:
        if not self.is_mask_crop:
            sample.pop("gt_poly", None)
            return cut(sample, area, boxes, kept)
        whole = dict(sample)
        cut(sample, area, boxes, kept)
        if "gt_poly" not in sample:
            return sample
        drawn = coco.area(sample["gt_poly"]) > 0
        if drawn.all():
            return sample
        sample.clear()
        sample.update(whole)
        return cut(sample, area, boxes, kept[drawn]) if drawn.any() else sample

    def _areas(self, height: int, width: int) -> Iterator[tuple[int, int, int, int]]:
        for _ in range(self.num_attempts):
            low, high = self.scaling
            scale = numpy_random().uniform(low, high)
            if self.aspect_ratio is None:
                down, across = numpy_random().uniform(low, high), numpy_random().uniform(low, high)
                if not 0.5 <= (height * down) / (width * across) <= 2.0:
                    continue
            else:
                least, largest = self.aspect_ratio
                ratio = numpy_random().uniform(max(least, scale**2), min(largest, scale**-2))
                down, across = scale / np.sqrt(ratio), scale * np.sqrt(ratio)
            rows, columns = min(int(height * down), height), min(int(width * across), width)
            y = numpy_random().randint(0, max(height - rows, 1))
            x = numpy_random().randint(0, max(width - columns, 1))
            yield x, y, x + columns, y + rows


class RandomResizeCrop:
    """Resize to one of some sizes, then cut out a part of one of some sizes.

    Args:
        resizes: sizes, each height and width or one number for both.
        cropsizes: least and largest side of the part, several pairs or numbers.
        prob: how often.
        mode: with ``keep_ratio``: "long" fits the image into the size, "short" covers the size with it.
        keep_ratio: of the sides.
        interp: OpenCV's number of the interpolation.
        num_attempts: as of :class:`RandomCrop`, like all that follow.
        cover_all_box: likewise.
        allow_no_crop: without effect, as in PaddleDetection.
        thresholds: likewise.
        is_mask_crop: likewise.

    Raises:
        ValueError: ``mode`` is unknown.
    """

    def __init__(
        self,
        resizes: Sequence[Any],
        cropsizes: Sequence[Any],
        prob: float = 0.5,
        mode: str = "short",
        keep_ratio: bool = True,
        interp: int = 1,
        num_attempts: int = 3,
        cover_all_box: bool = False,
        allow_no_crop: bool = False,
        thresholds: Sequence[Share] = (0.3, 0.5, 0.7),
        is_mask_crop: bool = False,
    ) -> None:
        if mode not in ("short", "long"):
            raise ValueError(f"RandomResizeCrop: mode must be 'short' or 'long', not {mode!r}")
        self.resizes, self.cropsizes, self.prob, self.mode = list(resizes), list(cropsizes), prob, mode
        self.keep_ratio, self.interp = keep_ratio, interp
        self.crop = RandomCrop(
            thresholds=thresholds, num_attempts=num_attempts, cover_all_box=cover_all_box, is_mask_crop=is_mask_crop
        )

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample, perhaps resized and cut."""
        if python_random().random() >= self.prob:
            return sample
        size, sides = (_pair(python_random().choice(sizes)) for sizes in (self.resizes, self.cropsizes))
        cover = self.keep_ratio and self.mode == "short"
        sample = Resize(size, self.keep_ratio, self.interp, cover=cover)(sample)
        if len(sample["gt_bbox"]) == 0:
            return sample
        thresholds = list(self.crop.thresholds)
        numpy_random().shuffle(thresholds)
        for threshold in thresholds:
            done = self.crop.fitting(sample, threshold, self._areas(sides, *sample["image"].shape[:2]))
            if done is not None:
                return done
        return sample

    def _areas(self, sides: tuple[int, int], height: int, width: int) -> Iterator[tuple[int, int, int, int]]:
        for _ in range(self.crop.num_attempts):
            ranges = [(min(*sides, side), min(side, max(sides))) for side in (height, width)]
            rows, columns = (python_random().randint(*ends) for ends in ranges)
            y, x = python_random().randint(0, height - rows), python_random().randint(0, width - columns)
            yield x, y, x + columns, y + rows


class RandomScaledCrop:
    """Resize the longer side to a random share of a size; cut or pad with black to that size.

    Args:
        target_dim: height and width of the result.
        scale_range: least and largest share.
        interp: OpenCV's number of the interpolation.
    """

    def __init__(self, target_dim: int = 512, scale_range: Sequence[float] = (0.1, 2.0), interp: int = 1) -> None:
        self.target_dim, self.scale_range, self.interp = target_dim, scale_range, interp

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample at the size; objects of one pixel and less are left out."""
        side = self.target_dim
        low, high = self.scale_range
        longer = max(int(side * numpy_random().uniform(low, high)), 1)
        scale = longer / max(sample["image"].shape[:2])
        rows, columns = (max(int(edge * scale), 1) for edge in sample["image"].shape[:2])
        x, y = (int(max(0, numpy_random().uniform(0.0, edge - side))) for edge in (columns, rows))
        sample = Resize((rows, columns), interp=self.interp)(sample)
        boxes = np.clip(sample["gt_bbox"] - np.array([x, y] * 2, np.float32), 0, side - 1)
        kept = np.flatnonzero((boxes[:, 2:] - boxes[:, :2]).prod(axis=1) > 1)
        sample = cut(sample, (x, y, min(x + side, columns), min(y + side, rows)), boxes, kept)
        return Pad(side, fill_value=(0.0, 0.0, 0.0))(sample)


class RandomSizeCrop:
    """Cut out a part of random size and place.

    Args:
        min_size: least side of the part, pixels.
        max_size: largest side; a shorter side of an image is the largest there.
        keep_empty: whether a part without objects will do; else the image stays as it is.

    Raises:
        ValueError: ``min_size`` is not positive, or larger than ``max_size``.
    """

    def __init__(self, min_size: int, max_size: int, keep_empty: bool = True) -> None:
        if not 0 < min_size <= max_size:
            raise ValueError(f"RandomSizeCrop: min_size must be from 1 to max_size, not {min_size} of {max_size}")
        self.min_size, self.max_size, self.keep_empty = min_size, max_size, keep_empty

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample, cut; objects of which nothing is in the part are left out."""
        sides = sample["image"].shape[:2]
        rows, columns = (python_random().randint(min(self.min_size, side), min(side, self.max_size)) for side in sides)
        y, x = 0, 0
        if (rows, columns) != tuple(sides):  # one row and column beyond the image may be drawn, as in PaddleDetection
            y, x = python_random().randint(0, sides[0] - rows + 1), python_random().randint(0, sides[1] - columns + 1)
        boxes = np.clip(sample["gt_bbox"] - np.array([x, y] * 2, np.float32), 0, np.array([columns, rows] * 2))
        kept = np.flatnonzero((boxes[:, 2:] - boxes[:, :2]).prod(axis=1) > 0)
        if len(boxes) and not len(kept) and not self.keep_empty:
            return sample
        sample = cut(sample, (x, y, x + columns, y + rows), boxes.astype(np.float32), kept)
        sample["im_shape"] = np.array(sample["image"].shape[:2], np.float32)
        return sample


def _pair(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])

