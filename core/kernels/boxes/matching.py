"""Boxes matched with objects, and a sample of what was matched: numba kernels, and plain numpy that defines them.

Boxes are taken in chunks of a fixed size, so that no table of all overlaps is made, and the result does not depend on
the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads

CHUNK = 2048
"""So many boxes are compared with all objects before the next ones are: their columns stay in the nearest memory."""

LANES = 16


class Limits(NamedTuple):
    """When a box is positive, negative or ignored.

    Attributes:
        positive: Boxes of at least this overlap with an object are positive.
        negative: Boxes below this largest overlap are negative.
        low_quality: Whether the boxes that overlap an object most are positive in any case.
        ignore: Boxes that overlap a crowd more are ignored; none are when not positive.
    """

    positive: float
    negative: float
    low_quality: bool
    ignore: float


@serial
def _overlaps(columns, box, out):
    """Write intersections over unions of boxes, as columns x1, y1, x2, y2, area, with one box; 0 where apart."""
    x1, y1, x2, y2, areas = columns
    zero = columns.dtype.type(0)
    area = (box[2] - box[0]) * (box[3] - box[1])
    for k in range(out.shape[0]):
        width = min(box[2], x2[k]) - max(box[0], x1[k])
        height = min(box[3], y2[k]) - max(box[1], y1[k])
        common = max(width, zero) * max(height, zero)
        shared = common / (area + areas[k] - common)
        out[k] = shared if common > zero else zero


@serial
def _load(boxes, columns, skipped):
    """Write the columns of boxes; those that are skipped, and the room behind the last one, overlap nothing."""
    columns[:] = 0
    for k in range(boxes.shape[0]):
        if not skipped[k]:
            for axis in range(4):
                columns[axis, k] = boxes[k, axis]
            columns[4, k] = (boxes[k, 2] - boxes[k, 0]) * (boxes[k, 3] - boxes[k, 1])


@serial
def _highest(values):
    lanes = np.zeros(LANES, values.dtype)
    for start in range(0, values.shape[0], LANES):
        for lane in range(LANES):
            value = values[start + lane]
            lanes[lane] = value if value > lanes[lane] else lanes[lane]
    return lanes.max()


@serial
def _chunk(boxes, objects, kinds, room, limits, values, matches, labels, highest):
    """Match one chunk of boxes; also write the largest overlap of each object within it."""
    positive, negative, _, ignore = limits
    count = boxes.shape[0]
    skipped = np.zeros(count, np.bool_)
    skipped[max(room, 0) :] = True
    columns, shared = np.empty((5, CHUNK), boxes.dtype), np.empty(CHUNK, boxes.dtype)
    best, place = np.zeros(CHUNK, boxes.dtype), np.zeros(CHUNK, np.int32)
    _load(boxes, columns, skipped)
    if ignore > 0:
        for g in range(objects.shape[0]):
            if kinds[g] == 2:
                _overlaps(columns, objects[g], shared)
                for k in range(count):
                    skipped[k] |= shared[k] > ignore
        _load(boxes, columns, skipped)
    first = -1
    for g in range(objects.shape[0]):
        if kinds[g] == 1:
            if first < 0:
                first = g
                place[:] = g
            _overlaps(columns, objects[g], shared)
            for k in range(CHUNK):
                better = shared[k] > best[k]
                best[k] = shared[k] if better else best[k]
                place[k] = np.int32(g) if better else place[k]
            highest[g] = _highest(shared)
    for k in range(count):
        values[k] = best[k]
        matches[k] = 0 if skipped[k] else place[k]
        label = 0 if best[k] < negative else -1
        if best[k] >= positive:
            label = 1
        labels[k] = -1 if skipped[k] else label


@serial
def _raise_best(boxes, objects, found, highest, labels):
    """Make those boxes of a chunk positive that overlap an object as much as no other box does."""
    columns, shared = np.empty((5, CHUNK), boxes.dtype), np.empty(CHUNK, boxes.dtype)
    loaded = False
    for g in range(objects.shape[0]):
        if highest[g] > 0 and found[g] == highest[g]:
            if not loaded:
                _load(boxes, columns, np.zeros(boxes.shape[0], np.bool_))
                loaded = True
            _overlaps(columns, objects[g], shared)
            for k in range(boxes.shape[0]):
                if shared[k] == highest[g] and labels[k] != -2:
                    labels[k] = 1


@compiled
def _match(boxes, objects, kinds, rooms, limits, values, matches, labels, highest):
    images, chunks = highest.shape[0], highest.shape[1]
    for task in threads(images * chunks):
        n, c = task // chunks, task % chunks
        own = slice(c * CHUNK, min((c + 1) * CHUNK, labels.shape[1]))
        table = boxes[n if boxes.shape[0] > 1 else 0, own]
        room = rooms[n] - c * CHUNK
        _chunk(
            table, objects[n], kinds[n], room, limits, values[n, own], matches[n, own], labels[n, own], highest[n, c]
        )


@compiled
def _match_best(boxes, objects, labels, found, highest):
    images, chunks = found.shape[0], found.shape[1]
    for task in threads(images * chunks):
        n, c = task // chunks, task % chunks
        own = slice(c * CHUNK, min((c + 1) * CHUNK, labels.shape[1]))
        _raise_best(boxes[n if boxes.shape[0] > 1 else 0, own], objects[n], found[n, c], highest[n], labels[n, own])


def match(
    boxes: np.ndarray, objects: np.ndarray, kinds: np.ndarray, rooms: np.ndarray, limits: Limits
) -> tuple[np.ndarray, np.ndarray]:
    """Return the object that each box overlaps most, and whether it is positive (1), negative (0) or ignored (-1).

    Args:
        boxes: Corners x1, y1, x2, y2, shape [images or 1, boxes, 4].
        objects: Of the same type, [images, objects, 4].
        kinds: int8 [images, objects]: 1 an object, 2 a crowd, 0 unused.
        rooms: int64 [images]: boxes from this one on are ignored.
        limits: The thresholds, float32 numbers.

    Returns:
        int64 and int32 arrays [images, boxes]. Without an object, every box is negative.
    """
    images, count = len(objects), boxes.shape[1]
    kind = boxes.dtype.type
    chunks = -(-count // CHUNK)
    values = np.empty((images, count), boxes.dtype)
    matches, labels = np.zeros((images, count), np.int64), np.empty((images, count), np.int32)
    highest = np.zeros((images, chunks, objects.shape[1]), boxes.dtype)
    some = (kinds == 1).any(1)
    wanted = limits.positive, limits.negative, limits.ignore
    positive, negative, ignore = (kind(np.float32(number)) for number in wanted)
    given = positive, negative, bool(limits.low_quality), ignore
    _match(boxes, objects, kinds, rooms, given, values, matches, labels, highest)
    inside = np.arange(count) < rooms[:, None]
    if limits.low_quality and highest.size:
        ignored = (values == 0) & (labels == -1) & (given[1] > 0)  # they overlap nothing, and are not negative
        labels[ignored] = -2
        _match_best(boxes, objects, labels, highest, highest.max(1))
        labels[ignored] = -1
    labels[~some] = np.where(inside[~some], 0, -1)
    matches[~some] = 0
    return matches, labels


def match_reference(
    boxes: np.ndarray, objects: np.ndarray, kinds: np.ndarray, rooms: np.ndarray, limits: Limits
) -> tuple[np.ndarray, np.ndarray]:
    """The definition of :func:`match` in plain numpy."""
    images, count = len(objects), boxes.shape[1]
    matches, labels = np.zeros((images, count), np.int64), np.zeros((images, count), np.int32)
    for n in range(images):
        inside = np.arange(count) < rooms[n]
        table = boxes[n if len(boxes) > 1 else 0]
        if (kinds[n] == 1).any():
            shared = pairwise(objects[n], table)
            crowd = kinds[n] == 2
            ignored = ~inside | ((shared[crowd] > np.float32(limits.ignore)).any(0) & (limits.ignore > 0))
            shared[:, ignored] = -1
            shared[kinds[n] != 1] = -1
            best = shared.max(0)
            matches[n] = np.where(ignored, 0, shared.argmax(0))
            labels[n] = np.where(best >= np.float32(limits.positive), 1, -1)
            labels[n][(best > -1) & (best < np.float32(limits.negative)) & (labels[n] < 1)] = 0
            if limits.low_quality:
                labels[n][((shared == shared.max(1, keepdims=True)) & (shared > 0)).any(0)] = 1
        labels[n][~inside] = -1
    return matches, labels


def pairwise(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the intersection over union of each box of one table with each of another, 0 where they are apart."""
    sides = np.minimum(one[:, None, 2:], two[None, :, 2:]) - np.maximum(one[:, None, :2], two[None, :, :2])
    common = sides.clip(0).prod(-1)
    areas = [(table[:, 2:] - table[:, :2]).prod(-1) for table in (one, two)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(common > 0, common / (areas[0][:, None] + areas[1] - common), 0).astype(one.dtype)


@serial
def _pick(candidates, count, draws, random):
    """Move a sample to the front: the first ones, or, with a number from 0 to 1 for each, any."""
    if random:
        for k in range(count):
            rest = candidates.shape[0] - k
            chosen = k + min(int(draws[k] * rest), rest - 1)
            candidates[k], candidates[chosen] = candidates[chosen], candidates[k]


@compiled
def _sample(labels, draws, foreground, background, random, places, counts, sampled):
    for n in threads(labels.shape[0]):
        positives, negatives = 0, 0
        for k in range(labels.shape[1]):
            negatives += labels[n, k] == background
            positives += labels[n, k] != background and labels[n, k] != -1
        first, second = np.empty(positives, np.int64), np.empty(negatives, np.int64)
        positives, negatives = 0, 0
        for k in range(labels.shape[1]):
            if labels[n, k] == background:
                second[negatives] = k
                negatives += 1
            elif labels[n, k] != -1:
                first[positives] = k
                positives += 1
        number = places.shape[1]
        counts[n, 0] = min(positives, foreground)
        counts[n, 1] = min(negatives, number - counts[n, 0])
        _pick(first, counts[n, 0], draws[n, 0], random)
        _pick(second, counts[n, 1], draws[n, 1], random)
        places[n] = -1
        sampled[n] = -1
        for k in range(counts[n, 0]):
            places[n, k] = first[k]
            sampled[n, first[k]] = labels[n, first[k]]
        for k in range(counts[n, 1]):
            places[n, counts[n, 0] + k] = second[k]
            sampled[n, second[k]] = background


def sample(
    labels: np.ndarray, draws: np.ndarray, number: int, foreground: int, background: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a sample of positive and negative places.

    Args:
        labels: int64 [images, boxes]: -1 is ignored, ``background`` negative, any other positive.
        draws: Numbers from 0 to 1, [images, 2, number], or [images, 2, 0]: the first ones are taken.
        number: So many places are taken, if there are.
        foreground: At most so many of them are positive.
        background: The label of negatives.

    Returns:
        int64 places [images, number], the positive ones first, -1 behind the last one; int32 numbers of positive and
        negative ones [images, 2]; and the labels with -1 for all that were not taken.
    """
    places = np.empty((len(labels), number), np.int64)
    counts, sampled = np.empty((len(labels), 2), np.int32), np.empty_like(labels)
    _sample(labels, draws, foreground, background, draws.shape[2] > 0, places, counts, sampled)
    return places, counts, sampled
