"""Non-maximum suppression: numba kernels, and plain numpy that defines them."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import serial

AT_ONCE = 64
"""So many kept boxes are compared with one before it is asked whether one of them suppresses it."""


@serial
def _extent(boxes, i, plus):
    """Return the area of a box, 0 where its corners are in the wrong order."""
    if boxes[i, 2] < boxes[i, 0] or boxes[i, 3] < boxes[i, 1]:
        return boxes.dtype.type(0)
    return (boxes[i, 2] - boxes[i, 0] + plus) * (boxes[i, 3] - boxes[i, 1] + plus)


@serial
def overlap(boxes, i, j, plus):
    """Return the intersection of two boxes over their union, NaN where both are empty and meet.

    Args:
        boxes: Corners of shape [boxes, 4].
        i, j: Which two.
        plus: 1 where corners are whole pixels, else 0, of the boxes' type.
    """
    if (
        boxes[j, 0] > boxes[i, 2]
        or boxes[j, 2] < boxes[i, 0]
        or boxes[j, 1] > boxes[i, 3]
        or boxes[j, 3] < boxes[i, 1]
    ):
        return boxes.dtype.type(0)
    width = min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0]) + plus
    height = min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1]) + plus
    common = width * height
    return common / (_extent(boxes, i, plus) + _extent(boxes, j, plus) - common)


@serial
def _hits(x1, y1, x2, y2, area, box, size, plus, threshold):
    """Return how many of some boxes overlap one too much: :func:`overlap` without branches, for vector instructions."""
    count = 0
    for k in range(x1.shape[0]):
        width = min(box[2], x2[k]) - max(box[0], x1[k]) + plus
        height = min(box[3], y2[k]) - max(box[1], y1[k]) + plus
        common = width * height
        apart = (x1[k] > box[2]) | (x2[k] < box[0]) | (y1[k] > box[3]) | (y2[k] < box[1])
        little = common / (size + area[k] - common) <= threshold
        count += not (apart | little)
    return count


@serial
def greedy(boxes, threshold, plus, eta, kept):
    """Write which boxes overlap no earlier kept one too much; return their number.

    Args:
        boxes: Corners, the most important box first: shape [boxes, 4].
        threshold, plus, eta: As for :func:`suppress`, of the boxes' type.
        kept: int64 memory for the places of the boxes that are kept, [boxes].
    """
    columns = np.empty((5, boxes.shape[0]), boxes.dtype)
    count = 0
    for i in range(boxes.shape[0]):
        box = (boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])
        size = _extent(boxes, i, plus)
        begin = 0
        clear = True
        while clear and begin < count:
            x1, y1, x2, y2, area = columns[:, begin : min(begin + AT_ONCE, count)]
            clear = _hits(x1, y1, x2, y2, area, box, size, plus, threshold) == 0
            begin += AT_ONCE
        if clear:
            columns[0, count], columns[1, count], columns[2, count], columns[3, count] = box
            columns[4, count] = size
            kept[count] = i
            count += 1
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return count


@serial
def _crossed(x1, y1, x2, y2, area, box, size, threshold):
    """Return how many of some boxes cross one too much, without branches, for vector instructions."""
    count = 0
    for k in range(x1.shape[0]):
        width = min(box[2], x2[k]) - max(box[0], x1[k])
        height = min(box[3], y2[k]) - max(box[1], y1[k])
        common = width * height
        count += (width > 0) & (height > 0) & (common / (area[k] + size - common) > threshold)
    return count


@serial
def _suppress_crossing(boxes, threshold, kept):
    columns = np.empty((5, boxes.shape[0]), boxes.dtype)
    count = 0
    for i in range(boxes.shape[0]):
        box = (boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])
        size = (box[2] - box[0]) * (box[3] - box[1])
        begin = 0
        clear = True
        while clear and begin < count:
            x1, y1, x2, y2, area = columns[:, begin : min(begin + AT_ONCE, count)]
            clear = _crossed(x1, y1, x2, y2, area, box, size, threshold) == 0
            begin += AT_ONCE
        if clear:
            columns[0, count], columns[1, count], columns[2, count], columns[3, count] = box
            columns[4, count] = size
            kept[count] = i
            count += 1
    return count


@serial
def _decay(boxes, plus, gaussian, sigma, result):
    """Write the factor of each score; boxes come with falling scores."""
    count = boxes.shape[0]
    largest = np.zeros(count, boxes.dtype)
    for i in range(count):
        factor = boxes.dtype.type(1)
        for j in range(i):
            shared = overlap(boxes, i, j, plus)
            if shared > largest[i]:
                largest[i] = shared
        for j in range(i):
            shared = overlap(boxes, i, j, plus)
            if gaussian:
                penalty = np.exp((largest[j] * largest[j] - shared * shared) * sigma)
            else:
                penalty = boxes.dtype.type((np.float64(1) - shared) / (np.float64(1) - largest[j]))
            if penalty < factor:
                factor = penalty
        result[i] = factor


def suppress(boxes: np.ndarray, threshold: float, plus: float = 0.0, eta: float = 1.0) -> np.ndarray:
    """Return int64 places of the boxes that overlap no earlier kept one by more than a threshold.

    Args:
        boxes: Corners x1, y1, x2, y2, the most important box first: shape [boxes, 4].
        threshold: The largest intersection over union that is kept, a float32 number as in Paddle.
        plus: 1 where corners are whole pixels, which both belong to the box.
        eta: Below 1: the threshold, while above 0.5, shrinks by it with each kept box.
    """
    kept = np.empty(len(boxes), np.int64)
    limit, pixel, shrink = (boxes.dtype.type(np.float32(number)) for number in (threshold, plus, eta))
    return kept[: greedy(boxes, limit, pixel, shrink, kept)]


def suppress_crossing(boxes: np.ndarray, threshold: float) -> np.ndarray:
    """Return int64 places of the boxes that do not cross an earlier kept one too much.

    It is :func:`suppress` but for boxes without area, or with corners in the wrong order: they suppress nothing.

    Args:
        boxes: Corners x1, y1, x2, y2, the most important box first: shape [boxes, 4].
        threshold: The largest intersection over union that is kept, a float32 number as in Paddle.
    """
    kept = np.empty(len(boxes), np.int64)
    return kept[: _suppress_crossing(boxes, boxes.dtype.type(np.float32(threshold)), kept)]


def decay(boxes: np.ndarray, plus: float, gaussian: bool, sigma: float) -> np.ndarray:
    """Return by what matrix NMS multiplies each score (SOLOv2, Wang et al., arXiv 2003.10152).

    Args:
        boxes: Corners of shape [boxes, 4], with falling scores.
        plus: 1 where corners are whole pixels.
        gaussian: Whether the penalty falls as a normal density does, else on a line.
        sigma: How fast it falls.
    """
    result = np.empty(len(boxes), boxes.dtype)
    _decay(boxes, boxes.dtype.type(plus), bool(gaussian), boxes.dtype.type(sigma), result)
    return result


def overlaps(boxes: np.ndarray, plus: float = 0.0) -> np.ndarray:
    """Return the intersection over union of all pairs of boxes, [boxes, boxes]; NaN where both are empty and meet."""
    low, high = boxes[:, :2], boxes[:, 2:]
    apart = ((low[:, None] > high[None]) | (high[:, None] < low[None])).any(-1)
    common = (np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None]) + plus).prod(-1)
    areas = np.where((high < low).any(-1), 0, (high - low + plus).prod(-1)).astype(boxes.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(apart, 0, common / (areas[:, None] + areas[None] - common)).astype(boxes.dtype)


def suppress_reference(boxes: np.ndarray, threshold: float, plus: float = 0.0, eta: float = 1.0) -> np.ndarray:
    """The definition of :func:`suppress` in plain numpy."""
    kept: list[int] = []
    table = overlaps(boxes, plus)
    limit, shrink = (boxes.dtype.type(np.float32(number)) for number in (threshold, eta))
    for i in range(len(boxes)):
        if (table[i, kept] <= limit).all():
            kept.append(i)
            limit *= shrink if shrink < 1 and limit > 0.5 else 1
    return np.array(kept, np.int64)


def suppress_crossing_reference(boxes: np.ndarray, threshold: float) -> np.ndarray:
    """The definition of :func:`suppress_crossing` in plain numpy."""
    kept: list[int] = []
    sides = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    common, areas = sides.prod(-1), (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.where((sides > 0).all(-1), common / (areas[:, None] + areas[None] - common), 0)
    for i in range(len(boxes)):
        if not (table[i, kept] > np.float32(threshold)).any():
            kept.append(i)
    return np.array(kept, np.int64)


def decay_reference(boxes: np.ndarray, plus: float, gaussian: bool, sigma: float) -> np.ndarray:
    """The definition of :func:`decay` in plain numpy."""
    earlier = np.tril(np.nan_to_num(overlaps(boxes, plus)), -1)
    largest = earlier.max(1, initial=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if gaussian:
            penalty = np.exp((largest[None] ** 2 - earlier**2) * sigma)
        else:
            penalty = np.nan_to_num((1 - earlier) / (1 - largest[None]), nan=1.0)
    penalty[np.triu_indices(len(boxes))] = 1
    return penalty.min(1, initial=1)
