"""What PaddleDetection did otherwise before 2.0, in the releases that wrote Fluid 1.x files: generation 1.

There the corners of a box were those of its first and last pixel, so that a box of one pixel had a width of
x2 - x1 + 1. Here boxes end where their last pixel ends, in both generations: a detector of generation 1 gives x2 and y2
that are larger by 1 than what the release printed, and the same overlaps. Widths and heights in bbox.json are the same,
for the release counted the last pixel when it wrote them (``bbox2out`` in its ``ppdet/utils/coco_eval.py``).

Anchors lay around the middle of a cell, with sides of whole pixels at its stride; now they lie around its upper left
corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.regularizer import L2Decay

GENERATIONS = (1, 2)
"""Releases before 2.0, and from then on."""

LAST_PIXEL = np.array([0, 0, 1, 1], np.float32)


def is_first(generation: int) -> bool:
    """Return whether a detector does as the releases before 2.0.

    Raises:
        ValueError: there is no such generation.
    """
    if isinstance(generation, bool) or generation not in GENERATIONS:
        raise ValueError(f"generation must be 1, the releases before 2.0, or 2, not {generation!r}")
    return generation == 1


def to_pixels(boxes: Any) -> Any:
    """Return the first and last pixels of boxes (..., 4)."""
    return boxes - core.to_tensor(LAST_PIXEL)


def from_pixels(pixels: Any) -> Any:
    """Return the boxes from first to last pixels (..., 4)."""
    return pixels + core.to_tensor(LAST_PIXEL)


def rows_from_pixels(rows: Any) -> Any:
    """Return class, score and box of objects (N, K, 6) whose boxes are first and last pixels; empty rows stay empty."""
    kept = core.cast(rows[..., :1] >= 0, "float32")
    return core.concat([rows[..., :2], from_pixels(rows[..., 2:]) * kept], -1)


def anchor_halves(size: float, ratios: Sequence[float], stride: int, first: bool) -> list[list[float]]:
    """Return half the width and height of the anchors of a size, pixels.

    Args:
        size: square root of the area, pixels.
        ratios: heights over widths.
        stride: pixels of a cell.
        first: whether the sides at the cell's own size are rounded to whole pixels, as before 2.0.
    """
    if not first:
        return [[size / ratio**0.5 / 2, size * ratio**0.5 / 2] for ratio in ratios]
    widths = [np.floor((stride**2 / ratio) ** 0.5 + 0.5) for ratio in ratios]
    factor = size / stride / 2
    return [[factor * width, factor * np.floor(width * ratio + 0.5)] for width, ratio in zip(widths, ratios)]


def learn_as_first(layer: nn.Layer, factor: float = 1.0) -> None:
    """Make the biases of a neck or head learn twice as fast as its weights, without decay, as before 2.0.

    Args:
        layer: those of its convolutions and fully connected layers, not of normalisations.
        factor: on the optimizer's learning rate, for all of them.
    """
    for part in layer.sublayers(include_self=True):
        if isinstance(part, (nn.Conv2D, nn.Linear)):
            part.weight.optimize_attr = {"learning_rate": factor}
            if part.bias is not None:
                part.bias.optimize_attr = {"learning_rate": 2 * factor}
                part.bias.regularizer = L2Decay(0.0)
