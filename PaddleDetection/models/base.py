"""What all detectors have in common."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from core import nn
from PaddleDetection.models.anchor_fitting import Fitted, clustered


class Detector(nn.Layer, abc.ABC):
    """Finds objects in images.

    Attributes:
        num_classes: how many classes it tells apart; background is none of them.
        divisor: height and width of the images must be multiples of it.
        examples: two sizes of an axis of the images, by its number, with which an export is traced in place of
            :class:`core.static.InputSpec`'s; no feature map may have the same size for both.
        fixed_classes: whether num_classes cannot be chosen.
        learns_masks: whether training needs the objects' masks.
        anchors: widths and heights of each level's anchors, pixels: w, h, w, h, ...; none of a detector without them.
    """

    num_classes: int
    divisor: int = 32
    examples: Optional[Mapping[int, Sequence[int]]] = None
    fixed_classes: bool = False
    learns_masks: bool = False
    anchors: Sequence[Sequence[float]] = ()

    @abc.abstractmethod
    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, ...]:
        """Return what is found.

        Args:
            image: float32 (N, 3, H, W), prepared as in training; padded at the right and the bottom.
            im_shape: float32 (N, 2), height and width without the padding.
            scale_factor: float32 (N, 2), these divided by the original image's.

        Returns:
            Boxes float32 (N, K, 6), each row its class, score and corners x1, y1, x2, y2 in pixels of the original
            image, padded with rows of class -1; their numbers int32 (N,); and, of detectors with masks, float32
            (N, K, M, M), how likely each point of a box belongs to the object.
        """

    @abc.abstractmethod
    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return the losses by name; training minimises their sum.

        Args:
            image: as in :meth:`forward`.
            im_shape: likewise.
            scale_factor: likewise.
            targets: the objects, padded to G for each image: "gt_bbox" float32 (N, G, 4), corners in pixels of
                ``image``; "gt_class" int64 (N, G); "gt_count" (N,), how many there are; and, where a detector uses
                them, "is_crowd" (N, G), "gt_score" float32 (N, G), "gt_segm" uint8 (N, G, H, W).
        """

    def fitted_anchors(self, sides: np.ndarray) -> Fitted:
        """Return anchors that fit boxes.

        Args:
            sides: the boxes' widths and heights, pixels of the network's images, (G, 2) with G > 0.
        """
        return clustered(sides)

    def begin_epoch(self, epoch: int) -> None:  # noqa: B027  # most detectors learn alike in all epochs
        """Take note, in training, of the epoch that begins.

        Args:
            epoch: its number, from 0.
        """
