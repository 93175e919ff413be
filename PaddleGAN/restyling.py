"""What the inference command draws with a generator that puts images into styles of a domain."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Optional

import numpy as np

from core.drawing import sheet
from core.vision.image import write_image
from PaddleGAN.data.images import Inputs
from PaddleGAN.pictures import as_bytes


def restyle(task: Any, options: argparse.Namespace, target: Path) -> tuple[list[str], int]:
    """Write images in styles of a domain, of references or from noise: a sheet, and each as a file."""
    domain = task.domain(options.domain)
    images, failed = _images(task, options.images, options.count)
    references, further = _images(task, options.references, None) if options.references else ({}, 0)
    if references:
        styles, names = task.styles_of(np.stack(list(references.values())), domain), list(references)
    else:
        styles = task.styles_from(options.seed, options.styles, domain)
        names = [f"style {number + 1}" for number in range(options.styles)]
    pictures = task.restyled(np.stack(list(images.values())), styles)
    files = ["restyle.png"]
    rows = [[as_bytes(image[None])[0], *made] for image, made in zip(images.values(), pictures)]
    if references:
        own = as_bytes(np.stack(list(references.values())))
        rows.insert(0, [np.full_like(own[0], 255), *own])
    title = f"as {options.domain}" + ("" if references else f", styles from noise, seed {options.seed}")
    write_image(target / files[0], sheet(rows, ["input", *names], title=title))
    for image, made in zip(images, pictures):
        for number, picture in enumerate(made):
            files.append(f"{image}_{number:02d}.png")
            write_image(target / files[-1], picture)
    return files, failed + further


def _images(task: Any, named: Optional[list[str]], count: Optional[int]) -> tuple[dict[str, np.ndarray], int]:
    """Return images by name, of the command line or of the last split, and how many could not be read."""
    split = task.splits[-1]
    if not named:
        samples = task.first(split, count or 4)
        return {f"{number:05d}": np.asarray(sample[0]) for number, sample in enumerate(samples)}, 0
    inputs = Inputs(named, count)
    found = dict(inputs.read(task.config.data.split(split).image_transform()))
    inputs.require()
    side = task.generator.img_size
    for name, image in found.items():
        if image.shape != (3, side, side):
            height, width = image.shape[1:]
            raise ValueError(
                f"{inputs.paths[name]!r} comes out of data.{split}.transforms at {width}x{height} pixels, not "
                f"{side}x{side}; Resize it"
            )
    return found, inputs.failed
