"""From a detector's padded outputs to what it finds in each image."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from PaddleDetection.metrics.base import Found
from PaddleDetection.pasting import found_masks


def found_in(outputs: Sequence[np.ndarray], im_shape: np.ndarray, scale_factor: np.ndarray) -> list[Found]:
    """Return what is found in each image of a batch; masks are pasted into their images.

    Boxes with a number that is not finite, which a network with damaged weights gives, are left out with a warning.

    Args:
        outputs: boxes (N, K, 6), their numbers (N,), and masks (N, K, M, M) where the detector has them.
        im_shape: height and width of the prepared images (N, 2).
        scale_factor: these divided by those of the original images (N, 2).
    """
    sizes = np.rint(im_shape / scale_factor).astype(int).tolist()
    found = []
    for place, (count, (height, width)) in enumerate(zip(outputs[1].tolist(), sizes)):
        rows = outputs[0][place, :count]
        whole = np.isfinite(rows).all(axis=1)
        if not whole.all():
            warnings.warn("the detector gives boxes with numbers that are not finite; they are left out", stacklevel=2)
        masks = outputs[2][place, :count][whole] if len(outputs) > 2 else None
        rows = rows[whole]
        found.append(Found(rows, None if masks is None else found_masks(masks, rows[:, 2:], height, width)))
    return found
