"""The loss of YOLOv3 (Redmon and Farhadi, arXiv 1804.02767) as PaddleDetection 2.x defines it.

Each object belongs to the anchor whose size is most like its own, at the cell that holds its centre. There the loss
compares place, size and class; every other prediction is background unless it overlaps an object well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import core
from core.nn import functional as F


class YOLOv3Loss:
    """Compares the outputs of all levels with the objects of a batch.

    Args:
        num_classes: how many classes there are.
        anchors: width and height of all anchors, pixels.
        anchor_masks: which of them each level has, in the order of the outputs.
        downsample: pixels of the image for each cell of a level.
        ignore_thresh: predictions that overlap an object more than this are no background.
        label_smooth: move the targets of the classes by min(1 / num_classes, 1 / 40) away from 0 and 1.
        scale_x_y: how far centres reach beyond their cell; other than 1, they are compared by their distance.
    """

    def __init__(
        self,
        num_classes: int,
        anchors: Sequence[Sequence[float]],
        anchor_masks: Sequence[Sequence[int]],
        downsample: Sequence[int] = (32, 16, 8),
        ignore_thresh: float = 0.7,
        label_smooth: bool = False,
        scale_x_y: float = 1.0,
    ) -> None:
        self.num_classes = num_classes
        self.anchors = np.asarray(anchors, np.float32)
        self.anchor_masks = [list(mask) for mask in anchor_masks]
        self.downsample = list(downsample)
        self.ignore_thresh = ignore_thresh
        self.margin = min(1.0 / num_classes, 1.0 / 40) if label_smooth else 0.0
        self.scale_x_y = scale_x_y

    def __call__(self, outputs: Sequence[Any], targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return the losses, each a sum over a batch's predictions, divided by the number of images.

        Args:
            outputs: of each level (N, anchors * (5 + num_classes), H, W).
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,),
                how many of the G rows hold an object; "gt_score" (N, G), the objects' weights, ones where it is absent.

        Returns:
            "loss_xy", "loss_wh", "loss_obj" and "loss_cls".
        """
        rows, columns = outputs[0].shape[2:]
        objects = _objects(targets, columns * self.downsample[0], rows * self.downsample[0], self.anchors)
        levels = [
            self._level(output, objects, mask, stride)
            for output, mask, stride in zip(outputs, self.anchor_masks, self.downsample)
        ]
        return {name: core.add_n([level[name] for level in levels]) for name in levels[0]}

    def _level(self, output: Any, objects: _Objects, mask: list[int], stride: int) -> dict[str, Any]:
        """Return the losses of one level."""
        images, _, rows, columns = output.shape
        grid = _Grid(len(mask), rows, columns, stride, self.anchors[mask])
        table = output.reshape([images, len(mask), 5 + self.num_classes, rows, columns])
        table = table.transpose([0, 1, 3, 4, 2]).reshape([images, grid.cells, 5 + self.num_classes])

        places, inside, lengths = grid.wanted(objects, mask)
        same = core.equal(places.unsqueeze(2), places.unsqueeze(1))
        chosen = core.logical_and(places >= 0, core.logical_not(_overwritten(same)))
        weight = core.where(chosen, objects.scores, core.zeros_like(objects.scores))
        classes = core.matmul(core.cast(same, "float32"), F.one_hot(objects.classes, self.num_classes)).clip(max=1.0)
        classes = classes * (1.0 - 2 * self.margin) + self.margin

        first = core.arange(images, dtype="int64").reshape([images, 1]) * grid.cells
        taken = core.gather(table.reshape([images * grid.cells, -1]), (places.clip(min=0) + first).flatten())
        met = taken.reshape([images, -1, 5 + self.num_classes])
        if self.scale_x_y == 1.0:
            apart = F.binary_cross_entropy_with_logits(met[:, :, :2], inside, reduction="none")
        else:
            apart = core.abs(_places(met[:, :, :2], self.scale_x_y) - inside)
        of_size = weight * (2.0 - objects.sizes.prod(-1))
        named = F.binary_cross_entropy_with_logits(met[:, :, 5:], classes, reduction="none")

        target = core.zeros([images, grid.cells + 1])  # one cell more, for the objects that have none
        target = core.put_along_axis(target, core.where(chosen, places, core.full_like(places, grid.cells)), weight, 1)
        target = target[:, : grid.cells]
        positive = core.cast(target > 0, "float32")
        overlap = _best_overlap(grid.boxes(table[:, :, :4].detach(), self.scale_x_y), objects)
        background = (1.0 - positive) * core.cast(overlap <= self.ignore_thresh, "float32")
        confidence = F.binary_cross_entropy_with_logits(table[:, :, 4], positive, reduction="none")
        return {
            "loss_xy": (of_size * apart.sum(-1)).sum() / images,
            "loss_wh": (of_size * core.abs(met[:, :, 2:4] - lengths).sum(-1)).sum() / images,
            "loss_obj": (confidence * (target + background)).sum() / images,
            "loss_cls": (weight * named.sum(-1)).sum() / images,
        }


class _Objects(NamedTuple):
    """The objects of a batch; places and sizes are shares of the image.

    Attributes:
        centres: (N, G, 2).
        sizes: (N, G, 2).
        classes: int64 (N, G).
        scores: (N, G).
        given: which rows hold an object, (N, G).
        wanted: which of them are to be found: with a size and a score, (N, G).
        anchor: the anchor most like each, of all levels, int64 (N, G).
    """

    centres: Any
    sizes: Any
    classes: Any
    scores: Any
    given: Any
    wanted: Any
    anchor: Any


def _objects(targets: Mapping[str, Any], width: int, height: int, anchors: np.ndarray) -> _Objects:
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
    overlap = common / (pixels.prod(-1, keepdim=True) + known.prod(-1) - common + 1e-9)
    classes = core.cast(targets["gt_class"], "int64")
    return _Objects((low + high) / 2, sizes, classes, scores, given, wanted, core.argmax(overlap, -1))


class _Grid(NamedTuple):
    """The predictions of a level: anchors at each cell.

    Attributes:
        count: anchors.
        rows: cells from top to bottom.
        columns: cells from left to right.
        stride: pixels of a cell.
        anchors: width and height, pixels (count, 2).
    """

    count: int
    rows: int
    columns: int
    stride: int
    anchors: np.ndarray

    @property
    def cells(self) -> int:
        """How many predictions there are."""
        return self.count * self.rows * self.columns

    def wanted(self, objects: _Objects, mask: list[int]) -> tuple[Any, Any, Any]:
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

        last = core.to_tensor(np.array([self.columns - 1, self.rows - 1], np.float32))
        centres = objects.centres * core.to_tensor(np.array([self.columns, self.rows], np.float32))
        cell = core.minimum(centres.floor().clip(min=0), last)
        column, row = core.cast(cell[:, :, 0], "int64"), core.cast(cell[:, :, 1], "int64")
        places = (anchor * self.rows + row) * self.columns + column

        pixels = objects.sizes * core.to_tensor(np.array([self.columns, self.rows], np.float32) * self.stride)
        own = core.gather(core.to_tensor(self.anchors), anchor.flatten()).reshape(pixels.shape)
        lengths = core.log(pixels.clip(min=1e-9) / own)
        return core.where(here, places, core.full_like(places, -1)), centres - cell, lengths

    def boxes(self, predicted: Any, scale_x_y: float) -> Any:
        """Return corners as shares of the image (N, cells, 4) for predicted places and sizes (N, cells, 4)."""
        shape = (self.count, self.rows, self.columns)
        row, column = np.indices(shape, np.float32)[1:].reshape(2, -1)
        sizes = np.repeat(self.anchors, self.rows * self.columns, axis=0)
        side = np.array([self.columns, self.rows], np.float32)
        first = core.to_tensor(np.stack([column, row], -1))
        centres = (_places(predicted[:, :, :2], scale_x_y) + first) / core.to_tensor(side)
        halves = core.exp(predicted[:, :, 2:]) * core.to_tensor(sizes / (2 * self.stride * side))
        return core.concat([centres - halves, centres + halves], -1)


def _places(predicted: Any, scale: float) -> Any:
    """Return centres within their cell, or a little beyond it."""
    return F.sigmoid(predicted) * scale - 0.5 * (scale - 1.0)


def _overwritten(same: Any) -> Any:
    """Return which objects a later one of the same cell replaces, (N, G), from pairs of the same cell (N, G, G)."""
    objects = same.shape[1]
    later = core.to_tensor(np.triu(np.ones((objects, objects), bool), 1))
    return core.logical_and(same, later).any(-1)


def _best_overlap(boxes: Any, objects: _Objects) -> Any:
    """Return each prediction's best intersection over union with an object, (N, cells)."""
    low, high = (objects.centres - objects.sizes / 2).unsqueeze(1), (objects.centres + objects.sizes / 2).unsqueeze(1)
    boxes = boxes.unsqueeze(2)
    sides = (core.minimum(boxes[..., 2:], high) - core.maximum(boxes[..., :2], low)).clip(min=0)
    common = sides.prod(-1)
    area = (boxes[..., 2:] - boxes[..., :2]).clip(min=0).prod(-1) + (high - low).clip(min=0).prod(-1)
    overlap = common / (area - common + 1e-9)
    return core.where(objects.given.unsqueeze(1), overlap, core.zeros_like(overlap)).max(-1)
