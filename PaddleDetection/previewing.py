"""The preview command: images on one sheet as the first epochs of training see them, with boxes and masks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from core.drawing import draw_boxes, draw_masks, sheet
from core.io.randomness import sample_scope
from core.train.config.table import Component
from core.train.runner.pictures import to_picture
from core.train.runner.previewing import seen
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image
from core.weights.messages import counted
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.pipeline import BATCH_TRANSFORMS, SplitSection
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.data.transforms.batch import InOrder
from PaddleDetection.data.transforms.masks import decoded, is_polygons

LARGEST = 320
"""Pixels of an image's longer side on the sheet, at most."""


def preview(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Draw images of a split: each row one of them, first as it is read, then as the first epochs see it.

    Args:
        toolkit: PaddleDetection's.
        options: of the command line: config, overrides, split, images (how many), versions (how many epochs), output.

    Returns:
        The exit code.

    Raises:
        ValueError: the config has no such split, or its data is broken.
        OSError: the folder or files of its data are missing.
    """
    config = toolkit.load(options.config, options.overrides)
    section = config.data.split(options.split)
    dataset = config.data.build_dataset(options.split)
    count = min(options.images, len(dataset))
    chosen = [index * len(dataset) // count for index in range(count)]
    rows = [[annotated(Decode()(dataset.sample(index)), [], dataset.class_names)] for index in chosen]
    parts = [*section.transforms, *section.batch_transforms]
    for epoch in range(options.versions):
        for row, sample in zip(rows, batch_of(dataset, section, chosen, config.seed, epoch)):
            row.append(annotated(sample, parts, dataset.class_names))
    title = f"{options.split}: {', '.join(section.steps())}"
    write_image(options.output, sheet(rows, title=title, largest=LARGEST))
    print(f"wrote {options.output}: {counted(count, 'image')}, {counted(options.versions, 'version')} of each")
    return 0


def batch_of(dataset: object, section: SplitSection, chosen: Sequence[int], seed: int, epoch: int) -> Sequence[Sample]:
    """Return samples after all transforms, as the first batch of an epoch would have them.

    Args:
        dataset: with its transform.
        section: of the split.
        chosen: which samples.
        seed: the run's.
        epoch: the epoch, from 0.
    """
    together = InOrder([BATCH_TRANSFORMS.build(part) for part in section.batch_transforms], lambda sample: sample)
    samples = seen(dataset, chosen, seed, epoch)
    with sample_scope(seed, epoch, 0, (2,)):
        return together(samples)


def annotated(sample: Sample, parts: Sequence[Component], class_names: Sequence[str]) -> np.ndarray:
    """Return the image of a sample with its objects, uint8 (H, W, 3).

    Args:
        sample: an image with its objects.
        parts: the transforms that it went through.
        class_names: the classes.
    """
    normal = [part for part in parts if part.arguments.get("norm_type") != "none"]
    image = to_picture(sample["image"], normal)
    height, width = image.shape[:2]
    boxes = np.asarray(sample["gt_bbox"], np.float64).reshape(-1, 4)
    for name in reversed([part.name for part in parts]):
        if name == "BboxXYXY2XYWH":
            boxes = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], axis=1)
        elif name == "NormalizeBox":
            boxes = boxes * [width, height, width, height]
    classes = np.asarray(sample["gt_class"]).reshape(-1).tolist()
    masks = _masks(sample, height, width)
    if len(masks) <= len(classes):  # PadBox pads boxes alone
        image = draw_masks(image, masks, classes[: len(masks)])
    return draw_boxes(image, boxes, classes, class_names=class_names)


def _masks(sample: Sample, height: int, width: int) -> list[np.ndarray]:
    """Return the masks of a sample's objects at its image's size, which padding may have made larger."""
    if "gt_segm" in sample:
        masks = [np.asarray(mask) for mask in sample["gt_segm"]]
    else:
        sizes = [(height, width) if is_polygons(mask) else mask["size"] for mask in sample.get("gt_poly", ())]
        masks = [decoded(mask, *size) for mask, size in zip(sample.get("gt_poly", ()), sizes)]
    whole = []
    for mask in masks:
        canvas = np.zeros((height, width), np.uint8)
        part = mask[:height, :width]
        canvas[: part.shape[0], : part.shape[1]] = part
        whole.append(canvas)
    return whole
