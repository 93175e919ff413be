"""Seeded images with objects and detections, for metrics; NumPy only: the official packages' Python reads it too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

CLASSES = ("apple", "bolt", "cup", "unseen")


class Image(NamedTuple):
    """Objects of one image, and detections of it, best first; corners are whole pixels."""

    detections: np.ndarray
    boxes: np.ndarray
    classes: np.ndarray
    difficult: np.ndarray


def images(seed: int, count: int = 12) -> list[Image]:
    """Return images of 100 x 80 pixels, some without objects or detections; no object is of the last class."""
    random = np.random.RandomState(seed)
    found = []
    for _ in range(count):
        objects, noise = random.randint(0, 6), random.randint(0, 5)
        corners = random.randint(0, (70, 50), (objects, 2))
        boxes = np.concatenate([corners, corners + random.randint(3, 30, (objects, 2))], 1).astype(np.float64)
        classes = random.randint(0, len(CLASSES) - 1, objects)
        shown = np.repeat(np.arange(objects), random.randint(0, 3, objects))
        moved = boxes[shown] + random.randint(-3, 4, (len(shown), 4))
        corners = random.randint(0, (70, 50), (noise, 2))
        others = np.concatenate([corners, corners + random.randint(3, 30, (noise, 2))], 1)
        labels = np.concatenate([classes[shown], random.randint(0, len(CLASSES), noise)])
        scores = random.permutation(1000)[: len(labels)] / 1000
        rows = np.concatenate([labels[:, None], scores[:, None], np.concatenate([moved, others])], 1)
        found.append(Image(rows[np.argsort(-scores)], boxes, classes, random.randint(0, 4, objects) == 0))
    return found
