"""How ranked candidates are judged, such as the sentences that may answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

import numpy as np

Groups = Union[Sequence[str], Sequence[int], np.ndarray]


def _order(scores: np.ndarray, groups: Groups) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the order of groups and falling scores; in that order each one's rank from 1, and its group's number."""
    _, numbers = np.unique(np.asarray(groups), return_inverse=True)
    order = np.lexsort((-np.asarray(scores, np.float64), numbers))
    numbers = numbers[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return order, np.arange(len(numbers)) - np.repeat(starts, np.diff([*starts, len(numbers)])) + 1, numbers


def _ranked(scores: np.ndarray, labels: np.ndarray, groups: Groups) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which are right in the order of groups and falling scores, and of each its rank and its group's number."""
    order, places, numbers = _order(scores, groups)
    return (np.asarray(labels) > 0)[order], places, numbers


def ranks(scores: np.ndarray, groups: Groups) -> np.ndarray:
    """Return the rank of each candidate in its group from 1, int64 (N,); equal scores keep the candidates' order.

    Args:
        scores: of each candidate, the larger the better, (N,).
        groups: which question each is of, (N,).
    """
    order, places, _ = _order(scores, groups)
    found = np.empty(len(order), np.int64)
    found[order] = places
    return found


def mean_reciprocal_rank(scores: np.ndarray, labels: np.ndarray, groups: Groups) -> float:
    """Return the mean over questions of one over the rank of the first right candidate.

    Questions without a right candidate count as 0. Equal scores keep the order of the candidates.

    Args:
        scores: of each candidate, the larger the better, (N,).
        labels: 1 where it is right, (N,).
        groups: which question each is of, (N,).

    Raises:
        ValueError: there are no candidates.
    """
    if not len(scores):
        raise ValueError("there are no candidates to be ranked")
    right, places, numbers = _ranked(scores, labels, groups)
    best = np.zeros(numbers[-1] + 1)
    np.maximum.at(best, numbers[right], 1 / places[right])
    return float(best.mean())


def recall_at(scores: np.ndarray, labels: np.ndarray, groups: Groups, count: int) -> float:
    """Return the mean over questions of the share of right candidates among the first ``count`` (Recall_n@k).

    Args:
        scores: of each candidate, the larger the better, (N,).
        labels: 1 where it is right, (N,).
        groups: which question each is of, (N,); those without a right candidate are left out.
        count: how many of the first.
    """
    right, places, numbers = _ranked(scores, labels, groups)
    every = np.bincount(numbers, right)
    found = np.bincount(numbers, right & (places <= count))
    return float((found[every > 0] / every[every > 0]).mean()) if every.any() else 0.0


def mean_average_precision(scores: np.ndarray, labels: np.ndarray, groups: Groups) -> float:
    """Return the mean over questions, of those with a right candidate, of the average precision.

    Args:
        scores: of each candidate, the larger the better, (N,).
        labels: 1 where it is right, (N,).
        groups: which question each is of, (N,).
    """
    right, places, numbers = _ranked(scores, labels, groups)
    every = np.bincount(numbers, right)
    before = np.concatenate([[0], np.cumsum(every)[:-1]])
    seen = np.cumsum(right) - before[numbers]
    total = np.bincount(numbers, np.where(right, seen / places, 0.0))
    return float((total[every > 0] / every[every > 0]).mean()) if every.any() else 0.0


def positive_negative_ratio(scores: np.ndarray, labels: np.ndarray, groups: Groups) -> float:
    """Return how many pairs of better and worse candidates of a question are in the right order, to those in the wrong.

    Args:
        scores: of each candidate, the larger the better, (N,); pairs with equal scores are in no order.
        labels: how good it is, (N,).
        groups: which question each is of, (N,).

    Returns:
        The quotient; infinite where no pair is in the wrong order.
    """
    scores, labels = np.asarray(scores, np.float64), np.asarray(labels)
    _, numbers = np.unique(np.asarray(groups), return_inverse=True)
    right = wrong = 0
    for number in range(int(numbers.max(initial=-1)) + 1):
        own = numbers == number
        better = np.sign(labels[own][:, None] - labels[own][None])
        higher = np.sign(scores[own][:, None] - scores[own][None])
        right += int((better * higher > 0).sum()) // 2
        wrong += int((better * higher < 0).sum()) // 2
    return right / wrong if wrong else float("inf")
