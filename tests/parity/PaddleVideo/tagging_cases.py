"""Drawn scores and labels for the measures of labelled videos; no two scores of a case are alike."""

from __future__ import annotations

import numpy as np

CASES = {"few classes": (40, 12, 0.25), "many classes": (25, 300, 0.02), "one video": (1, 30, 0.2)}
"""Videos, classes, and how likely a video has each."""


def drawn(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return scores between 0 and 1, and labels, 1 or 0; every video has one at least."""
    videos, classes, share = CASES[name]
    draw = np.random.RandomState(len(name))
    labels = (draw.rand(videos, classes) < share).astype(np.float32)
    labels[np.arange(videos), draw.randint(classes, size=videos)] = 1
    scores = draw.permutation(videos * classes).reshape(videos, classes) / (videos * classes)
    return (scores + 0.3 * labels) / 1.4 + 1e-3, labels
