"""What transforms do to the objects of an image: their boxes, classes, flags and masks."""

from __future__ import annotations

import numpy as np

from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.masks import decoded, encoded

OF_OBJECTS = ("gt_class", "gt_score", "is_crowd", "difficult")
"""The fields that have a row for each object, besides boxes and masks."""


def cut(sample: Sample, area: tuple[int, int, int, int], boxes: np.ndarray, kept: np.ndarray) -> Sample:
    """Cut a sample's image and masks to an area, and leave objects out.

    Args:
        sample: the sample, which changes.
        area: corners x1, y1, x2, y2, pixels.
        boxes: of all objects, within the area and from its corner, float32 (G, 4).
        kept: numbers of the objects that stay.
    """
    height, width = sample["image"].shape[:2]
    left, top, right, bottom = area
    sample["image"] = sample["image"][top:bottom, left:right]
    sample["gt_bbox"] = boxes[kept]
    if "gt_poly" in sample:
        masks = [decoded(sample["gt_poly"][number], height, width) for number in kept]
        sample["gt_poly"] = [encoded(mask[top:bottom, left:right]) for mask in masks]
    if "gt_segm" in sample:
        sample["gt_segm"] = sample["gt_segm"][kept, top:bottom, left:right]
    for name in OF_OBJECTS:
        if name in sample:
            sample[name] = sample[name][kept]
    return sample


def overlaps(boxes: np.ndarray, area: np.ndarray) -> np.ndarray:
    """Return the intersection over union of boxes, (G, 4), with an area, (4,): (G,)."""
    sides = np.minimum(boxes[:, 2:], area[2:]) - np.maximum(boxes[:, :2], area[:2])
    common = np.maximum(sides, 0).prod(axis=1)
    together = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1) + (area[2:] - area[:2]).prod() - common
    return np.asarray(common / (together + 1e-10))


def within(boxes: np.ndarray, area: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Clip boxes to an area.

    Args:
        boxes: float32 (G, 4).
        area: float32 (4,).

    Returns:
        The boxes within the area, from its corner; the numbers of those whose centres lie in it.
    """
    corner = area[:2]
    clipped = np.concatenate([np.maximum(boxes[:, :2], corner), np.minimum(boxes[:, 2:], area[2:])], axis=1)
    clipped -= np.tile(corner, 2)
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    inside = (corner <= centres) & (centres < area[2:]) & (clipped[:, :2] < clipped[:, 2:])
    return clipped, np.flatnonzero(inside.all(axis=1))
