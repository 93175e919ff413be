"""What the inference command does with a network that restores: pictures and videos, of the user's or of a split."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np

from core.vision.image import write_image
from core.vision.inputs import read_picture
from core.vision.video import VideoReader, write_video
from PaddleGAN.named import write_named
from PaddleGAN.pictures import fractions_as_bytes
from PaddleGAN.restoration.restorer import Restorer, published


def restore_published(options: argparse.Namespace) -> Optional[tuple[list[str], int, Path]]:
    """Restore with official weights, if their name is given in place of a run's folder.

    Args:
        options: of the command line.

    Returns:
        The names of the files that were written, how many inputs were passed over, and the folder; None where a run is
        meant.

    Raises:
        ValueError: nothing is named that could be restored, or nothing of it can be used.
    """
    network = published(options.run)
    if network is None:
        return None
    if not (options.images or options.videos):
        raise ValueError(f"say what {options.run} shall restore: --images FILES or --videos FILES")
    target = Path(options.output or f"restored/{options.run}")
    target.mkdir(parents=True, exist_ok=True)
    return *_own(Restorer(network, options.tile, options.overlap), options, target), target


def restore(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Write what becomes of pictures and videos, or of pictures of the last split."""
    restorer = Restorer(task.generator, options.tile, options.overlap)
    if options.images or options.videos:
        return _own(restorer, options, target)
    files = []
    for name, given in _of_split(task, options.count):
        made = restorer.restore(given) if given.ndim == 3 else restorer.restore_window(given)
        files.append(f"{name}.png")
        write_image(target / files[-1], made)
    return files, 0


def _own(restorer: Restorer, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Restore what the command line names; what cannot be used is named on the error stream and passed over."""

    def picture(path: str, file: Path) -> None:
        write_image(file, restorer.restore(read_picture(path)))

    def video(path: str, file: Path) -> None:
        reader = VideoReader(path)
        write_video(file, restorer.restore_video(reader), reader.frames_per_second)

    return write_named(options, target, picture, video)


def _of_split(task: Any, count: Optional[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield names and degraded pictures, or windows of them, of the last split, as bytes with channels last."""
    split = task.splits[-1]
    for number, sample in enumerate(task.first(split, count or len(task.dataset(split)))):
        given = np.asarray(sample[0])
        pictures = fractions_as_bytes(given.reshape(-1, *given.shape[-3:]))
        yield f"{number:05d}", pictures if given.ndim == 4 else pictures[0]
