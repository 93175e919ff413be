"""Seeded images with faces, and lists of detections, for both implementations; numpy alone."""

from __future__ import annotations

import numpy as np

from tests.parity.recipe import uniform

ANCHOR_SAMPLER = [[1, 10, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.2, 0.0]]
BATCH_SAMPLER = [[1, 50, least, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0] for least in (1.0, 0.3, 0.3, 0.3, 0.3)]

SAMPLING = {
    "anchors": {"sampling_prob": 0.0, "das_anchor_scales": [16, 32, 64, 128, 256, 512], "target_size": 160},
    "parts": {"sampling_prob": 1.0, "target_size": 160},
    "both": {"sampling_prob": 0.5, "target_size": 96, "min_size": 12.0},
}
"""What the transform's constructor is given besides."""

SEEDS = range(6)

SIZES = ((768, 1024), (100, 150), (1500, 2600), (600, 800), (1024, 1024), (420, 640), (4000, 6000), (64, 64))
"""Height and width of images whose views are listed."""


def scene(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an image uint8 (H, W, 3) and its faces, float32 (G, 4): of all sizes, one at the border."""
    height, width = ((90, 120), (120, 90), (70, 70))[seed % 3]
    image = uniform(f"face scene {seed}", (height, width, 3), 0, 255).astype(np.uint8)
    centres = uniform(f"face centres {seed}", (5, 2), 0.1, 0.9) * np.array([width, height], np.float32)
    halves = uniform(f"face sizes {seed}", (5, 1), 2, 30) * uniform(f"face shapes {seed}", (5, 2), 0.8, 1.2) / 2
    boxes = np.concatenate([centres - halves, centres + halves], 1)
    return image, boxes.clip(0, np.array([width, height] * 2, np.float32)).astype(np.float32)


def detections() -> np.ndarray:
    """Return class, score and corners of detections in groups, some of one alone, (40, 6)."""
    anchors = uniform("vote anchors", (8, 2), 0, 300)
    corners = np.repeat(anchors, [9, 7, 1, 1, 12, 4, 5, 1], axis=0) + uniform("vote shifts", (40, 2), -4, 4)
    sides = 30 + uniform("vote sides", (40, 2), -5, 5)
    scores = uniform("vote scores", (40, 1), 0.005, 1)
    return np.concatenate([np.zeros((40, 1), np.float32), scores, corners, corners + sides], 1)
