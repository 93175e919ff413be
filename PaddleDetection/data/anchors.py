"""Which anchors fit the boxes of a data set: k-means, with what boxes do not share as their distance (YOLOv2's way).

Redmon and Farhadi, YOLO9000: Better, Faster, Stronger, https://arxiv.org/abs/1612.08242.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.io.randomness import batch_scope
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.pipeline import BATCH_TRANSFORMS, SplitSection, network_fields
from PaddleDetection.data.transforms.batch import InOrder

LEAST = 0.25
"""An anchor fits a box that it overlaps so much, both at one corner."""

ATTEMPTS = 5
"""From so many random beginnings."""

MOST = 9
"""Anchors that a warning shows and proposes; SSD has some thirty."""

TOGETHER = 8
"""Images of a batch that is looked at."""


def overlaps(sides: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Return the intersection over union of boxes and anchors at one corner.

    Args:
        sides: widths and heights (G, 2).
        anchors: likewise (A, 2).

    Returns:
        float64 (G, A).
    """
    common = np.minimum(sides[:, None], anchors[None]).prod(axis=2)
    return np.asarray(common / (sides.prod(axis=1)[:, None] + anchors.prod(axis=1)[None] - common))


def cluster_anchors(sides: np.ndarray, count: int, seed: int = 0, iterations: int = 1000) -> np.ndarray:
    """Return anchors for boxes, small ones first.

    Args:
        sides: the boxes' widths and heights (G, 2).
        count: how many anchors.
        seed: of the random beginnings, of which the best is taken.
        iterations: the most steps from each.

    Returns:
        float64 (count, 2).

    Raises:
        ValueError: there are fewer different boxes than anchors.
    """
    different = np.unique(sides, axis=0)
    if len(different) < count:
        raise ValueError(f"{count} anchors need as many different boxes, but there are {len(different)}")
    source = np.random.RandomState(seed)
    best, best_share = different[:count].astype(np.float64), -1.0
    for _ in range(ATTEMPTS):
        anchors = different[source.choice(len(different), count, replace=False)].astype(np.float64)
        nearest = np.full(len(sides), -1)
        for _ in range(iterations):
            found = overlaps(sides, anchors).argmax(axis=1)
            if (found == nearest).all():
                break
            nearest = found
            members = np.bincount(nearest, minlength=count)[:, None]
            sums = np.stack([np.bincount(nearest, sides[:, axis], count) for axis in (0, 1)], axis=1)
            anchors = np.where(members > 0, sums / np.maximum(members, 1), anchors)
        share = mean_overlap(sides, anchors)
        if share > best_share:
            best, best_share = anchors, share
    return best[np.argsort(best.prod(axis=1), kind="stable")]


def mean_overlap(sides: np.ndarray, anchors: np.ndarray) -> float:
    """Return how much boxes, (G, 2), overlap the best of some anchors, (A, 2), on the average."""
    return float(overlaps(sides, anchors).max(axis=1).mean())


def written(anchors: np.ndarray) -> str:
    """Return anchors as a config has them: ``[[10, 13], [16, 30]]``, whole pixels."""
    return str(np.maximum(np.round(anchors), 1).astype(int).tolist())


def box_sides(dataset: DetectionDataset, size: Sequence[int]) -> np.ndarray:
    """Return widths and heights of all boxes of a data set, in images of one size.

    Args:
        dataset: the data set.
        size: height and width of the images, pixels.

    Returns:
        float64 (G, 2); boxes of groups ("is_crowd") and of no area are none.
    """
    rows = [np.zeros((0, 2))]
    for index in range(len(dataset)):
        sample = dataset.sample(index)
        height, width = sample["image"].shape[:2] if "image" in sample else (sample.get("h"), sample.get("w"))
        if not height or not width:
            raise ValueError(f"image {sample.get('im_file', index)!r}: its annotation does not say its size")
        boxes = sample["gt_bbox"].astype(np.float64)
        sides = (boxes[:, 2:] - boxes[:, :2]) * (size[1] / width, size[0] / height)
        rows.append(sides[(sides > 0).all(axis=1) & (np.reshape(sample["is_crowd"], -1) == 0)])
    return np.concatenate(rows)


def seen_sides(section: SplitSection, dataset: DetectionDataset, images: int = 96) -> np.ndarray:
    """Return widths and heights of boxes as a network sees them in training: after all transforms.

    Args:
        section: the split.
        dataset: its data set.
        images: how many, spread evenly.

    Returns:
        float64 (G, 2), pixels of the network's images.
    """
    together = InOrder([BATCH_TRANSFORMS.build(part) for part in section.batch_transforms], network_fields)
    chosen = np.unique(np.linspace(0, len(dataset) - 1, images).astype(int)).tolist()
    rows = [np.zeros((0, 2))]
    with batch_scope(0, 0, 0):  # draws of what comes after stay as they were
        for start in range(0, len(chosen), TOGETHER):
            for fields in together([dataset[index] for index in chosen[start : start + TOGETHER]]):
                sides = fields["gt_bbox"][:, 2:].astype(np.float64) - fields["gt_bbox"][:, :2]
                rows.append(sides[(sides > 0).all(axis=1) & (fields["is_crowd"] == 0)])
    return np.concatenate(rows)


def anchor_facts(network: Any, section: SplitSection, dataset: DetectionDataset) -> list[str]:
    """Return a warning where some of a network's anchors fit no box that it is trained on; otherwise nothing.

    Args:
        network: the detector; it is looked at if its ``anchors`` are lists of widths and heights, pixels, by level.
        section: the split of the data that trains it.
        dataset: its data set.
    """
    levels = getattr(network, "anchors", None)
    if not isinstance(levels, (list, tuple)) or not all(isinstance(level, (list, tuple)) for level in levels):
        return []
    anchors = np.concatenate([np.reshape(level, (-1, 2)) for level in levels]).astype(np.float64)
    sides = seen_sides(section, dataset)
    if not len(sides):
        return ["warning: none of the training images that were looked at has a box"]
    idle = anchors[(overlaps(sides, anchors) < LEAST).all(axis=0)]
    if not len(idle):
        return []
    shown = ", ".join(f"{width:.4g} x {height:.4g}" for width, height in idle[:MOST])
    more = f" and {len(idle) - MOST} more" if len(idle) > MOST else ""
    count = min(len(anchors), MOST, len(np.unique(sides, axis=0)))
    proposal = cluster_anchors(sides, count)
    before, after = mean_overlap(sides, anchors), mean_overlap(sides, proposal)
    return [
        f"warning: {len(idle)} of {len(anchors)} anchors fit no box of the training data: {shown} pixels{more}; boxes "
        f"overlap their best anchor by {before:.2f}. "
        f"PaddleDetection/tools/anchor_cluster.py proposes {written(proposal)} ({after:.2f})"
    ]
