"""SOLOv2 (Wang et al., "SOLOv2: Dynamic and Fast Instance Segmentation", arXiv 2003.10152).

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import core
from core.nn import functional as F
from PaddleDetection.models.backbones.resnet import ResNet
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import pick, to_original
from PaddleDetection.models.heads.solov2_head import SOLOv2Head, SOLOv2MaskHead
from PaddleDetection.models.losses.solov2_loss import SCALE_RANGES, SOLOv2Loss
from PaddleDetection.models.necks.fpn import FPN

SEGM_STRIDES = (8, 8, 16, 32, 32)
"""Of each grid: masks of fewer cells of the map are left out."""

STRIDE = 4
"""Pixels of the image for a cell of the map that masks are made of."""


class Instances(NamedTuple):
    """What is found in a batch, the best first.

    Attributes:
        scores: (N, K); 0 for rows that hold nothing.
        classes: int64 (N, K).
        masks: how likely each cell of the map belongs to the object (N, K, H / 4, W / 4).
    """

    scores: Any
    classes: Any
    masks: Any


class SOLOv2(Detector):
    """Finds masks without boxes: each cell of five grids predicts the mask of the object whose centre it holds.

    A box is the smallest one around the mask's cells above 0.5, and has the mask inside of it. PaddleDetection gives
    masks of whole images and no boxes.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them five levels with as many channels, the finest first.
        head: predicts classes and kernels.
        mask_head: makes the map that kernels are used on.
        num_classes: how many classes there are.
        scale_ranges: in training, roots of the areas of the objects that belong to each grid, pixels.
        coord_sigma: in training, share of an object's box, around its centre, whose cells it has.
        max_positives: in training, so many masks of an image are compared at most.
        score_threshold: scores of classes must be above it.
        update_threshold: and those lowered for what they overlap at least this.
        pre_nms_top_n: so many of the best are made masks of.
        keep_top_k: so many of an image are given.
        mask_size: side M of the masks that are given.
    """

    learns_masks = True

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        head: Any,
        mask_head: Any,
        num_classes: int = 80,
        scale_ranges: Sequence[Sequence[float]] = SCALE_RANGES,
        coord_sigma: float = 0.2,
        max_positives: int = 256,
        score_threshold: float = 0.1,
        update_threshold: float = 0.05,
        pre_nms_top_n: int = 500,
        keep_top_k: int = 100,
        mask_size: int = 112,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.solov2_head = head
        self.mask_head = mask_head
        self.score_threshold = score_threshold
        self.update_threshold = update_threshold
        self.pre_nms_top_n = pre_nms_top_n
        self.keep_top_k = keep_top_k
        self.mask_size = mask_size
        self.loss = SOLOv2Loss(head.num_grids, scale_ranges, coord_sigma, max_positives)

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any, Any]:
        """Return boxes (N, keep_top_k, 6), their numbers (N,), and their masks (N, keep_top_k, M, M)."""
        found = self.instances(self.neck(self.backbone(image)))
        boxes, masks = framed(found.masks, im_shape, self.mask_size)
        there = (boxes[..., 2:] - boxes[..., :2]).min(-1) > 0  # a mask may lie in the padding
        scores, order = core.topk(found.scores * core.cast(there, "float32"), found.scores.shape[1])
        kept = core.cast(scores > 0, "float32")
        corners = to_original(pick(boxes, order) * STRIDE, scale_factor)
        labels = core.cast(pick(found.classes, order), "float32") * kept + (kept - 1.0)
        rows = core.concat([labels.unsqueeze(-1), scores.unsqueeze(-1), corners * kept.unsqueeze(-1)], -1)
        flat = pick(masks.flatten(2), order) * kept.unsqueeze(-1)
        return rows, core.cast(kept.sum(-1), "int32"), flat.reshape(masks.shape)

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_ins" and "loss_cate"."""
        features = self.neck(self.backbone(image))
        classes, kernels = self.solov2_head(features)
        return self.loss(classes, kernels, self.mask_head(features), targets)

    def instances(self, features: Sequence[Any]) -> Instances:
        """Return what is found on the levels of the pyramid."""
        logits, kernels = self.solov2_head(features)
        mask_map = self.mask_head(features)
        likely = core.concat([_peaks(F.sigmoid(one)).flatten(2) for one in logits], 2).transpose([0, 2, 1])
        likely = core.where(likely > self.score_threshold, likely, core.zeros_like(likely))
        most = min(self.pre_nms_top_n, likely.shape[1] * self.num_classes)
        scores, chosen = core.topk(likely.flatten(1), most)
        cells, classes = core.floor_divide(chosen, core.to_tensor(self.num_classes)), chosen % self.num_classes
        own = pick(core.concat([one.flatten(2) for one in kernels], 2).transpose([0, 2, 1]), cells)
        masks = F.sigmoid(core.matmul(own, mask_map.flatten(2)))
        inside = core.cast(masks > 0.5, "float32")
        area = inside.sum(-1)
        sides = [[float(stride)] * side**2 for stride, side in zip(SEGM_STRIDES, self.solov2_head.num_grids)]
        strides = core.to_tensor([number for one in sides for number in one])
        enough = area > core.gather(strides, cells.flatten()).reshape(cells.shape)
        scores = scores * (masks * inside).sum(-1) / area.clip(min=1.0) * core.cast(enough, "float32")
        order = core.argsort(scores, -1, descending=True)
        scores, classes, inside = pick(scores, order), pick(classes, order), pick(inside, order)
        scores = lowered(scores, classes, inside)
        scores = core.where(scores >= self.update_threshold, scores, core.zeros_like(scores))
        scores, last = core.topk(scores, min(self.keep_top_k, most))
        places = pick(order, last)
        size = [places.shape[0], places.shape[1], *mask_map.shape[2:]]
        return Instances(scores, pick(classes, last), pick(masks, places).reshape(size))


def lowered(scores: Any, classes: Any, masks: Any, sigma: float = 2.0) -> Any:
    """Return scores lowered by matrix NMS: for better masks of the same class that they overlap.

    Args:
        scores: (N, K), the best first.
        classes: (N, K).
        masks: zeros and ones (N, K, P).
        sigma: how fast scores fall with the overlap.
    """
    common = core.matmul(masks, masks, transpose_y=True)
    area = masks.sum(-1)
    overlap = common / (area.unsqueeze(1) + area.unsqueeze(2) - common).clip(min=1.0)
    same = core.cast(core.equal(classes.unsqueeze(1), classes.unsqueeze(2)), "float32")
    overlap = core.triu(overlap * same, 1)
    most = overlap.max(1).unsqueeze(2)
    return scores * core.exp(-sigma * (overlap**2 - most**2)).min(1)


def framed(masks: Any, im_shape: Any, size: int) -> tuple[Any, Any]:
    """Return the boxes of masks, and the masks inside of them.

    Args:
        masks: how likely each cell of the map belongs to the object (N, K, H, W).
        im_shape: height and width of the images without the padding, pixels (N, 2).
        size: side M of the masks that are returned.

    Returns:
        Corners in cells (N, K, 4), zeros where no cell is above 0.5; and (N, K, M, M).
    """
    rows, columns = (core.arange(length, dtype="float32") for length in masks.shape[2:])
    ends = im_shape.reshape([-1, 2, 1, 1]) / STRIDE
    inside = core.logical_and(masks > 0.5, (rows < ends[:, 0]).unsqueeze(-1))
    inside = core.logical_and(inside, (columns < ends[:, 1]).unsqueeze(-2))
    corners, weights = [], []
    for cells, other in ((columns, 2), (rows, 3)):
        reached = inside.any(other)
        high = core.where(reached, cells + 1.0, core.zeros_like(cells)).max(-1, keepdim=True)
        low = core.minimum(core.where(reached, cells, core.full_like(cells, 1e9)).min(-1, keepdim=True), high)
        places = low + (core.arange(size, dtype="float32") + 0.5) * ((high - low) / size) - 0.5
        places = core.minimum(places.clip(min=0), cells[-1])
        weights.append((1.0 - core.abs(places.unsqueeze(-1) - cells)).clip(min=0))
        corners.append(core.concat([low, high], -1))
    across, down = weights
    cut = core.matmul(core.matmul(down, masks), across, transpose_y=True)
    return core.stack(corners, -1).flatten(2), cut


def _peaks(likely: Any) -> Any:
    """Return scores (N, C, S, S) where none of the cells before, to the left or above, has a larger one; else 0."""
    largest = F.max_pool2d(likely, 2, stride=1, padding=1)[:, :, :-1, :-1]
    return likely * core.cast(core.equal(largest, likely), "float32")


def solov2_r50_fpn(num_classes: int = 80, **settings: Any) -> SOLOv2:
    """Return SOLOv2 on the feature pyramid of ResNet-50, whose normalisations keep their values.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`SOLOv2`.
    """
    backbone = ResNet(50)
    neck = FPN(backbone.channels, backbone.strides)
    return SOLOv2(backbone, neck, SOLOv2Head(num_classes), SOLOv2MaskHead(), num_classes, **settings)
