"""How alike two texts are, learned from triples: a text that fits a query is to be nearer than one that does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column
from PaddleNLP.evaluators.similarity import SimilarityEvaluator
from PaddleNLP.tasks.choices import StackedTask

TRIPLE, PAIR = ("text", "positive", "negative"), ("text", "text_pair")


class Similarity(StackedTask):
    """Trains a network by pairs of candidates for a query; it is judged on pairs that fit or do not.

    data.train has triples, the other splits pairs of two classes, of which the second one means that they fit.

    Args:
        config: the experiment.
        threshold: from which cosine on two texts count as alike.
        monitor: the number by which the best checkpoint is chosen.
    """

    numbers = ("auc", "accuracy", "best_accuracy", "best_threshold")
    head = "similarity"
    reader = "similarity"
    answers = "numbers"
    inputs = (None, 2, None)
    labelled = False

    def __init__(self, config: LanguageConfig, threshold: float = 0.5, monitor: str = "auc") -> None:
        super().__init__(config)
        if not -1 < threshold < 1:
            raise ValueError(f"task.threshold is a cosine, between -1 and 1, not {threshold}")
        self.threshold = threshold
        self.monitor = monitor

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse training data without triples, and other data without pairs of two classes."""
        columns = getattr(dataset, "columns", ())
        if split == "train" and "negative" not in columns:
            message = "dataset.name: TriplesDataset reads some, TriplesOfPairs makes some"
            raise ValueError(f"data.train has no triples; {message}")
        if split != "train" and ("text_pair" not in columns or len(dataset.labels) != 2):
            raise ValueError(f"data.{split} must have pairs of texts of two classes, such as LCQMC's")

    def rows(self, samples: Sequence[Mapping[str, Any]]) -> tuple[list[str], Optional[list[str]], list[int]]:
        """Return the three texts of each triple, or both of each pair."""
        names = TRIPLE if "negative" in samples[0] else PAIR
        return [sample[name] for sample in samples for name in names], None, [len(names)] * len(samples)

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids of some triples, or ids and labels of some pairs."""
        samples = [dataset[number] for number in part]
        columns = self.stacked_ids(samples)
        if "negative" in samples[0]:
            return columns
        if "label" not in samples[0]:
            raise ValueError(f"data.{split} has no labels: infer.py predicts them")
        labels = [dataset.labels.index(sample["label"]) for sample in samples]
        return {**columns, "label": np.array(labels, np.int64)}

    def loss_of(self, scores: Any, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the hinge loss of a batch, and how often the text that fits is nearer."""
        nearer = core.cast(scores[:, 0] > scores[:, 1], "float32").mean()
        return self.network.loss(scores), {"nearer": nearer}

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return the cosines, (N, 1)."""
        return [self.forward(fields)]

    def evaluator(self, split: str) -> SimilarityEvaluator:
        """Return an empty evaluator."""
        return SimilarityEvaluator(self.threshold)

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: the threshold, too."""
        return {"threshold": self.threshold}
