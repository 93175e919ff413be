"""What the inference command draws with a generator that translates images: of pictures, videos, or a split's."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.drawing import sheet
from core.vision.image import write_image
from core.vision.video import VideoReader, write_video
from PaddleGAN.data.images import Inputs, transformed
from PaddleGAN.pictures import as_bytes

SIDE_BY_SIDE = 8
"""Images on the sheet of inputs and outputs."""


def translate(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Write what becomes of each image and video, and a sheet of the first images with their inputs on the left."""
    task.check_direction(options.direction)
    videos = Inputs(options.videos or [], options.count, videos=True)
    files = [file for name in videos.paths for file in _video(task, options, videos, name, target)]
    if options.images or not options.videos:
        pictures, failed = _pictures(task, options, target, bool(files))
        return [*files, *pictures], failed + videos.failed
    videos.require()
    return files, videos.failed


def _pictures(task: Any, options: argparse.Namespace, target: Path, others: bool) -> tuple[list[str], int]:
    """Write what becomes of each image, and the sheet; return the names, and how many were passed over."""
    inputs = Inputs(options.images or [], options.count)
    given = _own(task, inputs) if options.images else _of_split(task, options)
    files, names = ["side_by_side.png"], []
    shown: list[tuple[np.ndarray, np.ndarray]] = []
    for name, image in given:
        made = inputs.attempt(name, functools.partial(task.generated, [image], options.direction))
        if made is None:
            continue
        (picture,) = as_bytes(made)
        files.append(f"{name}.png")
        write_image(target / files[-1], picture)
        if len(shown) < SIDE_BY_SIDE:
            names.append(name)
            shown.append((as_bytes(image[None])[0], picture))
    if not others:
        inputs.require()
    kinds = list(options.direction.split("to"))
    columns = [f"input, {kinds[0]}", f"output, {kinds[1]}"] if len(task.translators) > 1 else ["input", "output"]
    write_image(target / files[0], sheet(shown, columns, names))
    return files, inputs.failed


def _of_split(task: Any, options: argparse.Namespace) -> Iterator[tuple[str, np.ndarray]]:
    """Yield names and images of the last split."""
    split, field = task.splits[-1], 1 if options.direction == "BtoA" else 0
    for number, sample in enumerate(task.first(split, options.count or len(task.dataset(split)))):
        yield f"{number:05d}", np.asarray(sample[field])


def _own(task: Any, inputs: Inputs) -> Iterator[tuple[str, np.ndarray]]:
    """Yield names and images that the command line names, of one size, read as the last split's are."""
    split = task.splits[-1]
    first = None
    for name, image in inputs.read(task.config.data.split(split).image_transform()):
        first = first or (name, image.shape)
        if image.shape != first[1] and not task.any_size:
            sizes = " and ".join("x".join(map(str, shape[:0:-1])) for shape in (image.shape, first[1]))
            paths = [inputs.paths[given] for given in (name, first[0])]
            raise ValueError(
                f"{paths[0]!r} and {paths[1]!r} come out of data.{split}.transforms at {sizes} pixels; Resize them"
            )
        yield name, image


def _video(task: Any, options: argparse.Namespace, inputs: Inputs, name: str, target: Path) -> list[str]:
    """Translate a video frame by frame, into an MP4 file of the same speed; return its name, or nothing."""
    path, file = inputs.paths[name], f"{name}.mp4"
    transform = task.config.data.split(task.splits[-1]).image_transform()

    def written() -> list[str]:
        reader = VideoReader(path)
        images = (np.asarray(transformed(transform, frame, [path]), np.float32) for frame in reader)
        pictures = (as_bytes(task.generated([image], options.direction))[0] for image in images)
        write_video(target / file, pictures, reader.frames_per_second)
        return [file]

    return inputs.attempt(name, written) or []
