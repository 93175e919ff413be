"""The loss of PP-PicoDet (Yu et al., arXiv 2111.00902): varifocal, generalised IoU, distribution focal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import core
from core.nn import functional as F
from PaddleDetection.models.assigners.atss import ATSSAssigner
from PaddleDetection.models.assigners.task_aligned import TaskAlignedAssigner
from PaddleDetection.models.boxes import pick, read_objects
from PaddleDetection.models.heads.fcos_head import points


class Paired(NamedTuple):
    """What is predicted, and what should be.

    Attributes:
        likely: scores (N, A, classes).
        logits: of distances (N, A, 4 * bins).
        boxes: corners, strides (N, A, 4).
        quality: how likely each prediction should call its object's class (N, A); 0 for those without one.
        classes: 1 at the object's class, else 0, (N, A, classes).
        labels: scores that there should be (N, A, classes).
        wanted: corners of the object, strides (N, A, 4); of those without one, the predicted ones.
        distances: from the centre to the object's sides, strides (N, A, 4).
    """

    likely: Any
    logits: Any
    boxes: Any
    quality: Any
    classes: Any
    labels: Any
    wanted: Any
    distances: Any


class PicoLoss:
    """Assigns predictions to objects, and compares them.

    A batch without objects has a loss of the classes only; PaddleDetection divides by zero there.

    Args:
        num_classes: how many classes there are.
        strides: pixels of a cell of each level, the finest first.
        reg_max: the largest distance, strides.
        grid_cell_scale: side of the anchors of the first epochs, strides.
        box_weight: weight of the loss of boxes.
        distance_weight: weight of the loss of distributions.
    """

    def __init__(
        self,
        num_classes: int,
        strides: Sequence[int],
        reg_max: int = 7,
        grid_cell_scale: float = 5.0,
        box_weight: float = 2.5,
        distance_weight: float = 0.5,
    ) -> None:
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.reg_max = reg_max
        self.grid_cell_scale = grid_cell_scale
        self.box_weight = box_weight
        self.distance_weight = distance_weight
        self.first = ATSSAssigner(9)
        self.assigner = TaskAlignedAssigner(13)

    def __call__(
        self, features: Sequence[Any], found: Sequence[tuple[Any, Any, Any]], targets: Mapping[str, Any], early: Any
    ) -> dict[str, Any]:
        """Return the losses, each a sum over the batch divided by the sum of the scores that there should be.

        Args:
            features: as :meth:`paired` takes them, like the other ones.
            found: likewise.
            targets: likewise.
            early: likewise.

        Returns:
            "loss_vfl", "loss_bbox" and "loss_dfl".
        """
        one = self.paired(features, found, targets, early)
        total = one.quality.sum()
        total = core.where(total > 0, total, core.ones_like(total))
        of_classes = varifocal_loss(one.likely, one.labels, core.cast(one.labels <= 0, "float32"))
        of_distances = distribution_focal_loss(one.logits, one.distances.clip(0, self.reg_max - 0.1)).sum(-1)
        return {
            "loss_vfl": of_classes.sum() / total,
            "loss_bbox": (generalised_iou_loss(one.boxes, one.wanted) * one.quality).sum() / total * self.box_weight,
            "loss_dfl": (of_distances * one.quality).sum() / total * (self.distance_weight / 4),
        }

    def paired(
        self, features: Sequence[Any], found: Sequence[tuple[Any, Any, Any]], targets: Mapping[str, Any], early: Any
    ) -> Paired:
        """Return what is predicted, and what should be.

        Args:
            features: of each level (N, C, H, W); only their sizes count.
            found: of each level scores (N, P, classes), logits of distances (N, P, 4 * (reg_max + 1)), and the boxes'
                corners in strides (N, P, 4).
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,).
            early: a Tensor of one number: whether anchors are assigned, as in the first epochs, not predictions.
        """
        likely, logits, boxes = (core.concat([level[i] for level in found], 1) for i in range(3))
        sizes = [int(np.prod(feature.shape[2:])) for feature in features]
        stride = core.to_tensor(np.repeat(np.array(self.strides, np.float32), sizes)[:, None])
        centres = core.concat([points(feature, stride) for feature, stride in zip(features, self.strides)], 0)
        half = stride * (self.grid_cell_scale / 2)
        anchors = core.concat([centres - half, centres + half], -1)
        objects = read_objects(targets)
        pixels = boxes.detach() * stride
        graded = [
            core.where(early > 0, one, other)
            for one, other in zip(
                self.first(anchors, sizes, pixels, objects), self.assigner(likely, pixels, centres, objects)
            )
        ]
        places, positive, quality = graded
        classes = F.one_hot(pick(objects.classes, places), self.num_classes)
        classes = classes * core.cast(positive, "float32").unsqueeze(-1)
        wanted = core.where(positive.unsqueeze(-1), pick(objects.boxes, places) / stride, boxes.detach())
        centres = centres / stride
        distances = core.concat([centres - wanted[..., :2], wanted[..., 2:] - centres], -1)
        return Paired(likely, logits, boxes, quality, classes, classes * quality.unsqueeze(-1), wanted, distances)


def varifocal_loss(likely: Any, wanted: Any, background: Any, alpha: float = 0.75, gamma: float = 2.0) -> Any:
    """Return the varifocal loss (Zhang et al., arXiv 2008.13367) of each score.

    Args:
        likely: scores between 0 and 1.
        wanted: of the same shape; 0 for background.
        background: 1 where it is that, else 0.
        alpha: weight of background.
        gamma: how little well predicted background counts.
    """
    weight = wanted + background * alpha * likely**gamma
    return F.binary_cross_entropy(likely, wanted, reduction="none") * weight


def distribution_focal_loss(logits: Any, distances: Any) -> Any:
    """Return the cross entropy of distributions with the two whole distances around the right one (arXiv 2006.04388).

    Args:
        logits: (N, A, 4 * bins).
        distances: from 0 to less than bins - 1, (N, A, 4).

    Returns:
        (N, A, 4).
    """
    bins = logits.shape[2] // 4
    likely = F.log_softmax(logits.reshape([*distances.shape, bins]), -1)
    apart = core.abs(distances.unsqueeze(-1) - core.to_tensor(np.arange(bins, dtype=np.float32)))
    return -(likely * (1.0 - apart).clip(min=0)).sum(-1)


def generalised_iou_loss(boxes: Any, wanted: Any, eps: float = 1e-10) -> Any:
    """Return 1 minus the generalised IoU (arXiv 1902.09630) of pairs of boxes, (..., 4) to (...)."""

    def area(low: Any, high: Any) -> Any:
        return (high - low).prod(-1)

    low, high, own_low, own_high = boxes[..., :2], boxes[..., 2:], wanted[..., :2], wanted[..., 2:]
    common = (core.minimum(high, own_high) - core.maximum(low, own_low)).clip(min=0).prod(-1)
    union = area(low, high) + area(own_low, own_high) - common + eps
    around = area(core.minimum(low, own_low), core.maximum(high, own_high)) + eps
    return 1.0 - common / union + (around - union) / around
