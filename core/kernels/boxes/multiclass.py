"""Suppression within each of several classes: a numba kernel, and plain numpy that defines it.

A task is one class of one image: a row of scores, the boxes that they belong to, and which part of both is the image's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels.boxes.polygons import area, common_area
from core.kernels.boxes.suppression import greedy, overlaps
from core.kernels.engine.compiled import compiled, number_of_threads, serial, taken, threads
from core.kernels.numeric.ranking import falling

WORTH_THREADS = 2**15
"""So many scores are looked at by several threads."""

AT_ONCE = 32
"""So many neighbouring scores are counted before they are looked at one by one: of most, none is high enough."""


class Tasks(NamedTuple):
    """What is selected from.

    Attributes:
        boxes: Corners x1, y1, x2, y2, or those of polygons, x1, y1, x2, y2 ...: shape [tables, boxes, coordinates].
        scores: Of the type of boxes, shape [rows, boxes].
        table: For each task the table of boxes, int64 [tasks].
        row: For each task the row of scores, int64 [tasks].
        first: For each task the first box that is looked at, int64 [tasks].
        last: For each task the end of those boxes, int64 [tasks].
    """

    boxes: np.ndarray
    scores: np.ndarray
    table: np.ndarray
    row: np.ndarray
    first: np.ndarray
    last: np.ndarray


class Rule(NamedTuple):
    """When a box is kept.

    Attributes:
        score: Boxes must score above it.
        top: So many of the best are looked at; all when -1.
        threshold: The largest overlap with a kept box.
        eta: Below 1: the threshold, while above 0.5, shrinks by it with each kept box.
        plus: 1 where corners are whole pixels, which both belong to the box.
    """

    score: float
    top: int
    threshold: float
    eta: float
    plus: float


@serial
def _beyond(one, two, axis):
    """Return whether a polygon's corners are all beyond another one's along an axis."""
    for i in range(axis, one.shape[0], 2):
        for j in range(axis, two.shape[0], 2):
            if not one[i] > two[j]:
                return False
    return True


@serial
def _polygon_overlap(boxes, i, j):
    """Return the intersection of two polygons over their union, 0 where one has no area."""
    one, two = boxes[i], boxes[j]
    for axis in range(2):
        if _beyond(one, two, axis) or _beyond(two, one, axis):
            return boxes.dtype.type(0)
    first, second, common = area(one), area(two), common_area(one, two)
    if first == 0 or second == 0 or common == 0:
        return boxes.dtype.type(0)
    return boxes.dtype.type(common / (first + second - common))


@serial
def _greedy_polygons(polygons, threshold, eta, kept):
    """Do what :func:`core.kernels.boxes.suppression.greedy` does with boxes."""
    count = 0
    for i in range(polygons.shape[0]):
        clear = True
        for k in range(count):
            if not _polygon_overlap(polygons, i, kept[k]) <= threshold:
                clear = False
                break
        if clear:
            kept[count] = i
            count += 1
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return count


class Kept(NamedTuple):
    """What is kept of all tasks.

    Attributes:
        places: The place of each kept box among its task's boxes, task after task, the best one first: int64 [kept].
        counts: How many each task keeps, int64 [tasks].
    """

    places: np.ndarray
    counts: np.ndarray


@serial
def _above(scores, score):
    """Return how many scores are above one."""
    count = 0
    for i in range(scores.shape[0]):
        count += scores[i] > score
    return count


@serial
def _select(boxes, scores, rule, places):
    """Write the places of the boxes that are kept, the best one first; return their number."""
    score, top, threshold, eta, plus = rule
    keys = np.empty(places.shape[0], np.float32)
    above = 0
    for begin in range(0, scores.shape[0], AT_ONCE):
        part = scores[begin : min(begin + AT_ONCE, scores.shape[0])]
        if _above(part, score):
            for i in range(part.shape[0]):
                if part[i] > score:
                    places[above], keys[above] = begin + i, part[i]
                    above += 1
    order = falling(keys)
    if top > -1:
        order = order[:top]
    ranked = places[order]
    corners = boxes[ranked]
    if boxes.shape[1] == 4:
        count = greedy(corners, threshold, plus, eta, places)
    else:
        count = _greedy_polygons(corners, threshold, eta, places)
    for i in range(count):
        places[i] = ranked[places[i]]
    return count


@serial
def _work(tasks, rule, offsets, places, counts, counter):
    boxes, scores, table, row, first, last = tasks
    task = taken(counter)
    while task < table.shape[0]:
        begin, end = first[task], last[task]
        room = places[offsets[task] : offsets[task + 1]]
        counts[task] = _select(boxes[table[task], begin:end], scores[row[task], begin:end], rule, room)
        task = taken(counter)


@compiled
def _shared_work(tasks, rule, offsets, places, counts, workers):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _work(tasks, rule, offsets, places, counts, counter)


@serial
def _room(scores, row, first, last, score):
    """Return where each task's places begin: it needs room for all boxes above the score."""
    offsets = np.zeros(row.shape[0] + 1, np.int64)
    for task in range(row.shape[0]):
        offsets[task + 1] = offsets[task] + _above(scores[row[task], first[task] : last[task]], score)
    return offsets


def select(tasks: Tasks, rule: Rule) -> Kept:
    """Return the boxes that each task keeps.

    Of equally good boxes the first counts as the better one. Scores are compared in float32, and thresholds are float32
    numbers, as in Paddle.
    """
    kind = tasks.boxes.dtype.type
    score, threshold, eta, plus = (kind(np.float32(rule[i])) for i in (0, 2, 3, 4))
    offsets = _room(tasks.scores, tasks.row, tasks.first, tasks.last, score)
    places = np.empty(offsets[-1], np.int64)
    counts = np.zeros(len(tasks.row), np.int64)
    given = (tuple(tasks), (score, int(rule.top), threshold, eta, plus), offsets, places, counts)
    if len(counts) > 1 and sum(tasks.last - tasks.first) >= WORTH_THREADS:
        _shared_work(*given, min(number_of_threads(), len(counts)))
    else:
        _work(*given, np.zeros(1, np.int64))
    rooms = np.diff(offsets)
    filled = np.arange(len(places)) < np.repeat(offsets[:-1] + counts, rooms)
    return Kept(places[filled], counts)


def polygon_overlap_reference(one: np.ndarray, two: np.ndarray) -> float:
    """Return the intersection over union of two convex polygons, by cutting the one at each side of the other."""
    areas = [_turned(np.asarray(polygon, np.float64).reshape(-1, 2)) for polygon in (one, two)]
    (first, first_area), (second, second_area) = areas
    common = first
    for start, end in zip(second, np.roll(second, -1, axis=0)):
        side = (end[0] - start[0]) * (common[:, 1] - start[1]) - (end[1] - start[1]) * (common[:, 0] - start[0])
        found = []
        for i in range(len(common)):
            j = (i + 1) % len(common)
            found += [common[i]] if side[i] >= 0 else []
            if (side[i] > 0) != (side[j] > 0) and side[i] != side[j]:
                found.append(common[i] + side[i] / (side[i] - side[j]) * (common[j] - common[i]))
        common = np.array(found).reshape(-1, 2)
    shared = _turned(common)[1] if len(common) else 0.0
    return shared / (first_area + second_area - shared) if first_area and second_area and shared else 0.0


def _turned(corners: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the corners of a polygon counter-clockwise, and its area."""
    after = np.roll(corners, -1, axis=0)
    signed = float((corners[:, 0] * after[:, 1] - after[:, 0] * corners[:, 1]).sum()) / 2
    return (corners, signed) if signed >= 0 else (corners[::-1], -signed)


def select_reference(tasks: Tasks, rule: Rule) -> Kept:
    """The definition of :func:`select` in plain numpy; polygons are convex."""
    found = [np.empty(0, np.int64)]
    for table, row, first, last in zip(*tasks[2:]):
        boxes, scores = tasks.boxes[table, first:last], tasks.scores[row, first:last]
        ranked = np.argsort(-scores.astype(np.float32), kind="stable")
        ranked = ranked[scores[ranked] > np.float32(rule.score)][: rule.top if rule.top > -1 else None]
        if boxes.shape[1] == 4:
            shared = overlaps(boxes[ranked], rule.plus)
        else:
            shared = np.array([[polygon_overlap_reference(boxes[i], boxes[j]) for j in ranked] for i in ranked])
        limit = float(np.float32(rule.threshold))
        kept: list[int] = []
        for i in range(len(ranked)):
            if (shared[i, kept] <= limit).all():
                kept.append(i)
                limit *= float(np.float32(rule.eta)) if rule.eta < 1 and limit > 0.5 else 1
        found.append(ranked[np.array(kept, np.int64)])
    return Kept(np.concatenate(found), np.array([len(places) for places in found[1:]], np.int64))
