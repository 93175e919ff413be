"""What becomes of pictures and videos that a command line names."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Callable

from PaddleGAN.data.images import Inputs

Write = Callable[[str, Path], None]
"""Writes what becomes of the file at a path into another one."""


def write_named(options: argparse.Namespace, target: Path, picture: Write, video: Write) -> tuple[list[str], int]:
    """Write what becomes of each picture and video; what cannot be used is named on stderr and passed over.

    Args:
        options: images, videos and count.
        target: the folder to write into.
        picture: writes a PNG file of a picture.
        video: writes an MP4 file of a video.

    Returns:
        The names of the files, and how many inputs could not be used.

    Raises:
        ValueError: none could be used.
    """
    files: list[str] = []
    failed = 0
    for named, videos, write, ending in ((options.images, False, picture, "png"), (options.videos, True, video, "mp4")):
        inputs = Inputs(named or [], options.count, videos=videos)
        for name, path in inputs.paths.items():
            file = inputs.attempt(name, functools.partial(_written, write, path, target / f"{name}.{ending}"))
            files += [file] if file else []
        failed += inputs.failed
    if not files:
        raise ValueError(f"none of the {failed} inputs could be used")
    return files, failed


def _written(write: Write, path: str, file: Path) -> str:
    write(path, file)
    return file.name
