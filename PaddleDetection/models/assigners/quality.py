"""What assigners that say how good a prediction should be have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

import core


class Graded(NamedTuple):
    """What predictions answer for.

    Attributes:
        places: rows of their objects, int64 (N, A); those without one have any.
        positive: which have an object, bool (N, A).
        quality: how likely they should call the object's class, (N, A); 0 for those without one.
    """

    places: Any
    positive: Any
    quality: Any


def inside(centres: Any, boxes: Any) -> Any:
    """Return which points (A, 2) are in which boxes (N, G, 4), bool (N, G, A)."""
    low, high = centres - boxes[..., :2].unsqueeze(2), boxes[..., 2:].unsqueeze(2) - centres
    return core.minimum(low, high).min(-1) > 1e-9


def marked(values: Any, count: int, largest: bool = True) -> Any:
    """Return 1 where one of the ``count`` largest, or smallest, values of a row is, else 0; of the values' shape."""
    places = core.topk(values, min(count, values.shape[-1]), largest=largest)[1]
    return core.put_along_axis(core.zeros_like(values), places, core.ones(places.shape), values.ndim - 1)


def settled(matched: Any, overlap: Any) -> tuple[Any, Any]:
    """Return places and positives where each prediction has one object, of several the one that it overlaps most.

    Args:
        matched: 1 where an object may have a prediction, (N, G, A).
        overlap: of objects and anchors or predictions, (N, G, A).

    Returns:
        As in :class:`Graded`.
    """
    owners = matched.sum(1)
    return core.where(owners > 1, core.argmax(overlap, 1), core.argmax(matched, 1)), owners > 0
