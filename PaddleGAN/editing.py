"""What the inference command draws with a generator that edits attributes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from core.vision.image import write_image
from PaddleGAN.data.images import images_below, read_images
from PaddleGAN.data.pipeline import build_transform


def edit(task: Any, options: argparse.Namespace, target: Path) -> list[str]:
    """Draw images with attributes turned round, one at a time."""
    names = options.attributes or list(task.attribute_names)
    for name in names:
        _check(task, name)
    images, source = _images(task, options)
    files = ["edit.png"]
    write_image(target / files[0], task.edited_sheet(images, source, names))
    if options.each:
        wanted = task.edits(source)
        for name in names:
            edited = task.edit(images, source, wanted[:, list(task.attribute_names).index(name)])
            for number, picture in enumerate(edited):
                files.append(f"{number:05d}_{name}.png")
                write_image(target / files[-1], picture)
    return files


def sweep(task: Any, options: argparse.Namespace, target: Path) -> list[str]:
    """Draw images with one attribute turned round more and more."""
    _check(task, options.attribute)
    images, source = _images(task, options)
    strengths = np.linspace(0, options.reach, options.steps).tolist()
    write_image(target / "sweep.png", task.swept_sheet(images, source, options.attribute, strengths))
    return ["sweep.png"]


def _check(task: Any, name: str) -> None:
    if name not in task.attribute_names:
        raise ValueError(f"the run edits {', '.join(task.attribute_names)}, not {name!r}")


def _images(task: Any, options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """Return images and their attributes: of a split, or of a folder, whose attributes the critic tells."""
    if options.images is None:
        pair: tuple[np.ndarray, np.ndarray] = task.first(options.split, options.count)
        return pair
    transform = build_transform(getattr(task.config.data, task.splits[-1]).transforms)
    paths = images_below("--images", options.images)[: options.count]
    images = [np.asarray(read_images(transform, path), np.float32) for path in paths]
    side = task.image_size
    for path, image in zip(paths, images):
        if image.shape[1:] != (side, side):
            height, width = image.shape[1:]
            raise ValueError(f"{path!r}: the run edits pictures of {side} x {side} pixels, not {height} x {width}")
    return np.stack(images), task.recognized(np.stack(images))
