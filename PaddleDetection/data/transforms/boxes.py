"""Boxes in other terms, and masks as pixels.

Names and arguments are those of PaddleDetection 2.x, https://github.com/PaddlePaddle/PaddleDetection,
``ppdet/data/transform/operators.py``.
"""

from __future__ import annotations

import numpy as np

from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.masks import decoded
from PaddleDetection.data.transforms.objects import OF_OBJECTS


class NormalizeBox:
    """Divide the boxes' coordinates by the image's width and height; "image" is (H, W, 3)."""

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "gt_bbox" in shares of the image."""
        height, width = sample["image"].shape[:2]
        sample["gt_bbox"] = sample["gt_bbox"] / np.array([width, height] * 2, np.float32)
        return sample


class BboxXYXY2XYWH:
    """Make of corners x1, y1, x2, y2 a centre, a width and a height."""

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "gt_bbox" as centres and sizes."""
        first, last = sample["gt_bbox"][:, :2], sample["gt_bbox"][:, 2:4]
        sample["gt_bbox"] = np.concatenate([first + (last - first) / 2, last - first], axis=1)
        return sample


class PadBox:
    """Bring the number of objects to a fixed one, with zeros after the last; those that are too many are left out.

    Args:
        num_max_boxes: how many.

    Raises:
        ValueError: the number is not positive.
    """

    def __init__(self, num_max_boxes: int = 50) -> None:
        if num_max_boxes < 1:
            raise ValueError(f"PadBox: num_max_boxes must be positive, not {num_max_boxes}")
        self.num_max_boxes = num_max_boxes

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "gt_bbox" float32 (num_max_boxes, 4), and the other fields (num_max_boxes,)."""
        most = self.num_max_boxes
        boxes = np.zeros((most, 4), np.float32)
        boxes[: len(sample["gt_bbox"])] = sample["gt_bbox"][:most]
        sample["gt_bbox"] = boxes
        for name in OF_OBJECTS:
            if name in sample:
                values = np.reshape(sample[name], -1)[:most]
                sample[name] = np.zeros(most, np.float32 if name == "gt_score" else np.int32)
                sample[name][: len(values)] = values
        return sample


class Poly2Mask:
    """Draw the masks: of polygons and run lengths "gt_poly" to pixels "gt_segm", uint8 (G, H, W), before Permute.

    They are as large as the image, which a whole number of pixels has; PaddleDetection takes "im_shape", which may be a
    pixel less.

    Args:
        del_poly: take "gt_poly" out of the sample.
    """

    def __init__(self, del_poly: bool = False) -> None:
        self.del_poly = del_poly

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "gt_segm"; a sample that has it already, and no "gt_poly", stays.

        Raises:
            ValueError: run lengths are of another size than the image, or the data has no masks.
        """
        if "gt_poly" not in sample:
            if "gt_segm" not in sample:
                raise ValueError("Poly2Mask: the data has no masks, gt_poly; train a detector of boxes, without it")
            return sample
        height, width = sample["image"].shape[:2]
        masks = np.zeros((len(sample["gt_poly"]), height, width), np.uint8)
        for number, mask in enumerate(sample["gt_poly"]):
            masks[number] = decoded(mask, height, width)
        sample["gt_segm"] = masks
        if self.del_poly:
            del sample["gt_poly"]
        return sample
