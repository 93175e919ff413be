"""Non-maximum suppression: numba kernels, and plain numpy that defines them."""

from __future__ import annotations

import numpy as np

from core.kernels.compiled import serial


@serial
def _overlap(boxes, i, j, plus):  # type: ignore[no-untyped-def]
    """Return the intersection of two boxes over their union; ``plus`` is 1 where corners are whole pixels."""
    width = min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0])
    height = min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1])
    if width < 0 or height < 0 or (width + plus) * (height + plus) <= 0:
        return boxes.dtype.type(0)
    width += plus
    height += plus
    one = (boxes[i, 2] - boxes[i, 0] + plus) * (boxes[i, 3] - boxes[i, 1] + plus)
    two = (boxes[j, 2] - boxes[j, 0] + plus) * (boxes[j, 3] - boxes[j, 1] + plus)
    return width * height / (one + two - width * height)


@serial
def _suppress(boxes, threshold, plus, eta, kept):  # type: ignore[no-untyped-def]
    count = 0
    for i in range(boxes.shape[0]):
        clear = True
        for k in range(count):
            if _overlap(boxes, kept[k], i, plus) > threshold:
                clear = False
                break
        if clear:
            kept[count] = i
            count += 1
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return count


@serial
def _decay(boxes, plus, gaussian, sigma, result):  # type: ignore[no-untyped-def]
    """Write the factor of each score; boxes come with falling scores."""
    count = boxes.shape[0]
    largest = np.zeros(count, boxes.dtype)
    for i in range(count):
        factor = boxes.dtype.type(1)
        for j in range(i):
            overlap = _overlap(boxes, i, j, plus)
            if overlap > largest[i]:
                largest[i] = overlap
        for j in range(i):
            overlap = _overlap(boxes, i, j, plus)
            if gaussian:
                penalty = np.exp((largest[j] * largest[j] - overlap * overlap) * sigma)
            else:
                penalty = (1 - overlap) / (1 - largest[j])
            if penalty < factor:
                factor = penalty
        result[i] = factor


def suppress(boxes: np.ndarray, threshold: float, plus: float = 0.0, eta: float = 1.0) -> np.ndarray:
    """Return int64 places of the boxes that overlap no earlier kept one by more than a threshold.

    Args:
        boxes: Corners x1, y1, x2, y2, the most important box first: shape [boxes, 4].
        threshold: The largest intersection over union that is kept.
        plus: 1 where corners are whole pixels, which both belong to the box.
        eta: Below 1: the threshold, while above 0.5, shrinks by it with each kept box.
    """
    kept = np.empty(len(boxes), np.int64)
    kind = boxes.dtype.type
    return kept[: _suppress(boxes, kind(threshold), kind(plus), kind(eta), kept)]


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
    """Return the intersection over union of each pair of boxes, shape [boxes, boxes]."""
    sides = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    common = np.where((sides >= 0).all(-1), (sides + plus).prod(-1), 0)
    areas = (boxes[:, 2:] - boxes[:, :2] + plus).prod(-1)
    union = areas[:, None] + areas[None] - common
    return np.divide(common, union, out=np.zeros_like(common), where=common > 0)


def suppress_reference(boxes: np.ndarray, threshold: float, plus: float = 0.0, eta: float = 1.0) -> np.ndarray:
    """The definition of :func:`suppress` in plain numpy."""
    kept: list[int] = []
    table = overlaps(boxes, plus)
    for i in range(len(boxes)):
        if not (table[i, kept] > threshold).any():
            kept.append(i)
            threshold *= eta if eta < 1 and threshold > 0.5 else 1
    return np.array(kept, np.int64)


def decay_reference(boxes: np.ndarray, plus: float, gaussian: bool, sigma: float) -> np.ndarray:
    """The definition of :func:`decay` in plain numpy."""
    earlier = np.tril(overlaps(boxes, plus), -1)
    largest = earlier.max(1, initial=0)
    if gaussian:
        penalty = np.exp((largest[None] ** 2 - earlier**2) * sigma)
    else:
        penalty = (1 - earlier) / (1 - largest[None])
    penalty[np.triu_indices(len(boxes))] = 1
    return penalty.min(1, initial=1)
