"""Seeded weights, feature maps and objects of the PP-YOLO family, for both implementations; numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.parity.PaddleDetection.onestage_cases import CHANNELS, features, lively
from tests.parity.PaddleDetection.yolo_cases import CLASSES
from tests.parity.recipe import uniform

E_DEPTH, E_WIDTH = 0.33, 0.125
"""Of PP-YOLOE's whole network."""

E_LEVELS = ((4, 6), (8, 12), (16, 24))
"""Height and width of the levels of its head alone; each has more anchors than ATSS takes."""

E_STRIDES = (32, 16, 8)

E_EPOCHS = {"first": 29, "later": 30}
"""Before epoch 30 ATSS assigns anchors."""


def e_features() -> list[np.ndarray]:
    """Return feature maps of two images, the coarsest first."""
    return features("ppyoloe", E_LEVELS, CHANNELS)


def e_weights(case: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return lively weights of PP-YOLOE, which predicts boxes about as large as the objects are."""
    made = lively(case, shapes)
    for name, shape in shapes.items():
        if name.endswith("proj_conv.weight"):
            made[name] = np.arange(shape[1], dtype=np.float32).reshape(shape)
        elif name.endswith("alpha"):  # positive: the official code, run eagerly, takes a negative one for none
            made[name] = uniform(f"{case} {name}", shape, 0.5, 1.5)
        elif "pred_reg" in name and name.endswith("bias"):
            made[name] = made[name] - np.tile(0.35 * np.arange(shape[0] // 4, dtype=np.float32), 4)
    return made


LEVELS = {2: ((4, 6), (2, 3)), 3: ((8, 12), (4, 6), (2, 3))}
"""Height and width of a backbone's maps, the finest first, by their number."""

CHANNELS_OF = {"coordinates": (6, 10), "short": (6, 10), "tiny": (4, 6, 8), "second": (6, 10)}
"""Of a backbone's maps for each kind of PP-YOLO's necks."""

TINY = (12, 10, 8)
"""Channels of the tiny neck."""

ANCHORS = {
    2: ((10, 14), (23, 27), (37, 58), (81, 82), (135, 169), (344, 319)),
    3: ((10, 15), (24, 36), (72, 42), (35, 87), (102, 96), (60, 170), (220, 125), (128, 222), (264, 266)),
}
MASKS = {2: ((3, 4, 5), (0, 1, 2)), 3: ((6, 7, 8), (3, 4, 5), (0, 1, 2))}
AWARE = {"coordinates": 0.4, "second": 0.5}
"""Power of predicted overlaps, of those that predict them."""

LOSS_CASES = {
    "overlap": {"iou_weight": 2.5},
    "aware": {"iou_weight": 2.5, "iou_aware_weight": 1.0},
    "near": {"iou_weight": 2.5, "iou_thresh": 0.25},
    "crowded": {"iou_weight": 2.5, "iou_aware_weight": 1.0, "iou_thresh": 0.2},
    "empty": {"iou_weight": 2.5, "iou_aware_weight": 1.0, "iou_thresh": 0.25},
}
"""What each case has of the loss; all have scale_x_y 1.05."""


def backbone_maps(kind: str) -> list[np.ndarray]:
    """Return a backbone's maps of two images, the finest first."""
    sizes = LEVELS[len(CHANNELS_OF[kind])]
    return [
        uniform(f"{kind} map {level}", (2, channels, *size), -1.5, 1.5)
        for level, (channels, size) in enumerate(zip(CHANNELS_OF[kind], sizes))
    ]


def outputs(case: str) -> list[np.ndarray]:
    """Return what the head predicts at each of three levels, the coarsest first."""
    channels = 3 * (5 + bool(LOSS_CASES[case].get("iou_aware_weight")) + CLASSES)
    return [
        uniform(f"{case} {level}", (2, channels, *size), -1.5, 1.5) for level, size in enumerate(LEVELS[3][::-1])
    ]
