"""Seeded regions and objects for balanced sampling, for both implementations; numpy alone."""

from __future__ import annotations

import numpy as np

from tests.parity.recipe import uniform

CLASSES = 3
SAMPLED = 48
CASES = {"many": (0.25, 300), "few objects": (0.25, 120), "few regions": (0.25, 30), "all positive": (0.9, 60)}
"""Share of positive regions, and how many regions there are."""


def given(case: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return regions (R, 4), objects (G, 4), their classes (G,), and a number for each region and object (R + G,)."""
    count = CASES[case][1]
    objects = 1 if case == "few objects" else 4
    centres, sizes = uniform(f"{case} centres", (objects, 2), 40, 160), uniform(f"{case} sizes", (objects, 2), 30, 60)
    boxes = np.concatenate([centres - sizes / 2, centres + sizes / 2], 1).astype(np.float32)
    own = np.arange(count) % objects
    reach = 1.2 if case == "many" else 2.0 if case == "few objects" else 0.3
    shift = uniform(f"{case} shift", (count, 2), -reach, reach) * sizes[own]
    moved = boxes[own] + np.concatenate([shift, shift], 1).astype(np.float32)
    classes = (np.arange(objects) % CLASSES).astype(np.int64)
    return moved.astype(np.float32), boxes, classes, uniform(f"{case} numbers", (count + objects,), 0.0, 1.0)
