"""Reading images and their lists, and what goes wrong there."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.io.files import read_bytes
from core.vision.image import image_files, read_image
from core.vision.inputs import expand_named, read_picture

Transform = Callable[[Any], Any]


def images_below(owner: str, folder: str) -> list[str]:
    """List the images below a folder, in alphabetical order.

    Args:
        owner: the data set, for the message.
        folder: the folder.

    Returns:
        Paths, at least one.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: there are no images in it.
    """
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"{owner}: no folder {folder!r}")
    found = image_files(folder)
    if not found:
        raise ValueError(f"{owner}: there are no images below {folder!r}")
    return found


def read_list(owner: str, path: str, root: str, columns: int) -> list[tuple[str, ...]]:
    """Read a list of images, one or more in a line, with a tab between.

    Args:
        owner: the data set, for messages.
        path: the list, UTF-8 text.
        root: the folder that the paths are relative to.
        columns: how many images a line names.

    Returns:
        The paths of each line that is not blank, at least one.

    Raises:
        FileNotFoundError: the list, or an image of it, is missing.
        ValueError: a line names another number of images, the list is empty, or is not UTF-8; names file and line.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{owner}: no list file {path!r}")
    rows = []
    for number, line in enumerate(text_lines(path), start=1):
        if not line:
            continue
        names = [name.strip() for name in line.split("\t")]
        if len(names) != columns or "" in names:
            form = "one image" if columns == 1 else f"{columns} images with a tab between"
            raise ValueError(f"{path}:{number}: a line names {form}; this one is {line!r}")
        row = tuple(os.path.join(root, name) for name in names)
        for image in row:
            if not os.path.isfile(image):
                raise FileNotFoundError(f"{path}:{number}: no image file {image!r}")
        rows.append(row)
    if not rows:
        raise ValueError(f"{owner}: the list {path!r} is empty")
    return rows


def text_lines(path: str) -> list[str]:
    """Return the lines of a text file without the white space around them.

    Args:
        path: the file, UTF-8, with or without a byte order mark.

    Raises:
        ValueError: it is not UTF-8.
    """
    try:
        return [line.strip() for line in read_bytes(path).decode("utf-8-sig").split("\n")]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 text") from None


def read_images(transform: Optional[Transform], *paths: str) -> Any:
    """Read images and transform them together.

    Args:
        transform: a function of an image, or of a tuple of them; None: they stay as they are.
        *paths: the files; grey images are read in color too.

    Returns:
        What the transform returns; without one, uint8 of shape (H, W, 3), or a tuple of such.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file is no image, or the transform refuses it, as one smaller than the crop; names the file.
    """
    images = tuple(read_image(path) for path in paths)
    return transformed(transform, images if len(images) > 1 else images[0], paths)


def transformed(transform: Optional[Transform], images: Any, paths: Sequence[str]) -> Any:
    """Return images after a transform, whose complaints name the files.

    Args:
        transform: a function of the images; None: they stay as they are.
        images: an image or a tuple of them.
        paths: where they come from.

    Raises:
        ValueError: the transform refuses them.
    """
    if transform is None:
        return images
    try:
        return transform(images)
    except ValueError as error:
        raise ValueError(f"{' and '.join(map(repr, paths))}: {error}") from None


class Inputs:
    """Images or videos that a command line names; one that cannot be used is named on stderr, and passed over.

    Args:
        named: files, folders of them, patterns or URLs.
        count: how many of them to take at most; None: all.
        videos: whether they are videos.

    Attributes:
        paths: path of each, by a file name of its own without an ending.
        failed: how many were passed over.

    Raises:
        FileNotFoundError: a file is missing, a folder holds no images, or a pattern matches no file.
    """

    def __init__(self, named: Sequence[str], count: Optional[int] = None, videos: bool = False) -> None:
        self.paths = dict(list(expand_named(named, videos).items())[:count])
        self.kind = "videos" if videos else "images"
        self.failed = 0

    def read(self, transform: Transform) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the name and the transformed image, float32 (C, H, W), of each that can be read."""

        def of_file(path: str) -> Any:
            return transformed(transform, read_picture(path), [path])

        for name, path in self.paths.items():
            image = self.attempt(name, functools.partial(of_file, path))
            if image is not None:
                yield name, np.asarray(image, np.float32)

    def attempt(self, name: str, use: Callable[[], Any]) -> Any:
        """Return what the image of this name is used for, or None where it cannot be."""
        try:
            return use()
        except (OSError, ValueError) as error:
            path = self.paths.get(name)
            if path is None:  # an image of a split
                raise
            self.failed += 1
            text = " ".join(str(error).split())
            print(f"error: {text if path in text else f'{path}: {text}'}", file=sys.stderr)
            return None

    def require(self) -> None:
        """Refuse to go on without an image.

        Raises:
            ValueError: none could be used.
        """
        if self.paths and self.failed == len(self.paths):
            raise ValueError(f"none of the {self.failed} {self.kind} could be used")


def check_same_size(first: np.ndarray, second: np.ndarray, paths: Sequence[str]) -> None:
    """Refuse a pair of images of different sizes, whose pixels would not belong together.

    Args:
        first: shape (H, W, C).
        second: shape (H, W, C).
        paths: where they come from.

    Raises:
        ValueError: their heights or widths differ.
    """
    if first.shape[:2] != second.shape[:2]:
        sizes = " and ".join("x".join(map(str, image.shape[:2])) for image in (first, second))
        raise ValueError(f"{' and '.join(map(repr, paths))} are a pair, but of different sizes: {sizes} pixels")
