"""What one-stage detectors learn from, where it is made ready with the batch.

Names, arguments and values are those of PaddleDetection 2.x, https://github.com/PaddlePaddle/PaddleDetection,
``ppdet/data/transform/batch_operators.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from PaddleDetection.data.dataset import Sample


class Gt2YoloTarget:
    """YOLOv3's targets: of each level "target0", ..., float32 (A, 6 + num_classes, H, W).

    The six are the offsets in the cell, the logarithms of width and height over the anchor's, the weight 2 - w h, and
    the object's score. Boxes must be centres and sizes in shares of the image; see NormalizeBox and BboxXYXY2XYWH.
    Takes "gt_class" and "gt_score" out of the sample.

    Args:
        anchors: widths and heights, pixels.
        anchor_masks: of each level the numbers of its anchors.
        downsample_ratios: of each level the stride.
        num_classes: how many.
        iou_thresh: anchors beside the best one learn a box from this overlap on; 1: none.

    Raises:
        ValueError: levels and strides differ in number.
    """

    def __init__(
        self,
        anchors: Sequence[Sequence[float]],
        anchor_masks: Sequence[Sequence[int]],
        downsample_ratios: Sequence[int],
        num_classes: int = 80,
        iou_thresh: float = 1.0,
    ) -> None:
        if len(anchor_masks) != len(downsample_ratios):
            raise ValueError(
                f"Gt2YoloTarget: {len(anchor_masks)} anchor_masks, but {len(downsample_ratios)} downsample_ratios"
            )
        self.anchors, self.anchor_masks = np.array(anchors, np.float64), [list(mask) for mask in anchor_masks]
        self.downsample_ratios, self.num_classes, self.iou_thresh = downsample_ratios, num_classes, iou_thresh
        self.sizes: dict[str, Any] = {}

    def __call__(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """Return the samples, whose images are (3, H, W) of one size, with their targets."""
        height, width = samples[0]["image"].shape[1:3]
        for sample in samples:
            classes = np.reshape(sample.pop("gt_class"), -1)
            scores = np.reshape(sample.pop("gt_score", np.ones(len(classes))), -1)
            boxes = np.asarray(sample["gt_bbox"], np.float64)
            used = np.flatnonzero((boxes[:, 2:] > 0).all(axis=1) & (scores > 0))
            shares = self._overlaps(boxes, height, width)
            for level, (mask, ratio) in enumerate(zip(self.anchor_masks, self.downsample_ratios)):
                rows, columns = int(height / ratio), int(width / ratio)
                target = np.zeros((len(mask), 6 + self.num_classes, rows, columns), np.float32)
                for number in used:
                    x, y, w, h = boxes[number]
                    column, row = int(x * columns), int(y * rows)
                    best = int(shares[number].argmax())
                    for place, anchor in enumerate(mask):
                        near = shares[number, anchor] > self.iou_thresh and target[place, 5, row, column] == 0
                        if anchor != best and not (self.iou_thresh < 1 and near):
                            continue
                        sides = np.log([w * width, h * height] / self.anchors[anchor])
                        cell = target[place, :, row, column]
                        cell[:6] = x * columns - column, y * rows - row, *sides, 2.0 - w * h, scores[number]
                        cell[6 + classes[number]] = 1.0
                sample[f"target{level}"] = target
        return samples

    def _overlaps(self, boxes: np.ndarray, height: int, width: int) -> np.ndarray:
        """Return the intersection over union of boxes with all anchors, both at one corner: (G, A)."""
        sides, anchors = boxes[:, None, 2:], (self.anchors / (width, height))[None]
        common = np.minimum(sides, anchors).clip(0).prod(-1)
        return np.asarray(common / (sides.prod(-1) + anchors.prod(-1) - common))


class Gt2TTFTarget:
    """TTFNet's targets (Liu et al., https://arxiv.org/abs/1909.00700), of images of one size with equal sides.

    "ttf_heatmap" float32 (num_classes, F, F), "ttf_box_target" (4, F, F) and "ttf_reg_weight" (1, F, F) come in the
    place of the fields of the objects.

    Args:
        num_classes: how many.
        down_ratio: of the image's side to F.
        alpha: share of a box's half that its Gaussian covers.
    """

    def __init__(self, num_classes: int = 80, down_ratio: int = 4, alpha: float = 0.54) -> None:
        self.num_classes, self.down_ratio, self.alpha = num_classes, down_ratio, alpha
        self.sizes: dict[str, Any] = {}

    def __call__(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """Return the samples with their targets."""
        side = samples[0]["image"].shape[1] // self.down_ratio
        for sample in samples:
            heat = np.zeros((self.num_classes, side, side), np.float32)
            target = np.full((4, side, side), -1, np.float32)
            weight = np.zeros((1, side, side), np.float32)
            boxes, classes = sample["gt_bbox"], np.reshape(sample["gt_class"], -1)
            areas = np.log((boxes[:, 2:] - boxes[:, :2] + 1).prod(axis=1))
            for number in np.argsort(areas)[::-1]:
                box = boxes[number]
                reach = np.clip(box / self.down_ratio, 0, side - 1)
                radius_x, radius_y = ((reach[2:] - reach[:2]) / 2.0 * self.alpha).astype(np.int32).tolist()
                centre = (box[:2] + box[2:]) / 2 / self.down_ratio
                drawn = _gaussian(side, int(centre[0]), int(centre[1]), radius_x, radius_y)
                heat[classes[number]] = np.maximum(heat[classes[number]], drawn)
                inside = drawn > 0
                target[:, inside] = box[:, None]
                weight[0, inside] = drawn[inside] * areas[number] / max(drawn.sum(), 1e-12)
            sample.update({"ttf_heatmap": heat, "ttf_box_target": target, "ttf_reg_weight": weight})
            for name in ("is_crowd", "difficult", "gt_class", "gt_bbox", "gt_score"):
                sample.pop(name, None)
        return samples


def _gaussian(side: int, x: int, y: int, radius_x: int, radius_y: int) -> np.ndarray:
    """Return a Gaussian around a point, cut off three deviations away, float32 (side, side)."""
    rows, columns = np.arange(side) - y, np.arange(side) - x
    deviation_x, deviation_y = (2 * radius_x + 1) / 6, (2 * radius_y + 1) / 6
    near = (np.abs(rows) <= radius_y)[:, None] & (np.abs(columns) <= radius_x)[None]
    values = np.exp(-((rows**2 / (2 * deviation_y**2))[:, None] + (columns**2 / (2 * deviation_x**2))[None]))
    values[~near | (values < np.finfo(np.float64).eps)] = 0
    return values.astype(np.float32)
