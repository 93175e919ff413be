"""Whether confidences are right: how often a network is right where it says that it is so and so sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Calibration(NamedTuple):
    """Predictions sorted into bins of equal width by their confidence.

    Attributes:
        edges: the bins' bounds, (bins + 1,).
        counts: predictions in each.
        confidence: their mean confidence; 0 for an empty bin.
        accuracy: the share of them that is right; 0 for an empty bin.
        error: the expected calibration error: the mean of |accuracy - confidence|, weighted by the counts.
    """

    edges: np.ndarray
    counts: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray
    error: float


def calibration(confidences: Sequence[float], right: Sequence[bool], bins: int = 15) -> Calibration:
    """Compare confidences with what was right.

    Guo et al., "On calibration of modern neural networks", ICML 2017, https://arxiv.org/abs/1706.04599

    Args:
        confidences: the probability of each prediction, in (0, 1].
        right: whether it was right.
        bins: how many bins; a confidence on a bound belongs to the lower bin.
    """
    edges = np.linspace(0, 1, bins + 1)
    sure, hits = np.asarray(confidences, np.float64), np.asarray(right, np.float64)
    place = np.clip(np.searchsorted(edges, sure, side="left") - 1, 0, bins - 1)
    counts = np.bincount(place, minlength=bins)
    least = np.maximum(counts, 1)
    confidence = np.bincount(place, sure, bins) / least
    accuracy = np.bincount(place, hits, bins) / least
    error = float((counts * np.abs(accuracy - confidence)).sum() / max(len(sure), 1))
    return Calibration(edges, counts, confidence, accuracy, error)
