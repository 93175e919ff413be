"""The loss of YOLOv3 (Redmon and Farhadi, arXiv 1804.02767) as PaddleDetection 2.x defines it.

Each object belongs to the anchor whose size is most like its own, at the cell that holds its centre. There the loss
compares place, size and class; every other prediction is background unless it overlaps an object well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.nn import functional as F
from core.vision.ops import yolo_loss
from PaddleDetection.models.losses.yolo_targets import (
    BatchObjects,
    Grid,
    batch_objects,
    best_overlap,
    overwritten,
    predicted_centres,
)


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
        iou_thresh: further anchors whose size is more like an object's own than this answer for it, too; 1: none.
        iou_weight: weight of 1 minus the square of the overlap of boxes and objects; 0: it does not count.
        iou_aware_weight: weight of the loss of predicted overlaps; 0: none are predicted.
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
        iou_thresh: float = 1.0,
        iou_weight: float = 0.0,
        iou_aware_weight: float = 0.0,
    ) -> None:
        self.num_classes = num_classes
        self.anchors = np.asarray(anchors, np.float32)
        self.anchor_masks = [list(mask) for mask in anchor_masks]
        self.downsample = list(downsample)
        self.ignore_thresh = ignore_thresh
        self.margin = min(1.0 / num_classes, 1.0 / 40) if label_smooth else 0.0
        self.scale_x_y = scale_x_y
        self.iou_thresh = iou_thresh
        self.iou_weight = iou_weight
        self.iou_aware_weight = iou_aware_weight

    def __call__(self, outputs: Sequence[Any], targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return the losses, each a sum over a batch's predictions, divided by the number of images.

        Args:
            outputs: of each level (N, anchors * (5 + num_classes), H, W), behind the anchors' overlaps where they are
                predicted.
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,),
                how many of the G rows hold an object; "gt_score" (N, G), the objects' weights, ones where it is absent.

        Returns:
            "loss_xy", "loss_wh", "loss_obj" and "loss_cls", and "loss_iou" and "loss_iou_aware" where they count.
        """
        rows, columns = outputs[0].shape[2:]
        objects = batch_objects(targets, columns * self.downsample[0], rows * self.downsample[0], self.anchors)
        levels = [
            self._level(output, objects, mask, stride)
            for output, mask, stride in zip(outputs, self.anchor_masks, self.downsample)
        ]
        return {name: core.add_n([level[name] for level in levels]) for name in levels[0]}

    def _level(self, output: Any, objects: BatchObjects, mask: list[int], stride: int) -> dict[str, Any]:
        """Return the losses of one level."""
        images, _, rows, columns = output.shape
        grid = Grid(len(mask), rows, columns, stride, self.anchors[mask])
        if self.iou_aware_weight:
            aware, output = output[:, : grid.count], output[:, grid.count :]
        table = output.reshape([images, len(mask), 5 + self.num_classes, rows, columns])
        table = table.transpose([0, 1, 3, 4, 2]).reshape([images, grid.cells, 5 + self.num_classes])

        best = best_overlap(grid.boxes(table[:, :, :4].detach(), self.scale_x_y), objects)
        if self.iou_thresh < 1:
            objects = grid.spread(objects, mask, self.iou_thresh)
        places, inside, lengths = grid.wanted(objects, mask)
        same = core.equal(places.unsqueeze(2), places.unsqueeze(1))
        chosen = core.logical_and(places >= 0, core.logical_not(overwritten(same)))
        weight = core.where(chosen, objects.scores, core.zeros_like(objects.scores))
        classes = core.matmul(core.cast(same, "float32"), F.one_hot(objects.classes, self.num_classes)).clip(max=1.0)
        classes = classes * (1.0 - 2 * self.margin) + self.margin

        first = core.arange(images, dtype="int64").reshape([images, 1]) * grid.cells
        taken = core.gather(table.reshape([images * grid.cells, -1]), (places.clip(min=0) + first).flatten())
        met = taken.reshape([images, -1, 5 + self.num_classes])
        if self.scale_x_y == 1.0:
            apart = F.binary_cross_entropy_with_logits(met[:, :, :2], inside, reduction="none")
        else:
            apart = core.abs(predicted_centres(met[:, :, :2], self.scale_x_y) - inside)
        of_size = weight * (2.0 - objects.sizes.prod(-1))
        named = F.binary_cross_entropy_with_logits(met[:, :, 5:], classes, reduction="none")

        target = core.zeros([images, grid.cells + 1])  # one cell more, for the objects that have none
        target = core.put_along_axis(target, core.where(chosen, places, core.full_like(places, grid.cells)), weight, 1)
        target = target[:, : grid.cells]
        positive = core.cast(target > 0, "float32")
        background = (1.0 - positive) * core.cast(best <= self.ignore_thresh, "float32")
        confidence = F.binary_cross_entropy_with_logits(table[:, :, 4], positive, reduction="none")
        losses = {
            "loss_xy": (of_size * apart.sum(-1)).sum() / images,
            "loss_wh": (of_size * core.abs(met[:, :, 2:4] - lengths).sum(-1)).sum() / images,
            "loss_obj": (confidence * (target + background)).sum() / images,
            "loss_cls": (weight * named.sum(-1)).sum() / images,
        }
        if self.iou_weight or self.iou_aware_weight:
            overlap = grid.overlap(met, inside, lengths, places.clip(min=0), self.scale_x_y)
        if self.iou_weight:
            losses["loss_iou"] = (of_size * (1.0 - overlap * overlap)).sum() / images * self.iou_weight
        if self.iou_aware_weight:
            own = core.gather(aware.flatten(), (places.clip(min=0) + first).flatten()).reshape(overlap.shape)
            entropy = F.binary_cross_entropy_with_logits(own, overlap.detach(), reduction="none")
            losses["loss_iou_aware"] = (weight * entropy).sum() / images * self.iou_aware_weight
        return losses


class FirstYOLOv3Loss(YOLOv3Loss):
    """The loss of releases before 2.0, where objects in one cell with one anchor all count; arguments likewise."""

    def __call__(self, outputs: Sequence[Any], targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_yolo", the sum over a batch's predictions divided by the number of images.

        Args:
            outputs: as of :class:`YOLOv3Loss`.
            targets: likewise.
        """
        rows, columns = outputs[0].shape[2:]
        width, height = columns * self.downsample[0], rows * self.downsample[0]
        objects = batch_objects(targets, width, height, self.anchors)
        given = core.cast(objects.given, "float32").unsqueeze(-1)  # rows of size 0 are no objects
        boxes = core.concat([objects.centres, objects.sizes], -1) * given
        classes, scores = core.cast(objects.classes, "int32"), objects.scores
        if boxes.shape[1] == 0:  # the operator wants a row
            images = boxes.shape[0]
            boxes, classes = core.zeros([images, 1, 4]), core.zeros([images, 1], "int32")
            scores = core.ones([images, 1])
        losses = [
            yolo_loss(
                output,
                boxes,
                classes,
                [int(number) for number in self.anchors.flatten()],
                mask,
                self.num_classes,
                self.ignore_thresh,
                stride,
                gt_score=scores,
                use_label_smooth=self.margin > 0,
                scale_x_y=self.scale_x_y,
            )
            for output, mask, stride in zip(outputs, self.anchor_masks, self.downsample)
        ]
        return {"loss_yolo": core.add_n(losses).mean()}
