"""Finding when anything happens in long videos: BMN and BSN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from PaddleVideo.data.intervals.targets import ProposalTargets
from PaddleVideo.localization.steps import ProposalSteps, Steps
from PaddleVideo.metrics.proposals import AverageRecall
from PaddleVideo.tasks.intervals import IntervalEvaluator, IntervalTask

BSN_SUPPRESSION = {"alpha": 0.75, "low": 0.65}
"""Of BSN's release; others are BMN's."""


class ProposalEvaluator(IntervalEvaluator):
    """ActivityNet's average recall at an average number of proposals."""

    def __init__(self, videos: Any, class_names: Sequence[str], steps: Steps) -> None:
        super().__init__(videos, class_names, steps)
        self.metric = AverageRecall()

    def judge(self, index: int, found: Any) -> np.ndarray:
        """Add a video to the metric."""
        truth = self.steps.truth(self.videos, index, 0)
        self.metric.update(found[:, [2, 3, 1]], truth[:, 1:])
        return truth

    def result(self) -> dict[str, float]:
        """Return "AR@1", "AR@5", "AR@10" and "AR@100", from 0 to 1, and "AUC" in percent."""
        return self.metric.accumulate()


class ProposalTask(IntervalTask):
    """Trains a network that scores intervals, whatever happens in them.

    Args:
        config: the experiment.
        keep: how many intervals a video has at most.
    """

    takes = ("BMN BSN", "bmn")
    numbers = ("AR@1", "AR@5", "AR@10", "AR@100", "AUC")
    monitor = "AUC"

    def __init__(self, config: Any, keep: int = 100) -> None:
        super().__init__(config)
        self.keep = keep

    @property
    def steps(self) -> ProposalSteps:
        """What surrounds the network."""
        suppression = BSN_SUPPRESSION if self._is_bsn else {}
        return ProposalSteps(self.network.feat_dim, self.network.tscale, self.keep, **suppression)

    @property
    def _is_bsn(self) -> bool:
        return type(self.network).__name__ == "BSN"

    def names(self, videos: Any) -> Sequence[str]:
        """Return the one class."""
        return ["action"]

    def targets(self, split: str, videos: Any) -> ProposalTargets:
        """Return features, and what the network's loss compares with."""
        return ProposalTargets(videos, self.network.tscale, self.network.dscale, self._is_bsn)

    def loss(self, features: Any, *truth: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch.

        Args:
            features: float32 (N, feat_dim, tscale).
            truth: what the network's loss compares with, and the videos' numbers, which are not read.
        """
        return self.network.loss(*self.network(features), *truth[:-1]), {}

    def judge(self, videos: Any) -> ProposalEvaluator:
        """Return an empty evaluator."""
        return ProposalEvaluator(videos, list(self.class_names or []), self.steps)
