"""From C-TCN's answers to a ranked list of actions: scores above a bound, suppressed class by class, then softly.

Numbers are those of PaddleVideo 1.5. These are steps for the host, in NumPy.
"""

from __future__ import annotations

import numpy as np

from PaddleVideo.intervals import overlaps
from PaddleVideo.models.localizers.anchors import decode


def suppressed(rows: np.ndarray, threshold: float) -> np.ndarray:
    """Return intervals none of which overlaps a better one by more than a threshold, the best first.

    Args:
        rows: begin, end and score, (K, 3).
        threshold: intersection over union.
    """
    left, found = rows[np.argsort(-rows[:, 2], kind="stable")], []
    while len(left):
        found.append(left[0])
        left = left[1:][overlaps(left[1:], left[:1])[:, 0] <= threshold]
    return np.array(found).reshape(-1, 3)


def softly_suppressed(rows: np.ndarray, sigma: float, least: float) -> np.ndarray:
    """Return intervals in the order in which they are chosen; each lowers the scores of those that overlap it.

    Paper: Bodla et al., "Soft-NMS: improving object detection with one line of code", ICCV 2017,
    https://arxiv.org/abs/1704.04503

    Args:
        rows: begin, end and score, (K, 3).
        sigma: a score is multiplied with exp(-overlap ** 2 / sigma).
        least: the score below which an interval is dropped.
    """
    left, found = np.array(rows, np.float64), []
    while len(left):
        best = int(left[:, 2].argmax())
        found.append(left[best])
        left = np.delete(left, best, axis=0)
        left[:, 2] *= np.exp(-np.square(overlaps(left, found[-1][None])[:, 0]) / sigma)
        left = left[left[:, 2] >= least]
    return np.array(found).reshape(-1, 3)


def detections(
    length: int,
    offsets: np.ndarray,
    probabilities: np.ndarray,
    duration: float,
    score: float = 0.001,
    nms: float = 0.8,
    sigma: float = 0.9,
    least: float = 0.004,
) -> np.ndarray:
    """Return the actions of a video, float64 (M, 4): class from 0, score, begin and end in seconds, the best first.

    Args:
        length: steps of a video.
        offsets: of the anchors, (K, 2).
        probabilities: of background and of each class, (K, 1 + classes).
        duration: of the video, seconds.
        score: below which an anchor counts for nothing.
        nms: overlap by which a worse interval of the same class is dropped.
        sigma: width of the soft suppression.
        least: score below which it drops intervals.
    """
    intervals, found = decode(length, offsets), [np.zeros((0, 4))]
    for number in range(probabilities.shape[1] - 1):
        scores = probabilities[:, number + 1]
        chosen = scores > score
        if chosen.any():
            rows = np.column_stack([intervals[chosen], scores[chosen]])
            rows = softly_suppressed(suppressed(rows, nms), sigma, least)
            seconds = (rows[:, :2] / length * duration).clip(0.0, duration)
            found.append(np.column_stack([np.full(len(rows), float(number)), rows[:, 2], seconds]))
    every = np.concatenate(found)
    return every[np.argsort(-every[:, 1], kind="stable")]
