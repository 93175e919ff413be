"""The test of faces at many sizes and mirrored, whose boxes vote, as submissions to WIDER FACE look at images.

Zhang et al., "S3FD: Single Shot Scale-invariant Face Detector", arXiv 1708.05237; PyramidBox, arXiv 1803.07737. Sizes,
which faces count at each, and the vote are those of PaddleDetection 2.x, ``ppdet/metrics/widerface_utils.py``.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

import core
from PaddleDetection.metrics.voc import pixel_overlaps
from PaddleDetection.multi_scale_test import Views, mirrored, mirrored_back

LARGE = 30
"""A smaller view finds only faces one side of which is longer, in pixels of the image."""

SMALL = 100
"""A larger view finds only faces one side of which is shorter."""


class View(NamedTuple):
    """One look at an image.

    Attributes:
        scale: its size as a share of the image's.
        flip: whether it is mirrored.
        large: whether only large faces count; otherwise only small ones; None: all.
    """

    scale: float
    flip: bool = False
    large: Optional[bool] = None


class FaceViews(Views):
    """A detector of faces that looks at each image at sizes that follow from the image's own.

    What it gives is the boxes of all views, not merged: :func:`vote` does that, outside of a compiled program. Images
    keep their own size, so a batch holds one.

    Args:
        network: the detector.
    """

    def __call__(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, ...]:
        """Return boxes (N, K, 6) and their numbers (N,); a box that does not count has class -1."""
        found = []
        for view in views_of(*image.shape[2:]):
            resized, factor = self._resized(image, view.scale)
            shape, own = im_shape * factor, scale_factor * factor
            if view.flip:
                outputs = self.network(mirrored(resized, shape), shape, own)
                width = core.round(im_shape[:, 1] / scale_factor[:, 1])
                rows = mirrored_back(outputs, width)[0]
            else:
                rows = self.network(resized, shape, own)[0]
            found.append(rows if view.large is None else _of_size(rows, view.large))
        together = core.concat(found, 1)
        return together, core.full([together.shape[0]], together.shape[1], "int32")


def _of_size(rows: Any, large: bool) -> Any:
    sides = rows[:, :, 4:] - rows[:, :, 2:4] + 1
    counts = sides.max(-1, keepdim=True) > LARGE if large else sides.min(-1, keepdim=True) < SMALL
    classes = core.where(counts, rows[:, :, :1], core.full_like(rows[:, :, :1], -1.0))
    return core.concat([classes, rows[:, :, 1:]], -1)


def views_of(height: int, width: int) -> list[View]:
    """Return the looks at an image.

    Args:
        height: of the image, pixels.
        width: likewise.
    """
    most = largest_scale(height, width)
    own = min(most, 1.0)
    smaller = 0.5 if most >= 0.75 else 0.5 * most
    larger = [min(2.0, most)] if most > 1 else [(smaller + most) / 2]
    while most > 2 and 2 * larger[-1] < most:
        larger.append(2 * larger[-1])
    larger += [most] if most > 2 else []
    steps = [step for step in (0.75, 1.25, 1.5, 1.75) if step <= most]
    return [
        View(own),
        View(own, flip=True),
        View(smaller, large=True),
        *(View(scale, large=most <= 1) for scale in larger),
        View(0.25, large=True),
        *(View(step, large=step < 1) for step in steps),
    ]


def largest_scale(height: int, width: int) -> float:
    """Return the size of an image's largest view, as a share of the image's.

    Args:
        height: of the image, pixels.
        width: likewise.
    """
    area = height * width
    room = min((0x7FFFFFFF / 577.0 / area) ** 0.5, (678 * 1024 * 2.0 * 2.0 / area) ** 0.5)
    scale = float(decimal.Decimal(str(room)).quantize(decimal.Decimal("0.01"), decimal.ROUND_DOWN)) - 0.3
    for least, less in ((5, 0.5), (4, 0.4), (3, 0.3), (2, 0.2), (1.5, 0.1)):
        if scale >= least:
            return scale - less
    return max(scale, 0.1)


def vote(rows: np.ndarray, overlap: float = 0.3, most: int = 750, least: float = 0.01) -> np.ndarray:
    """Return one box for each group of boxes that overlap: their mean by score, with the highest of their scores.

    A box that no other one supports is left out, unless it is the very last.

    Args:
        rows: class, score and corners, (D, 6); those of class -1 do not count.
        overlap: the least intersection over union with the best box of a group.
        most: so many boxes are given at most.
        least: boxes must score so much.

    Returns:
        Rows, the best first.
    """
    rows = np.asarray(rows, np.float64)
    rows = rows[rows[:, 0] >= 0]
    rows = rows[np.argsort(-rows[:, 1], kind="stable")]
    voted: list[Sequence[float]] = []
    while len(rows):
        together = pixel_overlaps(rows[:1, 2:], rows[:, 2:])[0] >= overlap
        together[0] = True
        group, rows = rows[together], rows[~together]
        if len(group) > 1:
            voted.append([0.0, group[0, 1], *np.average(group[:, 2:], axis=0, weights=group[:, 1])])
        elif not len(rows):
            voted.append(group[0].tolist())
    found = np.array(voted, np.float32).reshape(-1, 6)[:most]
    return np.asarray(found[found[:, 1] >= least])
