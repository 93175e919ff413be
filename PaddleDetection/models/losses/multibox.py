"""The loss of SSD (Liu et al., arXiv 1512.02325) as PaddleDetection 2.x defines it; BlazeFace's too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.nn import functional as F
from PaddleDetection.models.boxes import Objects, overlaps, pick, read_objects, to_deltas

FEW = 0.01
"""The share of prior boxes that an image without a positive one learns from."""


class MultiBoxLoss:
    """Matches objects with prior boxes, and compares these with what is predicted.

    A prior box is positive if it overlaps an object well, or is the best one of an object. Of the others, only those
    whose classes are predicted worst count. As in PaddleDetection the very first prior box is never positive.

    Args:
        overlap_threshold: a prior box that overlaps an object at least so much is positive.
        neg_pos_ratio: so many negative prior boxes count for each positive one of the image.
        loc_loss_weight: factor of the boxes' loss.
        conf_loss_weight: factor of the classes' loss.
        prior_box_var: what the four numbers of a box are divided by.
    """

    def __init__(
        self,
        overlap_threshold: float = 0.5,
        neg_pos_ratio: float = 3.0,
        loc_loss_weight: float = 1.0,
        conf_loss_weight: float = 1.0,
        prior_box_var: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    ) -> None:
        self.overlap_threshold = overlap_threshold
        self.neg_pos_ratio = neg_pos_ratio
        self.loc_loss_weight = loc_loss_weight
        self.conf_loss_weight = conf_loss_weight
        self.weights = [1.0 / variance for variance in prior_box_var]

    def __call__(
        self, deltas: Any, scores: Any, priors: Any, size: Sequence[int], targets: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the losses, each a sum over the batch divided by its number of positive prior boxes.

        Args:
            deltas: predicted shifts and sizes (N, A, 4).
            scores: predicted scores (N, A, classes + 1), background last.
            priors: corners as shares of the image (A, 4).
            size: height and width of the images, pixels.
            targets: "gt_bbox" (N, G, 4), corners in pixels; "gt_class" (N, G); "gt_count" (N,).

        Returns:
            "loss_loc" and "loss_conf".
        """
        objects = read_objects(targets)
        shares = objects.boxes / core.to_tensor(np.array([size[1], size[0]] * 2, np.float32))
        places, positive = self._match(objects._replace(boxes=shares), priors)
        background = core.full_like(places, scores.shape[-1] - 1)
        labels = core.where(positive, pick(objects.classes, places), background)
        wanted = to_deltas(priors, pick(shares, places), self.weights)
        wanted = core.where(positive.unsqueeze(-1), wanted, core.zeros_like(wanted))

        counted = core.cast(positive, "float32")
        apart = F.smooth_l1_loss(deltas, wanted, reduction="none").sum(-1)
        confused = F.cross_entropy(scores, labels.unsqueeze(-1), reduction="none").squeeze(-1)
        total = counted.sum().clip(min=1.0)
        return {
            "loss_loc": (apart * counted).sum() * self.loc_loss_weight / total,
            "loss_conf": (confused * self._counting(confused, counted)).sum() * self.conf_loss_weight / total,
        }

    def _match(self, objects: Objects, priors: Any) -> tuple[Any, Any]:
        """Return each prior box's object, int64 (N, A), and whether the prior box is positive, (N, A)."""
        overlap = overlaps(objects.boxes, priors)
        overlap = core.where(objects.given.unsqueeze(-1), overlap, core.full_like(overlap, -1.0))
        numbers = core.arange(priors.shape[0], dtype="int64")
        best = core.equal(core.argmax(overlap, -1).unsqueeze(-1), numbers)
        best = core.logical_and(best, objects.given.unsqueeze(-1))
        order = core.arange(1, objects.given.shape[1] + 1, dtype="int64").unsqueeze(-1)
        forced = (core.cast(best, "int64") * order).max(1)  # the last object whose best one it is; from 1, 0: none
        own = forced > 0
        places = core.where(own, forced - 1, core.argmax(overlap, 1))
        positive = core.logical_or(own, overlap.max(1) >= self.overlap_threshold)
        return places, core.logical_and(positive, numbers > 0)

    def _counting(self, confused: Any, positive: Any) -> Any:
        """Return which prior boxes count in the classes' loss, 0 or 1 (N, A)."""
        priors = positive.shape[1]
        ranks = core.argsort(core.argsort(confused.detach() * (1 - positive), 1, descending=True), 1)
        wanted = (positive.sum(1, keepdim=True) * self.neg_pos_ratio).clip(max=float(priors))
        wanted = core.where(wanted > 0, wanted, core.full_like(wanted, priors * FEW))
        return core.maximum(positive, core.cast(ranks < core.cast(wanted, "int64"), "float32"))
