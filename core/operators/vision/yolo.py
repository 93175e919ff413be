"""Which predictions of YOLOv3 answer for which objects (core.vision.ops); nothing of it has a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int64


def _assigned(
    boxes: np.ndarray,
    objects: np.ndarray,
    weights: np.ndarray,
    anchors: tuple[int, ...],
    chosen: tuple[int, ...],
    threshold: float,
    image_size: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return each prediction's objectness and each object's prediction.

    Args:
        boxes: Predicted centers and sizes as shares of the image [n, anchors, height, width, 4].
        objects: Real ones [n, objects, 4]; those without width and height do not count.
        weights: The weight of each object [n, objects].
        anchors: Width and height of all anchors in pixels, one after another.
        chosen: The anchors of these predictions.
        threshold: Predictions that overlap an object more than this are no background.
        image_size: Side of the image in pixels.

    Returns:
        Objectness [n, anchors, height, width]: an object's weight, 0 for background, -1 where neither counts; and int64
        places [n, objects] of predictions in the flattened axes of anchors, height and width, -1 for none.
    """
    batch, _, height, width, _ = boxes.shape
    sizes = np.array(anchors, boxes.dtype).reshape(-1, 2) / boxes.dtype.type(image_size)
    objectness = np.zeros(boxes.shape[:-1], boxes.dtype)
    places = np.full(objects.shape[:2], -1, np.int64)
    for n in range(batch):
        real = np.flatnonzero((objects[n, :, 2:] > 1e-6).all(-1))
        for t in real:
            objectness[n][_overlap(boxes[n], objects[n, t]) > threshold] = -1
        for t in real:
            zeros = np.zeros((len(sizes), 2), boxes.dtype)
            centred = np.concatenate([np.zeros(2, boxes.dtype), objects[n, t, 2:]])
            best = int(_overlap(np.concatenate([zeros, sizes], 1), centred).argmax())
            if best in chosen:
                place = chosen.index(best), int(objects[n, t, 1] * height), int(objects[n, t, 0] * width)
                objectness[n][place] = weights[n, t]
                places[n, t] = np.ravel_multi_index(place, boxes.shape[1:4])
    return objectness, places


def _overlap(boxes: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return intersections over unions of boxes, as centers and sizes, with one other."""
    low = np.maximum(boxes[..., :2] - boxes[..., 2:] / 2, other[:2] - other[2:] / 2)
    high = np.minimum(boxes[..., :2] + boxes[..., 2:] / 2, other[:2] + other[2:] / 2)
    sides = high - low
    common = np.where((sides < 0).any(-1), 0, sides.prod(-1))
    return np.asarray(common / (boxes[..., 2:].prod(-1) + other[2:].prod() - common))


def _assigned_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), (objects, _), _ = metas
    return [(shape[:-1], dtype), (objects[:2], int64)]


assign_objects = HostOperator("assign_objects", _assigned, infer=_assigned_meta, differentiable=False)
