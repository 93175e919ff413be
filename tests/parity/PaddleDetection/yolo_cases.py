"""Seeded outputs of YOLOv3's head, and objects, for both implementations; numpy alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.parity.recipe import uniform

CLASSES = 4
ANCHORS = [[10, 13], [16, 30], [33, 23], [30, 61], [62, 45], [59, 119], [116, 90], [156, 198], [373, 326]]
MASKS = [[6, 7, 8], [3, 4, 5], [0, 1, 2]]
STRIDES = [32, 16, 8]
HEIGHT, WIDTH = 64, 96

OPTIONS = {
    "plain": {},
    "smooth": {"label_smooth": True},
    "wide": {"scale_x_y": 1.05},
    "ignored": {"ignore_thresh": 0.2},
    "crowded": {"label_smooth": True},
    "empty": {},
}
"""What each case changes of the loss."""


class Objects(NamedTuple):
    """The objects of two images, padded.

    Attributes:
        boxes: corners in pixels float32 (2, G, 4).
        classes: (2, G).
        scores: float32 (2, G).
        counts: (2,).
    """

    boxes: np.ndarray
    classes: np.ndarray
    scores: np.ndarray
    counts: np.ndarray


def outputs(case: str) -> list[np.ndarray]:
    """Return what the head predicts at each level."""
    return [
        uniform(f"{case} {stride}", (2, 3 * (5 + CLASSES), HEIGHT // stride, WIDTH // stride), -1.5, 1.5)
        for stride in STRIDES
    ]


def objects(case: str) -> Objects:
    """Return objects of many sizes; "crowded" has several in one cell, "empty" none in the second image."""
    count = 10
    centres = uniform(f"{case} centres", (2, count, 2), 0.05, 0.95)
    if case == "crowded":
        centres = np.round(centres * 3) / 3 * 0.9 + 0.03
    sizes = np.exp(uniform(f"{case} sizes", (2, count, 2), -3.0, -0.1))
    low, high = np.clip(centres - sizes / 2, 0, 1), np.clip(centres + sizes / 2, 0, 1)
    boxes = np.concatenate([low, high], -1) * np.array([WIDTH, HEIGHT] * 2)
    classes = (uniform(f"{case} classes", (2, count), 0, CLASSES)).astype(np.int64)
    scores = uniform(f"{case} scores", (2, count), 0.3, 1.0)
    scores[:, 3] = 0.0  # left out, as mixup's objects of no weight are
    counts = np.array([count, 0 if case == "empty" else 7])
    for image, used in enumerate(counts):
        boxes[image, used:], classes[image, used:], scores[image, used:] = 0, 0, 0
    return Objects(boxes.astype(np.float32), classes, scores, counts)
