"""The loss of YOLOX (Ge et al., arXiv 2107.08430): objectness, classes, IoU and, at the end of training, L1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.nn import functional as F
from PaddleDetection.models.assigners.simota import SimOTA
from PaddleDetection.models.boxes import pick, read_objects
from PaddleDetection.models.heads.fcos_head import points


class YOLOXLoss:
    """Assigns predictions to objects by SimOTA, and compares them.

    Args:
        num_classes: how many classes there are.
        strides: pixels of a cell of each level, the finest first.
        assigner: says which predictions answer for which objects; None: :class:`SimOTA` as published.
        iou_weight: weight of the IoU loss; the others' is 1.
    """

    def __init__(
        self, num_classes: int, strides: Sequence[int], assigner: Optional[SimOTA] = None, iou_weight: float = 5.0
    ) -> None:
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.assigner = assigner or SimOTA()
        self.iou_weight = iou_weight

    def __call__(
        self,
        features: Sequence[Any],
        found: Sequence[tuple[Any, Any, Any]],
        targets: Mapping[str, Any],
        l1_weight: Any = 1.0,
    ) -> dict[str, Any]:
        """Return the losses, each a sum over the batch divided by its number of predictions with an object.

        Args:
            features: of each level (N, C, H, W); only their sizes count.
            found: of each level logits of the classes (N, P, classes) and of objectness (N, P, 1), and the boxes'
                corners in strides (N, P, 4).
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,).
            l1_weight: weight of the L1 loss, a number or a Tensor of one.

        Returns:
            "loss_cls", "loss_obj", "loss_iou" and "loss_l1".
        """
        scores, there, boxes = (core.concat([level[i] for level in found], 1) for i in range(3))
        sizes = [int(np.prod(feature.shape[2:])) for feature in features]
        strides = core.to_tensor(np.repeat(np.array(self.strides, np.float32), sizes))
        centres = core.concat([points(feature, stride) for feature, stride in zip(features, self.strides)], 0)
        objects = read_objects(targets)
        likely = core.sqrt(F.sigmoid(scores.detach()) * F.sigmoid(there.detach()))
        pixels = boxes.detach() * strides.unsqueeze(-1)
        places, positive = self.assigner(likely, pixels, centres, strides, objects)

        weight = core.cast(positive, "float32")
        some = core.cast(objects.given.any(-1), "float32")
        total = core.maximum(weight.sum(-1), some).sum().clip(min=1.0)
        wanted = pick(objects.boxes, places) / strides.unsqueeze(-1)
        wanted = core.where(positive.unsqueeze(-1), wanted, boxes.detach())
        overlap = _overlap(boxes, wanted)
        labels = F.one_hot(pick(objects.classes, places), self.num_classes) * overlap.detach().unsqueeze(-1)
        entropy = F.binary_cross_entropy_with_logits(scores, labels, reduction="none").sum(-1)
        there = F.binary_cross_entropy_with_logits(there.squeeze(-1), weight, reduction="sum")
        return {
            "loss_cls": (entropy * weight).sum() / total,
            "loss_obj": there / total,
            "loss_iou": ((1.0 - overlap * overlap) * weight).sum() / total * self.iou_weight,
            "loss_l1": (core.abs(boxes - wanted).sum(-1) * weight).sum() / total * l1_weight,
        }


def _overlap(boxes: Any, others: Any) -> Any:
    """Return the intersection over union of boxes with one other each, (..., 4) to (...)."""
    sides = core.minimum(boxes[..., 2:], others[..., 2:]) - core.maximum(boxes[..., :2], others[..., :2])
    common = sides.clip(min=0).prod(-1)
    areas = (boxes[..., 2:] - boxes[..., :2]).prod(-1) + (others[..., 2:] - others[..., :2]).prod(-1)
    return common / (areas - common + 1e-9)
