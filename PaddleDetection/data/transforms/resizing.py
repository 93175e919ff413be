"""Random sizes, and one size for all images.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import cv2
import numpy as np

from core.io.randomness import numpy_random, python_random
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.basic import Resize
from PaddleDetection.data.transforms.objects import OF_OBJECTS

INTERPOLATIONS = (0, 1, 3, 2, 4)
"""OpenCV's numbers, in the order from which one is drawn."""


class RandomResize:
    """Resize the image to a size drawn for it.

    Args:
        target_size: a size, or a list of sizes to draw from; with ``random_range`` two sizes, shorter side first.
        keep_ratio: fit the image into the size; see :class:`~PaddleDetection.data.transforms.basic.Resize`.
        interp: OpenCV's number of the interpolation.
        random_range: draw the shorter side between those of the two sizes.
        random_size: draw one of the sizes.
        random_interp: draw the interpolation.

    Raises:
        ValueError: there are no sizes to draw from.
    """

    def __init__(
        self,
        target_size: Union[int, Sequence[Any]],
        keep_ratio: bool = True,
        interp: int = 1,
        random_range: bool = False,
        random_size: bool = True,
        random_interp: bool = False,
    ) -> None:
        if random_range and (isinstance(target_size, int) or len(target_size) != 2):
            raise ValueError(f"RandomResize: random_range needs two sizes as target_size, not {target_size!r}")
        if random_size and (isinstance(target_size, int) or not target_size):
            raise ValueError(f"RandomResize: target_size must be a list of sizes to draw from, not {target_size!r}")
        self.target_size, self.keep_ratio, self.interp = target_size, keep_ratio, interp
        self.random_range, self.random_size, self.random_interp = random_range, random_size, random_interp

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample at a random size."""
        size: Any = self.target_size
        if self.random_range:
            shorter = numpy_random().randint(size[0][0], size[1][0] + 1)
            size = [int(shorter), max(size[0][1], size[1][1] + 1)]
        elif self.random_size:
            size = python_random().choice(size)
        interp = python_random().choice(INTERPOLATIONS) if self.random_interp else self.interp
        return Resize(size, self.keep_ratio, interp)(sample)


class RandomShortSideResize:
    """Resize the shorter side to one of some lengths, the longer one in the same ratio.

    Args:
        short_side_sizes: the lengths, pixels.
        max_size: the longer side is at most so long, pixels; None: of any length.
        interp: OpenCV's number of the interpolation.
        random_interp: draw the interpolation.

    Raises:
        ValueError: there are no lengths.
    """

    def __init__(
        self,
        short_side_sizes: Sequence[int],
        max_size: Optional[int] = None,
        interp: int = 1,
        random_interp: bool = False,
    ) -> None:
        if not short_side_sizes:
            raise ValueError("RandomShortSideResize: short_side_sizes must be lengths to draw from, not an empty list")
        self.short_side_sizes, self.max_size = list(short_side_sizes), max_size
        self.interp, self.random_interp = interp, random_interp

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample at a random size."""
        size = python_random().choice(self.short_side_sizes)
        interp = python_random().choice(INTERPOLATIONS) if self.random_interp else self.interp
        height, width = sample["image"].shape[:2]
        shorter, longer = min(height, width), max(height, width)
        if self.max_size is not None and longer / shorter * size > self.max_size:
            size = max(round(self.max_size * shorter / longer), 1)
        sides = (size if side == shorter else int(size * side / shorter) for side in (height, width))
        return Resize(tuple(sides), interp=interp)(sample)


class PadResize:
    """Fit the image into a size, at its top left; objects whose box is a pixel wide or high, or less, are left out.

    Args:
        target_size: height and width, or one number for both.
        fill_value: what is around the image.

    Raises:
        ValueError: a side is not positive.
    """

    def __init__(self, target_size: Union[int, Sequence[int]], fill_value: float = 114) -> None:
        self.target_size = (target_size, target_size) if isinstance(target_size, int) else tuple(target_size)
        if len(self.target_size) != 2 or min(self.target_size) < 1:
            raise ValueError(f"PadResize: target_size must be one or two positive numbers, not {target_size!r}")
        self.fill_value = fill_value

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "image" float32 of the size; masks are left out."""
        height, width = sample["image"].shape[:2]
        ratio = min(self.target_size[0] / height, self.target_size[1] / width)
        rows, columns = max(int(height * ratio), 1), max(int(width * ratio), 1)
        canvas = np.full((*self.target_size, 3), self.fill_value, np.float32)
        canvas[:rows, :columns] = cv2.resize(sample["image"], (columns, rows), interpolation=cv2.INTER_LINEAR)
        boxes = sample["gt_bbox"] * np.float32(ratio)
        kept = (boxes[:, 2:] - boxes[:, :2]).min(axis=1, initial=np.inf) > 1
        sample = {name: value for name, value in sample.items() if name not in ("gt_poly", "gt_segm")}
        sample.update({name: sample[name][kept] for name in OF_OBJECTS if name in sample})
        before = sample.get("scale_factor", (1.0, 1.0))
        sample["scale_factor"] = np.array([before[0] * ratio, before[1] * ratio], np.float32)
        sample.update(image=canvas, gt_bbox=boxes[kept], im_shape=np.array([rows, columns], np.float32))
        return sample
