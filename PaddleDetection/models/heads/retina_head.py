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
from PaddleDetection.models.generations import anchor_halves, is_first
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
        generation: 1: anchors have whole pixels and lie around the middle of a cell, as before 2.0.
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
        generation: int = 2,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.nms_pre = nms_pre
        self.is_first = is_first(generation)
        scales = [octave_base_scale * 2 ** (step / scales_per_octave) for step in range(scales_per_octave)]
        self.halves = [
            np.concatenate([anchor_halves(scale * stride, aspect_ratios, stride, self.is_first) for scale in scales])
            for stride in self.strides
        ]
        count = len(scales) * len(aspect_ratios)
        self.conv_feat = Towers(in_channels, channels, num_convs, norm_type)
        offset = -math.log((1 - prior_prob) / prior_prob)
        self.retina_cls = predictor(channels, num_classes * count, offset)
        self.retina_reg = predictor(channels, 4 * count)

    def forward(self, features: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return what is predicted at each level, and its anchors.

        Args:
            features: of each level (N, C, H, W), the finest first.

        Returns:
            Of each level scores (N, A, num_classes), deltas (N, A, 4), and the anchors' corners in pixels (A, 4).
        """
        found = []
        for feature, stride, halves in zip(features, self.strides, self.halves):
            of_classes, of_boxes = self.conv_feat(feature)
            scores = by_anchor(self.retina_cls(of_classes), self.num_classes)
            anchors = anchor_grid(feature, stride, halves, stride / 2 if self.is_first else 0.0)
            found.append((scores, by_anchor(self.retina_reg(of_boxes), 4), anchors))
        return found

    def boxes(self, found: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any]:
        """Return the boxes of each level's best anchors.

        Args:
            found: as :meth:`forward` gives it.

        Returns:
            Corners in pixels of the network's image (N, K, 4), and how likely each class is (N, K, num_classes).
        """
        corners, likely = [], []
        for scores, deltas, anchors, kept in map(self._enough, found):
            best = core.topk(scores.max(-1), kept, axis=1)[1]
            anchors = core.gather(anchors, best.flatten()).reshape([-1, kept, 4])
            scores, deltas = pick(scores, best), pick(deltas, best)
            corners.append(from_deltas(anchors, deltas, (1.0, 1.0, 1.0, 1.0)))
            likely.append(F.sigmoid(scores))
        return core.concat(corners, 1), core.concat(likely, 1)

    def boxes_of_pairs(
        self, found: Sequence[tuple[Any, Any, Any]], score_threshold: float
    ) -> tuple[Any, Any]:
        """Return the boxes of each level's best pairs of an anchor and a class, as before 2.0.

        Args:
            found: as :meth:`forward` gives it.
            score_threshold: pairs of all levels but the coarsest must score above it.

        Returns:
            As :meth:`boxes`; each box has a score of one class.
        """
        corners, likely = [], []
        for level, (scores, deltas, anchors, kept) in enumerate(map(self._enough, found)):
            best, pairs = core.topk(F.sigmoid(scores).flatten(1), kept, axis=1)
            if level + 1 < len(found):
                best = core.where(best > score_threshold, best, core.zeros_like(best))
            rows = pairs // self.num_classes
            chosen = core.gather(anchors, rows.flatten()).reshape([-1, kept, 4])
            corners.append(from_deltas(chosen, pick(deltas, rows), (1.0, 1.0, 1.0, 1.0)))
            likely.append(best.unsqueeze(-1) * F.one_hot(pairs % self.num_classes, self.num_classes))
        return core.concat(corners, 1), core.concat(likely, 1)

    def _enough(self, level: tuple[Any, Any, Any]) -> tuple[Any, Any, Any, int]:
        """Return a level with at least as many anchors as are looked at, and how many these are."""
        (scores, deltas, anchors), kept = level, self.nms_pre
        if isinstance(scores.shape[1], int):
            return scores, deltas, anchors, min(kept, scores.shape[1])
        images = scores.shape[0]  # of any size: as many rows that score nothing as may be missing
        scores = core.concat([scores, core.full([images, kept, self.num_classes], -1e9)], 1)
        deltas = core.concat([deltas, core.zeros([images, kept, 4])], 1)
        return scores, deltas, core.concat([anchors, core.ones([kept, 4])], 0), kept
