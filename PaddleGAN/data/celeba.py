"""CelebA: faces of celebrities with forty attributes, and the rules that attributes keep.

Paper: Z. Liu et al., "Deep Learning Face Attributes in the Wild", 2015, https://arxiv.org/abs/1411.7766.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.io import Dataset
from PaddleGAN.data.images import Transform, read_images, text_lines

SELECTED_ATTRIBUTES = (
    *("Bald", "Bangs", "Black_Hair", "Blond_Hair", "Brown_Hair", "Bushy_Eyebrows", "Eyeglasses"),
    *("Male", "Mouth_Slightly_Open", "Mustache", "No_Beard", "Pale_Skin", "Young"),
)
"""The thirteen attributes that AttGAN and STGAN edit."""

EXCLUSIVE_ATTRIBUTES = (
    (("Bald", "Receding_Hairline"), ("Bangs",)),
    (("Black_Hair",), ("Blond_Hair",), ("Brown_Hair",), ("Gray_Hair",)),
    (("Straight_Hair",), ("Wavy_Hair",)),
    (("Mustache",), ("No_Beard",)),
)
"""In each row, an attribute of one group contradicts those of the others."""


class CelebA(Dataset):
    """Faces with attributes; sample i is (image, attributes), these float32 of shape (K,), 1 or 0.

    Args:
        root: the folder of "list_attr_celeba.txt" and of the images' folder.
        attributes: their names, in order; None: SELECTED_ATTRIBUTES.
        attribute_file: the attributes' file, relative to ``root``: a line with the number of images, a line with
            the names, then for each image its file and 1 or -1 for each name.
        image_folder: the images' folder, relative to ``root``.
        start: the first image to take, counted from 0.
        stop: the image before which to stop; None: all. AttGAN trains on 0 to 182,000, validates on 637 more, and
            tests on the rest.
        transform: a function of one image.

    Raises:
        FileNotFoundError: the attributes' file or an image is missing.
        ValueError: the file does not have that form, its number of images is wrong, an attribute is unknown, or no
            image is left; names file and line.
    """

    images_together = 1

    def __init__(
        self,
        root: str,
        attributes: Optional[list[str]] = None,
        attribute_file: str = "list_attr_celeba.txt",
        image_folder: str = "img_align_celeba",
        start: int = 0,
        stop: Optional[int] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        self.attribute_names = tuple(SELECTED_ATTRIBUTES if attributes is None else attributes)
        path = os.path.join(root, attribute_file)
        names, files, values = read_attributes(path)
        columns = [_position(path, names, name) for name in self.attribute_names]
        chosen = range(len(files))[start:stop]
        if not chosen:
            raise ValueError(f"CelebA: images {start} to {stop} of {path!r} are none; it has {len(files)}")
        self.samples = [os.path.join(root, image_folder, files[index]) for index in chosen]
        self.attributes = values[chosen.start : chosen.stop, columns].astype(np.float32)
        for number, image in zip(chosen, self.samples):
            if not os.path.isfile(image):
                raise FileNotFoundError(f"{path}:{number + 3}: no image file {image!r}")
        self.transform = transform

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        return read_images(self.transform, self.samples[index]), self.attributes[index]

    def __len__(self) -> int:
        return len(self.samples)


def read_attributes(path: str) -> tuple[list[str], list[str], np.ndarray]:
    """Read the attributes' file of CelebA, or one like it.

    Args:
        path: the file; see :class:`CelebA`.

    Returns:
        The attributes' names, the images' files, and which image has which: bool, shape (images, names).

    Raises:
        FileNotFoundError: it is missing.
        ValueError: it has another form, or its number of images is wrong; names file and line.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"CelebA: no attribute file {path!r}")
    lines = text_lines(path)
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) < 3 or not lines[0].isdigit():
        raise ValueError(f"{path}:1: the first line is the number of images, the second the attributes' names")
    names, rows = lines[1].split(), [line.split() for line in lines[2:]]
    if len(rows) != int(lines[0]):
        raise ValueError(f"{path}:1: {lines[0]} images are announced, but there are lines for {len(rows)}")
    for number, row in enumerate(rows, start=3):
        if len(row) != 1 + len(names):
            wanted = f"a file and {len(names)} values"
            raise ValueError(f"{path}:{number}: a line holds {wanted}; this one has {max(len(row) - 1, 0)} values")
        if not {"1", "-1"}.issuperset(row[1:]):
            wrong = next(value for value in row[1:] if value not in ("1", "-1"))
            raise ValueError(f"{path}:{number}: an attribute is 1 or -1, not {wrong!r}")
    return names, [row[0] for row in rows], np.array([[value == "1" for value in row[1:]] for row in rows])


def flip_attribute(attributes: np.ndarray, names: Sequence[str], name: str) -> np.ndarray:
    """Give attribute vectors the opposite of one attribute, and take from them what contradicts it then.

    Args:
        attributes: 0 or 1, shape (N, K).
        names: of the K attributes.
        name: of the one to flip.

    Returns:
        New ones of the same shape and type.

    Raises:
        ValueError: the name is none of ``names``.
    """
    if name not in names:
        raise ValueError(f"no attribute {name!r}; there are {', '.join(names)}")
    column = list(names).index(name)
    flipped = attributes.copy()
    flipped[:, column] = 1 - flipped[:, column]
    return repair_contradictions(flipped, names, name)


def repair_contradictions(attributes: np.ndarray, names: Sequence[str], name: str) -> np.ndarray:
    """Take from attribute vectors that have a given attribute all those that contradict it.

    A head has one color of hair, and bangs or none; see EXCLUSIVE_ATTRIBUTES.

    Args:
        attributes: 0 or 1, shape (N, K).
        names: of the K attributes.
        name: of the attribute that stays.

    Returns:
        New ones of the same shape and type.
    """
    repaired = attributes.copy()
    order = list(names)
    has_it = repaired[:, order.index(name)] == 1
    for groups in EXCLUSIVE_ATTRIBUTES:
        if any(name in group for group in groups):
            for other in (other for group in groups if name not in group for other in group if other in order):
                repaired[has_it, order.index(other)] = 0
    return repaired


def _position(path: str, names: Sequence[str], name: str) -> int:
    if name not in names:
        nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
        raise ValueError(f"{path}: no attribute {name!r}; the nearest is {(nearest or ['none'])[0]!r}")
    return list(names).index(name)
