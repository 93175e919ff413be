"""SimOTA (Ge et al., "YOLOX", arXiv 2107.08430): each object takes the predictions that cost it least."""

from __future__ import annotations

from typing import Any, NamedTuple

import core
from core.nn import functional as F
from PaddleDetection.models.boxes import Objects, overlaps

OUTSIDE = 1e8
"""Cost of a prediction that is not both in the object's box and near its centre."""

NEVER = 1e12
"""Cost of one that is not to be had at all."""


class Assigned(NamedTuple):
    """What predictions answer for.

    Attributes:
        places: rows of their objects, int64 (N, A); those without one have any.
        positive: which have an object, bool (N, A).
    """

    places: Any
    positive: Any


class SimOTA:
    """Gives each object as many predictions as its best ones' overlaps add up to, rounded down, at least one.

    Args:
        center_radius: strides from an object's centre within which predictions are near it.
        candidate_topk: so many of the largest overlaps are added.
        iou_weight: weight of the overlap in the cost.
        cls_weight: weight of the classes.
    """

    def __init__(
        self,
        center_radius: float = 2.5,
        candidate_topk: int = 10,
        iou_weight: float = 3.0,
        cls_weight: float = 1.0,
    ) -> None:
        self.center_radius = center_radius
        self.candidate_topk = candidate_topk
        self.iou_weight = iou_weight
        self.cls_weight = cls_weight

    def __call__(self, likely: Any, boxes: Any, centres: Any, strides: Any, objects: Objects) -> Assigned:
        """Return which object each prediction answers for; nothing of it has a gradient.

        Args:
            likely: how likely each class is (N, A, classes).
            boxes: predicted corners, pixels (N, A, 4).
            centres: of the cells, pixels (A, 2).
            strides: of their levels (A,).
            objects: of the batch, G for each image.
        """
        likely, boxes = likely.detach(), boxes.detach()
        inside, near = self._where(centres, strides, objects)
        candidate = core.logical_or(inside, near).any(1, keepdim=True)
        overlap = overlaps(objects.boxes, boxes.unsqueeze(1), 1e-9)
        overlap = core.where(candidate, overlap, core.zeros_like(overlap))
        cost = _cost_of_classes(likely, objects.classes) * self.cls_weight
        cost = cost - core.log(overlap + 1e-7) * self.iou_weight
        cost = cost + core.cast(core.logical_not(core.logical_and(inside, near)), "float32") * OUTSIDE
        allowed = core.logical_and(candidate, objects.given.unsqueeze(-1))
        cost = core.where(allowed, cost, core.full_like(cost, NEVER))

        count = min(self.candidate_topk, overlap.shape[2])
        wanted = core.cast(core.topk(overlap, count)[0].sum(-1), "int64").clip(min=1)
        cheapest = core.topk(cost, count, largest=False)[1]
        taken = core.cast(core.arange(count, dtype="int64") < wanted.unsqueeze(-1), "float32")
        matched = core.put_along_axis(core.zeros_like(cost), cheapest, taken, 2)
        matched = core.where(allowed, matched, core.zeros_like(matched))
        owners = matched.sum(1)
        places = core.where(owners > 1, core.argmin(cost, 1), core.argmax(matched, 1))
        return Assigned(places, owners > 0)

    def _where(self, centres: Any, strides: Any, objects: Objects) -> tuple[Any, Any]:
        """Return which centres are in each object's box, and which near its centre, (N, G, A)."""
        given, low, high = objects.given.unsqueeze(-1), objects.boxes[..., :2], objects.boxes[..., 2:]
        sides = core.concat([centres - low.unsqueeze(2), high.unsqueeze(2) - centres], -1)
        off = core.abs(centres - ((low + high) / 2).unsqueeze(2)).max(-1)
        inside, near = sides.min(-1) > 0, off < strides * self.center_radius
        return core.logical_and(inside, given), core.logical_and(near, given)


def _cost_of_classes(likely: Any, classes: Any) -> Any:
    """Return the cross entropy (N, G, A) of predictions (N, A, classes) with the one class of each object (N, G)."""
    there, missing = (core.log(part.clip(min=1e-37)) for part in (likely, 1.0 - likely))
    own = F.one_hot(classes, likely.shape[2])
    return core.matmul(own, missing - there, transpose_y=True) - missing.sum(-1).unsqueeze(1)
