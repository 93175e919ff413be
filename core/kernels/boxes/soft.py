"""Soft suppression within each of several classes: a numba kernel, and plain numpy that defines it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels.boxes.multiclass import WORTH_THREADS, Kept, Tasks
from core.kernels.boxes.suppression import overlap, overlaps
from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads
from core.kernels.numeric.ranking import falling


class SoftRule(NamedTuple):
    """How scores are lowered (Soft-NMS, Bodla et al., arXiv 1704.04503).

    Attributes:
        score: Boxes must score above it, before and after.
        top: So many of the best are looked at; all when -1.
        threshold: On a line, overlaps up to this one lower nothing.
        gaussian: Whether the penalty falls as a normal density does, else on a line.
        sigma: How fast the density falls.
        plus: 1 where corners are whole pixels, which both belong to the box.
    """

    score: float
    top: int
    threshold: float
    gaussian: bool
    sigma: float
    plus: float


@serial
def _lower(boxes, ranks, rule, places):
    """Bring boxes, their scores and places into the order in which they are kept; return how many are."""
    score, _, threshold, gaussian, sigma, plus = rule
    for count in range(ranks.shape[0]):
        best = count + np.argmax(ranks[count:])
        if not ranks[best] > score:
            return count
        rank, place, box = ranks[best], places[best], boxes[best].copy()
        for i in range(best, count, -1):  # the others keep their order
            ranks[i], places[i], boxes[i] = ranks[i - 1], places[i - 1], boxes[i - 1]
        ranks[count], places[count], boxes[count] = rank, place, box
        for i in range(count + 1, ranks.shape[0]):
            shared = overlap(boxes, count, i, plus)
            if gaussian:
                ranks[i] *= np.exp(-shared * shared / sigma)
            elif shared > threshold:
                ranks[i] *= boxes.dtype.type(1) - shared
    return ranks.shape[0]


@serial
def _work(tasks, rule, places, ranks, counts, counter):
    boxes, scores, table, row, first, last = tasks
    score, top = rule[0], rule[1]
    task = taken(counter)
    while task < table.shape[0]:
        keys = scores[row[task], first[task] : last[task]]
        order = falling(keys)
        count = 0
        for key in keys:
            count += key > score
        if top > -1:
            count = min(count, top)
        for i in range(count):
            places[task, i] = order[i]
            ranks[task, i] = keys[order[i]]
        corners = boxes[table[task]][first[task] + order[:count]]
        counts[task] = _lower(corners, ranks[task, :count], rule, places[task, :count])
        task = taken(counter)


@compiled
def _shared_work(tasks, rule, places, ranks, counts, workers):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _work(tasks, rule, places, ranks, counts, counter)


def select_soft(tasks: Tasks, rule: SoftRule) -> tuple[Kept, np.ndarray]:
    """Return the boxes that each task keeps, and their lowered scores, of the type of boxes [kept].

    Args:
        tasks: What is selected from; boxes are corners x1, y1, x2, y2.
        rule: How scores are lowered; its numbers are float32 numbers.
    """
    kind = tasks.boxes.dtype.type
    score, threshold, sigma, plus = (kind(np.float32(rule[i])) for i in (0, 2, 4, 5))
    longest = int((tasks.last - tasks.first).max(initial=0))
    places = np.empty((len(tasks.row), longest), np.int64)
    ranks, counts = np.empty(places.shape, tasks.boxes.dtype), np.zeros(len(places), np.int64)
    given = tuple(tasks), (score, int(rule.top), threshold, bool(rule.gaussian), sigma, plus), places, ranks, counts
    if len(counts) > 1 and places.size >= WORTH_THREADS:
        _shared_work(*given, min(number_of_threads(), len(counts)))
    else:
        _work(*given, np.zeros(1, np.int64))
    filled = np.arange(longest) < counts[:, None]
    return Kept(places[filled], counts), ranks[filled]


def select_soft_reference(tasks: Tasks, rule: SoftRule) -> tuple[Kept, np.ndarray]:
    """The definition of :func:`select_soft` in plain numpy."""
    found = [(np.empty(0, np.int64), np.empty(0, tasks.scores.dtype))]
    for table, row, first, last in zip(*tasks[2:]):
        boxes, ranks = tasks.boxes[table, first:last], tasks.scores[row, first:last].copy()
        left = np.argsort(-ranks, kind="stable")
        left = left[ranks[left] > np.float32(rule.score)][: rule.top if rule.top > -1 else None]
        shared = np.nan_to_num(overlaps(boxes, rule.plus))
        places: list[int] = []
        while len(left) and ranks[left].max() > np.float32(rule.score):
            best = left[ranks[left].argmax()]
            left = left[left != best]
            places.append(best)
            if rule.gaussian:
                ranks[left] *= np.exp(-(shared[best, left] ** 2) / rule.sigma)
            else:
                ranks[left] *= np.where(shared[best, left] > rule.threshold, 1 - shared[best, left], 1)
        found.append((np.array(places, np.int64), ranks[places]))
    counts = np.array([len(places) for places, _ in found[1:]], np.int64)
    return Kept(np.concatenate([places for places, _ in found]), counts), np.concatenate([each for _, each in found])
