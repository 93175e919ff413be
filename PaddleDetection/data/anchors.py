"""The boxes of a data set, and which of a network's anchors fit none of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.io.randomness import batch_scope
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.pipeline import BATCH_TRANSFORMS, SplitSection, network_fields
from PaddleDetection.data.transforms.batch import InOrder
from PaddleDetection.models.anchor_fitting import LEAST, by_rows, mean_overlap, overlaps
from PaddleDetection.models.base import Detector

MOST = 9
"""Anchors that a warning shows; SSD has some thirty."""

BETTER = 0.005
"""A proposal is one where boxes overlap their best anchor by so much more."""

TOGETHER = 8
"""Images of a batch that is looked at."""


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


def anchor_facts(network: Detector, section: SplitSection, dataset: DetectionDataset) -> list[str]:
    """Return a warning where some of a network's anchors fit no box that it is trained on; otherwise nothing.

    Args:
        network: the detector.
        section: the split of the data that trains it.
        dataset: its data set.
    """
    if not network.anchors:
        return []
    anchors, sides = by_rows(network.anchors), seen_sides(section, dataset)
    if not len(sides):
        return ["warning: none of the training images that were looked at has a box"]
    idle = anchors[(overlaps(sides, anchors) < LEAST).all(axis=0)]
    if not len(idle):
        return []
    shown = ", ".join(f"{width:.4g} x {height:.4g}" for width, height in idle[:MOST])
    more = f" and {len(idle) - MOST} more" if len(idle) > MOST else ""
    fitted, before = network.fitted_anchors(sides), mean_overlap(sides, anchors)
    after = mean_overlap(sides, fitted.anchors)
    proposal = f"proposes {fitted} ({after:.2f})" if after > before + BETTER else "finds none that fit better"
    return [
        f"warning: {len(idle)} of {len(anchors)} anchors fit no box of the training data: {shown} pixels{more}; boxes "
        f"overlap their best anchor by {before:.2f}. PaddleDetection/tools/anchor_cluster.py {proposal}"
    ]
