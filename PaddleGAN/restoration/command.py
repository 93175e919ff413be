"""What the inference command does with a network that restores: pictures and videos, of the user's or of a split."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np

from core.vision.image import write_image
from core.vision.inputs import read_picture
from core.vision.video import VideoReader, VideoWriter
from PaddleGAN.data.images import Inputs
from PaddleGAN.pictures import fractions_as_bytes
from PaddleGAN.restoration.restorer import Restorer, published


def restore_published(options: argparse.Namespace) -> Optional[tuple[list[str], int, Path]]:
    """Restore with official weights, if it is their name that stands where a run's folder may.

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
    files: list[str] = []
    failed = 0
    for named, videos in ((options.images, False), (options.videos, True)):
        inputs = Inputs(named or [], options.count, videos=videos)
        write = _video if videos else _picture
        for name, path in inputs.paths.items():
            file = inputs.attempt(name, functools.partial(write, restorer, path, target, name))
            if file is not None:
                files.append(file)
        failed += inputs.failed
    if not files:
        raise ValueError(f"none of the {failed} inputs could be used")
    return files, failed


def _picture(restorer: Restorer, path: str, target: Path, name: str) -> str:
    """Restore a picture; return the name of its file."""
    write_image(target / f"{name}.png", restorer.restore(read_picture(path)))
    return f"{name}.png"


def _video(restorer: Restorer, path: str, target: Path, name: str) -> str:
    """Restore a video, frame by frame, into an MP4 file of the same speed; return its name."""
    reader = VideoReader(path)
    height, width = (restorer.scale * side for side in (reader.height, reader.width))
    with VideoWriter(target / f"{name}.mp4", height, width, reader.frames_per_second) as writer:
        for frame in restorer.restore_video(reader):
            writer.write(frame)
    return f"{name}.mp4"


def _of_split(task: Any, count: Optional[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield names and degraded pictures, or windows of them, of the last split, as bytes with channels last."""
    split = task.splits[-1]
    for number, sample in enumerate(task.first(split, count or len(task.dataset(split)))):
        given = np.asarray(sample[0])
        pictures = fractions_as_bytes(given.reshape(-1, *given.shape[-3:]))
        yield f"{number:05d}", pictures if given.ndim == 4 else pictures[0]
