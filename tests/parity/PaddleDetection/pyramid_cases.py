"""Seeded weights, an image and faces of PyramidBox, for both implementations; numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.parity.PaddleDetection import onestage_cases
from tests.parity.recipe import uniform

SIZES = {"odd": (100, 72), "even": (64, 96)}
"""Height and width of an image: no level divides the one, so each rounds up."""

LINE = np.array([0.25, 0.75, 0.75, 0.25], np.float32)
"""A row of the fixed filters that enlarge."""

SUPPRESSION = {"score_threshold": 0.01, "nms_top_k": 5000, "keep_top_k": 750, "nms_threshold": 0.3}

MAPS = {"conv5": 64, "fused0": 16, "context0": 64, "context5": 8}
"""Feature maps that are stored: every so many channels of them."""


def image(case: str) -> np.ndarray:
    """Return an image (1, 3, height, width)."""
    return uniform(f"pyramidbox {case}", (1, 3, *SIZES[case]), -1.0, 1.0)


def weights(shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return weights by the names of our network.

    Filters are larger than usual, lest the signal fades on its way, and those that predict sizes smaller; the fixed
    filters that enlarge are not among the weights.

    Args:
        shapes: by name.
    """
    wanted = {name: shape for name, shape in shapes.items() if "upsample" not in name}
    made = onestage_cases.lively("pyramidbox", wanted)
    for name, value in made.items():
        if ".boxes" in name:
            value *= np.float32(0.2)
        elif ".norm" in name:
            value += np.float32(4.0)
    return made
