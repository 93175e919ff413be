"""The masks of boxes become masks of whole images, as run lengths, without a whole image of pixels for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pycocotools import mask as coco_mask

STRIP = 1 << 22
"""Pixels of a box that are computed at a time."""


def found_masks(
    masks: np.ndarray, boxes: np.ndarray, height: int, width: int, threshold: float = 0.5
) -> list[dict[str, Any]]:
    """Return the run lengths of the masks of an image's boxes; see :func:`pasted`.

    Args:
        masks: how likely each point of a box belongs to the object, float32 (D, M, M).
        boxes: corners x1, y1, x2, y2, pixels, (D, 4).
        height: of the image, pixels.
        width: likewise.
        threshold: from which likelihood on a pixel belongs to it.
    """
    return [pasted(mask, box, height, width, threshold) for mask, box in zip(masks, boxes.tolist())]


def pasted(
    mask: np.ndarray, box: Sequence[float], height: int, width: int, threshold: float = 0.5
) -> dict[str, Any]:
    """Return the run lengths of one mask, stretched over its box and cut off at the image's edges.

    A pixel belongs to it where the mask, interpolated linearly at the pixel's centre, is at least the threshold;
    outside the mask there is nothing. So it is in PaddleDetection's ``paste_mask``.

    Args:
        mask: how likely each point of the box belongs to the object, at most 1, float32 (M, M).
        box: corners x1, y1, x2, y2, pixels.
        height: of the image, pixels.
        width: likewise.
        threshold: between 0.5 and 1.

    Returns:
        As pycocotools has it: {"size": [height, width], "counts": bytes}.
    """
    left, top, right, bottom = box
    ends = [0, height * width]
    if np.isfinite(box).all() and left < right and top < bottom:
        first, across = _weights(left, right, width, len(mask[0]))
        upper, down = _weights(top, bottom, height, len(mask))
        strip = max(STRIP // max(len(down), 1), 1)
        found = [
            _changes(across[start : start + strip] @ mask.T @ down.T >= threshold) + [first + start, upper]
            for start in range(0, len(across), strip)
            if len(down)
        ]
        places = np.concatenate([np.zeros((0, 2), np.int64), *found]) @ [height, 1]
        joined = np.flatnonzero(places[1:-1:2] == places[2::2])  # down to the last row, and on from the first one
        ends[1:1] = np.delete(places, np.concatenate([2 * joined + 1, 2 * joined + 2])).tolist()
    counts = np.diff(ends[:-1] if ends[-2:-1] == ends[-1:] else ends).tolist()  # no last run of nothing
    return dict(coco_mask.frPyObjects({"size": [height, width], "counts": counts}, height, width))


def _weights(low: float, high: float, size: int, points: int) -> tuple[int, np.ndarray]:
    """Return the first pixel of a side whose centre lies in a box, and what each point is worth to each such pixel."""
    first, last = max(int(np.ceil(low - 0.5)), 0), min(int(np.floor(high - 0.5)), size - 1)
    places = (np.arange(first, last + 1) + 0.5 - low) / (high - low) * points - 0.5
    return first, np.maximum(1 - np.abs(places[:, None] - np.arange(points)), 0).astype(np.float32)


def _changes(inside: np.ndarray) -> np.ndarray:
    """Return where runs begin, and where they have ended, in turns: column and row, int64 (2 R, 2).

    Args:
        inside: bool (columns, rows).
    """
    edges = np.zeros((len(inside), inside.shape[1] + 2), np.int8)
    edges[:, 1:-1] = inside
    return np.argwhere(np.diff(edges, axis=1) != 0)
