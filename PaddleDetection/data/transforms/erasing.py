"""Parts of the image that are blotted out.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``.
"""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from core.io.randomness import numpy_random, python_random
from PaddleDetection.data.dataset import Sample


class RandomErasingImage:
    """Blacken a random part of an object's box (Zhong et al., Random Erasing, https://arxiv.org/abs/1708.04896).

    Args:
        prob: how often, for each object.
        lower: least share of the box's area.
        higher: largest share.
        aspect_ratio: least ratio of height and width; the largest is its inverse.
    """

    def __init__(
        self, prob: float = 0.5, lower: float = 0.02, higher: float = 0.4, aspect_ratio: float = 0.3
    ) -> None:
        self.prob, self.lower, self.higher, self.aspect_ratio = prob, lower, higher, aspect_ratio

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with parts of "image" black."""
        image = sample["image"] = sample["image"].copy()
        for left, top, right, bottom in sample["gt_bbox"]:
            if self.prob <= numpy_random().rand():
                continue
            across, down = right - left, bottom - top
            area = python_random().uniform(self.lower, self.higher) * (across * down)
            ratio = python_random().uniform(self.aspect_ratio, 1 / self.aspect_ratio)
            height, width = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if width < across and height < down:
                first_row = top + python_random().randint(0, int(down - height))
                first_column = left + python_random().randint(0, int(across - width))
                rows = slice(int(first_row), int(first_row + height))
                image[rows, int(first_column) : int(first_column + width)] = 0
        return sample


class GridMask:
    """Blacken a grid of squares (Chen et al., GridMask Data Augmentation, https://arxiv.org/abs/2001.04086).

    Args:
        use_h: stripes across.
        use_w: stripes down.
        rotate: the grid is turned by less than so many degrees.
        offset: noise in place of black.
        ratio: width of a stripe, as a share of the grid's period.
        mode: 1 keeps what the stripes cover, 0 what they leave.
        prob: how often, in the end.
        upper_iter: ``prob`` rises over so many steps, where the sample says by "curr_iter" which one it is.
    """

    def __init__(
        self,
        use_h: bool = True,
        use_w: bool = True,
        rotate: int = 1,
        offset: bool = False,
        ratio: float = 0.5,
        mode: int = 1,
        prob: float = 0.7,
        upper_iter: int = 360000,
    ) -> None:
        self.use_h, self.use_w, self.rotate, self.offset = use_h, use_w, rotate, offset
        self.ratio, self.mode, self.prob, self.upper_iter = ratio, mode, prob, upper_iter

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with a grid on "image", of the same type; perhaps."""
        risen = min(1.0, sample.get("curr_iter", self.upper_iter) / self.upper_iter)
        image = sample["image"]
        height, width = image.shape[:2]
        if numpy_random().rand() > self.prob * risen or height < 3:
            return sample
        period = numpy_random().randint(2, height)
        stripe = min(max(int(period * self.ratio + 0.5), 1), period - 1)
        rows, columns = int(1.5 * height), int(1.5 * width)
        starts = numpy_random().randint(period), numpy_random().randint(period)
        across = _stripes(rows, period, starts[0], stripe) if self.use_h else np.zeros(rows, bool)
        down = _stripes(columns, period, starts[1], stripe) if self.use_w else np.zeros(columns, bool)
        grid = (~(across[:, None] | down[None])).astype(np.uint8)
        turned = np.asarray(Image.fromarray(grid).rotate(numpy_random().randint(self.rotate)))
        top, left = (rows - height) // 2, (columns - width) // 2
        shown = turned[top : top + height, left : left + width, None].astype(np.float32)
        if self.mode == 1:
            shown = 1 - shown
        covered = image * shown
        if self.offset:
            noise = (2 * (numpy_random().rand(height, width) - 0.5)).astype(np.float32)
            covered = covered + noise[:, :, None] * (1 - shown)
        sample["image"] = covered.astype(image.dtype)
        return sample


def _stripes(length: int, period: int, start: int, stripe: int) -> np.ndarray:
    """Return where stripes lie along a side, bool (length,)."""
    covered = np.zeros(length, bool)
    for number in range(length // period):
        first = period * number + start
        covered[first : first + stripe] = True
    return covered
