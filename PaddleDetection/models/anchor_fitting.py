"""Anchors that fit boxes: k-means, with what boxes do not share as their distance (YOLOv2's way), and what sets them.

Redmon and Farhadi, YOLO9000: Better, Faster, Stronger, https://arxiv.org/abs/1612.08242.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from PaddleDetection.models.heads.ssd_head import PriorBoxes

LEAST = 0.25
"""An anchor fits a box that it overlaps so much, both at one corner."""

ATTEMPTS = 5
"""From so many random beginnings."""

MOST = 9
"""Anchors of a proposal, where the network does not say how many it has."""

NEARLY = 0.95
"""Prior boxes of fewer sizes do, where boxes overlap them so much in relation to those of as many sizes as levels."""

LONG = 2**0.5
"""Boxes that are longer for their breadth are nearer to 2 : 1 than to a square."""


class Fitted(NamedTuple):
    """Anchors that fit boxes better.

    Attributes:
        settings: what of the network's section of a config sets them; empty where nothing does.
        anchors: their widths and heights, pixels, (A, 2).
    """

    settings: Mapping[str, Any]
    anchors: np.ndarray

    def __str__(self) -> str:
        """Return what a config, or the option ``-o``, takes."""
        if not self.settings:
            return str(pixels(self.anchors))
        return " ".join(f"-o 'network.{key}={value}'" for key, value in self.settings.items())


def overlaps(sides: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Return the intersection over union of boxes and anchors at one corner.

    Args:
        sides: widths and heights (G, 2).
        anchors: likewise (A, 2).

    Returns:
        float64 (G, A).
    """
    common = np.minimum(sides[:, None], anchors[None]).prod(axis=2)
    return np.asarray(common / (sides.prod(axis=1)[:, None] + anchors.prod(axis=1)[None] - common))


def cluster_anchors(sides: np.ndarray, count: int, seed: int = 0, iterations: int = 1000) -> np.ndarray:
    """Return anchors for boxes, small ones first.

    Args:
        sides: the boxes' widths and heights (G, 2).
        count: how many anchors.
        seed: of the random beginnings, of which the best is taken.
        iterations: the most steps from each.

    Returns:
        float64 (count, 2).

    Raises:
        ValueError: there are fewer different boxes than anchors.
    """
    different = np.unique(sides, axis=0)
    if len(different) < count:
        raise ValueError(f"{count} anchors need as many different boxes, but there are {len(different)}")
    source = np.random.RandomState(seed)
    best, best_share = different[:count].astype(np.float64), -1.0
    for _ in range(ATTEMPTS):
        anchors = different[source.choice(len(different), count, replace=False)].astype(np.float64)
        nearest = np.full(len(sides), -1)
        for _ in range(iterations):
            found = overlaps(sides, anchors).argmax(axis=1)
            if (found == nearest).all():
                break
            nearest = found
            members = np.bincount(nearest, minlength=count)[:, None]
            sums = np.stack([np.bincount(nearest, sides[:, axis], count) for axis in (0, 1)], axis=1)
            anchors = np.where(members > 0, sums / np.maximum(members, 1), anchors)
        share = mean_overlap(sides, anchors)
        if share > best_share:
            best, best_share = anchors, share
    return best[np.argsort(best.prod(axis=1), kind="stable")]


def mean_overlap(sides: np.ndarray, anchors: np.ndarray) -> float:
    """Return how much boxes, (G, 2), overlap the best of some anchors, (A, 2), on the average."""
    return float(overlaps(sides, anchors).max(axis=1).mean())


def pixels(anchors: np.ndarray) -> list[list[int]]:
    """Return anchors as a config has them: ``[[10, 13], [16, 30]]``, whole pixels."""
    whole_ones: list[list[int]] = np.maximum(np.round(anchors), 1).astype(int).tolist()
    return whole_ones


def clustered(sides: np.ndarray, count: int = MOST) -> Fitted:
    """Return clusters of boxes, fewer where there are fewer different boxes.

    Args:
        sides: the boxes' widths and heights, pixels (G, 2).
        count: how many anchors.
    """
    return Fitted({}, cluster_anchors(sides, min(count, len(np.unique(sides, axis=0)))))


def scaled(sides: np.ndarray, anchors: np.ndarray) -> float:
    """Return the factor on all anchors with which boxes overlap their best anchor most.

    Args:
        sides: the boxes' widths and heights, pixels (G, 2).
        anchors: likewise (A, 2).

    Returns:
        A power of the fourth root of 2 from 1/16 to 16; of several that are as good to a hundredth, the nearest to 1.
    """
    steps = np.arange(-16, 17)
    shares = np.array([mean_overlap(sides, anchors * 2 ** (step / 4)) for step in steps])
    good = steps[shares >= shares.max() - 0.01]
    return float(2 ** (good[np.abs(good).argmin()] / 4))


def fitted_priors(sides: np.ndarray, priors: PriorBoxes) -> Fitted:
    """Return prior boxes whose smallest sizes are those of clusters of boxes.

    A size goes to the level whose own one is nearest, and a level that gets none keeps its own. There are as few as
    boxes overlap nearly as much as one for each level. Where most boxes are nearer to squares than to 2 : 1, all prior
    boxes are squares.

    Args:
        sides: the boxes' widths and heights, pixels (G, 2).
        priors: the network's.
    """
    squares = np.sqrt(sides.prod(axis=1))[:, None].repeat(2, axis=1)
    room = min(len(priors.steps), len(np.unique(squares)))
    proposed = [cluster_anchors(squares, count) for count in range(1, room + 1)]
    enough = NEARLY * mean_overlap(sides, proposed[-1])
    sizes = next(found for found in proposed if mean_overlap(sides, found) >= enough)[:, 0]
    own = np.log([least[0] for least in priors.min_sizes])
    levels = np.abs(np.log(sizes)[:, None] - own).argmin(axis=1)
    min_sizes = [
        whole(sizes[levels == level]) if (levels == level).any() else whole(least)
        for level, least in enumerate(priors.min_sizes)
    ]
    settings: dict[str, Any] = {"min_sizes": min_sizes}
    if np.median(sides.max(axis=1) / sides.min(axis=1)) < LONG:
        settings["aspect_ratios"] = [[] for _ in min_sizes]
    return Fitted(settings, by_rows(priors.changed(**settings).sides))


def by_rows(levels: Sequence[Sequence[float]]) -> np.ndarray:
    """Return widths and heights of anchors (A, 2) from those of each level: w, h, w, h, ..."""
    return np.concatenate([np.reshape(level, (-1, 2)) for level in levels]).astype(np.float64)


def whole(sizes: Sequence[float]) -> list[int]:
    """Return sizes as whole pixels."""
    return [max(round(float(size)), 1) for size in sizes]
