"""Feature maps of regions, each from the level of the pyramid that fits its size (RoIAlign, arXiv 1703.06870)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.vision.ops import roi_align, roi_align_levels
from PaddleDetection.models.generations import to_pixels

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
        last_pixel: whether regions end with their last pixel, not behind it, as before 2.0.
    """

    def __init__(
        self,
        strides: Sequence[int],
        resolution: int,
        sampling_ratio: int = 0,
        canonical_size: int = 224,
        aligned: bool = True,
        last_pixel: bool = False,
    ) -> None:
        self.strides = tuple(strides)[:MOST_LEVELS]
        self.resolution = resolution
        self.sampling_ratio = sampling_ratio
        self.canonical_size = canonical_size
        self.aligned = aligned
        self.last_pixel = last_pixel

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
        shown = to_pixels(boxes) if self.last_pixel else boxes
        scales, options = [1 / stride for stride in self.strides], (self.sampling_ratio, self.aligned)
        if len(scales) == 1:
            return roi_align(features[0], shown, counts, self.resolution, scales[0], *options)
        size = core.sqrt((boxes[:, 2:] - boxes[:, :2]).clip(min=0).prod(-1))
        least = [self.canonical_size * stride / 16 for stride in self.strides[1:]]
        levels = core.add_n([core.cast(size >= limit, "int64") for limit in least])
        maps = list(features)[: len(scales)]
        return roi_align_levels(maps, shown, levels, counts, self.resolution, scales, *options)
