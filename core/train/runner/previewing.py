"""The preview command: samples on one sheet, as the first epochs of training see them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from core.drawing import Caption, sheet
from core.io.randomness import sample_scope
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image
from core.weights.messages import counted


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
            [(picture, section.caption(sample, dataset)) for picture in section.pictures(sample)]
            for sample in samples
        ])
    if not columns[0][0]:
        raise ValueError(f"data.{options.split}: the samples hold no images to draw")
    rows = [
        [*section.original(dataset, index), *(one for column in columns for one in column[row])]
        for row, index in enumerate(chosen)
    ]
    title = f"{options.split}: {', '.join(section.steps())}"
    captioned = any(text for row in rows for _, text in row)
    texts = [[Caption([text]) for _, text in row] for row in rows] if captioned else ()
    shown = [[picture for picture, _ in row] for row in rows]
    write_image(options.output, sheet(shown, title=title, captions=texts, largest=section.largest))
    print(f"wrote {options.output}: {counted(count, 'sample')}, {counted(options.versions, 'version')} of each")
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
