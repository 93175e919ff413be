"""The loss of PP-YOLOE (Xu et al., arXiv 2203.16250): varifocal, generalised IoU, distribution focal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PaddleDetection.models.losses.pico_loss import (
    PicoLoss,
    distribution_focal_loss,
    generalised_iou_loss,
    varifocal_loss,
)


class PPYOLOELoss(PicoLoss):
    """Assigns predictions to objects as :class:`PicoLoss` does, and compares them.

    It differs in small numbers: sums are divided by at least 1, distances may come nearer to the largest one, and the
    class of an object that its prediction misses wholly is no background.

    Args:
        num_classes: how many classes there are.
        strides: pixels of a cell of each level.
        reg_max: the largest distance, strides.
        grid_cell_scale: side of the anchors of the first epochs, strides.
        box_weight: weight of the loss of boxes.
        distance_weight: weight of the loss of distributions.
    """

    def __init__(
        self,
        num_classes: int,
        strides: Sequence[int],
        reg_max: int = 16,
        grid_cell_scale: float = 5.0,
        box_weight: float = 2.5,
        distance_weight: float = 0.5,
    ) -> None:
        super().__init__(num_classes, strides, reg_max, grid_cell_scale, box_weight, distance_weight)

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
            "loss_cls", "loss_iou" and "loss_dfl".
        """
        one = self.paired(features, found, targets, early)
        total = one.quality.sum().clip(min=1.0)
        of_classes = varifocal_loss(one.likely, one.labels, 1.0 - one.classes)
        of_distances = distribution_focal_loss(one.logits, one.distances.clip(0, self.reg_max - 0.01)).mean(-1)
        return {
            "loss_cls": of_classes.sum() / total,
            "loss_iou": (generalised_iou_loss(one.boxes, one.wanted) * one.quality).sum() / total * self.box_weight,
            "loss_dfl": (of_distances * one.quality).sum() / total * self.distance_weight,
        }
