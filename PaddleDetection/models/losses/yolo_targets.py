"""Which of YOLO's predictions answer for which objects of a batch, and what they should be (arXiv 1804.02767)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import core
from core.nn import functional as F


class BatchObjects(NamedTuple):
    """The objects of a batch; places and sizes are shares of the image.

    Attributes:
        centres: (N, G, 2).
        sizes: (N, G, 2).
        classes: int64 (N, G).
        scores: (N, G).
        given: which rows hold an object, (N, G).
        wanted: which of them are to be found: with a size and a score, (N, G).
        alike: intersection over union with each anchor of all levels, both at one corner (N, G, anchors).
        anchor: the anchor most like each, int64 (N, G).
    """

    centres: Any
    sizes: Any
    classes: Any
    scores: Any
    given: Any
    wanted: Any
    alike: Any
    anchor: Any


def batch_objects(targets: Mapping[str, Any], width: int, height: int, anchors: np.ndarray) -> BatchObjects:
    """Return the objects of a batch.

    Args:
        targets: as :class:`YOLOv3Loss` takes them.
        width: of the image, pixels.
        height: likewise.
        anchors: width and height of all anchors, pixels (anchors, 2).
    """
    boxes = targets["gt_bbox"]
    side = core.to_tensor(np.array([width, height], np.float32))
    low, high = boxes[:, :, :2] / side, boxes[:, :, 2:] / side
    sizes = high - low
    score = targets.get("gt_score")
    scores = core.ones(boxes.shape[:2]) if score is None else score
    given = core.arange(boxes.shape[1], dtype="int64") < core.cast(targets["gt_count"], "int64").unsqueeze(1)
    wanted = core.logical_and(core.logical_and(given, sizes.min(-1) > 0), scores > 0)
    pixels, known = (high - low) * side, core.to_tensor(anchors)
    common = core.minimum(pixels.unsqueeze(2), known).prod(-1)
    alike = common / (pixels.prod(-1, keepdim=True) + known.prod(-1) - common + 1e-9)
    classes = core.cast(targets["gt_class"], "int64")
    return BatchObjects((low + high) / 2, sizes, classes, scores, given, wanted, alike, core.argmax(alike, -1))


class Grid(NamedTuple):
    """The predictions of a level: anchors at each cell.

    Attributes:
        count: anchors.
        rows: cells from top to bottom.
        columns: cells from left to right.
        stride: pixels of a cell.
        anchors: width and height, pixels (count, 2).
    """

    count: int  # type: ignore[assignment]  # not the tuple's method, which nobody calls
    rows: int
    columns: int
    stride: int
    anchors: np.ndarray

    @property
    def cells(self) -> int:
        """How many predictions there are."""
        return self.count * self.rows * self.columns

    def wanted(self, objects: BatchObjects, mask: list[int]) -> tuple[Any, Any, Any]:
        """Return the prediction that answers for each object, -1 for none, and what it should predict.

        Args:
            objects: of the batch.
            mask: which of all anchors these are.

        Returns:
            int64 (N, G); the centre within its cell, shares of it (N, G, 2); the logarithm of the size in units of the
            anchor (N, G, 2).
        """
        positions = np.full(int(max(mask)) + 1, -1, np.int64)
        positions[mask] = np.arange(len(mask))
        known = objects.anchor < len(positions)
        anchor = core.gather(core.to_tensor(positions), (objects.anchor * core.cast(known, "int64")).flatten())
        anchor = anchor.reshape(objects.anchor.shape)
        here = core.logical_and(core.logical_and(objects.wanted, known), anchor >= 0)
        anchor = anchor.clip(min=0)

        centres, cell = self._cells(objects)
        column, row = core.cast(cell[:, :, 0], "int64"), core.cast(cell[:, :, 1], "int64")
        places = (anchor * self.rows + row) * self.columns + column

        pixels = objects.sizes * core.to_tensor(np.array([self.columns, self.rows], np.float32) * self.stride)
        own = core.gather(core.to_tensor(self.anchors), anchor.flatten()).reshape(pixels.shape)
        lengths = core.log(pixels.clip(min=1e-9) / own)
        return core.where(here, places, core.full_like(places, -1)), centres - cell, lengths

    def spread(self, objects: BatchObjects, mask: list[int], iou_thresh: float) -> BatchObjects:
        """Return each object once for every anchor of the level, one after another: (N, G * count) rows.

        The anchor most like it wants it, and so do others that are like it enough, where no earlier object has their
        cell.

        Args:
            objects: of the batch.
            mask: which of all anchors these are.
            iou_thresh: how much like it is enough.
        """
        images, count = objects.scores.shape
        numbers = core.to_tensor(np.array(mask, np.int64))
        best = core.equal(objects.anchor.unsqueeze(-1), numbers)
        enough = core.gather(objects.alike, numbers, axis=2) > iou_thresh
        either = core.logical_or(best, enough)
        best, either = (core.logical_and(one, objects.wanted.unsqueeze(-1)) for one in (best, either))
        _, cell = self._cells(objects)
        apart = core.abs(cell.unsqueeze(2) - cell.unsqueeze(1)).sum(-1)
        earlier = core.to_tensor(np.tril(np.ones((count, count), np.float32), -1))
        before = core.matmul(core.cast(apart < 0.5, "float32") * earlier, core.cast(either, "float32"))
        wanted = core.logical_or(best, core.logical_and(either, before < 0.5))
        repeated = [core.repeat_interleave(one, self.count, 1) for one in objects]
        anchor = numbers.tile([count]).unsqueeze(0).expand([images, count * self.count])
        return BatchObjects(*repeated)._replace(wanted=wanted.flatten(1), anchor=anchor)

    def _cells(self, objects: BatchObjects) -> tuple[Any, Any]:
        """Return the objects' centres in cells, and the upper left corners of the cells that they are in, (N, G, 2)."""
        last = core.to_tensor(np.array([self.columns - 1, self.rows - 1], np.float32))
        centres = objects.centres * core.to_tensor(np.array([self.columns, self.rows], np.float32))
        return centres, core.minimum(centres.floor().clip(min=0), last)

    def overlap(self, predicted: Any, inside: Any, lengths: Any, places: Any, scale_x_y: float) -> Any:
        """Return the intersection over union of predictions with the objects that they answer for, (N, G).

        Args:
            predicted: places and sizes (N, G, 4 or more).
            inside: the objects' centres within their cells, shares of it (N, G, 2).
            lengths: logarithms of their sizes in units of the anchor (N, G, 2).
            places: numbers of the predictions int64 (N, G).
            scale_x_y: how far centres reach beyond their cell.
        """
        side = core.to_tensor(np.array([self.columns, self.rows], np.float32))
        sizes = np.repeat(self.anchors, self.rows * self.columns, axis=0) / self.stride
        known = core.gather(core.to_tensor(sizes), places.flatten()).reshape(lengths.shape)
        centres, wanted = predicted_centres(predicted[:, :, :2], scale_x_y) / side, inside / side
        halves, own = (core.exp(one) * known / (2 * side) for one in (predicted[:, :, 2:4], lengths))
        low, high = core.maximum(centres - halves, wanted - own), core.minimum(centres + halves, wanted + own)
        common = (high - low).clip(min=0).prod(-1)
        return common / (4 * (halves.prod(-1) + own.prod(-1)) - common + 1e-9)

    def boxes(self, predicted: Any, scale_x_y: float) -> Any:
        """Return corners as shares of the image (N, cells, 4) for predicted places and sizes (N, cells, 4)."""
        shape = (self.count, self.rows, self.columns)
        row, column = np.indices(shape, np.float32)[1:].reshape(2, -1)
        sizes = np.repeat(self.anchors, self.rows * self.columns, axis=0)
        side = np.array([self.columns, self.rows], np.float32)
        first = core.to_tensor(np.stack([column, row], -1))
        centres = (predicted_centres(predicted[:, :, :2], scale_x_y) + first) / core.to_tensor(side)
        halves = core.exp(predicted[:, :, 2:]) * core.to_tensor(sizes / (2 * self.stride * side))
        return core.concat([centres - halves, centres + halves], -1)


def predicted_centres(predicted: Any, scale: float) -> Any:
    """Return centres within their cell, or a little beyond it, for what is predicted of them, (..., 2)."""
    return F.sigmoid(predicted) * scale - 0.5 * (scale - 1.0)


def overwritten(same: Any) -> Any:
    """Return which objects a later one of the same cell replaces, (N, G), from pairs of the same cell (N, G, G)."""
    objects = same.shape[1]
    later = core.to_tensor(np.triu(np.ones((objects, objects), bool), 1))
    return core.logical_and(same, later).any(-1)


def best_overlap(boxes: Any, objects: BatchObjects) -> Any:
    """Return each prediction's best intersection over union with an object, (N, cells)."""
    low, high = (objects.centres - objects.sizes / 2).unsqueeze(1), (objects.centres + objects.sizes / 2).unsqueeze(1)
    boxes = boxes.unsqueeze(2)
    sides = (core.minimum(boxes[..., 2:], high) - core.maximum(boxes[..., :2], low)).clip(min=0)
    common = sides.prod(-1)
    area = (boxes[..., 2:] - boxes[..., :2]).clip(min=0).prod(-1) + (high - low).clip(min=0).prod(-1)
    overlap = common / (area - common + 1e-9)
    return core.where(objects.given.unsqueeze(1), overlap, core.zeros_like(overlap)).max(-1)
