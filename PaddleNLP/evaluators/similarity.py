"""What an evaluation gathers of how alike pairs of texts are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from core.train.logs.result_file import ResultFile
from PaddleNLP.evaluators.numbers import GatheredEvaluator


class SimilarityEvaluator(GatheredEvaluator):
    """Whether pairs that fit are more alike than others.

    Args:
        threshold: from which number on two texts count as alike.
    """

    def __init__(self, threshold: float) -> None:
        super().__init__()
        self.threshold = threshold

    def result(self) -> dict[str, float]:
        """Return "auc", "accuracy" at the threshold, and "best_accuracy", that at the best threshold here."""
        if not self._batches:
            return {}
        scores, labels = self._scores()
        found = {"accuracy": float(((scores >= self.threshold) == labels).mean())}
        found["best_accuracy"] = best_threshold(scores, labels)[1]
        if 0 < labels.sum() < len(labels):
            found["auc"] = float(roc_auc_score(labels, scores))
        return found

    def details(self) -> dict[str, Any]:
        """Return the threshold by which most pairs would be right here."""
        return {"best_threshold": best_threshold(*self._scores())[0]}

    def lines(self) -> list[str]:
        """Say which threshold would be best here."""
        best, accuracy = best_threshold(*self._scores())
        return [f"task.threshold {self.threshold:g}; best here {best:.4f}, with accuracy {accuracy:.4f}"]

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each pair its number, whether it fits, and the cosine."""
        scores, labels = self._scores()
        file = ResultFile("predictions.jsonl")
        for number, label, score in zip(self.gathered()[2].tolist(), labels.tolist(), scores.tolist()):
            file.append({"index": number, "label": int(label), "score": round(score, 6)})
        return [file.write(folder)]

    def _scores(self) -> tuple[np.ndarray, np.ndarray]:
        scores, labels, _ = self.gathered()
        return scores.reshape(-1).astype(np.float64), labels == 1


def best_threshold(scores: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Return the number from which on pairs count as alike so that most are right, and the share that is right.

    Args:
        scores: of each pair, float64 (N,).
        labels: whether it fits, bool (N,).
    """
    order = np.argsort(-scores, kind="stable")
    ranked, right = scores[order], labels[order]
    counts = np.concatenate([[0], np.cumsum(right)]) + np.concatenate([np.cumsum(~right[::-1])[::-1], [0]])
    whole = np.concatenate([[True], np.diff(ranked) != 0, [True]])  # equal scores fall on one side
    best = int(np.flatnonzero(whole)[counts[whole].argmax()])
    edges = np.concatenate([[ranked[0] + 1], ranked])
    return float(edges[best]), float(counts[best] / len(scores))
