"""Seeded weights, pyramids and objects of SOLOv2's heads, for both implementations; numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.parity.PaddleDetection.onestage_cases import FCOS_SHAPES, HEIGHT, WIDTH, features, lively, objects

CHANNELS = 8
INNER = 32
"""Channels inside the heads, of which group normalisation makes 32 groups."""

NUM_GRIDS = (8, 6, 5, 4, 3)
SCALE_RANGES = ((1, 22), (16, 32), (26, 48), (40, 64), (56, 200))
LEVELS = ((16, 24), (8, 12), (4, 6), (2, 3), (1, 2))
"""Height and width of a pyramid's levels."""

CASES = ("objects", "one empty")


def pyramid() -> list[np.ndarray]:
    """Return the levels of two images, the finest first."""
    return features("solov2", LEVELS, CHANNELS)


def weights(shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return lively weights, the same ones where the heads have them under two names."""
    made = lively("solov2", shapes)
    for name in shapes:
        for full in ("mask_feat_head.conv_pred.0.", "bbox_head.solo_kernel.", "bbox_head.solo_cate."):
            if full in name:
                made[name.replace(full, full.replace(".0.", ".").partition(".")[2])] = made[name]
    return made


def masked_objects(case: str) -> dict[str, np.ndarray]:
    """Return objects as :func:`objects` does, and "gt_segm" uint8 (2, G, HEIGHT, WIDTH): ellipses in their boxes."""
    found = objects(case, FCOS_SHAPES, 4)
    rows, columns = np.indices((HEIGHT, WIDTH)) + 0.5
    boxes = found["gt_bbox"][:, :, :, None, None]
    left, top, right, bottom = (boxes[:, :, side] for side in range(4))
    across = (columns - (left + right) / 2) / np.maximum((right - left) / 2, 1e-3)
    down = (rows - (top + bottom) / 2) / np.maximum((bottom - top) / 2, 1e-3)
    return {**found, "gt_segm": (across**2 + down**2 <= 1.0).astype(np.uint8)}
