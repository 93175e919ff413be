"""The loss of FCOS (Tian et al., arXiv 1904.01355): focal, generalised IoU, and cross entropy of centredness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.nn import functional as F
from PaddleDetection.models.boxes import pick, read_objects
from PaddleDetection.models.heads.fcos_head import points

FAR = 1e10
"""An area larger than any object's, square pixels."""


class FCOSLoss:
    """Gives each point the smallest object around it, and compares that with what is predicted.

    A batch without objects has a loss of the classes only; PaddleDetection divides by zero there.

    Args:
        num_classes: how many classes there are.
        strides: pixels of a cell of each level, the finest first.
        object_sizes_boundary: a level's objects have their farthest side, pixels, between two of these.
        center_sampling_radius: points farther from the centre, in strides, are not the object's; 0: all inside are.
        alpha: weight of positive points in the focal loss.
        gamma: how little well predicted classes count.

    Raises:
        ValueError: object_sizes_boundary does not fit the number of levels.
    """

    def __init__(
        self,
        num_classes: int,
        strides: Sequence[int] = (8, 16, 32, 64, 128),
        object_sizes_boundary: Sequence[float] = (64, 128, 256, 512),
        center_sampling_radius: float = 1.5,
        alpha: float = 0.25,
        gamma: float = 2.0,
    ) -> None:
        if len(object_sizes_boundary) != len(strides) - 1:
            raise ValueError(
                f"object_sizes_boundary has one number between each two of {len(strides)} levels, not"
                f" {len(object_sizes_boundary)}: {tuple(object_sizes_boundary)}"
            )
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.bounds = [-1.0, *object_sizes_boundary, FAR]
        self.radius = center_sampling_radius
        self.alpha = alpha
        self.gamma = gamma

    def __call__(
        self, features: Sequence[Any], found: Sequence[tuple[Any, Any, Any]], targets: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the losses.

        Args:
            features: of each level (N, C, H, W); only their sizes count.
            found: of each level scores (N, P, classes), distances in strides (N, P, 4), centredness (N, P, 1).
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,).

        Returns:
            "loss_cls", "loss_box" and "loss_quality".
        """
        scores, distances, central = (core.concat([level[i] for level in found], 1) for i in range(3))
        classes, wanted, positive = self._targets(features, targets)
        weight = core.cast(positive, "float32")
        labels = F.one_hot(classes, self.num_classes) * weight.unsqueeze(-1)
        centredness = _centredness(wanted) * weight
        share = centredness.sum()
        share = core.where(share > 0, share, core.ones_like(share))
        total = weight.sum().clip(min=1.0)
        focal = F.sigmoid_focal_loss(scores, labels, alpha=self.alpha, gamma=self.gamma, reduction="sum")
        apart = _generalised_iou_loss(distances * weight.unsqueeze(-1), wanted * weight.unsqueeze(-1))
        quality = F.binary_cross_entropy_with_logits(central.squeeze(-1), centredness, reduction="none")
        return {
            "loss_cls": focal / total,
            "loss_box": (apart * centredness).sum() / share,
            "loss_quality": (quality * weight).sum() / total,
        }

    def _targets(self, features: Sequence[Any], targets: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Return each point's class (N, P), distances in strides (N, P, 4), and whether it has an object (N, P)."""
        objects = read_objects(targets)
        sizes = [int(np.prod(feature.shape[2:])) for feature in features]
        centres = core.concat([points(feature, stride) for feature, stride in zip(features, self.strides)], 0)
        stride, lower, upper = (
            core.to_tensor(np.repeat(np.array(numbers, np.float32), sizes)[:, None])
            for numbers in (self.strides, self.bounds[:-1], self.bounds[1:])
        )
        boxes, centres = objects.boxes.unsqueeze(1), centres.unsqueeze(1)  # (N, 1, G, 4), (P, 1, 2)
        low, high = centres - boxes[..., :2], boxes[..., 2:] - centres
        sides = core.concat([low, high], -1)
        inside = sides.min(-1)
        if self.radius > 0:
            off = core.abs(centres - (boxes[..., :2] + boxes[..., 2:]) / 2).max(-1)
            inside = core.minimum(inside, stride * self.radius - off)
        farthest = sides.max(-1)
        fits = core.logical_and(farthest > lower, farthest < upper)
        fits = core.logical_and(core.logical_and(fits, inside > 0), objects.given.unsqueeze(1))
        area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
        area = core.where(fits, area.expand(fits.shape), core.full(fits.shape, FAR))
        places = core.argmin(area, -1)
        own = pick(objects.boxes, places)
        centres = centres.squeeze(1)
        wanted = core.concat([centres - own[..., :2], own[..., 2:] - centres], -1) / stride
        return pick(objects.classes, places), wanted, area.min(-1) < FAR


def _centredness(distances: Any) -> Any:
    """Return how central points with these distances are, within [0, 1]; 0 outside of the box."""
    across, down = distances[..., 0::2], distances[..., 1::2]
    share = across.min(-1) * down.min(-1) / (across.max(-1) * down.max(-1))
    inside = distances.min(-1) > 0
    return core.where(inside, core.sqrt(core.where(inside, share, core.ones_like(share))), core.zeros_like(share))


def _generalised_iou_loss(distances: Any, wanted: Any) -> Any:
    """Return 1 minus the generalised IoU (Rezatofighi et al., arXiv 1902.09630) of boxes around the same points."""

    def area(sides: Any) -> Any:
        return (sides[..., 0] + sides[..., 2]) * (sides[..., 1] + sides[..., 3])

    common, around = area(core.minimum(distances, wanted)), area(core.maximum(distances, wanted)) + 1e-7
    union = area(distances) + area(wanted) - common
    return 1.0 - (common + 1.0) / (union + 1.0) + (around - union) / around
