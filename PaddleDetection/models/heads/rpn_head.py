"""The region proposal network of Faster R-CNN (Ren et al., arXiv 1506.01497), shared by the levels of a pyramid.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Normal
from core.vision.ops import generate_proposals
from PaddleDetection.models.boxes import anchor_grid, pick
from PaddleDetection.models.generations import anchor_halves, from_pixels, is_first, to_pixels

LEAST = -3.0e38
"""A score below all others."""


class ProposalRule(NamedTuple):
    """Which boxes are proposals.

    Attributes:
        pre_nms_top_n: so many of each level's best anchors are looked at.
        post_nms_top_n: so many boxes of an image are proposed, the best of all levels.
        nms_threshold: the largest overlap with a better box of the same level.
        min_size: smaller boxes are dropped, pixels.
    """

    pre_nms_top_n: int
    post_nms_top_n: int
    nms_threshold: float = 0.7
    min_size: float = 0.0


class RPNFeat(nn.Layer):
    """The convolution before the predictors: (N, C, H, W) to the same shape.

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.rpn_conv = nn.Conv2D(channels, channels, 3, padding=1, weight_attr=small())

    def forward(self, feature: Any) -> Any:
        """Return the filtered feature map."""
        return F.relu(self.rpn_conv(feature))


class RPNHead(nn.Layer):
    """Predicts for each anchor whether it shows an object, and a box.

    Args:
        channels: of all levels.
        strides: pixels of a cell of each level, the finest first.
        anchor_sizes: square roots of the anchors' areas, pixels: one for each level, or, of a single level, all.
        aspect_ratios: heights over widths of the anchors.
        generation: 1: anchors and proposals end with whole pixels, and these come in the order of their scores.

    Raises:
        ValueError: there is not one size for each of several levels.
    """

    def __init__(
        self,
        channels: int,
        strides: Sequence[int],
        anchor_sizes: Sequence[float] = (32, 64, 128, 256, 512),
        aspect_ratios: Sequence[float] = (0.5, 1.0, 2.0),
        generation: int = 2,
    ) -> None:
        super().__init__()
        sizes = [list(anchor_sizes)] if len(strides) == 1 else [[size] for size in anchor_sizes]
        if len(sizes) != len(strides):
            raise ValueError(f"anchor_sizes must hold {len(strides)} numbers, one a level, not {len(sizes)}")
        self.strides, self.is_first = tuple(strides), is_first(generation)
        self.halves = [
            np.concatenate([anchor_halves(size, aspect_ratios, stride, self.is_first) for size in level])
            for level, stride in zip(sizes, self.strides)
        ]
        count = len(self.halves[0])
        self.rpn_feat = RPNFeat(channels)
        self.rpn_rois_score = nn.Conv2D(channels, count, 1, weight_attr=small())
        self.rpn_rois_delta = nn.Conv2D(channels, 4 * count, 1, weight_attr=small())

    def forward(self, features: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return what is predicted at each level, and its anchors.

        Args:
            features: of each level (N, C, H, W), the finest first.

        Returns:
            Of each level logits (N, A, H, W), deltas (N, 4 * A, H, W), and corners in pixels (H * W * A, 4).
        """
        found = []
        for feature, stride, halves in zip(features, self.strides, self.halves):
            seen = self.rpn_feat(feature)
            anchors = anchor_grid(seen, stride, halves, stride / 2 if self.is_first else 0.0)
            found.append((self.rpn_rois_score(seen), self.rpn_rois_delta(seen), anchors))
        return found

    def proposals(
        self, found: Sequence[tuple[Any, Any, Any]], im_shape: Any, rule: ProposalRule
    ) -> tuple[Any, Any]:
        """Return the best boxes of all levels.

        They are in the order of their scores, but where there are no more than are wanted: level by level, except in
        generation 1.

        Args:
            found: as :meth:`forward` gives it.
            im_shape: height and width of the images without their padding (N, 2).
            rule: which boxes are proposals.

        Returns:
            Corners in pixels (N, K, 4), rows of zeros behind the last one, and int32 numbers (N,).
        """
        room = rule.post_nms_top_n if len(found) == 1 else rule.pre_nms_top_n
        levels = [
            generate_proposals(
                scores,
                deltas,
                im_shape,
                to_pixels(anchors) if self.is_first else anchors,
                core.ones_like(anchors),
                rule.pre_nms_top_n,
                room,
                rule.nms_threshold,
                rule.min_size,
                pixel_offset=self.is_first,
                return_rois_num=True,
                padded=True,
            )
            for scores, deltas, anchors in found
        ]
        if len(levels) == 1:
            boxes, _, counts = levels[0]
            return self._ended(boxes, counts), counts
        boxes = core.concat([level[0] for level in levels], 1)
        scores = core.concat([level[1] for level in levels], 1).squeeze(-1)
        given = core.concat([core.arange(room) < core.cast(level[2], "int64").unsqueeze(1) for level in levels], 1)
        total = core.add_n([level[2] for level in levels])
        top = min(rule.post_nms_top_n, room * len(levels))
        if not self.is_first:
            places = core.zeros_like(scores) - core.arange(room * len(levels), dtype="float32")
            scores = core.where((total > top).unsqueeze(1), scores, places)
        best = core.topk(core.where(given, scores, core.full_like(scores, LEAST)), top, axis=1)[1]
        counts = total.clip(max=top)
        return self._ended(pick(boxes, best), counts), counts

    def _ended(self, boxes: Any, counts: Any) -> Any:
        """Return proposals that end behind their last pixel, not with it; the rows behind the last one stay zeros."""
        if not self.is_first:
            return boxes
        given = core.arange(boxes.shape[1], dtype="int64") < core.cast(counts, "int64").unsqueeze(1)
        return core.where(given.unsqueeze(-1).expand_as(boxes), from_pixels(boxes), boxes)


def small(deviation: float = 0.01) -> ParamAttr:
    """Return weights that begin with a small deviation."""
    return ParamAttr(initializer=Normal(0.0, deviation))
