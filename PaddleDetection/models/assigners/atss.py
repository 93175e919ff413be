"""ATSS (Zhang et al., "Adaptive Training Sample Selection", arXiv 1912.02424): near anchors that overlap enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from PaddleDetection.models.assigners.quality import Graded, inside, marked, settled
from PaddleDetection.models.boxes import Objects, overlaps


class ATSSAssigner:
    """Gives each object, of the anchors nearest to its centre, those whose overlap is unusually large.

    Args:
        topk: so many of each level are near.
    """

    def __init__(self, topk: int = 9) -> None:
        self.topk = topk

    def __call__(self, anchors: Any, sizes: Sequence[int], boxes: Any, objects: Objects) -> Graded:
        """Return which object each anchor answers for; nothing of it has a gradient.

        Args:
            anchors: corners, pixels (A, 4).
            sizes: how many anchors each level has.
            boxes: predicted corners, pixels (N, A, 4), whose overlap with the object is their quality.
            objects: of the batch, G for each image.
        """
        overlap = overlaps(objects.boxes, anchors)
        centres = (anchors[:, :2] + anchors[:, 2:]) / 2
        middles = ((objects.boxes[..., :2] + objects.boxes[..., 2:]) / 2).unsqueeze(2)
        far = core.sqrt(((middles - centres) ** 2).sum(-1))
        near = core.concat([marked(level, self.topk, False) for level in core.split(far, list(sizes), -1)], -1)
        count = sum(min(size, self.topk) for size in sizes)
        mean = (overlap * near).sum(-1, keepdim=True) / count
        spread = core.sqrt((((overlap - mean) * near) ** 2).sum(-1, keepdim=True) / (count - 1))
        allowed = core.logical_and(inside(centres, objects.boxes), objects.given.unsqueeze(-1))
        allowed = core.logical_and(allowed, overlap * near > mean + spread)
        places, positive = settled(core.cast(allowed, "float32"), overlap)
        found = overlaps(objects.boxes, boxes.detach().unsqueeze(1), 1e-9)
        own = core.take_along_axis(found, places.unsqueeze(1), 1).squeeze(1)
        return Graded(places, positive, own * core.cast(positive, "float32"))
