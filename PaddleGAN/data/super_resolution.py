"""Pictures and small versions of them, for super-resolution."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from core.io import Dataset
from core.vision.datasets.face_drawing import draw_face
from core.vision.datasets.face_factors import draw_factors
from core.vision.image import read_image
from PaddleGAN.data.faces import DrawnFaces
from PaddleGAN.data.images import Transform, images_below, transformed
from PaddleGAN.data.imresize import imresize


class SRDataset(Dataset):
    """Pairs (small, large) of pictures from two folders, or from one, whose pictures are made small here.

    The small one of a pair has the file's name, too. Without a folder of small pictures each is the large one, cut at
    its right and lower border to a multiple of the scale, as MATLAB's imresize makes it (bicubic).

    Args:
        gt_folder: the large pictures.
        lq_folder: the small ones; None: they are made.
        scale: how many times larger the large ones are.
        filename_tmpl: the name of a small picture's file by that of the large one, without an ending: "{}x4".
        keep: keep the pairs in memory once they are read, in the process that reads them.
        transform: a function of the pair, a tuple of uint8 (H, W, 3); it must draw once for both.

    Raises:
        NotADirectoryError: there is no such folder.
        FileNotFoundError: a small picture is missing.
        ValueError: there are no pictures, or an argument is out of range.
    """

    images_together = 2

    def __init__(
        self,
        gt_folder: str,
        lq_folder: Optional[str] = None,
        scale: int = 4,
        filename_tmpl: str = "{}",
        keep: bool = False,
        transform: Optional[Transform] = None,
    ) -> None:
        check_scale("SRDataset", scale)
        if "{}" not in filename_tmpl:
            raise ValueError(f"SRDataset: filename_tmpl must have a {{}} for the name, not be {filename_tmpl!r}")
        self.scale = scale
        self.transform = transform
        self.samples: list[tuple[str, Optional[str]]] = []
        self._kept: Optional[dict[int, tuple[np.ndarray, np.ndarray]]] = {} if keep else None
        if lq_folder is not None and not os.path.isdir(lq_folder):
            raise NotADirectoryError(f"SRDataset: no folder {lq_folder!r}")
        for path in images_below("SRDataset", gt_folder):
            stem, ending = os.path.splitext(os.path.relpath(path, gt_folder))
            small = None if lq_folder is None else os.path.join(lq_folder, f"{filename_tmpl.format(stem)}{ending}")
            if small is not None and not os.path.isfile(small):
                raise FileNotFoundError(f"SRDataset: {path!r} has no small picture {small!r}")
            self.samples.append((path, small))

    def __getitem__(self, index: int) -> Any:
        path, small = self.samples[index]
        pair = self._kept.get(index) if self._kept is not None else None
        if pair is None:
            pair = self._read(path, small)
            if self._kept is not None:
                self._kept[index] = pair
        return transformed(self.transform, tuple(image.copy() for image in pair), [path])

    def _read(self, path: str, small: Optional[str]) -> tuple[np.ndarray, np.ndarray]:
        large = read_image(path)
        if small is None:
            return shrunk(large, self.scale, path)
        little = read_image(small)
        check_sizes(little, large, self.scale, (small, path))
        return little, large

    def __len__(self) -> int:
        return len(self.samples)


class SRFaces(DrawnFaces):
    """Pairs (small, large) of drawn faces, for trying super-resolution out without a download.

    Args:
        count: how many pairs.
        size: pixels of a side of the large pictures, 32 or more, a multiple of the scale.
        scale: how many times larger they are.
        seed: not negative; different seeds draw different faces.
        keep: keep each pair once it is drawn; drawing takes milliseconds.
        transform: a function of the pair, a tuple.

    Raises:
        ValueError: an argument is out of range.
    """

    images_together = 2

    def __init__(
        self,
        count: int,
        size: int = 64,
        scale: int = 2,
        seed: int = 0,
        keep: bool = False,
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(count, size, seed, transform)
        check_scale("SRFaces", scale)
        if size % scale:
            raise ValueError(f"SRFaces: size must be a multiple of the scale {scale}, not {size}")
        self.scale = scale
        self._kept: Optional[dict[int, tuple[np.ndarray, np.ndarray]]] = {} if keep else None

    def __getitem__(self, index: int) -> Any:
        self._check(index)
        pair = self._kept.get(index) if self._kept is not None else None
        if pair is None:
            large = draw_face(draw_factors(self.seed, index), self.size)
            pair = reduced(large, self.scale), large
            if self._kept is not None:
                self._kept[index] = pair
        return self._apply(tuple(image.copy() for image in pair))


def check_scale(owner: str, scale: int) -> None:
    """Refuse a scale that is none.

    Raises:
        ValueError: it is no whole number from 1 to 16.
    """
    if not 1 <= scale <= 16:
        raise ValueError(f"{owner}: scale must be from 1 to 16, not {scale}")


def shrunk(large: np.ndarray, scale: int, path: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a picture as imresize makes it small, and the picture, cut so that its sides are multiples of the scale.

    Args:
        large: uint8 (H, W, C).
        scale: a whole number.
        path: where the picture comes from, for the message.

    Raises:
        ValueError: it is too small.
    """
    height, width = (side // scale * scale for side in large.shape[:2])
    if min(height, width) < scale:
        raise ValueError(f"{path!r} has {large.shape[0]}x{large.shape[1]} pixels, too few for a scale of {scale}")
    large = np.ascontiguousarray(large[:height, :width])
    return reduced(large, scale), large


def reduced(large: np.ndarray, scale: int) -> np.ndarray:
    """Return a picture whose sides are multiples of the scale as imresize makes it small.

    Args:
        large: uint8 (H, W, C).
        scale: a whole number.
    """
    return imresize(large, [side // scale for side in large.shape[:2]])


def check_sizes(small: np.ndarray, large: np.ndarray, scale: int, paths: tuple[str, str]) -> None:
    """Refuse a pair of which the large picture is not the scale times as large.

    Args:
        small: (H, W, C).
        large: (H, W, C).
        scale: what should be between them.
        paths: where both come from.

    Raises:
        ValueError: it is not.
    """
    wanted = [side * scale for side in small.shape[:2]]
    if list(large.shape[:2]) != wanted:
        sizes = ["x".join(map(str, sides)) for sides in (small.shape[:2], wanted, large.shape[:2])]
        raise ValueError(
            f"{paths[0]!r} has {sizes[0]} pixels, so {paths[1]!r} must have {sizes[1]} at scale {scale}, not "
            f"{sizes[2]}; is it of another scale?"
        )
