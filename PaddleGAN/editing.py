"""What the inference command draws with a generator that edits attributes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from core.vision.image import write_image
from PaddleGAN.data.images import Inputs


def edit(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Draw images with attributes turned round, one at a time."""
    names = options.attributes or list(task.attribute_names)
    for name in names:
        _check(task, name)
    images, source, given, failed = _images(task, options)
    files = ["edit.png"]
    write_image(target / files[0], task.edited_sheet(images, source, names, given))
    if options.each:
        wanted = task.edits(source)
        for name in names:
            edited = task.edit(images, source, wanted[:, list(task.attribute_names).index(name)])
            for number, picture in enumerate(edited):
                files.append(f"{given[number] if given else f'{number:05d}'}_{name}.png")
                write_image(target / files[-1], picture)
    return files, failed


def sweep(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Draw images with one attribute turned round more and more."""
    _check(task, options.attribute)
    images, source, given, failed = _images(task, options)
    strengths = np.linspace(0, options.reach, options.steps).tolist()
    write_image(target / "sweep.png", task.swept_sheet(images, source, options.attribute, strengths, given))
    return ["sweep.png"], failed


def _check(task: Any, name: str) -> None:
    if name not in task.attribute_names:
        raise ValueError(f"the run edits {', '.join(task.attribute_names)}, not {name!r}")


def _images(task: Any, options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray, list[str], int]:
    """Return images and their attributes, names of files without an ending, and how many files were passed over.

    Images are of a split, and have no names; or the command line names them, and the critic predicts their attributes.
    """
    if options.images is None:
        images, source = task.first(options.split, options.count)
        return images, source, [], 0
    transform = task.config.data.split(task.splits[-1]).image_transform()
    inputs = Inputs(options.images, options.count)
    found = dict(inputs.read(transform))
    inputs.require()
    side = task.image_size
    for name, image in found.items():
        if image.shape[1:] != (side, side):
            height, width = image.shape[1:]
            raise ValueError(
                f"{inputs.paths[name]!r}: the run edits pictures of {side} x {side} pixels, not {height} x {width}"
            )
    images = np.stack(list(found.values()))
    return images, task.recognized(images), list(found), inputs.failed
