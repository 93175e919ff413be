"""Whether confidences are right: how often a network is right where it says that it is so and so sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from core.train.curve import save_figure


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


def calibration_picture(found: Calibration, path: str, title: str = "") -> None:
    """Draw accuracy over confidence; a well calibrated network's bars end on the diagonal.

    Args:
        found: what :func:`calibration` returned.
        path: the PNG file.
        title: a heading.
    """
    figure = Figure(figsize=(4.5, 4.5), layout="constrained")
    axes = figure.add_subplot()
    width = found.edges[1] - found.edges[0]
    filled = found.counts > 0
    axes.bar(found.edges[:-1][filled], found.accuracy[filled], width, align="edge", edgecolor="white")
    axes.plot([0, 1], [0, 1], color="black", linewidth=1, linestyle="--")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("confidence")
    axes.set_ylabel("share that is right")
    axes.set_title(f"{title}\nexpected calibration error {found.error:.3f}".strip(), fontsize=9)
    save_figure(figure, path)
