"""Metrics of two-class predictions: precision, recall, and the area under the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.metric.metric import Metric, as_array


class _BinaryCounts(Metric):
    """Counts of what was predicted positive at a threshold of one half, against what is positive."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.reset()

    def reset(self) -> None:
        """Forget everything gathered so far."""
        self.tp = self.fp = self.fn = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Take in one batch.

        Args:
            preds: the probability of the positive class, shape (N,) or (N, 1).
            labels: zeros and ones, as many.

        Raises:
            ValueError: the two differ in size.
        """
        scores, truth = as_array(preds), as_array(labels).reshape(-1)
        if scores.size != truth.size:
            raise ValueError(f"{type(self).__name__}: {scores.size} predictions do not fit {truth.size} labels")
        chosen = np.floor(scores.reshape(-1) + 0.5) == 1
        self.tp += int((chosen & (truth == 1)).sum())
        self.fp += int((chosen & (truth != 1)).sum())
        self.fn += int((~chosen & (truth == 1)).sum())

    def name(self) -> str:
        """Return the metric's name."""
        return self._name


class Precision(_BinaryCounts):
    """The share of right ones among the samples that were predicted positive.

    Args:
        name: the metric's name.
    """

    def __init__(self, name: str = "precision") -> None:
        super().__init__(name)

    def accumulate(self) -> float:
        """Return the precision since the last reset; 0.0 when nothing was predicted positive."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0


class Recall(_BinaryCounts):
    """The share of the positive samples that was predicted positive.

    Args:
        name: the metric's name.
    """

    def __init__(self, name: str = "recall") -> None:
        super().__init__(name)

    def accumulate(self) -> float:
        """Return the recall since the last reset; 0.0 when nothing was positive."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0


class Auc(Metric):
    """The area under the ROC curve of two-class predictions, from a histogram of the scores.

    Args:
        curve: only "ROC".
        num_thresholds: how finely scores in [0, 1] are told apart.
        name: the metric's name.

    Raises:
        ValueError: ``curve`` is another one, or ``num_thresholds`` is not positive.
    """

    def __init__(self, curve: str = "ROC", num_thresholds: int = 4095, name: str = "auc") -> None:
        if curve != "ROC":
            raise ValueError(f"Auc: curve must be 'ROC', not {curve!r}")
        if not isinstance(num_thresholds, int) or num_thresholds < 1:
            raise ValueError(f"Auc: num_thresholds must be a positive integer, not {num_thresholds!r}")
        self.num_thresholds = num_thresholds
        self._name = name
        self.reset()

    def reset(self) -> None:
        """Forget everything gathered so far."""
        self.positives = np.zeros(self.num_thresholds + 1, dtype=np.int64)
        self.negatives = np.zeros(self.num_thresholds + 1, dtype=np.int64)

    def update(self, preds: Any, labels: Any) -> None:
        """Take in one batch.

        Args:
            preds: probabilities of both classes, shape (N, 2); the second column counts.
            labels: zeros and ones, shape (N,) or (N, 1).

        Raises:
            ValueError: the shapes do not fit, or a probability is outside [0, 1].
        """
        scores, truth = as_array(preds), as_array(labels).reshape(-1)
        if scores.ndim != 2 or scores.shape[1] != 2 or scores.shape[0] != truth.size:
            raise ValueError(
                f"Auc: predictions must have shape ({truth.size}, 2) for {truth.size} labels, not {scores.shape}"
            )
        chances = scores[:, 1]
        if not ((chances >= 0) & (chances <= 1)).all():
            raise ValueError("Auc: probabilities must lie between 0 and 1; apply softmax first")
        bins = (chances * self.num_thresholds).astype(np.int64)
        length = self.num_thresholds + 1
        self.positives += np.bincount(bins[truth != 0], minlength=length)
        self.negatives += np.bincount(bins[truth == 0], minlength=length)

    def accumulate(self) -> float:
        """Return the area since the last reset; 0.0 when only one class, or nothing, came in."""
        positives = int(self.positives.sum())
        negatives = int(self.negatives.sum())
        if not positives or not negatives:
            return 0.0
        above = np.cumsum(self.positives[::-1])[::-1] - self.positives  # positives scored higher than a bin
        return float((self.negatives * (above + self.positives / 2)).sum() / positives / negatives)

    def name(self) -> str:
        """Return the metric's name."""
        return self._name
