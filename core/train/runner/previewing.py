"""The preview command: samples on one sheet, as the first epochs of training see them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.drawing import Caption, sheet
from core.io.randomness import sample_scope
from core.train.config.table import Component
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image

LARGEST = 256
"""Pixels of an image's longer side on the sheet, at most."""

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""What NormalizeImage takes where it is told nothing: those of ImageNet."""


def preview(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Draw samples of a split: each row one of them, first as it is read, then as the first epochs see it.

    Args:
        toolkit: of the experiment.
        options: of the command line: config, overrides, split, images (how many), versions (how many epochs), output.

    Returns:
        The exit code.

    Raises:
        ValueError: the config has no such split, its data is broken, or its samples hold no images.
        OSError: the folder or files of its data are missing.
    """
    config = toolkit.load(options.config, options.overrides)
    section = config.data.split(options.split)
    dataset = config.data.build_dataset(options.split)
    count = min(options.images, len(dataset))
    chosen = [index * len(dataset) // count for index in range(count)]
    columns = []
    for epoch in range(options.versions):
        samples = section.mixed(seen(dataset, chosen, config.seed, epoch), config, options.split, epoch)
        columns.append([
            [(picture, section.caption(sample, dataset)) for picture in pictures(sample, section.transforms)]
            for sample in samples
        ])
    if not columns[0][0]:
        raise ValueError(f"data.{options.split}: the samples hold no images to draw")
    rows = [
        [*section.original(dataset, index), *(one for column in columns for one in column[row])]
        for row, index in enumerate(chosen)
    ]
    title = f"{options.split}: {', '.join(section.steps())}"
    told = any(text for row in rows for _, text in row)
    texts = [[Caption([text]) for _, text in row] for row in rows] if told else ()
    shown = [[picture for picture, _ in row] for row in rows]
    write_image(options.output, sheet(shown, title=title, captions=texts, largest=LARGEST))
    print(f"wrote {options.output}: {count} samples, {options.versions} versions of each")
    return 0


def seen(dataset: Any, indices: Sequence[int], seed: int, epoch: int) -> list[Any]:
    """Return samples as an epoch of training sees them.

    Args:
        dataset: with its transform.
        indices: which samples.
        seed: the run's.
        epoch: the epoch, from 0.
    """
    samples = []
    for index in indices:
        with sample_scope(seed, epoch, index):
            samples.append(dataset[index])
    return samples


def pictures(sample: Any, transforms: Sequence[Component]) -> list[np.ndarray]:
    """Return the images of a sample as pictures.

    Args:
        sample: an array, or fields of which some are arrays of three dimensions.
        transforms: what made the images.

    Returns:
        uint8, each (H, W, 3) or (H, W, 1).
    """
    fields = sample if isinstance(sample, (tuple, list)) else [sample]
    return [to_picture(field, transforms) for field in fields if getattr(field, "ndim", 0) == 3]


def to_picture(image: Any, transforms: Sequence[Component]) -> np.ndarray:
    """Return a preprocessed image as one that can be drawn: normalisation is undone, channels are last.

    Args:
        image: what the transforms returned.
        transforms: which ones they were.

    Returns:
        uint8, (H, W, C).
    """
    array = np.asarray(image, np.float32)
    array = array.transpose(1, 2, 0) if array.shape[0] in (1, 3) else array
    for part in reversed(transforms):
        arguments = part.arguments
        if part.name in ("Normalize", "NormalizeImage"):
            mean = arguments.get("mean", MEAN if part.name == "NormalizeImage" else 0.0)
            std = arguments.get("std", STD if part.name == "NormalizeImage" else 1.0)
            array = array * np.asarray(std, np.float32) + np.asarray(mean, np.float32)
    if array.max(initial=0) <= 8:  # fractions, which changes of colours may raise above 1; else bytes
        array = array * 255
    return np.rint(np.nan_to_num(array).clip(0, 255)).astype(np.uint8)
