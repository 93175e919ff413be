"""Seeded samples, and transforms with their arguments, for both implementations; numpy alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.parity.recipe import uniform

HEIGHT, WIDTH = 13, 18

OF_SAMPLES: dict[str, tuple[str, dict[str, Any]]] = {
    "resize": ("Resize", {"target_size": [20, 14], "keep_ratio": False}),
    "resize_cubic": ("Resize", {"target_size": 15, "keep_ratio": False, "interp": 2}),
    "resize_within": ("Resize", {"target_size": [15, 20], "keep_ratio": True}),
    "flip": ("RandomFlip", {"prob": 0.5}),
    "normalize": ("NormalizeImage", {}),
    "normalize_scale_only": ("NormalizeImage", {"norm_type": "none"}),
    "normalize_bytes": ("NormalizeImage", {"mean": [120.0, 110.0, 100.0], "std": [1.0, 2.0, 3.0], "is_scale": False}),
    "permute": ("Permute", {}),
}
"""The official name of each case's transform, and its arguments."""

OF_BATCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "random_size": (
        "BatchRandomResize",
        {"target_size": [12, 16, 24], "random_size": True, "random_interp": True, "keep_ratio": False},
    ),
    "one_size": ("BatchRandomResize", {"target_size": 12, "random_size": False, "keep_ratio": False}),
    "pad": ("PadBatch", {"pad_to_stride": 16}),
    "pad_to_largest": ("PadBatch", {"pad_to_stride": 0}),
}

SEEDS = (0, 1)


def sample(case: str, number: int = 0) -> dict[str, Any]:
    """Return an image with three objects, whose masks are polygons, polygons and run lengths."""
    height, width = HEIGHT + 5 * number, WIDTH - 3 * number
    name = f"{case} {number}"
    corners = uniform(f"{name} boxes", (3, 2, 2), 1.0, height - 1.0)
    boxes = np.concatenate([corners.min(1), corners.max(1) + 1], -1).astype(np.float32)
    polygons = [
        [[float(x) for x in uniform(f"{name} polygon {part}", (8,), 0.0, height)] for part in range(count)]
        for count in (1, 2)
    ]
    lengths = {"size": [height, width], "counts": [10, 20, 50, 7, height * width - 87]}
    return {
        "image": uniform(f"{name} image", (height, width, 3), 0.0, 256.0).astype(np.uint8),
        "im_shape": np.array([height, width], np.float32),
        "scale_factor": np.array([1.0, 1.0], np.float32),
        "gt_bbox": boxes,
        "gt_class": np.array([[0], [2], [1]], np.int32),
        "gt_poly": [*polygons, lengths],
    }


def batch(case: str) -> list[dict[str, Any]]:
    """Return samples of two sizes; for "pad" channels come first."""
    made = [sample(case, number) for number in range(2)]
    for one in made:
        if case.startswith("pad"):
            one["image"] = np.ascontiguousarray(one["image"].transpose(2, 0, 1))
        del one["gt_poly"]
    return made


def described(samples: list[dict[str, Any]], decode: Any) -> dict[str, np.ndarray]:
    """Return what is compared of transformed samples, by name; ``decode`` makes pixels of run lengths."""
    found: dict[str, np.ndarray] = {}
    for number, one in enumerate(samples):
        for name in ("image", "im_shape", "scale_factor", "gt_bbox"):
            found[f"{number} {name}"] = np.asarray(one[name])
        for place, mask in enumerate(one.get("gt_poly", ())):
            pixels = decode(mask) if isinstance(mask, dict) else np.concatenate([np.ravel(part) for part in mask])
            found[f"{number} mask {place}"] = pixels
    return found
