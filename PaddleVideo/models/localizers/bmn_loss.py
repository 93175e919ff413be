"""The loss of BMN: begins and ends, and of every interval its overlap with an action, as a number and as a class.

Paper: Lin et al., "BMN: boundary-matching network for temporal action proposal generation", ICCV 2019, section 4.2,
https://arxiv.org/abs/1907.09702. Thresholds and weights are those of PaddleVideo 2.3.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

import core
from core import nn

EPSILON = 1e-6


class BMNLoss(nn.Layer):
    """The sum of three losses: boundaries + 10 x overlaps + classes.

    Args:
        tscale: steps of a video.
        dscale: longest duration, steps.
    """

    def __init__(self, tscale: int, dscale: int) -> None:
        super().__init__()
        starts, durations = np.arange(tscale)[None], np.arange(dscale)[:, None]
        within = (starts + durations < tscale).astype(np.float32)
        self.register_buffer("within", core.to_tensor(within), persistable=False)

    def forward(
        self, maps: Any, starts: Any, ends: Any, overlaps: Any, begins: Any, finishes: Any, draws: Optional[Any] = None
    ) -> Any:
        """Return the loss, 0-D.

        Args:
            maps: what the network says of intervals, (N, 2, dscale, tscale).
            starts: of begins, (N, tscale).
            ends: of ends, (N, tscale).
            overlaps: of each interval the greatest intersection over union with an action, (N, dscale, tscale).
            begins: how far each step is within the begin of an action, (N, tscale).
            finishes: likewise of the end.
            draws: numbers from 0 to 1 by which intervals with little overlap are sampled, (2, dscale, tscale); None:
                drawn.
        """
        within = self.within.astype(maps.dtype)
        overlaps = overlaps * within
        draws = core.rand([2, *within.shape], maps.dtype) if draws is None else draws
        boundaries = boundary_loss(starts, begins) + boundary_loss(ends, finishes)
        regression = regression_loss(maps[:, 0], overlaps, within, draws)
        return boundaries + 10.0 * regression + classification_loss(maps[:, 1], overlaps, within)


def balanced(scores: Any, positives: Any, negatives: Any, count: Any) -> Any:
    """Return the mean cross-entropy of scores, weighed so that positives and negatives count alike.

    Args:
        scores: from 0 to 1.
        positives: 1.0 for what should score 1.
        negatives: 1.0 for what should score 0.
        count: how many there are of both.
    """
    number = positives.sum().clip(1.0)  # without positives the ratio is that of one
    ratio = count / number
    negative_weight = 0.5 * ratio / (ratio - 1.0).clip(EPSILON)
    found = 0.5 * ratio * (core.log(scores + EPSILON) * positives).sum()
    return -(found + negative_weight * (core.log(1.0 - scores + EPSILON) * negatives).sum()) / count


def boundary_loss(scores: Any, truth: Any) -> Any:
    """Return the loss of begins or of ends: the truth is more than 0.5 where there is one."""
    positives = (truth > 0.5).astype(scores.dtype)
    return balanced(scores, positives, 1.0 - positives, float(np.prod(positives.shape)))


def classification_loss(scores: Any, overlaps: Any, within: Any) -> Any:
    """Return the loss of classes: an interval is one of an action from an overlap of 0.9."""
    positives = (overlaps > 0.9).astype(scores.dtype)
    negatives = (overlaps <= 0.9).astype(scores.dtype) * within
    return balanced(scores, positives, negatives, positives.sum() + negatives.sum())


def regression_loss(
    scores: Any,
    overlaps: Any,
    within: Any,
    draws: Any,
    least_large: float = 0.7,
    most_small: float = 0.3,
    small_share: float = 1.0,
    strict: bool = False,
) -> Any:
    """Return half the mean squared error of overlaps, over about as many small and middle ones as large ones.

    Args:
        scores: what the network says, of any shape.
        overlaps: the truth; 0 where an interval does not count.
        within: 1.0 for the intervals that count.
        draws: numbers from 0 to 1 by which middle and small ones are drawn; with fewer axes one draw is for all videos.
        least_large: large are those above it.
        most_small: small are those up to it.
        small_share: how many small ones are drawn for a large one.
        strict: draw none that do not count; BMN's official code draws everything where the large ones outnumber others.
    """
    large = (overlaps > least_large).astype(scores.dtype)
    middle = core.logical_and(overlaps <= least_large, overlaps > most_small).astype(scores.dtype)
    small = core.logical_and(overlaps <= most_small, overlaps >= 0.0).astype(scores.dtype) * within
    weights = large
    for kind, draw, number in ((middle, draws[0], 1.0), (small, draws[1], small_share)):
        share = number * large.sum() / kind.sum().clip(1.0)
        drawn = (kind * draw > 1.0 - share).astype(scores.dtype)
        weights = weights + (drawn * within if strict else drawn)
    return 0.5 * (core.square(scores - overlaps) * weights).sum() / weights.sum().clip(1.0)
