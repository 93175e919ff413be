"""The head of RetinaNet (Lin et al., arXiv 1708.02002): towers and predictors that all levels share, and anchors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.nn import functional as F
from PaddleDetection.models.boxes import anchor_grid, by_anchor, from_deltas, pick
from PaddleDetection.models.heads.tower import Towers, predictor


class RetinaHead(nn.Layer):
    """Predicts for each anchor of each level the scores of the classes, and a box.

    Args:
        in_channels: of all levels.
        num_classes: how many classes there are.
        strides: pixels of a cell of each level, the finest first.
        channels: of the towers.
        num_convs: how many convolutions a tower has.
        norm_type: of the towers: "bn", "sync_bn", "gn" or None.
        octave_base_scale: the smallest anchor's side, in strides.
        scales_per_octave: how many sizes of anchors a level has.
        aspect_ratios: heights over widths of the anchors.
        prior_prob: what the classes' scores begin with.
        nms_pre: so many of each level's best anchors become boxes.
    """

    def __init__(
        self,
        in_channels: int = 256,
        num_classes: int = 80,
        strides: Sequence[int] = (8, 16, 32, 64, 128),
        channels: int = 256,
        num_convs: int = 4,
        norm_type: Optional[str] = None,
        octave_base_scale: float = 4.0,
        scales_per_octave: int = 3,
        aspect_ratios: Sequence[float] = (0.5, 1.0, 2.0),
        prior_prob: float = 0.01,
        nms_pre: int = 1000,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.nms_pre = nms_pre
        scales = [octave_base_scale * 2 ** (step / scales_per_octave) for step in range(scales_per_octave)]
        roots = [ratio**0.5 for ratio in aspect_ratios]
        self.shapes = np.array([[scale / root, scale * root] for scale in scales for root in roots])
        self.conv_feat = Towers(in_channels, channels, num_convs, norm_type)
        offset = -math.log((1 - prior_prob) / prior_prob)
        self.retina_cls = predictor(channels, num_classes * len(self.shapes), offset)
        self.retina_reg = predictor(channels, 4 * len(self.shapes))

    def forward(self, features: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return what is predicted at each level, and its anchors.

        Args:
            features: of each level (N, C, H, W), the finest first.

        Returns:
            Of each level scores (N, A, num_classes), deltas (N, A, 4), and the anchors' corners in pixels (A, 4).
        """
        found = []
        for feature, stride in zip(features, self.strides):
            of_classes, of_boxes = self.conv_feat(feature)
            scores = by_anchor(self.retina_cls(of_classes), self.num_classes)
            found.append((scores, by_anchor(self.retina_reg(of_boxes), 4), self.anchors(feature, stride)))
        return found

    def anchors(self, feature: Any, stride: int) -> Any:
        """Return the anchors of a level, corners in pixels (H * W * shapes, 4).

        Args:
            feature: (N, C, H, W); only its size counts.
            stride: pixels of a cell.
        """
        return anchor_grid(feature, stride, self.shapes * stride / 2)

    def boxes(self, found: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any]:
        """Return the boxes of each level's best anchors.

        Args:
            found: as :meth:`forward` gives it.

        Returns:
            Corners in pixels of the network's image (N, K, 4), and how likely each class is (N, K, num_classes).
        """
        corners, likely = [], []
        for scores, deltas, anchors in found:
            kept = self.nms_pre
            if isinstance(scores.shape[1], int):
                kept = min(kept, scores.shape[1])
            else:  # of any size: as many rows that score nothing as may be missing
                images = scores.shape[0]
                scores = core.concat([scores, core.full([images, kept, self.num_classes], -1e9)], 1)
                deltas = core.concat([deltas, core.zeros([images, kept, 4])], 1)
                anchors = core.concat([anchors, core.ones([kept, 4])], 0)
            best = core.topk(scores.max(-1), kept, axis=1)[1]
            anchors = core.gather(anchors, best.flatten()).reshape([-1, kept, 4])
            scores, deltas = pick(scores, best), pick(deltas, best)
            corners.append(from_deltas(anchors, deltas, (1.0, 1.0, 1.0, 1.0)))
            likely.append(F.sigmoid(scores))
        return core.concat(corners, 1), core.concat(likely, 1)
