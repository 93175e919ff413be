"""Skeletons: coordinates of the joints of persons over time, in NumPy's files as the official kits write them."""

from __future__ import annotations

import os
from typing import Any, Optional

import cv2
import numpy as np

from core.io import Dataset
from core.io.array_file import read_array
from core.io.randomness import integer
from core.weights import read_pickle

BONES = (
    (0, 1), (1, 20), (20, 2), (2, 3), (20, 4), (4, 5), (5, 6), (6, 7), (7, 22), (21, 22), (20, 8), (8, 9), (9, 10),
    (10, 11), (11, 24), (23, 24), (0, 12), (12, 13), (13, 14), (14, 15), (0, 16), (16, 17), (17, 18), (18, 19),
)  # fmt: skip
"""Pairs of the 25 joints of NTU RGB+D (Shahroudy et al. 2016, https://arxiv.org/abs/1604.02808), from 0."""

SIDE = 96
"""Pixels of a picture of a skeleton."""

STRIP = 6
"""How many moments a picture shows."""


class SkeletonDataset(Dataset):
    """Sample i is (coordinates, class number): float32 (C, T, V, M) of V joints of M persons; 0 where they are missing.

    Subclasses write ``skeleton`` and ``label``, and ``__len__``.

    Args:
        class_names: the classes, in the order of their numbers.
        frames: T: longer sequences are cut, shorter ones begin anew; None: as they are.
        random: cut at a random place, as training may, in place of the middle.
        all_classes: whether these are all classes.
        centred: move the mean of the first person's joints to the origin; missing joints stay 0.

    Raises:
        ValueError: ``frames`` is not positive.
    """

    def __init__(
        self,
        class_names: list[str],
        frames: Optional[int] = None,
        random: bool = False,
        all_classes: bool = True,
        centred: bool = False,
    ) -> None:
        if frames is not None and frames < 1:
            raise ValueError(f"{type(self).__name__}: frames must be at least 1, not {frames}")
        self.class_names = class_names
        self.all_classes = all_classes
        self.frames = frames
        self.random = random
        self.centred = centred

    def skeleton(self, index: int) -> np.ndarray:
        """Return the coordinates, (C, T, V, M)."""
        raise NotImplementedError(f"{type(self).__name__} must define skeleton(index)")

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        raise NotImplementedError(f"{type(self).__name__} must define label(index)")

    def image(self, index: int) -> np.ndarray:
        """Return a picture of the first person at some moments, uint8 (H, W, 3)."""
        return drawn(self.skeleton(index))

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        whole = np.asarray(self.skeleton(index), np.float32)
        if whole.ndim != 4 or not whole.size or not np.isfinite(whole).all():
            text = "with numbers that are not finite" if whole.ndim == 4 and whole.size else f"of shape {whole.shape}"
            raise ValueError(f"skeleton {index} should be (coordinates, frames, joints, persons), not {text}")
        if self.frames is not None:
            count = whole.shape[1]
            room = count - self.frames
            start = (integer(0, room + 1) if self.random else room // 2) if room > 0 else 0
            whole = whole[:, (start + np.arange(self.frames)) % count]
        if self.centred:
            whole = centred(whole)
        return np.ascontiguousarray(whole), self.label(index)


class SkeletonFile(SkeletonDataset):
    """Arrays (N, C, T, V, M) of a .npy file, with the labels in a pickle (names, labels) or another .npy file.

    The array is not read into memory, and the pickle is read without running what is in it.

    Args:
        file_path: of the array.
        label_path: of the labels.
        class_num: how many classes there are.
        frames: as of :class:`SkeletonDataset`.
        random: likewise.
        centred: likewise.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file holds something else, or the numbers of samples and labels differ.
    """

    def __init__(
        self,
        file_path: str,
        label_path: str,
        class_num: int,
        frames: Optional[int] = None,
        random: bool = False,
        centred: bool = False,
        transform: Optional[Any] = None,
    ) -> None:
        super().__init__([str(number) for number in range(class_num)], frames, random, centred=centred)
        for path in (file_path, label_path):
            if not os.path.isfile(path):
                raise FileNotFoundError(f"no file of skeletons {path!r}")
        self.path = file_path
        self.array = read_array(file_path)
        if self.array.ndim != 5 or self.array.dtype.kind != "f":
            raise ValueError(
                f"{file_path!r} should hold floats (samples, coordinates, frames, joints, persons), not "
                f"{self.array.dtype} of shape {self.array.shape}"
            )
        labels = read_array(label_path) if label_path.endswith(".npy") else read_pickle(label_path)
        if isinstance(labels, (list, tuple)) and len(labels) == 2 and isinstance(labels[1], (list, tuple)):
            labels = labels[1]  # (names, labels)
        numbers = np.asarray(labels).reshape(-1)
        if numbers.dtype.kind not in "iu" or len(numbers) != len(self.array):
            wanted = f"{len(self.array)} class numbers, as {file_path!r} has samples"
            raise ValueError(f"{label_path!r} should hold {wanted}")
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < class_num:
            raise ValueError(f"{label_path!r} has class number {numbers.max()}, which is none of {class_num}")
        self.labels = numbers.tolist()

    def skeleton(self, index: int) -> np.ndarray:
        """Return the coordinates, (C, T, V, M)."""
        found: np.ndarray = self.array[index]
        return found

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return int(self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)


def centred(skeleton: np.ndarray) -> np.ndarray:
    """Return coordinates of which the mean over the first person's joints is 0; missing joints, which are 0, stay so.

    Args:
        skeleton: coordinates (C, T, V, M).

    Returns:
        Of the same shape.
    """
    there = (skeleton != 0).any(0)
    first = skeleton[..., 0][:, there[..., 0]]
    if not first.size:
        return skeleton
    return np.where(there, skeleton - first.mean(1).reshape(-1, 1, 1, 1), 0).astype(skeleton.dtype)


def drawn(skeleton: np.ndarray) -> np.ndarray:
    """Return the first person at moments from beginning to end, seen from the front.

    Args:
        skeleton: coordinates (C, T, V, M); the bones of 25 joints are drawn, of others the joints.

    Returns:
        uint8 (96, at most 6 * 96, 3).
    """
    x, y = skeleton[0, :, :, 0], skeleton[1, :, :, 0]
    there = (x != 0) | (y != 0)
    low, high = (np.array([edge(part[there], initial=0.0) for part in (x, y)]) for edge in (np.min, np.max))
    scale = 0.9 * SIDE / max(float((high - low).max()), 1e-6)
    middle = (low + high) / 2
    moments = np.rint(np.linspace(0, len(x) - 1, min(STRIP, len(x)))).astype(int)
    picture = np.full((SIDE, SIDE * len(moments), 3), 255, np.uint8)
    for place, moment in enumerate(moments.tolist()):
        columns = np.rint((x[moment] - middle[0]) * scale + SIDE * (place + 0.5)).astype(int).tolist()
        rows = np.rint(SIDE / 2 - (y[moment] - middle[1]) * scale).astype(int).tolist()
        points = list(zip(columns, rows))
        if len(points) == 25:
            for one, other in BONES:
                if there[moment, one] and there[moment, other]:
                    cv2.line(picture, points[one], points[other], (40, 90, 180), 2, cv2.LINE_AA)
        for joint, point in enumerate(points):
            if there[moment, joint]:
                cv2.circle(picture, point, 2, (20, 20, 20), -1, cv2.LINE_AA)
    return picture
