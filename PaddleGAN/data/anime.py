"""AnimeGAN's data: photographs, and pictures of a film as they are, without color, and with blurred outlines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional

import cv2
import numpy as np

from core.io import Dataset
from core.io.randomness import integer
from core.vision.image import read_image
from core.vision.transforms import functional as F
from core.vision.transforms.base import BaseTransform
from PaddleGAN.data.images import Transform, images_below, transformed

_CANNY = (100, 200)
_WIDTH = 5
"""Of the blur, and of the outlines that are blurred, in pixels."""


class AnimeGANV2Dataset(Dataset):
    """Samples (photograph, picture, the same picture without color, another one with blurred outlines without color).

    The folder is the authors': ``train_photo``, ``STYLE/style`` and ``STYLE/smooth``. An epoch shows each image of
    the largest kind once, with others that are drawn.

    Paper: Chen, Liu and Chen, "AnimeGAN: a novel lightweight GAN for photo animation", ISICA 2019,
        https://doi.org/10.1007/978-981-15-5577-0_18

    Args:
        root: the folder.
        style: the name of the style's folder, such as Hayao.
        photos: the folder of photographs within it.
        shift: what is added to red, green and blue of the pictures, 0 to 255, so that their colors have no tint on
            average; for Hayao -4.4346957, -8.665916, 13.100612. None: it is measured.
        transform: a function of one image; it draws for each apart.

    Raises:
        NotADirectoryError: a folder is missing. Without ``STYLE/smooth`` outlines are blurred here.
        ValueError: there are no images in it, or ``shift`` is not three numbers.
    """

    images_together = 1

    def __init__(
        self,
        root: str,
        style: str = "Hayao",
        photos: str = "train_photo",
        shift: Optional[list[float]] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        if shift is not None and len(shift) != 3:
            raise ValueError(f"AnimeGANV2Dataset: shift is three numbers, for red, green and blue, not {shift}")
        own = os.path.join(root, style)
        self.photos = images_below("AnimeGANV2Dataset", os.path.join(root, photos))
        self.pictures = images_below("AnimeGANV2Dataset", os.path.join(own, "style"))
        smooth = os.path.join(own, "smooth")
        self.smooth = images_below("AnimeGANV2Dataset", smooth) if os.path.isdir(smooth) else None
        self.shift = np.array(tint(self.pictures) if shift is None else shift, np.float64)
        self.transform = transform

    def __getitem__(self, index: int) -> tuple[Any, Any, Any, Any]:
        if not 0 <= index < len(self):
            raise IndexError(f"sample {index} is outside an AnimeGANV2Dataset of {len(self)} samples")
        photo, picture, blurred = (
            files[index if len(files) == len(self) else integer(0, len(files))]
            for files in (self.photos, self.pictures, self.smooth or self.pictures)
        )
        image, outlined = read_image(picture), read_image(blurred)
        if self.smooth is None:
            outlined = smooth_edges(outlined)
        shifted = np.clip(image + self.shift, 0, 255).astype(np.uint8)
        images = ((photo, read_image(photo)), (picture, shifted), (picture, grey(image)), (blurred, grey(outlined)))
        first, second, third, fourth = (transformed(self.transform, image, [path]) for path, image in images)
        return first, second, third, fourth

    def __len__(self) -> int:
        return max(len(self.photos), len(self.pictures), len(self.smooth or ()))


class ResizeToScale(BaseTransform):
    """Cut sides down to a multiple by resizing, and make those larger that are below a minimum.

    Args:
        size: (width, height), the least that an image shall have.
        scale: what width and height are multiples of.
        interpolation: as of :class:`core.vision.transforms.Resize`.
        keys: kinds of the sample's fields.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(
        self, size: list[int], scale: int, interpolation: str = "bilinear", keys: Optional[Sequence[str]] = None
    ) -> None:
        super().__init__(keys)
        if len(size) != 2 or min(*size, scale) < 1:
            raise ValueError(f"ResizeToScale: size is two positive numbers, and scale one, not {size} and {scale}")
        self.size, self.scale, self.interpolation = size, scale, interpolation

    def _apply_image(self, image: Any) -> Any:
        height, width = F.image_size(image)
        sides = [
            least if side <= least else side - side % self.scale
            for side, least in ((height, self.size[1]), (width, self.size[0]))
        ]
        return F.resize(image, sides, self.interpolation)


def grey(image: np.ndarray) -> np.ndarray:
    """Return an image without color, uint8 (H, W, 3), its channels the same."""
    return np.repeat(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)[:, :, None], 3, axis=2)


def smooth_edges(image: np.ndarray) -> np.ndarray:
    """Return an image whose outlines, some pixels wide, are blurred: what a discriminator shall not take for drawn.

    Args:
        image: uint8 (H, W, 3), RGB.
    """
    edges = cv2.Canny(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), *_CANNY)
    wide = cv2.dilate(edges, np.ones((_WIDTH, _WIDTH), np.uint8))
    blurred = cv2.GaussianBlur(image, (_WIDTH, _WIDTH), 0, borderType=cv2.BORDER_REFLECT_101)
    return np.where(wide[:, :, None] != 0, blurred, image)


def tint(files: Sequence[str]) -> list[float]:
    """Return what must be added to red, green and blue of some images for the same mean in each.

    Args:
        files: the images.
    """
    means = np.mean([read_image(file).mean(axis=(0, 1), dtype=np.float64) for file in files], axis=0)
    return [float(value) for value in means.mean() - means]
