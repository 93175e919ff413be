"""Selections in which many scores are equal, many boxes alike or empty, and overlaps equal to thresholds.

Of such boxes, those are kept that sorting leaves first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

Call = tuple[Callable[..., Any], tuple[np.ndarray, ...]]


def tied_calls(number: int, proposed: Sequence[np.ndarray]) -> dict[str, Call]:
    """Return a call and its inputs for each operator.

    Args:
        number: Seeds the inputs and the options.
        proposed: Inputs of ``generate_proposals``, which are rounded.
    """
    generator = np.random.default_rng(number)
    size, dtype = int(generator.choice([12, 40, 90])), generator.choice(["float32", "float64"])
    corners = generator.integers(0, 6, (2, size, 2))
    extents = generator.integers(-1 if number % 3 == 0 else 0, 6, corners.shape)
    tied = np.concatenate([corners, corners + extents], -1).astype(dtype)
    ranks = (generator.integers(0, generator.choice([2, 4, 9]), (2, 3, size)) / 8).astype(dtype)
    threshold = float(generator.choice([0.0, 0.25, 1 / 3, 0.5, 0.7]))
    top, last = int(generator.choice([-1, 5, 20])), int(generator.choice([-1, 5, 20]))
    normalized, eta = bool(generator.integers(2)), float(generator.choice([1.0, 0.9, 0.5]))
    counts = np.array([size // 3, size - size // 3], np.int32)
    likely, moves, *rest = proposed
    return {
        "multiclass_nms": (
            lambda ops, b, s: ops.multiclass_nms(
                b, s, 0.125, top, last, threshold, normalized, eta, return_index=True
            ),
            (tied, ranks),
        ),
        "multiclass_nms of regions": (
            lambda ops, b, s, n: ops.multiclass_nms(
                b, s, 0.125, top, last, threshold, normalized, eta, 0, return_index=True, rois_num=n
            ),
            (tied.transpose(1, 0, 2), ranks[0, :2].T.copy(), counts),
        ),
        "matrix_nms": (
            lambda ops, b, s: ops.matrix_nms(
                b, s, 0.125, 0.1, top, last, number % 2 == 0, 2.0, 0, normalized, return_index=True
            ),
            (tied, ranks),
        ),
        "nms": (
            lambda ops, b, s, c: [
                ops.nms(b, threshold),
                ops.nms(b, threshold, s),
                ops.nms(b, threshold, s, c, [0, 2]),
                ops.nms(b, threshold, s, c, [0, 1, 2], 9),
            ],
            (tied[0], ranks[0, 0], generator.integers(0, 3, size)),
        ),
        "generate_proposals": (
            lambda ops, *t: ops.generate_proposals(
                *t, 30 if number % 2 else 0, 20, threshold, 2.0, eta, not normalized, return_rois_num=True
            ),
            (np.round(likely * 4) / 4, np.round(moves * 4) / 4, rest[0], np.round(rest[1]), rest[2] * 0 + 1),
        ),
    }
