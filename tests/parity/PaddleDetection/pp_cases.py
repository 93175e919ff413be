"""Seeded weights, feature maps and objects of the PP-YOLO family, for both implementations; numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.parity.PaddleDetection.onestage_cases import CHANNELS, features, lively
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
