"""Images and videos that a command line names: files, folders of them, patterns, URLs."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from core.io.files import is_url, read_bytes
from core.vision.decoding import decode_image
from core.vision.image import image_files, read_image
from core.vision.video import VIDEO_EXTENSIONS


def expand(paths: Sequence[str], videos: bool = False) -> list[str]:
    """Return the files that folders and patterns stand for; files and URLs stay as they are.

    Args:
        paths: what the command line names.
        videos: whether they are of videos, instead of images.

    Raises:
        FileNotFoundError: a file is missing, a folder holds none, or a pattern matches no file.
    """
    kind, files = "video" if videos else "image", []
    for path in paths:
        if os.path.isdir(path):
            found = image_files(path, VIDEO_EXTENSIONS) if videos else image_files(path)
            if not found:
                raise FileNotFoundError(f"there are no {kind}s in {path!r}")
        elif is_url(path) or os.path.isfile(path):
            found = [path]
        elif glob.has_magic(path):
            found = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
            if not found:
                raise FileNotFoundError(f"no file matches {path!r}")
        else:
            raise FileNotFoundError(f"no {kind} file {path!r}")
        files += found
    return files


def expand_named(paths: Sequence[str], videos: bool = False) -> dict[str, str]:
    """Return the files that a command line names, each under a file name of its own without an ending.

    A name is the path below the folder that was named, with its folders joined by ``_``; of a file, a pattern or a URL
    the last part. Where two would be the same, the later one gets a number.

    Args:
        paths: as for :func:`expand`.
        videos: likewise.

    Returns:
        Name to path, in the order of the command line.

    Raises:
        FileNotFoundError: as of :func:`expand`.
    """
    found = []
    for path in paths:
        for file in expand([path], videos):
            parts = Path(file).relative_to(path) if os.path.isdir(path) else Path(Path(file.split("?")[0]).name)
            found.append(("_".join(parts.with_suffix("").parts) or ("video" if videos else "image"), file))
    return named_apart(found)


def named_apart(files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return files by names of their own: where two would be the same, the later one gets a number.

    Args:
        files: the name that each is to have, and its path.
    """
    named: dict[str, str] = {}
    for stem, file in files:
        name, number = stem, 1
        while name in named:
            number += 1
            name = f"{stem}_{number}"
        named[name] = file
    return named


def read_picture(path: str) -> np.ndarray:
    """Read an image file.

    Args:
        path: a file, or a URL that fsspec knows.

    Returns:
        uint8, shape (H, W, 3), RGB.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no image, or a damaged one.
    """
    return decode_image(read_bytes(path), path) if is_url(path) else read_image(path)
