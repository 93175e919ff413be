"""The loss of TTFNet (Liu et al., arXiv 1909.00700): focal on a heat map, generalised IoU around centres."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import core
from core.nn import functional as F
from PaddleDetection.models.boxes import pick, read_objects
from PaddleDetection.models.losses.pico_loss import generalised_iou_loss


class Drawn(NamedTuple):
    """What a head should predict.

    Attributes:
        heat: 1 at objects' centres, less around them, (N, classes, H, W).
        boxes: corners, pixels (N, H * W, 4).
        weight: of each box, 0 for background, (N, H * W).
    """

    heat: Any
    boxes: Any
    weight: Any


class TTFLoss:
    """Draws the objects as Gaussians, and compares these with what is predicted.

    Args:
        num_classes: how many classes there are.
        stride: pixels of a cell.
        alpha: share of a box's half that its Gaussian covers.
        box_weight: weight of the loss of boxes.
    """

    def __init__(self, num_classes: int, stride: int = 4, alpha: float = 0.54, box_weight: float = 5.0) -> None:
        self.num_classes = num_classes
        self.stride = stride
        self.alpha = alpha
        self.box_weight = box_weight

    def __call__(self, logits: Any, corners: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return the losses.

        Args:
            logits: of the classes (N, classes, H, W).
            corners: of boxes, pixels (N, H * W, 4).
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,).

        Returns:
            "hm_loss", divided by the number of centres, and "wh_loss", divided by the sum of the weights.
        """
        drawn = self.draw(targets, logits.shape[2], logits.shape[3])
        likely = F.sigmoid(logits).clip(1e-4, 1 - 1e-4)
        centre = core.cast(core.equal(drawn.heat, core.ones_like(drawn.heat)), "float32")
        focal = core.log(likely) * (1 - likely) ** 2 * centre
        focal = focal + core.log(1 - likely) * likely**2 * (1 - drawn.heat) ** 4 * (1 - centre)
        there = core.cast(drawn.weight > 0, "float32").unsqueeze(-1)
        wanted = core.where(there > 0, drawn.boxes, corners.detach())
        apart = generalised_iou_loss(corners * there, wanted * there) * drawn.weight
        return {
            "hm_loss": -focal.sum() / centre.sum().clip(min=1.0),
            "wh_loss": apart.sum() / (drawn.weight.sum() + 1e-4) * self.box_weight,
        }

    def draw(self, targets: Mapping[str, Any], rows: int, columns: int) -> Drawn:
        """Return what should be predicted; where Gaussians overlap, the box of the smaller object.

        Args:
            targets: as the loss takes them.
            rows: H.
            columns: W.
        """
        objects = read_objects(targets)
        last = core.to_tensor(np.array([columns - 1, rows - 1], np.float32))
        low, high = objects.boxes[..., :2], objects.boxes[..., 2:]
        area = core.log((high - low + 1.0).clip(min=1e-6).prod(-1))
        reach = [core.minimum((side / self.stride).clip(min=0), last) for side in (low, high)]
        radius = ((reach[1] - reach[0]) / 2 * self.alpha).floor().clip(min=0)
        centre = ((low + high) / 2 / self.stride).floor()
        shapes = []
        for axis, count in enumerate((columns, rows)):
            off = core.arange(count, dtype="float32") - centre[..., axis : axis + 1]
            far, deviation = radius[..., axis : axis + 1], (2 * radius[..., axis : axis + 1] + 1) / 6
            value = core.exp(-off * off / (2 * deviation * deviation))
            shapes.append(core.where(core.abs(off) <= far, value, core.zeros_like(value)))
        drawn = shapes[1].unsqueeze(-1) * shapes[0].unsqueeze(-2)
        drawn = drawn * core.cast(objects.given, "float32").unsqueeze(-1).unsqueeze(-1)  # (N, G, H, W)

        images, count = area.shape
        classes = objects.classes.unsqueeze(-1).unsqueeze(-1).expand(drawn.shape)
        heat = core.zeros([images, self.num_classes, rows, columns])
        heat = core.put_along_axis(heat, classes, drawn, 1, "amax")
        flat = drawn.reshape([images, count, -1])
        size = area.unsqueeze(-1).expand(flat.shape)
        places = core.argmin(core.where(flat > 0, size, core.full_like(size, 1e9)), 1)
        share = flat * (area / flat.sum(-1).clip(min=1e-12)).unsqueeze(-1)
        weight = core.take_along_axis(share, places.unsqueeze(1), 1).squeeze(1)
        return Drawn(heat, pick(objects.boxes, places), weight)
