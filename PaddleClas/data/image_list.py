"""Images named in a list file, as ImageNet's are."""

from __future__ import annotations

import os
import re
from typing import Optional

import numpy as np

from core.io.files import is_url, read_bytes
from core.vision.inputs import read_picture
from PaddleClas.data.dataset import MOST_CLASSES, ImageDataset, Transform

_LINE = re.compile(r"(.*\S)[ \t]+([0-9]+)", re.DOTALL)
_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
"""A path from a drive, or from a computer, of Windows."""


class ImageNetDataset(ImageDataset):
    """Images of a list file with lines "relative/path.jpg label".

    Args:
        image_root: the folder, or the URL, that the paths are relative to.
        cls_label_path: the list file, or its URL: UTF-8; each line holds a path, a space or tab, and a class number
            from 0. Paths may be separated by the backslashes of Windows.
        class_names_path: a file with one class name per line, in the order of the numbers; None: the numbers.
        transform: what to do with an image.

    Raises:
        FileNotFoundError: a list file is missing.
        ValueError: a line is not "path label", names a drive of Windows, a label has no name, or the list is empty;
            names file and line.
    """

    def __init__(
        self,
        image_root: str,
        cls_label_path: str,
        class_names_path: Optional[str] = None,
        transform: Optional[Transform] = None,
    ) -> None:
        self.samples = [(_joined(image_root, path), label) for path, label in read_image_list(cls_label_path)]
        count = max(label for _, label in self.samples) + 1
        names = [str(number) for number in range(count)] if class_names_path is None else _names(class_names_path)
        if len(names) < count:
            name = next(path for path, label in self.samples if label == count - 1)
            raise ValueError(
                f"{class_names_path}: {len(names)} class names, but {cls_label_path} has label {count - 1}, of {name!r}"
            )
        super().__init__(names, transform, all_classes=class_names_path is not None)

    def image(self, index: int) -> np.ndarray:
        """Return an image: uint8, shape (H, W, 3), RGB."""
        return read_picture(self.samples[index][0])

    def label(self, index: int) -> int:
        """Return a sample's class number."""
        return self.samples[index][1]

    def __len__(self) -> int:
        return len(self.samples)


def read_image_list(path: str) -> list[tuple[str, int]]:
    """Read a list of images and labels.

    Args:
        path: the list file.

    Returns:
        (path, label) for each line that is not blank.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: a line is not "path label" with a label from 0, its path starts at a drive of Windows, or there are
            no lines.
    """
    samples = []
    for number, line in enumerate(_lines(path), start=1):
        if not line:
            continue
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise ValueError(f"{path}:{number}: a line holds a path, a space and a class number, not {line[:200]!r}")
        name, label = parts.groups()
        if _OF_WINDOWS.match(name):
            raise ValueError(f"{path}:{number}: {name!r} is a path on a computer with Windows; make it relative")
        if len(label.lstrip("0")) >= len(str(MOST_CLASSES)):
            raise ValueError(f"{path}:{number}: a class number is less than {MOST_CLASSES:,}, not {label[:20]}")
        samples.append((name, int(label)))
    if not samples:
        raise ValueError(f"{path}: the list is empty")
    return samples


def _joined(root: str, path: str) -> str:
    """Return where an image is; backslashes separate folders, unless a file's name really has them."""
    if is_url(root):
        return f"{root.rstrip('/')}/{path}".replace("\\", "/")
    whole = os.path.join(root, path)
    return whole if "\\" not in path or os.path.isfile(whole) else os.path.join(root, path.replace("\\", "/"))


def _names(path: str) -> list[str]:
    names = _lines(path)
    while names and not names[-1]:
        names.pop()
    if "" in names:
        raise ValueError(f"{path}:{names.index('') + 1}: the line is blank, but a class name is expected")
    return names


def _lines(path: str) -> list[str]:
    """Return a text file's lines without the white space around them; a byte order mark is no part of the first."""
    if not is_url(path) and not os.path.isfile(path):
        raise FileNotFoundError(f"no list file {path!r}")
    try:
        return [line.strip() for line in read_bytes(path).decode("utf-8-sig").split("\n")]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the list as UTF-8 text") from None
