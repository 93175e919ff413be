"""Seeded masks of boxes, for pasting into an image; NumPy only: the official packages' Python reads it too."""

from __future__ import annotations

import numpy as np

HEIGHT, WIDTH = 61, 83
COUNT = 12


def cases() -> tuple[np.ndarray, np.ndarray]:
    """Return masks (COUNT, 28, 28), blobs and noise, and boxes (COUNT, 4), some beyond the image; both float32."""
    random = np.random.RandomState(3)
    points = np.linspace(-1, 1, 28)
    blob = np.exp(-2 * (points[:, None] ** 2 + points**2))
    noise = random.uniform(0, 1, (COUNT, 28, 28))
    masks = np.where(np.arange(COUNT)[:, None, None] % 2, 0.7 * blob + 0.3 * noise, noise)
    masks[2] = 1.0
    corners = random.uniform(-15, 50, (COUNT, 2))
    boxes = np.concatenate([corners, corners + random.uniform(3, 60, (COUNT, 2))], 1)
    boxes[2] = [10, 20, 40, 50]
    return masks.astype(np.float32), boxes.astype(np.float32)
