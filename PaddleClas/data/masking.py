"""Augmentations that hide parts of an image, under the names of official recipes.

Each writes ``value`` where it hides. After Normalize, 0 is the mean of the data; before it, give the colour itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from PIL import Image

from core.io.randomness import integer, uniform
from core.vision.transforms import BaseTransform
from core.vision.transforms import functional as F
from core.vision.transforms.kinds import channels_first


class _Masking(BaseTransform):
    """Writes a value where a mask, drawn for each image, is False.

    Args:
        value: what is written, in the image's own units.
    """

    def __init__(self, value: float = 0.0) -> None:
        super().__init__()
        self.value = value

    def mask(self, rows: int, columns: int) -> Optional[np.ndarray]:
        """Return which pixels stay, bool (rows, columns); None: all of them."""
        raise NotImplementedError(f"{type(self).__name__} must define mask(rows, columns)")

    def _get_params(self, inputs: tuple[Any, ...]) -> Optional[np.ndarray]:
        return self.mask(*F.image_size(inputs[0]))

    def _apply_image(self, image: Any) -> np.ndarray:
        array = np.asarray(image)
        if self.params is None:
            return array
        visible = self.params if channels_first(array) or array.ndim == 2 else self.params[:, :, None]
        return np.where(visible, array, np.asarray(self.value, array.dtype))


class Cutout(_Masking):
    """Hide squares, whose middles lie anywhere in the image.

    Paper: DeVries and Taylor, "Improved regularization of convolutional neural networks with Cutout", 2017,
    https://arxiv.org/abs/1708.04552

    Args:
        n_holes: how many squares.
        length: their side, pixels; what lies outside the image is cut off.
        value: what is written.

    Raises:
        ValueError: there are no squares, or they have no pixels.
    """

    def __init__(self, n_holes: int = 1, length: int = 112, value: float = 0.0) -> None:
        super().__init__(value)
        if n_holes < 1 or length < 1:
            raise ValueError(f"Cutout: n_holes and length must be positive, not {n_holes} and {length}")
        self.n_holes = n_holes
        self.length = length

    def mask(self, rows: int, columns: int) -> np.ndarray:
        """Return which pixels stay."""
        visible = np.ones((rows, columns), bool)
        for _ in range(self.n_holes):
            top, left = integer(0, rows) - self.length // 2, integer(0, columns) - self.length // 2
            visible[max(top, 0) : top + self.length, max(left, 0) : left + self.length] = False
        return visible


class HideAndSeek(_Masking):
    """Divide the image into squares of one size, drawn for each image, and hide each with some probability.

    Paper: Singh et al., "Hide-and-Seek: a data augmentation technique for weakly-supervised localization and beyond",
    2018, https://arxiv.org/abs/1811.02545

    Args:
        grid_sizes: sides of the squares to draw from, pixels; 0 hides nothing.
        hide_prob: the probability of hiding a square.
        value: what is written; the paper's is the mean of the data.

    Raises:
        ValueError: there is no size, one is negative, or the probability lies outside 0 and 1.
    """

    def __init__(
        self, grid_sizes: Sequence[int] = (0, 16, 32, 44, 56), hide_prob: float = 0.5, value: float = 0.0
    ) -> None:
        super().__init__(value)
        if not grid_sizes or min(grid_sizes) < 0:
            raise ValueError(f"HideAndSeek: grid_sizes must be some sizes of 0 or more, not {list(grid_sizes)}")
        if not 0 <= hide_prob <= 1:
            raise ValueError(f"HideAndSeek: hide_prob must lie between 0 and 1, not {hide_prob}")
        self.grid_sizes = tuple(grid_sizes)
        self.hide_prob = hide_prob

    def mask(self, rows: int, columns: int) -> Optional[np.ndarray]:
        """Return which pixels stay."""
        size = self.grid_sizes[integer(0, len(self.grid_sizes))]
        if size == 0:
            return None
        squares = [[uniform() >= self.hide_prob for _ in range(0, columns, size)] for _ in range(0, rows, size)]
        return np.kron(np.array(squares), np.ones((size, size), bool))[:rows, :columns]


class GridMask(_Masking):
    """Hide the squares of a regular grid, whose unit, place and rotation are drawn for each image.

    Paper: Chen et al., "GridMask data augmentation", 2020, https://arxiv.org/abs/2001.04086

    Args:
        d1: least side of the grid's unit, pixels.
        d2: greatest side, not included.
        rotate: the grid is turned by less than this many degrees.
        ratio: width of the grid's bars as a share of the unit's side (the paper's r).
        mode: 1 hides the squares between the bars, as the paper does; 0 hides the bars.
        prob: the probability of hiding anything.
        value: what is written.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        d1: int = 96,
        d2: int = 224,
        rotate: float = 1.0,
        ratio: float = 0.5,
        mode: int = 1,
        prob: float = 0.7,
        value: float = 0.0,
    ) -> None:
        super().__init__(value)
        if not 2 <= d1 < d2:
            raise ValueError(f"GridMask: d1 and d2 must be rising, and at least 2 pixels, not {d1} and {d2}")
        if not 0 < ratio < 1 or not 0 <= prob <= 1 or mode not in (0, 1) or rotate < 0:
            raise ValueError(
                "GridMask: ratio must lie between 0 and 1, prob too, mode be 0 or 1, rotate not negative; "
                f"not {ratio}, {prob}, {mode}, {rotate}"
            )
        self.d1, self.d2 = d1, d2
        self.rotate = rotate
        self.ratio = ratio
        self.mode = mode
        self.prob = prob

    def mask(self, rows: int, columns: int) -> Optional[np.ndarray]:
        """Return which pixels stay."""
        if uniform() >= self.prob:
            return None
        unit = integer(self.d1, self.d2)
        square = unit - min(max(int(unit * self.ratio + 0.5), 1), unit - 1)
        side = int(np.ceil(np.hypot(rows, columns)))  # a square that covers the image however it is turned
        down = (np.arange(side) - integer(0, unit)) % unit < square
        across = (np.arange(side) - integer(0, unit)) % unit < square
        squares = down[:, None] & across[None, :]
        turned = np.asarray(Image.fromarray(squares).rotate(uniform(0, self.rotate))) if self.rotate else squares
        top, left = (side - rows) // 2, (side - columns) // 2
        squares = turned[top : top + rows, left : left + columns].astype(bool)
        return ~squares if self.mode == 1 else squares
