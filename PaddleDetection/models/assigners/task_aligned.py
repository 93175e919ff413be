"""Task-aligned assignment (Feng et al., "TOOD", arXiv 2108.07755): objects take what is right in class and in place."""

from __future__ import annotations

from typing import Any

import core
from core.nn import functional as F
from PaddleDetection.models.assigners.quality import Graded, inside, marked, settled
from PaddleDetection.models.boxes import Objects, overlaps


class TaskAlignedAssigner:
    """Gives each object the predictions inside of it that align class and box best.

    Args:
        topk: so many for each object.
        alpha: power of the score of the object's class.
        beta: power of the overlap with the object.
    """

    def __init__(self, topk: int = 13, alpha: float = 1.0, beta: float = 6.0) -> None:
        self.topk = topk
        self.alpha = alpha
        self.beta = beta

    def __call__(self, likely: Any, boxes: Any, centres: Any, objects: Objects) -> Graded:
        """Return which object each prediction answers for; nothing of it has a gradient.

        Args:
            likely: how likely each class is (N, A, classes).
            boxes: predicted corners, pixels (N, A, 4).
            centres: of the cells, pixels (A, 2).
            objects: of the batch, G for each image.
        """
        likely, boxes = likely.detach(), boxes.detach()
        overlap = overlaps(objects.boxes, boxes.unsqueeze(1), 1e-9)
        scores = core.matmul(F.one_hot(objects.classes, likely.shape[2]), likely, transpose_y=True)
        aligned = scores**self.alpha * overlap**self.beta
        allowed = core.logical_and(inside(centres, objects.boxes), objects.given.unsqueeze(-1))
        aligned = core.where(allowed, aligned, core.zeros_like(aligned))
        matched = marked(aligned, self.topk)
        matched = core.where(allowed, matched, core.zeros_like(matched))
        places, positive = settled(matched, overlap)
        own = F.one_hot(places, overlap.shape[1]).transpose([0, 2, 1]) * core.cast(positive, "float32").unsqueeze(1)
        aligned, overlap = scores**self.alpha * overlap**self.beta * own, overlap * own
        share = aligned / (aligned.max(-1, keepdim=True) + 1e-9) * overlap.max(-1, keepdim=True)
        return Graded(places, positive, share.max(1))
