"""How labels of videos are judged, where a video has several: Hit@1, PERR and GAP@20, as YouTube-8M defines them.

Abu-El-Haija et al., "YouTube-8M: a large-scale video classification benchmark", 2016, https://arxiv.org/abs/1609.08675.
"""

from __future__ import annotations

import numpy as np

MOST = 20
"""How many labels of each video GAP looks at."""


def hits_at_one(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return for each video whether the best label is one of its labels, (N,).

    Args:
        scores: of the labels, (N, C).
        labels: which ones a video has, (N, C), 1 or 0.
    """
    best = scores.argmax(axis=1)
    return labels[np.arange(len(labels)), best] > 0


def precisions_at_equal_recall(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return for each video which share of its best labels it has, as many of them as it has labels, (N,).

    Labels with a score of 0 or less are not counted, as in the official code; a video without labels gives 0.

    Args:
        scores: of the labels, (N, C), as probabilities.
        labels: which ones a video has, (N, C), 1 or 0.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    count = (labels > 0).sum(axis=1)
    ranked = np.take_along_axis((labels > 0) & (scores > 0), order, axis=1)
    within = np.arange(scores.shape[1]) < count[:, None]
    return (ranked & within).sum(axis=1) / np.maximum(count, 1)


def best_labels(scores: np.ndarray, labels: np.ndarray, most: int = MOST) -> tuple[np.ndarray, np.ndarray]:
    """Return the best scores of each video, (N, K), and whether each is of a label that the video has.

    Args:
        scores: (N, C).
        labels: (N, C), 1 or 0.
        most: K.
    """
    order = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    return np.take_along_axis(scores, order, axis=1), np.take_along_axis(labels > 0, order, axis=1)


def global_average_precision(scores: np.ndarray, right: np.ndarray, positives: int) -> float:
    """Return the average precision of all videos' best labels in one ranking.

    Args:
        scores: of the labels, (M,).
        right: whether each is right, (M,).
        positives: how many labels the videos have in all, those that are not among these too.
    """
    if positives < 1:
        return 0.0
    ranked = right[np.argsort(-scores, kind="stable")]
    places = np.flatnonzero(ranked) + 1
    return float((np.arange(1, len(places) + 1) / places).sum() / positives)
