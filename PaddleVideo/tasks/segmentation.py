"""Naming the action of every step of long videos: MS-TCN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import core
from core.io import Collate, Pad
from PaddleVideo.data.intervals.dataset import BACKGROUND, FeatureVideos
from PaddleVideo.data.intervals.targets import StepTargets
from PaddleVideo.localization.steps import SegmentationSteps, Steps
from PaddleVideo.metrics.segmentation import SegmentationScores
from PaddleVideo.models.ms_tcn import IGNORED
from PaddleVideo.tasks.intervals import IntervalEvaluator, IntervalTask


class SegmentationEvaluator(IntervalEvaluator):
    """Accuracy of steps, edit score, and F1 of segments."""

    def __init__(self, videos: Any, class_names: Sequence[str], steps: Steps) -> None:
        super().__init__(videos, class_names, steps)
        self.metric = SegmentationScores([0] if list(class_names[:1]) == [BACKGROUND] else [])

    def judge(self, index: int, found: Any) -> np.ndarray:
        """Add a video to the metric."""
        _, answer = found
        self.metric.update(answer, self.videos.labels(index, len(answer)))
        return self.steps.truth(self.videos, index, len(answer))

    def rows(self, found: Any) -> np.ndarray:
        """Return the segments."""
        return np.asarray(found[0])

    def result(self) -> dict[str, float]:
        """Return "accuracy", "edit", "F1@10", "F1@25" and "F1@50", in percent."""
        return self.metric.accumulate()


class SegmentationTask(IntervalTask):
    """Trains a network that says the class of each step. Videos of a batch are padded, which changes no answer.

    Args:
        config: the experiment.
        multiple: to a multiple of so many steps, so that few lengths are compiled.
    """

    takes = ("MSTCN", "ms_tcn")
    data = (FeatureVideos, "SegmentedFeatures")
    numbers = ("accuracy", "edit", "F1@10", "F1@25", "F1@50")
    monitor = "accuracy"

    def __init__(self, config: Any, multiple: int = 64) -> None:
        super().__init__(config)
        if multiple < 1:
            raise ValueError(f"task.multiple must be at least 1, not {multiple}")
        self.multiple = multiple

    @property
    def steps(self) -> SegmentationSteps:
        """What surrounds the network."""
        return SegmentationSteps(self.network.feature_dim)

    def names(self, videos: Any) -> Sequence[str]:
        """Return the classes of steps."""
        found: Sequence[str] = videos.step_classes
        return found

    def targets(self, split: str, videos: Any) -> StepTargets:
        """Return features and classes of the steps."""
        return StepTargets(videos)

    def collate(self, split: str) -> Collate:
        """Return what makes a batch of videos of different lengths."""
        fields = {0: Pad(None, "steps", mask=False), 1: Pad("steps", value=IGNORED, mask=False)}
        return Collate(fields, {"steps": self.multiple})

    def loss(self, features: Any, labels: Any, counts: Any, index: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and the share of steps that the last stage is right about.

        Args:
            features: float32 (N, D, T).
            labels: int64 (N, T).
            counts: how many steps each video has, int64 (N,).
            index: not read.
        """
        logits = self.network(features, counts)
        hits = core.equal(core.argmax(logits[-1], axis=1), labels).astype("float32").sum()
        return self.network.loss(logits, labels, counts), {"accuracy": hits / counts.sum().astype("float32")}

    def predict(self, features: Any, labels: Any, counts: Any, index: Any) -> Sequence[Any]:
        """Return the logits of the last stage, (N, classes, T)."""
        return [self.network(features, counts)[-1]]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        """Return the segments and the classes of the steps of each video of a batch."""
        answers = []
        for row, count in enumerate(batch[2].numpy().tolist()):
            logits = outputs[0][row, :, :count]
            duration = self._videos.duration(int(batch[3].numpy()[row]))
            answers.append((self.steps.found([logits[None]], duration), logits.argmax(axis=0)))
        return answers

    def judge(self, videos: Any) -> SegmentationEvaluator:
        """Return an empty evaluator."""
        return SegmentationEvaluator(videos, list(self.class_names or []), self.steps)
