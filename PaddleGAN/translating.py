"""What the inference command draws with a generator that translates images."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from core.vision.image import write_image
from PaddleGAN.data.images import images_below, read_images
from PaddleGAN.data.pipeline import build_transform
from PaddleGAN.pictures import as_bytes, sheet

SIDE_BY_SIDE = 8
"""Images on the sheet of inputs and outputs."""


def translate(task: Any, options: argparse.Namespace, target: Path) -> list[str]:
    """Write what becomes of each image, and a sheet of the first ones with their inputs on the left."""
    names, images = _images(task, options)
    made = as_bytes(np.concatenate([task.generated([image], options.direction) for image in images]))
    files = ["side_by_side.png"]
    given = [as_bytes(image[None])[0] for image in images[:SIDE_BY_SIDE]]
    write_image(target / files[0], sheet(list(zip(given, made))))
    for name, picture in zip(names, made):
        files.append(f"{name}.png")
        write_image(target / files[-1], picture)
    return files


def _images(task: Any, options: argparse.Namespace) -> tuple[list[str], list[np.ndarray]]:
    """Return names and images, of one size: of a folder, read as the last split's are, or of that split."""
    split = task.splits[-1]
    if options.images is None:
        field = 1 if options.direction == "BtoA" else 0
        images = [np.asarray(sample[field]) for sample in task.first(split, options.count or len(task.dataset(split)))]
        return [f"{number:05d}" for number in range(len(images))], images
    transform = build_transform(getattr(task.config.data, split).transforms)
    paths = images_below("--images", options.images)[: options.count]
    images = [np.asarray(read_images(transform, path), np.float32) for path in paths]
    for path, image in zip(paths, images):
        if image.shape != images[0].shape:
            sizes = " and ".join("x".join(map(str, shape[:0:-1])) for shape in (image.shape, images[0].shape))
            raise ValueError(
                f"{path!r} and {paths[0]!r} come out of data.{split}.transforms at {sizes} pixels; Resize them"
            )
    return _names(paths, options.images), images


def _names(paths: list[str], folder: str) -> list[str]:
    """Return a file name for each path below a folder, without its ending; folders within become part of it."""
    return ["_".join(Path(path).relative_to(folder).with_suffix("").parts) for path in paths]
