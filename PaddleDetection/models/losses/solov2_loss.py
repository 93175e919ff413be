"""The loss of SOLOv2 (Wang et al., arXiv 2003.10152): dice loss of masks, focal loss of classes.

An object belongs to the grids for whose range its size is, there to up to 3 x 3 cells around its centre of mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import core
from core.nn import functional as F
from PaddleDetection.models.boxes import pick

SCALE_RANGES = ((1, 96), (48, 192), (96, 384), (192, 768), (384, 2048))
"""Roots of the areas of the objects that belong to each grid, pixels."""

AROUND = 3
"""Cells of a side of what an object has at most."""


class SOLOv2Loss:
    """Compares what is predicted for the cells of all grids with the objects of a batch.

    A batch without objects has no loss of masks; PaddleDetection divides by zero there.

    Args:
        num_grids: cells of a side of each grid.
        scale_ranges: of each grid, which roots of areas its objects have, pixels.
        coord_sigma: share of an object's box, around its centre, whose cells it has.
        max_positives: so many masks of an image are compared at most.
        ins_loss_weight: weight of the loss of masks.
        gamma: how little well predicted classes count.
        alpha: weight of cells with an object.
    """

    def __init__(
        self,
        num_grids: Sequence[int],
        scale_ranges: Sequence[Sequence[float]] = SCALE_RANGES,
        coord_sigma: float = 0.2,
        max_positives: int = 256,
        ins_loss_weight: float = 3.0,
        gamma: float = 2.0,
        alpha: float = 0.25,
    ) -> None:
        self.num_grids = tuple(num_grids)
        self.scale_ranges = tuple(scale_ranges)
        self.coord_sigma = coord_sigma
        self.max_positives = max_positives
        self.ins_loss_weight = ins_loss_weight
        self.gamma = gamma
        self.alpha = alpha

    def __call__(
        self, classes: Sequence[Any], kernels: Sequence[Any], mask_map: Any, targets: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the losses.

        Args:
            classes: of each grid logits (N, num_classes, S, S).
            kernels: of each grid (N, E, S, S).
            mask_map: what kernels are used on (N, E, H / 4, W / 4).
            targets: "gt_bbox" (N, G, 4), corners in pixels of the network's image; "gt_class" (N, G); "gt_count" (N,);
                "gt_segm" uint8 (N, G, H, W).

        Returns:
            "loss_ins" and "loss_cate".
        """
        objects = _seen(targets)
        grids = [self._cells(objects, side, sizes) for side, sizes in zip(self.num_grids, self.scale_ranges)]
        total, positive = core.zeros([]), core.zeros([])
        for logits, grid in zip(classes, grids):
            logits = logits.transpose([0, 2, 3, 1])
            owner = grid.owner.flatten(1)
            there = core.cast(owner >= 0, "float32")
            labels = F.one_hot(pick(objects.classes, owner.clip(min=0)), logits.shape[-1]) * there.unsqueeze(-1)
            total = total + F.sigmoid_focal_loss(
                logits.reshape(labels.shape), labels, alpha=self.alpha, gamma=self.gamma, reduction="sum"
            )
            positive = positive + there.sum()
        return {
            "loss_ins": self._of_masks(kernels, mask_map, objects, grids),
            "loss_cate": total / (positive + 1.0),
        }

    def _cells(self, objects: _Seen, side: int, sizes: Sequence[float]) -> _Cells:
        """Return which cells of a grid each object has."""
        lowest, highest = sizes
        here = core.logical_and(objects.size >= lowest, objects.size <= highest)
        here = core.logical_and(here, objects.given)
        half = objects.extent * (0.5 * self.coord_sigma)
        centre, low, high = (
            (place / objects.image * side).floor()
            for place in (objects.centre, objects.centre - half, objects.centre + half)
        )
        first, last = core.maximum(low.clip(min=0), centre - 1), core.minimum(high.clip(max=side - 1), centre + 1)
        cells = core.arange(side, dtype="float32")
        inside = core.logical_and(first.unsqueeze(-1) <= cells, cells <= last.unsqueeze(-1))  # (N, G, 2, side)
        table = core.logical_and(inside[:, :, 1].unsqueeze(-1), inside[:, :, 0].unsqueeze(-2))
        table = core.logical_and(table, here.unsqueeze(-1).unsqueeze(-1))
        numbers = core.arange(1, table.shape[1] + 1, dtype="int64").reshape([1, -1, 1, 1])
        owner = (core.cast(table, "int64") * numbers).max(1) - 1

        steps = core.arange(AROUND, dtype="float32")
        across, down = (first[:, :, axis].unsqueeze(-1) + steps for axis in (0, 1))
        kept = [
            core.logical_and(places <= last[:, :, axis].unsqueeze(-1), here.unsqueeze(-1))
            for axis, places in enumerate((across, down))
        ]
        places = down.unsqueeze(-1) * side + across.unsqueeze(-2)
        taken = core.logical_and(kept[1].unsqueeze(-1), kept[0].unsqueeze(-2))
        return _Cells(owner, core.cast(places, "int64").flatten(2), taken.flatten(2))

    def _of_masks(self, kernels: Sequence[Any], mask_map: Any, objects: _Seen, grids: Sequence[_Cells]) -> Any:
        """Return the dice loss of the masks that the objects' cells predict."""
        first, places, taken = 0, [], []
        for side, grid in zip(self.num_grids, grids):
            places.append(grid.places + first)
            taken.append(grid.taken)
            first += side**2
        cells, used = (core.stack(one, 2).flatten(1) for one in (places, taken))
        most = min(self.max_positives, cells.shape[1])
        weight, chosen = core.topk(core.cast(used, "float32"), most)
        each = len(self.num_grids) * AROUND**2
        table = core.concat([one.flatten(2) for one in kernels], 2).transpose([0, 2, 1])
        own = pick(table, pick(cells, chosen).clip(0, first - 1))
        likely = F.sigmoid(core.matmul(own, mask_map.flatten(2)))
        wanted = pick(objects.masks.flatten(2), core.floor_divide(chosen, core.to_tensor(each)))
        weight = weight * core.cast(wanted.sum(-1) > 0, "float32")
        common = (likely * wanted).sum(-1)
        size = (likely * likely).sum(-1) + wanted.sum(-1) + 0.002
        return ((1.0 - 2 * common / size) * weight).sum() / weight.sum().clip(min=1.0) * self.ins_loss_weight


class _Cells(NamedTuple):
    """Which cells of a grid the objects of a batch have.

    Attributes:
        owner: of each cell the last object that has it, -1 for none, int64 (N, side, side).
        places: numbers of each object's cells int64 (N, G, 9).
        taken: which of these it has (N, G, 9).
    """

    owner: Any
    places: Any
    taken: Any


class _Seen(NamedTuple):
    """The objects of a batch.

    Attributes:
        classes: int64 (N, G).
        given: which rows hold an object with a mask (N, G).
        size: roots of the boxes' areas, pixels (N, G).
        extent: the boxes' width and height, pixels (N, G, 2).
        centre: of mass, pixels across and down (N, G, 2).
        masks: of a quarter of the sides, zeros and ones (N, G, H / 4, W / 4).
        image: width and height of the image, pixels (2,).
    """

    classes: Any
    given: Any
    size: Any
    extent: Any
    centre: Any
    masks: Any
    image: Any


def _seen(targets: Mapping[str, Any]) -> _Seen:
    boxes, masks = targets["gt_bbox"], core.cast(targets["gt_segm"], "float32")
    images, count, rows, columns = masks.shape
    across, down = masks.sum(2), masks.sum(3)
    area = down.sum(-1)
    given = core.arange(count, dtype="int64") < core.cast(targets["gt_count"], "int64").unsqueeze(1)
    centre = core.stack(
        [(one * core.arange(one.shape[2], dtype="float32")).sum(-1) / area.clip(min=1.0) for one in (across, down)], -1
    )
    extent = boxes[..., 2:] - boxes[..., :2]
    quarters = masks.reshape([images, count, rows // 4, 4, columns // 4, 4])[:, :, :, 1:3, :, 1:3]
    small = core.cast(quarters.sum([3, 5]) >= 2, "float32")  # as OpenCV shrinks and rounds zeros and ones
    image = core.to_tensor([float(columns), float(rows)])
    classes = core.cast(targets["gt_class"], "int64")
    size = core.sqrt(extent.clip(min=0).prod(-1))
    return _Seen(classes, core.logical_and(given, area > 0), size, extent, centre, small, image)
