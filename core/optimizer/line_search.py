"""How far to go along a direction: the line search of LBFGS.

Nocedal and Wright, Numerical Optimization, section 3.5.
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional

ENOUGH_DESCENT = 1e-4
ENOUGH_FLATTENING = 0.9
MOST_EVALUATIONS = 25


class Point(NamedTuple):
    """A place on the line: its distance, the loss and the gradient there, and the loss's slope along the line."""

    distance: float
    loss: float
    gradient: Any
    slope: float


def strong_wolfe(
    evaluate: Callable[[float], Point], start: Point, distance: float, length: float, tolerance: float
) -> tuple[Point, int]:
    """Find a place where the loss has fallen enough and its slope is flat enough.

    Args:
        evaluate: Returns the point at a distance.
        start: The point at distance 0; its slope is negative.
        distance: The first distance tried.
        length: The largest element of the direction, in absolute value.
        tolerance: A bracket whose ends are closer than this, measured in parameters, is not searched further.

    Returns:
        The point, and how often the loss was evaluated.
    """
    before, here = start, evaluate(distance)
    evaluations = 1
    bracket: Optional[tuple[Point, Point]] = None
    while bracket is None:
        if _too_high(here, start) or (evaluations > 2 and here.loss >= before.loss):
            bracket = before, here
        elif _is_flat(here, start):
            return here, evaluations
        elif here.slope >= 0:
            bracket = before, here
        elif evaluations > MOST_EVALUATIONS:
            bracket = start, here
        else:
            least = here.distance + 0.01 * (here.distance - before.distance)
            further = _lowest(before, here, least, here.distance * 10)
            before, here = here, evaluate(further)
            evaluations += 1
    return _zoom(evaluate, start, bracket, evaluations, length, tolerance)


def _zoom(
    evaluate: Callable[[float], Point],
    start: Point,
    bracket: tuple[Point, Point],
    evaluations: int,
    length: float,
    tolerance: float,
) -> tuple[Point, int]:
    """Narrow a bracket down; its better end is the answer where nothing inside is good enough."""
    low, high = bracket if bracket[0].loss <= bracket[1].loss else (bracket[1], bracket[0])
    stuck = False
    while evaluations <= MOST_EVALUATIONS and abs(high.distance - low.distance) * length >= tolerance:
        left, right = sorted((low.distance, high.distance))
        distance = _lowest(low, high, left, right)
        margin = 0.1 * (right - left)
        near_end = min(right - distance, distance - left) < margin
        if near_end and (stuck or not left < distance < right):
            distance = right - margin if right - distance < distance - left else left + margin
            near_end = False
        stuck = near_end
        here = evaluate(distance)
        evaluations += 1
        if _too_high(here, start) or here.loss >= low.loss:
            low, high = (low, here) if low.loss <= here.loss else (here, low)
            continue
        if _is_flat(here, start):
            return here, evaluations
        if here.slope * (high.distance - low.distance) >= 0:
            high = low
        low = here
    return low, evaluations


def _too_high(here: Point, start: Point) -> bool:
    return not here.loss <= start.loss + ENOUGH_DESCENT * here.distance * start.slope


def _is_flat(here: Point, start: Point) -> bool:
    return abs(here.slope) <= -ENOUGH_FLATTENING * start.slope


def _lowest(one: Point, two: Point, least: float, most: float) -> float:
    """Return where the cubic through two points with their slopes is lowest, within bounds; the middle if nowhere."""
    first, second = (one, two) if one.distance <= two.distance else (two, one)
    gap = second.distance - first.distance
    if gap == 0:
        return (least + most) / 2
    mean = first.slope + second.slope - 3 * (first.loss - second.loss) / -gap
    square = mean * mean - first.slope * second.slope
    if not square >= 0:
        return (least + most) / 2
    root = math.sqrt(square)
    bottom = second.slope - first.slope + 2 * root
    if bottom == 0:
        return (least + most) / 2
    return min(max(second.distance - gap * ((second.slope + root - mean) / bottom), least), most)
