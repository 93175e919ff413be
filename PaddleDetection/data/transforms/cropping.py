"""Canvases that grow and shrink: padding, expanding, cropping.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``. Where that one fails (a crop as
large as the image, one larger than it, RandomScaledCrop always), these take what fits.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np
from pycocotools import mask as coco

from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.basic import Resize
from PaddleDetection.data.transforms.masks import mapped
from PaddleDetection.data.transforms.objects import cut, overlaps, within

GREY = (127.5, 127.5, 127.5)


class Pad:
    """Put the image on a larger canvas; boxes and masks follow.

    Args:
        size: height and width of the canvas, or one number for both; None: the next multiples of ``size_divisor``.
        size_divisor: see ``size``.
        pad_mode: where the image lies: 0 top left, 1 in the middle, 2 bottom right, -1 at ``offsets``.
        offsets: x and y of the image.
        fill_value: the canvas's colour.

    Raises:
        ValueError: ``pad_mode`` is unknown, or its offsets are missing.
    """

    def __init__(
        self,
        size: Optional[Union[int, Sequence[int]]] = None,
        size_divisor: int = 32,
        pad_mode: int = 0,
        offsets: Optional[Sequence[int]] = None,
        fill_value: Sequence[float] = GREY,
    ) -> None:
        if pad_mode not in (-1, 0, 1, 2):
            raise ValueError(f"Pad: pad_mode must be -1, 0, 1 or 2, not {pad_mode!r}")
        if pad_mode == -1 and offsets is None:
            raise ValueError("Pad: pad_mode -1 needs offsets")
        self.size = (size, size) if isinstance(size, int) else size
        self.size_divisor, self.pad_mode, self.offsets, self.fill_value = size_divisor, pad_mode, offsets, fill_value

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "image" float32, of the canvas's size.

        Raises:
            ValueError: the image is larger than the canvas.
        """
        image = sample["image"]
        height, width = image.shape[:2]
        multiples = [-(-side // self.size_divisor) * self.size_divisor for side in (height, width)]
        rows, columns = self.size or multiples
        if height > rows or width > columns:
            raise ValueError(f"Pad: an image of {height} x {width} pixels does not fit into {rows} x {columns}")
        x, y = {0: (0, 0), 1: ((columns - width) // 2, (rows - height) // 2), 2: (columns - width, rows - height)}.get(
            self.pad_mode, self.offsets or (0, 0)
        )
        canvas = np.empty((rows, columns, image.shape[2]), np.float32)
        canvas[:] = np.array(self.fill_value, np.float32)
        canvas[y : y + height, x : x + width] = image
        sample["image"] = canvas
        around = ((y, rows - height - y), (x, columns - width - x))
        if len(sample.get("gt_bbox", ())):
            sample["gt_bbox"] = sample["gt_bbox"] + np.array([x, y] * 2, np.float32)
        if len(sample.get("gt_poly", ())):
            sample["gt_poly"] = mapped(
                *(sample["gt_poly"], height, width), lambda points: points + (x, y), lambda mask: np.pad(mask, around)
            )
        if "gt_segm" in sample:
            sample["gt_segm"] = np.pad(sample["gt_segm"], ((0, 0), *around))
        return sample


class RandomExpand:
    """Put the image at a random place of a larger canvas.

    Args:
        ratio: the largest ratio of the sides.
        prob: how often the image is left alone.
        fill_value: the canvas's colour, or one number for all channels.

    Raises:
        ValueError: ``ratio`` is 1.01 or less.
    """

    def __init__(
        self, ratio: float = 4.0, prob: float = 0.5, fill_value: Union[float, Sequence[float]] = GREY
    ) -> None:
        if ratio <= 1.01:
            raise ValueError(f"RandomExpand: ratio must be larger than 1.01, not {ratio}")
        self.ratio, self.prob = ratio, prob
        self.fill_value = (fill_value,) * 3 if isinstance(fill_value, (int, float)) else tuple(fill_value)

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample, perhaps on a larger canvas."""
        if np.random.uniform(0.0, 1.0) < self.prob:
            return sample
        height, width = sample["image"].shape[:2]
        ratio = np.random.uniform(1.0, self.ratio)
        rows, columns = int(height * ratio), int(width * ratio)
        if rows <= height or columns <= width:
            return sample
        y = np.random.randint(0, rows - height)
        x = np.random.randint(0, columns - width)
        return Pad((rows, columns), pad_mode=-1, offsets=(x, y), fill_value=self.fill_value)(sample)


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
        thresholds: Sequence[float] = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9),
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
        np.random.shuffle(thresholds)
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
            scale = np.random.uniform(*self.scaling)
            if self.aspect_ratio is None:
                down, across = np.random.uniform(*self.scaling), np.random.uniform(*self.scaling)
                if not 0.5 <= (height * down) / (width * across) <= 2.0:
                    continue
            else:
                least, largest = self.aspect_ratio
                ratio = np.random.uniform(max(least, scale**2), min(largest, scale**-2))
                down, across = scale / np.sqrt(ratio), scale * np.sqrt(ratio)
            rows, columns = min(int(height * down), height), min(int(width * across), width)
            y = np.random.randint(0, max(height - rows, 1))
            x = np.random.randint(0, max(width - columns, 1))
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
        thresholds: Sequence[float] = (0.3, 0.5, 0.7),
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
        if random.random() >= self.prob:
            return sample
        size, sides = (_pair(random.choice(sizes)) for sizes in (self.resizes, self.cropsizes))
        cover = self.keep_ratio and self.mode == "short"
        sample = Resize(size, self.keep_ratio, self.interp, cover=cover)(sample)
        if len(sample["gt_bbox"]) == 0:
            return sample
        thresholds = list(self.crop.thresholds)
        np.random.shuffle(thresholds)
        for threshold in thresholds:
            done = self.crop.fitting(sample, threshold, self._areas(sides, *sample["image"].shape[:2]))
            if done is not None:
                return done
        return sample

    def _areas(self, sides: tuple[int, int], height: int, width: int) -> Iterator[tuple[int, int, int, int]]:
        for _ in range(self.crop.num_attempts):
            rows, columns = (random.randint(min(*sides, side), min(side, max(sides))) for side in (height, width))
            y, x = random.randint(0, height - rows), random.randint(0, width - columns)
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
        longer = max(int(side * np.random.uniform(*self.scale_range)), 1)
        scale = longer / max(sample["image"].shape[:2])
        rows, columns = (max(int(edge * scale), 1) for edge in sample["image"].shape[:2])
        x, y = (int(max(0, np.random.uniform(0.0, edge - side))) for edge in (columns, rows))
        sample = Resize((rows, columns), interp=self.interp)(sample)
        boxes = np.clip(sample["gt_bbox"] - np.array([x, y] * 2, np.float32), 0, side - 1)
        kept = np.flatnonzero((boxes[:, 2:] - boxes[:, :2]).prod(axis=1) > 1)
        sample = cut(sample, (x, y, min(x + side, columns), min(y + side, rows)), boxes, kept)
        return Pad(side, fill_value=(0.0, 0.0, 0.0))(sample)


def _pair(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])

