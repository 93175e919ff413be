"""Labels of videos, of which a video may have several, from features of its frames: training and evaluation."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import core
from core.jit.input_spec import InputSpec
from core.train.logs.result_file import ResultFile
from core.train.runner.task import Program, Suggestion, ToolkitTask
from core.train.task import Evaluator, Phase
from PaddleVideo.data.youtube8m import FeatureDataset
from PaddleVideo.metrics.tagging import (
    best_labels,
    global_average_precision,
    hits_at_one,
    precisions_at_equal_recall,
)
from PaddleVideo.models.registry import NETWORKS
from PaddleVideo.models.youtube8m import FeatureClassifier


class TaggingEvaluator(Evaluator):
    """Hit@1, PERR and GAP@20 over all videos of a split."""

    def __init__(self) -> None:
        self._hits: list[np.ndarray] = []
        self._precisions: list[np.ndarray] = []
        self._scores: list[np.ndarray] = []
        self._right: list[np.ndarray] = []
        self._positives = 0
        self._rows = ResultFile("predictions.jsonl")

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in a batch's probabilities, (N, C), and its labels, the batch's fourth field."""
        probabilities, labels = outputs[0], batch[3].numpy()
        self._hits.append(hits_at_one(probabilities, labels))
        self._precisions.append(precisions_at_equal_recall(probabilities, labels))
        scores, right = best_labels(probabilities, labels)
        self._scores.append(scores)
        self._right.append(right)
        self._positives += int((labels > 0).sum())
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, : scores.shape[1]]
        for best, values in zip(order, scores):
            self._rows.append({"index": len(self._rows), "labels": best, "scores": np.round(values, 6)})

    def result(self) -> dict[str, float]:
        """Return "hit_at_one", "perr" and "gap"."""
        if not self._hits:
            return {"hit_at_one": 0.0, "perr": 0.0, "gap": 0.0}
        scores, right = (np.concatenate([rows.ravel() for rows in parts]) for parts in (self._scores, self._right))
        return {
            "hit_at_one": float(np.concatenate(self._hits).mean()),
            "perr": float(np.concatenate(self._precisions).mean()),
            "gap": global_average_precision(scores, right, self._positives),
        }

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: the best labels of each video, and their scores."""
        return [self._rows.write(folder)]


class TaggingTask(ToolkitTask):
    """Trains a network to tell what videos are about.

    Args:
        config: the experiment, a :class:`PaddleVideo.config.VideoConfig`; the network says what its loss is.

    Raises:
        ValueError: the network is of another kind.
    """

    numbers = ("hit_at_one", "perr", "gap")
    monitor = "gap"

    @functools.cached_property
    def network(self) -> Any:
        """The network that is trained."""
        network = NETWORKS.build(self.config.network)
        if not isinstance(network, FeatureClassifier):
            name = self.config.network.name
            raise ValueError(f"task Tagging takes a network of features, such as nextvlad, not {name}")
        return network

    @functools.cached_property
    def networks(self) -> dict[str, Any]:  # type: ignore[override]  # an attribute that is made on first use
        """The same under the name that it has in checkpoints."""
        return {"model": self.network}

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data of another kind, with other labels or features than the network, before a run begins."""
        if not isinstance(dataset, FeatureDataset):
            kind = type(dataset).__name__
            raise ValueError(f"data.{split}: task Tagging takes features, such as those of YouTube8M, not {kind}")
        if dataset.class_num != self.network.class_num:
            raise ValueError(
                f"data.{split} has {dataset.class_num} labels, but network.class_num is {self.network.class_num}"
            )
        if tuple(dataset.feature_dims) != tuple(self.network.feature_dims):
            raise ValueError(
                f"data.{split} has features {list(dataset.feature_dims)}, but network.feature_dims is "
                f"{list(self.network.feature_dims)}"
            )
        try:
            dataset[0]
        except (OSError, ValueError) as error:
            raise ValueError(f"data.{split}, first video: {error}") from None

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the one phase: the loss over the whole network."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, rgb: Any, audio: Any, frames: Any, labels: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and how often the best label is right.

        Args:
            rgb: features of the pictures, (N, T, D).
            audio: of the sound, (N, T, D').
            frames: how many each video has, int64 (N,).
            labels: float32 (N, C).
        """
        logits = self.network(rgb, audio, frames)
        best = core.argmax(logits, axis=-1, keepdim=True)
        hits = core.take_along_axis(labels, best, axis=1)
        return self.network.loss(logits, labels), {"hit_at_one": hits.mean()}

    def predict(self, rgb: Any, audio: Any, frames: Any, labels: Any = None) -> Sequence[Any]:
        """Return the probabilities, (N, C)."""
        return [core.nn.functional.sigmoid(self.network(rgb, audio, frames))]

    def evaluator(self, split: str) -> TaggingEvaluator:
        """Return an empty evaluator."""
        return TaggingEvaluator()

    def facts(self) -> list[str]:
        """Return how many videos there are."""
        (line,) = super().facts()
        return [f"{line} videos"]

    def suggestions(self) -> list[Suggestion]:
        """Return nothing more: features are no files to look at."""
        return []

    def program(self) -> Program:
        """Return the network for any number of videos, with features as its data has them."""
        split = (self.config.data.names)[-1]
        rgb, audio, *_ = self.dataset(split)[0]
        specs = [InputSpec([None, *part.shape], str(part.dtype)) for part in (rgb, audio)]
        text = f"{rgb.dtype} features [any, {rgb.shape[0]}, {rgb.shape[1]} and {audio.shape[1]}] to logits"
        return Program(self.network, [*specs, InputSpec([None], "int64")], text)
