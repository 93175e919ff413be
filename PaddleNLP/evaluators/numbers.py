"""What an evaluation gathers of predicted numbers, and of several labels a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import f1_score, precision_recall_curve, roc_auc_score

from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator


class GatheredEvaluator(Evaluator):
    """Keeps the network's results, the labels and the samples' numbers."""

    def __init__(self) -> None:
        self._batches: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in a batch's results, (N, classes), its "label" and "index"."""
        self._batches.append((outputs[0], batch["label"].numpy(), batch["index"].numpy()))

    def gathered(self) -> list[np.ndarray]:
        """Return results, labels and numbers of all samples."""
        return [np.concatenate(parts) for parts in zip(*self._batches)]


class RegressionEvaluator(GatheredEvaluator):
    """Correlation and error of predicted numbers."""

    def result(self) -> dict[str, float]:
        """Return "pearson", "spearman" and "mse"; correlations of what never varies are 0."""
        if not self._batches:
            return {}
        values, labels, _ = self.gathered()
        values = values.reshape(-1).astype(np.float64)
        found = {"pearson": 0.0, "spearman": 0.0, "mse": float(((values - labels) ** 2).mean())}
        if len(labels) > 1 and np.ptp(values) > 0 and np.ptp(labels) > 0:
            found["pearson"] = float(pearsonr(values, labels)[0])
            found["spearman"] = float(spearmanr(values, labels)[0])
        return found

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each sample its number, the true value and the predicted one."""
        file = ResultFile("predictions.jsonl")
        for value, label, number in zip(*(column.reshape(-1).tolist() for column in self.gathered())):
            file.append({"index": number, "label": label, "predicted": round(value, 6)})
        return [file.write(folder)]


class MultiLabelEvaluator(GatheredEvaluator):
    """F1 and AUC of labels that are given independently.

    Args:
        class_names: the labels, in order.
        thresholds: the probability from which each counts as given.
    """

    def __init__(self, class_names: Sequence[str], thresholds: Sequence[float]) -> None:
        super().__init__()
        self.class_names = list(class_names)
        self.thresholds = np.asarray(thresholds, np.float64)

    def result(self) -> dict[str, float]:
        """Return "micro_f1", "macro_f1", "exact" (all labels of a text right), and "auc", the mean over the labels."""
        if not self._batches:
            return {}
        shares, labels = self._shares()
        given = shares >= self.thresholds
        found = {
            "micro_f1": float(f1_score(labels, given, average="micro", zero_division=0)),
            "macro_f1": float(f1_score(labels, given, average="macro", zero_division=0)),
            "exact": float((given == labels).all(axis=1).mean()),
        }
        both = [(mark, share) for mark, share in zip(labels.T, shares.T) if 0 < mark.sum() < len(mark)]
        areas = [float(roc_auc_score(mark, share)) for mark, share in both]
        return {**found, **({"auc": float(np.mean(areas))} if areas else {})}

    def details(self) -> dict[str, Any]:
        """Return the F1 of each label, and the threshold by which it would be best here."""
        shares, labels = self._shares()
        scores = f1_score(labels, shares >= self.thresholds, average=None, zero_division=0)
        best = [_best_threshold(mark, share) for mark, share in zip(labels.T, shares.T)]
        return {
            "f1_of_classes": dict(zip(self.class_names, scores.tolist())),
            "best_thresholds": dict(zip(self.class_names, best)),
        }

    def lines(self) -> list[str]:
        """Say of each label its F1, and the threshold by which it would be best here."""
        details = self.details()
        return [
            f"{name}: F1 {score:.4f} at {threshold:.2f}; best here at {details['best_thresholds'][name]:.2f}"
            for (name, score), threshold in zip(details["f1_of_classes"].items(), self.thresholds.tolist())
        ]

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each sample its number, the true labels, and each label's probability."""
        shares, labels = self._shares()
        file = ResultFile("predictions.jsonl")
        for number, mark, row in zip(self.gathered()[2].tolist(), labels, shares):
            true = [name for name, holds in zip(self.class_names, mark) if holds]
            scores = {name: round(float(share), 6) for name, share in zip(self.class_names, row)}
            file.append({"index": number, "labels": true, "probabilities": scores})
        return [file.write(folder)]

    def _shares(self) -> tuple[np.ndarray, np.ndarray]:
        logits, labels, _ = self.gathered()
        return sigmoid(logits), labels > 0.5


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """Return the probability of each logit, float64."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits.astype(np.float64), -60, 60))))


def _best_threshold(labels: np.ndarray, shares: np.ndarray) -> float:
    """Return the threshold of the largest F1; 0.5 where the label never holds."""
    if not labels.any():
        return 0.5
    precision, recall, thresholds = precision_recall_curve(labels, shares)
    scores = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return float(thresholds[int(scores[:-1].argmax())])
