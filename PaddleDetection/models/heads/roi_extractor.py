"""Feature maps of regions, each from the level of the pyramid that fits its size (RoIAlign, arXiv 1703.06870)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import core
from core.vision.ops import distribute_fpn_proposals, roi_align

MOST_LEVELS = 4
"""Further levels of a pyramid are for proposals only."""


class RoIExtractor:
    """Cuts regions out of feature maps.

    Args:
        strides: pixels of a cell of each level, the finest first; each twice the one before.
        resolution: side of the regions' feature maps.
        sampling_ratio: samples of a bin along each axis; 0: about one for each cell.
        canonical_size: square root of the area, pixels, of regions that are cut out of the level with stride 16.
        aligned: whether the centres of cells lie at whole numbers plus a half.
    """

    def __init__(
        self,
        strides: Sequence[int],
        resolution: int,
        sampling_ratio: int = 0,
        canonical_size: int = 224,
        aligned: bool = True,
    ) -> None:
        self.strides = tuple(strides)[:MOST_LEVELS]
        self.resolution = resolution
        self.sampling_ratio = sampling_ratio
        self.canonical_size = canonical_size
        self.aligned = aligned

    def __call__(self, features: Sequence[Any], rois: Any) -> Any:
        """Return the feature maps of regions.

        Args:
            features: of each level (N, C, H, W), the finest first.
            rois: corners in pixels of the image (N, K, 4); rows of zeros are regions without pixels.

        Returns:
            (N * K, C, resolution, resolution).
        """
        images, room = rois.shape[:2]
        counts, boxes = core.full([images], room, "int32"), rois.reshape([images * room, 4])
        if len(self.strides) == 1:
            return self._aligned(features[0], boxes, counts, self.strides[0])
        lowest = int(math.log2(self.strides[0]))
        levels, places, numbers = distribute_fpn_proposals(
            boxes, lowest, lowest + len(self.strides) - 1, 4, self.canonical_size, rois_num=counts, padded=True
        )
        regions = [
            self._aligned(feature, level, number, stride)
            for feature, level, number, stride in zip(features, levels, numbers or [], self.strides)
        ]
        return core.gather(core.concat(regions), places.flatten())

    def _aligned(self, feature: Any, boxes: Any, counts: Any, stride: int) -> Any:
        return roi_align(feature, boxes, counts, self.resolution, 1 / stride, self.sampling_ratio, self.aligned)
