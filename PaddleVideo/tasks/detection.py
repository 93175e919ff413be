"""Finding actions with their classes in long videos: C-TCN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from PaddleVideo.data.intervals.targets import DetectionTargets
from PaddleVideo.localization.steps import DetectionSteps, Steps
from PaddleVideo.metrics.detection import DetectionMAP
from PaddleVideo.tasks.intervals import IntervalEvaluator, IntervalTask

NUMBERS = ("mAP", "mAP@0.5", "mAP@0.75", "mAP@0.95")


class DetectionEvaluator(IntervalEvaluator):
    """ActivityNet's mean average precision."""

    def __init__(self, videos: Any, class_names: Sequence[str], steps: Steps) -> None:
        super().__init__(videos, class_names, steps)
        self.metric = DetectionMAP()

    def judge(self, index: int, found: Any) -> np.ndarray:
        """Add a video to the metric."""
        truth = self.steps.truth(self.videos, index, 0)
        self.metric.update(found, truth)
        return truth

    def result(self) -> dict[str, float]:
        """Return "mAP", the mean over overlaps from 0.5 to 0.95, and that of three overlaps alone."""
        found = self.metric.accumulate()
        return {name: found[name] for name in NUMBERS}


class DetectionTask(IntervalTask):
    """Trains a network that gives offsets and classes of anchors.

    Args:
        config: the experiment.
        augment: move actions to other places and cut parts out while training, as the published recipe does.
        keep: how many intervals a video has at most.
    """

    takes = ("CTCN", "ctcn")
    numbers = NUMBERS
    monitor = "mAP"

    def __init__(self, config: Any, augment: bool = False, keep: int = 200) -> None:
        super().__init__(config)
        self.augment = augment
        self.keep = keep

    @property
    def steps(self) -> DetectionSteps:
        """What surrounds the network."""
        return DetectionSteps(self.network.concepts, self.network.length, self.keep)

    def targets(self, split: str, videos: Any) -> DetectionTargets:
        """Return features, offsets and classes of anchors."""
        return DetectionTargets(videos, self.network.length, self.augment and split == "train")

    def loss(self, features: Any, offsets: Any, classes: Any, index: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch.

        Args:
            features: float32 (N, 1, length, concepts).
            offsets: of the anchors, (N, K, 2).
            classes: of the anchors, int64 (N, K).
            index: not read.
        """
        return self.network.loss(*self.network(features), offsets, classes), {}

    def judge(self, videos: Any) -> DetectionEvaluator:
        """Return an empty evaluator."""
        return DetectionEvaluator(videos, list(self.class_names or []), self.steps)
