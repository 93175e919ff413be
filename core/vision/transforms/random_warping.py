"""Transforms that draw how to shear, rotate and tilt an image."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Optional, Union

from core.io.randomness import uniform
from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform
from core.vision.transforms.kinds import Fill, fill_values, is_number
from core.vision.transforms.random_transforms import bounds, probability
from core.vision.transforms.transforms import check_interpolation
from core.vision.transforms.warping import INTERPOLATIONS, Points, homography

Range = Union[float, Sequence[float]]


class RandomAffine(BaseTransform):
    """Shear, rotate, scale and shift; see :func:`core.vision.transforms.functional.affine`.

    Args:
        degrees: d for an angle between -d and d; or (least, greatest) angle. Clockwise.
        translate: greatest shift to both sides, as shares of width and height; None: none.
        scale: (least, greatest) factor; None: none.
        shear: s for an angle along x between -s and s; or (least, greatest); or these four for x and y; None: none.
        interpolation: "nearest", "bilinear" or "bicubic".
        fill: the value outside the image.
        center: (x, y) of the rotation in pixels; None: the middle.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is out of range.
        TypeError: an argument is of the wrong kind.
    """

    def __init__(
        self,
        degrees: Range,
        translate: Optional[Sequence[float]] = None,
        scale: Optional[Sequence[float]] = None,
        shear: Optional[Range] = None,
        interpolation: str = "nearest",
        fill: Fill = 0,
        center: Optional[Sequence[float]] = None,
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.degrees = _angles("RandomAffine: degrees", degrees, (2,))
        if translate is not None and not _in_unit_square(translate):
            raise ValueError(f"RandomAffine: translate must be two numbers between 0 and 1, not {translate!r}")
        self.translate = translate
        self.scale = None if scale is None else bounds("RandomAffine: scale", scale)
        if self.scale is not None and self.scale[0] <= 0:
            raise ValueError(f"RandomAffine: scale must be positive, not {scale!r}")
        self.shear = None if shear is None else _angles("RandomAffine: shear", shear, (2, 4))
        self.interpolation = check_interpolation("RandomAffine", interpolation, INTERPOLATIONS)
        self.fill = _checked_fill("RandomAffine", fill)
        self.center = _checked_center("RandomAffine", center)

    def _get_params(self, inputs: tuple[Any, ...]) -> tuple[float, tuple[int, int], float, tuple[float, float]]:
        height, width = F.image_size(self._first_image(inputs))
        angle = uniform(*self.degrees)
        shift = (0, 0)
        if self.translate is not None:
            right, down = self.translate[0] * width, self.translate[1] * height
            shift = (int(uniform(-right, right)), int(uniform(-down, down)))
        scale = 1.0 if self.scale is None else uniform(*self.scale)
        along_x = 0.0 if self.shear is None else uniform(*self.shear[:2])
        along_y = uniform(*self.shear[2:]) if self.shear is not None and len(self.shear) == 4 else 0.0
        return angle, shift, scale, (along_x, along_y)

    def _apply_image(self, image: Any) -> Any:
        angle, shift, scale, shear = self.params
        return F.affine(image, angle, shift, scale, shear, self.interpolation, self.fill, self.center)


class RandomRotation(BaseTransform):
    """Rotate; see :func:`core.vision.transforms.functional.rotate`.

    Args:
        degrees: d for an angle between -d and d; or (least, greatest) angle. Counter-clockwise.
        interpolation: "nearest", "bilinear" or "bicubic".
        expand: make the result large enough to hold the whole image.
        center: (x, y) of the rotation in pixels; None: the middle.
        fill: the value outside the image.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is out of range.
        TypeError: an argument is of the wrong kind.
    """

    def __init__(
        self,
        degrees: Range,
        interpolation: str = "nearest",
        expand: bool = False,
        center: Optional[Sequence[float]] = None,
        fill: Fill = 0,
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.degrees = _angles("RandomRotation: degrees", degrees, (2,))
        self.interpolation = check_interpolation("RandomRotation", interpolation, INTERPOLATIONS)
        self.expand = expand
        self.center = _checked_center("RandomRotation", center)
        self.fill = _checked_fill("RandomRotation", fill)

    def _get_params(self, inputs: tuple[Any, ...]) -> float:
        F.image_size(self._first_image(inputs))
        return uniform(*self.degrees)

    def _apply_image(self, image: Any) -> Any:
        return F.rotate(image, self.params, self.interpolation, self.expand, self.center, self.fill)


class RandomPerspective(BaseTransform):
    """Pull the corners inwards, or not; see :func:`core.vision.transforms.functional.perspective`.

    Args:
        prob: the probability of doing it, between 0 and 1.
        distortion_scale: how far, as a share of half the image's height and width; between 0 and 1.
        interpolation: "nearest", "bilinear" or "bicubic".
        fill: the value outside the image.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: an argument is out of range.
        TypeError: an argument is of the wrong kind.
    """

    def __init__(
        self,
        prob: float = 0.5,
        distortion_scale: float = 0.5,
        interpolation: str = "nearest",
        fill: Fill = 0,
        keys: Optional[Sequence[str]] = None,
    ) -> None:
        super().__init__(keys)
        self.prob = probability("RandomPerspective", prob)
        if not is_number(distortion_scale) or not 0 <= distortion_scale <= 1:
            raise ValueError(f"RandomPerspective: distortion_scale must lie between 0 and 1, not {distortion_scale!r}")
        self.distortion_scale = distortion_scale
        self.interpolation = check_interpolation("RandomPerspective", interpolation, INTERPOLATIONS)
        self.fill = _checked_fill("RandomPerspective", fill)

    def get_params(self, width: int, height: int, distortion_scale: float) -> tuple[Points, Points]:
        """Draw where the corners go.

        Args:
            width: of the image, pixels.
            height: of the image, pixels.
            distortion_scale: how far, as a share of half of these.

        Returns:
            The corners (x, y): upper left, upper right, lower right, lower left; and where they shall be.
        """
        right, down = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        near_x, near_y = (0, right + 1), (0, down + 1)
        far_x, far_y = (width - right - 1, width), (height - down - 1, height)
        start = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        corners = ((near_x, near_y), (far_x, near_y), (far_x, far_y), (near_x, far_y))
        return start, [[int(uniform(*x)), int(uniform(*y))] for x, y in corners]

    def _get_params(self, inputs: tuple[Any, ...]) -> Optional[tuple[Points, Points]]:
        height, width = F.image_size(self._first_image(inputs))
        if uniform() >= self.prob:
            return None
        for _ in range(10):
            start, end = self.get_params(width, height, self.distortion_scale)
            with contextlib.suppress(ValueError):  # a tiny image has few places for its corners
                homography(start, end)
                return start, end
        return None

    def _apply_image(self, image: Any) -> Any:
        if self.params is None:
            return image
        start, end = self.params
        return F.perspective(image, start, end, self.interpolation, self.fill)


def _angles(name: str, value: Any, counts: Sequence[int]) -> tuple[float, ...]:
    if is_number(value):
        if value < 0:
            raise ValueError(f"{name} must not be negative, not {value!r}; or give (least, greatest)")
        return (-float(value), float(value))
    if not isinstance(value, (list, tuple)) or not all(map(is_number, value)):
        raise TypeError(f"{name} must be a number or a list of them, not {value!r}")
    if len(value) not in counts:
        raise ValueError(f"{name} must have {' or '.join(map(str, counts))} numbers, not {len(value)}")
    return tuple(map(float, value))


def _in_unit_square(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(is_number(v) and 0 <= v <= 1 for v in value)


def _checked_center(owner: str, center: Any) -> Any:
    if center is not None and (not isinstance(center, (list, tuple)) or len(center) != 2):
        raise ValueError(f"{owner}: center must be (x, y) or None, not {center!r}")
    return center


def _checked_fill(owner: str, fill: Any) -> Any:
    fill_values(owner, fill, len(fill) if isinstance(fill, (list, tuple)) else 1)
    return fill
