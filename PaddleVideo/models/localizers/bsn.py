"""BSN: finds where actions may begin and end, and judges the intervals between by how likely there is action in them.

Paper: Lin et al., "BSN: boundary sensitive network for temporal action proposal generation", ECCV 2018,
https://arxiv.org/abs/1806.02964.
PaddlePaddle's models 1.8 has it as two programs, which are trained one after the other, with files between them. Here
it is one network, trained as one: what the second program reads of an interval are sums of the first one's scores,
which a matrix product gives for all intervals at once, and no gradient flows back through them. The second program of
1.8 leaves its hidden layer out by mistake; here it is in, as in the paper. 1.8 judges the 1,000 intervals with the
likeliest boundaries, in training 500; here all are. Parameter names are this project's own; files of 1.8 do not fit.
What becomes of the scores is in proposals.py.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.base import VideoNetwork, along_time
from PaddleVideo.models.localizers.bmn import intervals
from PaddleVideo.models.localizers.bmn_loss import boundary_loss, regression_loss

REGIONS = (16, 8, 8)
"""Samples of the interval itself, around its begin, and around its end: BSN's feature of an interval."""

PLACES = 4
"""A sample is the mean of the scores at so many places, from half-way to the sample before to half-way to the next."""

BOUNDARY = 0.25
"""How much of an interval's length the regions around its begin and end reach to both sides."""

SLOPE = 0.1
"""By which what enters a nonlinearity is multiplied."""

LARGE, SMALL, SMALL_SHARE = 0.6, 0.2, 2.0
"""Overlaps above which and up to which intervals are large and small, and how many small ones there are for a large."""


def feature_weights(tscale: int, dscale: int) -> np.ndarray:
    """Return how much the action score of each step counts in each sample of each interval, float32 (32, tscale, K).

    Scores are those of the middles of their steps, interpolated linearly; beyond the video's ends they are 0.

    Args:
        tscale: steps of a video.
        dscale: longest duration.
    """
    starts, durations = intervals(tscale, dscale)
    first, last = starts.astype(np.float64), starts + durations + 1.0
    reach = BOUNDARY * (last - first)
    spans = ((first, last), (first - reach, first + reach), (last - reach, last + reach))
    weights, column, row = np.zeros((sum(REGIONS), tscale, len(starts))), np.arange(len(starts)), 0
    for (low, high), samples in zip(spans, REGIONS):
        distance = (high - low) / (samples - 1)
        for sample in range(samples):
            for part in np.linspace(-0.5, 0.5, PLACES):
                place = low + distance * (sample + part) - 0.5  # as the number of a step
                lower = np.floor(place)
                for index, share in ((lower, lower + 1.0 - place), (lower + 1.0, place - lower)):
                    valid = (index >= 0) & (index < tscale)
                    at = (row, index[valid].astype(np.int64), column[valid])
                    np.add.at(weights, at, share[valid] / PLACES)
            row += 1
    return weights.astype(np.float32)


class BSN(VideoNetwork):
    """Features of a video to scores of intervals, all between 0 and 1.

    Args:
        tscale: steps of a video; longer and shorter ones are resampled to it.
        dscale: longest duration, steps.
        feat_dim: features of a step.
        hidden_dim: channels of the layers along time.
        interval_dim: channels of the layer that judges intervals.

    Raises:
        ValueError: a number is not positive, or a duration is longer than the video.
    """

    def __init__(
        self,
        tscale: int = 100,
        dscale: int = 100,
        feat_dim: int = 400,
        hidden_dim: int = 256,
        interval_dim: int = 256,
    ) -> None:
        super().__init__()
        positive_numbers("BSN", tscale=tscale, dscale=dscale, feat_dim=feat_dim)
        positive_numbers("BSN", hidden_dim=hidden_dim, interval_dim=interval_dim)
        if dscale > tscale:
            raise ValueError(f"BSN: dscale {dscale} is longer than a video, tscale {tscale}")
        self.feat_dim, self.tscale, self.dscale = feat_dim, tscale, dscale
        self.base1, self.base2 = along_time(feat_dim, hidden_dim, 3), along_time(hidden_dim, hidden_dim, 3)
        self.boundaries = along_time(hidden_dim, 3, 1)
        self.hidden, self.judge = nn.Linear(sum(REGIONS), interval_dim), nn.Linear(interval_dim, 1)
        weights = feature_weights(tscale, dscale)
        self.register_buffer("weights", core.to_tensor(weights.transpose(1, 2, 0).reshape(tscale, -1)), False)
        starts, durations = intervals(tscale, dscale)
        places = np.full((dscale, tscale), len(starts), np.int64)  # the last column is of no interval
        places[durations, starts] = np.arange(len(starts))
        within = durations * tscale + starts
        for name, numbers in (("places", places.ravel()), ("within", within), ("starts", starts)):
            self.register_buffer(name, core.to_tensor(numbers), persistable=False)
        self.register_buffer("lasts", core.to_tensor(starts + durations), persistable=False)

    def forward(self, features: Any) -> tuple[Any, Any, Any, Any]:
        """Return what is found.

        Args:
            features: float32 (N, feat_dim, tscale).

        Returns:
            Maps (N, 1, dscale, tscale): of the interval of d + 1 steps that begins with step t its overlap with an
            action; and how likely an action begins, ends, and goes on at a step, (N, tscale) each.

        Raises:
            ValueError: the features have another size.
        """
        if list(features.shape[1:]) != [self.feat_dim, self.tscale]:
            raise ValueError(f"BSN takes features (N, {self.feat_dim}, {self.tscale}), not {list(features.shape)}")
        x = F.relu(self.base2(F.relu(self.base1(features))))
        scores = F.sigmoid(self.boundaries(x))
        action = scores[:, 2]
        read = core.matmul(action.detach(), self.weights).reshape([features.shape[0], -1, sum(REGIONS)])
        found = F.sigmoid(SLOPE * self.judge(F.relu(SLOPE * self.hidden(read)))).squeeze(2)
        found = core.concat([found, core.zeros_like(found[:, :1])], axis=1)
        maps = core.index_select(found, self.places, axis=1).reshape([-1, 1, self.dscale, self.tscale])
        return maps, scores[:, 0], scores[:, 1], action

    def candidates(self, starts: Any, ends: Any) -> Any:
        """Return which intervals lie between steps where an action may begin and end, float (N, K).

        Args:
            starts: of begins, (N, tscale).
            ends: of ends, (N, tscale).
        """
        begins, finishes = _possible(starts), _possible(ends)
        first, last = core.zeros_like(begins), core.zeros_like(finishes)
        first[:, 0], last[:, -1] = 1.0, 1.0
        begins, finishes = core.maximum(begins, first), core.maximum(finishes, last)
        return core.index_select(begins, self.starts, axis=1) * core.index_select(finishes, self.lasts, axis=1)

    def loss(
        self,
        maps: Any,
        starts: Any,
        ends: Any,
        actions: Any,
        overlaps: Any,
        begins: Any,
        finishes: Any,
        inside: Any,
        draws: Optional[Any] = None,
    ) -> Any:
        """Return the loss, 0-D: of begins, ends and actions, and of the overlaps of the intervals between boundaries.

        Args:
            maps: what the network says of intervals, (N, 1, dscale, tscale).
            starts: of begins, (N, tscale).
            ends: of ends, (N, tscale).
            actions: of actions, (N, tscale).
            overlaps: of each interval the greatest intersection over union with an action, (N, dscale, tscale).
            begins: how far each step is within the begin of an action, (N, tscale).
            finishes: likewise of the end.
            inside: likewise of the action.
            draws: numbers from 0 to 1 by which intervals with little overlap are sampled, (2, N, K); None: drawn.
        """
        with core.no_grad():
            kept = self.candidates(starts, ends)
        wanted = core.index_select(overlaps.flatten(1), self.within, axis=1) * kept
        found = core.index_select(maps.flatten(1), self.within, axis=1)
        draws = core.rand([2, *wanted.shape], maps.dtype) if draws is None else draws
        boundaries = boundary_loss(starts, begins) + boundary_loss(ends, finishes) + boundary_loss(actions, inside)
        return boundaries + regression_loss(found, wanted, kept, draws, LARGE, SMALL, SMALL_SHARE, True)


def _possible(scores: Any) -> Any:
    """Return where an action may begin or end, float (N, T); boundary_steps in proposals.py says the same in NumPy."""
    nothing = core.zeros_like(scores[:, :1])
    before, after = core.concat([nothing, scores[:, :-1]], axis=1), core.concat([scores[:, 1:], nothing], axis=1)
    peak = core.logical_and(scores > before, scores > after)
    return core.logical_or(scores > 0.5 * scores.max(1, keepdim=True), peak).astype(scores.dtype)


def bsn(**settings: Any) -> BSN:
    """Return a BSN; settings as of :class:`BSN`."""
    return BSN(**settings)
