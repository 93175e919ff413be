"""The preview command: augmented training images on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from matplotlib.figure import Figure

from core.io.randomness import sample_scope
from core.train.config import load_config
from core.train.curve import save_figure
from core.train.table import Component
from PaddleClas.config import ClassificationConfig
from PaddleClas.data.dataset import ImageDataset
from PaddleClas.data.pipeline import MIXES, build_dataset


def preview(
    config_file: str, overrides: Sequence[str], split: str, images: int, versions: int, output: str
) -> None:
    """Draw images of a split: each row an image, first as it is read, then as the first epochs see it.

    Args:
        config_file: the experiment.
        overrides: changes of keys.
        split: "train", "valid" or "test".
        images: how many images.
        versions: how many epochs.
        output: the PNG file.

    Raises:
        ValueError: the config has no such split.
    """
    config = load_config(ClassificationConfig, config_file, overrides)
    section = getattr(config.data, split)
    if section is None:
        raise ValueError(f"the config has no data.{split}")
    dataset = build_dataset(section, config.data.root)
    count = min(images, len(dataset))
    chosen = [index * len(dataset) // count for index in range(count)]
    mixes = [MIXES.build(mix, class_num=config.model.class_num) for mix in section.mix] if split == "train" else []
    columns = [augmented(dataset, chosen, config.seed, epoch, mixes) for epoch in range(versions)]
    shown = [[to_picture(image, section.transforms) for image, _ in column] for column in columns]
    titles = [[_title(label, dataset.class_names) for _, label in column] for column in columns]
    figure = Figure(figsize=(1.5 * (versions + 1), 1.8 * count + 0.5), layout="constrained")
    figure.suptitle(f"{split}: {', '.join(part.name for part in [*section.transforms, *section.mix])}", fontsize=8)
    for row, index in enumerate(chosen):
        original = dataset.image(index)
        pictures = [original, *(column[row] for column in shown)]
        names = [dataset.class_names[dataset.label(index)], *(column[row] for column in titles)]
        for column, (picture, name) in enumerate(zip(pictures, names)):
            axes = figure.add_subplot(count, versions + 1, row * (versions + 1) + column + 1)
            axes.imshow(np.squeeze(picture), cmap="gray", interpolation="nearest")
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_title(name, fontsize=7)
    save_figure(figure, output)
    print(f"wrote {output}: {count} images, the original and {versions} versions of each")


def augmented(
    dataset: ImageDataset, indices: Sequence[int], seed: int, epoch: int, mixes: Sequence[Any] = ()
) -> list[tuple[np.ndarray, Any]]:
    """Return samples as an epoch of training sees them; with mixes, mixed with one another.

    Args:
        dataset: with its transform.
        indices: which samples.
        seed: the run's.
        epoch: the epoch, from 0.
        mixes: what batches are mixed by; the epochs take turns.

    Returns:
        Image and label of each: the class number, or the shares of the classes.
    """
    samples = []
    for index in indices:
        with sample_scope(seed, epoch, index):
            samples.append(dataset[index])
    if mixes:
        with sample_scope(seed, epoch, 0, (2,)):
            samples = mixes[epoch % len(mixes)](samples)
    return samples


def to_picture(image: np.ndarray, transforms: Sequence[Component]) -> np.ndarray:
    """Return a preprocessed image as one that can be drawn: normalisation is undone, channels are last.

    Args:
        image: what the transforms returned.
        transforms: which ones they were.

    Returns:
        (H, W, C), in [0, 1].
    """
    array = np.asarray(image, np.float32)
    array = array.transpose(1, 2, 0) if array.shape[0] in (1, 3) else array
    for part in reversed(transforms):
        arguments = part.arguments
        if part.name in ("Normalize", "NormalizeImage"):
            default_mean, default_std = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
            mean = arguments.get("mean", default_mean if part.name == "NormalizeImage" else 0.0)
            std = arguments.get("std", default_std if part.name == "NormalizeImage" else 1.0)
            array = array * np.asarray(std, np.float32) + np.asarray(mean, np.float32)
    if array.max(initial=0) > 1.5:  # bytes
        array = array / 255
    return array.clip(0, 1)


def _title(label: Any, names: Sequence[str], most: Optional[int] = 2) -> str:
    """Return a class's name, or the greatest shares of a mixed label."""
    shares = np.asarray(label)
    if shares.ndim == 0:
        return names[int(shares)]
    best = np.argsort(-shares, kind="stable")[:most]
    return ", ".join(f"{names[number]} {shares[number]:.0%}" for number in best if shares[number] > 0)
