"""Canvases that grow: padding and expanding.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

import numpy as np

from core.io.randomness import numpy_random
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.masks import mapped

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
        canvas[:] = np.tile(np.array(self.fill_value, np.float32), (columns, 1))  # row by row: fast
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
        if numpy_random().uniform(0.0, 1.0) < self.prob:
            return sample
        height, width = sample["image"].shape[:2]
        ratio = numpy_random().uniform(1.0, self.ratio)
        rows, columns = int(height * ratio), int(width * ratio)
        if rows <= height or columns <= width:
            return sample
        y = numpy_random().randint(0, rows - height)
        x = numpy_random().randint(0, columns - width)
        return Pad((rows, columns), pad_mode=-1, offsets=(x, y), fill_value=self.fill_value)(sample)
