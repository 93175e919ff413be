"""The loss of RetinaNet (Lin et al., arXiv 1708.02002): focal loss of the classes, smooth L1 loss of the boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import core
from core.nn import functional as F
from PaddleDetection.models.boxes import overlaps, pick, read_objects, smooth_l1, to_deltas


class RetinaLoss:
    """Matches anchors with objects by their overlap, and compares them with what is predicted.

    Args:
        num_classes: how many classes there are.
        positive_overlap: an anchor that overlaps an object at least so much belongs to it.
        negative_overlap: an anchor that overlaps every object less is background; those between the two do not count.
        allow_low_quality: whether the anchors that overlap an object most belong to one however little that is.
        alpha: weight of positive anchors in the focal loss.
        gamma: how little well predicted classes count.
        beta: differences below it count by their square; 0: none.
        further: added, for each image, to the number of anchors by which the losses are divided.
    """

    def __init__(
        self,
        num_classes: int,
        positive_overlap: float = 0.5,
        negative_overlap: float = 0.4,
        allow_low_quality: bool = True,
        alpha: float = 0.25,
        gamma: float = 2.0,
        beta: float = 0.0,
        further: float = 0.0,
    ) -> None:
        self.num_classes = num_classes
        self.positive_overlap = positive_overlap
        self.negative_overlap = negative_overlap
        self.allow_low_quality = allow_low_quality
        self.alpha = alpha
        self.gamma = gamma
        self.beta = beta
        self.further = further

    def __call__(self, found: Sequence[tuple[Any, Any, Any]], targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return the losses, each a sum over the batch divided by its number of anchors with an object.

        Args:
            found: of each level scores (N, A, classes), deltas (N, A, 4), and anchors (A, 4).
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,).

        Returns:
            "loss_cls" and "loss_reg".
        """
        scores, deltas = (core.concat([level[i] for level in found], 1) for i in range(2))
        anchors = core.concat([level[2] for level in found], 0)
        objects = read_objects(targets)
        overlap = overlaps(objects.boxes, anchors)
        overlap = core.where(objects.given.unsqueeze(-1), overlap, core.full_like(overlap, -1.0))
        most, places = overlap.max(1), core.argmax(overlap, 1)
        positive = most >= self.positive_overlap
        if self.allow_low_quality:
            best = core.logical_and(overlap > 0, core.equal(overlap, overlap.max(2, keepdim=True)))
            positive = core.logical_or(positive, best.any(1))
        weight = core.cast(positive, "float32")
        counted = core.cast(core.logical_or(positive, most < self.negative_overlap), "float32").unsqueeze(-1)

        labels = F.one_hot(pick(objects.classes, places), self.num_classes) * weight.unsqueeze(-1)
        focal = F.sigmoid_focal_loss(scores, labels, alpha=self.alpha, gamma=self.gamma, reduction="none")
        wanted = to_deltas(anchors, pick(objects.boxes, places), (1.0, 1.0, 1.0, 1.0))
        wanted = core.where(positive.unsqueeze(-1), wanted, core.zeros_like(wanted))
        total = (weight.sum() + self.further * weight.shape[0]).clip(min=1.0)
        return {
            "loss_cls": (focal * counted).sum() / total,
            "loss_reg": (smooth_l1(deltas - wanted, self.beta).sum(-1) * weight).sum() / total,
        }
