"""The mean cross entropy of a few scores in one pass, and its gradient in another. Float32, on the calling thread."""

from __future__ import annotations

import math

import numpy as np

from core.kernels.dispatch.class_numbers import holds_ignored
from core.kernels.engine.compiled import serial

_FITS = -1


def mean_cross_entropy(scores: np.ndarray, labels: np.ndarray, *, ignore_index: int, out: np.ndarray) -> None:
    """Write the mean of ``log(sum(exp(scores))) - scores[label]`` over the rows whose label is not the ignored one.

    Args:
        scores: (N, C).
        labels: int64, N of them.
        ignore_index: see above; where all are ignored, the mean is 0.
        out: memory for the one number.

    Raises:
        OperatorIndexError: a label is neither a class nor the ignored one.
    """
    wrong, mean = _mean(scores, labels.reshape(-1), ignore_index)
    if wrong != _FITS:
        holds_ignored(labels, scores.shape[1], ignore_index, "cross_entropy")  # which raises the error
    out[...] = mean


def mean_cross_entropy_gradient(
    gradient: np.ndarray, scores: np.ndarray, labels: np.ndarray, *, ignore_index: int, out: np.ndarray
) -> None:
    """Write the gradient of the scores: ``(softmax(scores) - one at the label) / number of rows that count``."""
    _gradient(float(gradient), scores, labels.reshape(-1), ignore_index, out)


@serial
def _mean(scores, labels, ignore_index):
    total, count = 0.0, 0
    for row in range(labels.size):
        label = labels[row]
        if label == ignore_index:
            continue
        if label < 0 or label >= scores.shape[1]:
            return row, 0.0
        largest, power = _power(scores, row)
        total += math.log(power) + largest - scores[row, label]
        count += 1
    return _FITS, total / max(count, 1)


@serial
def _gradient(gradient, scores, labels, ignore_index, out):
    count = 0
    for row in range(labels.size):
        count += labels[row] != ignore_index
    share = gradient / max(count, 1)
    for row in range(labels.size):
        label = labels[row]
        if label == ignore_index or label < 0 or label >= scores.shape[1]:
            out[row] = 0
            continue
        largest, power = _power(scores, row)
        scale = np.float32(share / power)
        for column in range(scores.shape[1]):
            out[row, column] = math.exp(scores[row, column] - largest) * scale
        out[row, label] -= np.float32(share)


@serial
def _power(scores, row):
    """Return the largest score of a row, and the sum of all scores' exponentials beside its own."""
    largest = scores[row, 0]
    for column in range(1, scores.shape[1]):
        largest = max(largest, scores[row, column])
    power = 0.0
    for column in range(scores.shape[1]):
        power += math.exp(scores[row, column] - largest)
    return largest, power
