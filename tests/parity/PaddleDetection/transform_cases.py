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
    "distort": ("RandomDistort", {}),
    "distort_ssd": ("RandomDistort", {"random_apply": False, "random_channel": True, "hue": [-18, 18, 0.0]}),
    "lighting": (
        "Lighting",
        {"eigval": [55.46, 4.794, 1.148], "eigvec": [[-0.6, 0.7, 0.4], [-0.5, 0, -0.8], [-0.5, -0.6, 0.4]]},
    ),
    "erasing": ("RandomErasingImage", {"prob": 0.9}),
    "grid": ("GridMask", {"prob": 1.0, "rotate": 30, "upper_iter": 10}),
    "grid_across": ("GridMask", {"prob": 1.0, "mode": 0, "use_w": False, "upper_iter": 10}),
    "expand": ("RandomExpand", {"ratio": 2.0, "prob": 0.0, "fill_value": [1.0, 2.0, 3.0]}),
    "pad_sides": ("Pad", {"size": [20, 24], "pad_mode": 1}),
    "pad_above": ("Pad", {"size": [16, 24], "pad_mode": 2}),
    "crop": ("RandomCrop", {"allow_no_crop": False, "scaling": [0.3, 0.9]}),
    "crop_sides": (
        "RandomCrop",
        {"allow_no_crop": False, "aspect_ratio": None, "scaling": [0.4, 0.9], "cover_all_box": True},
    ),
    "crop_masks": ("RandomCrop", {"allow_no_crop": False, "is_mask_crop": True, "scaling": [0.5, 0.9]}),
    "range": ("RandomResize", {"target_size": [[8, 20], [12, 20]], "random_range": True, "random_size": False}),
    "sizes": ("RandomResize", {"target_size": [[8, 20], [12, 16]], "keep_ratio": False, "random_interp": True}),
    "resize_crop": ("RandomResizeCrop", {"resizes": [16, 20], "cropsizes": [[10, 14], [12, 16]], "prob": 1.0}),
    "resize_long": ("RandomResizeCrop", {"resizes": [[16, 30]], "cropsizes": [[10, 14]], "prob": 1.0, "mode": "long"}),
    "shares": ("NormalizeBox", {}),
    "centres": ("BboxXYXY2XYWH", {}),
    "pad_boxes": ("PadBox", {"num_max_boxes": 5}),
    "pad_fewer": ("PadBox", {"num_max_boxes": 2}),
    "masks": ("Poly2Mask", {"del_poly": True}),
    "mixup": ("Mixup", {}),
    "cutmix": ("Cutmix", {}),
    "mosaic": ("Mosaic", {"input_dim": [16, 16]}),
    "mosaic_alone": ("Mosaic", {"input_dim": 20, "enable_mixup": False, "scale": [0.5, 1.5]}),
    "mosaic_inside": ("Mosaic", {"input_dim": [14, 14], "remove_outside_box": True, "scale": [0.8, 1.2]}),
    "hue": ("AugmentHSV", {"is_bgr": False, "hgain": 5, "sgain": 30, "vgain": 30}),
    "saturation": ("AugmentHSV", {"fraction": 0.5}),
    **{
        f"auto {kind} {number}": ("AutoAugment", {"autoaug_type": kind})
        for kind, count in (("v0", 3), ("v1", 18), ("v2", 8), ("v3", 7), ("test", 2))
        for number in range(count)
    },
    "pad_resize": ("PadResize", {"target_size": [24, 22]}),
    "short_side": ("RandomShortSideResize", {"short_side_sizes": [8, 10, 14], "max_size": 17}),
    "short_any": ("RandomShortSideResize", {"short_side_sizes": [9, 11], "random_interp": True}),
    "size_crop": ("RandomSizeCrop", {"min_size": 6, "max_size": 12}),
    "size_crop_full": ("RandomSizeCrop", {"min_size": 3, "max_size": 5, "keep_empty": False}),
    "sampling": (
        "CropWithSampling",
        {"batch_sampler": [[1, 50, 0.4, 0.9, 0.5, 2.0, least, 1.0] for least in (0.1, 0.3, 0.0)]},
    ),
    "sampling_all": (
        "CropWithSampling",
        {"batch_sampler": [[2, 50, 0.3, 1.0, 0.5, 2.0, 0.05, 0.9]], "satisfy_all": True, "avoid_no_bbox": False},
    ),
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
    "targets": (
        "Gt2YoloTarget",
        {
            "anchors": [[4, 5], [8, 6], [12, 10], [20, 16]],
            "anchor_masks": [[2, 3], [0, 1]],
            "downsample_ratios": [8, 4],
            "num_classes": 3,
            "iou_thresh": 0.4,
        },
    ),
    "heat": ("Gt2TTFTarget", {"num_classes": 3, "down_ratio": 2}),
}

OTHERS = {"Mixup": 1, "Cutmix": 1, "Mosaic": 4}
"""How many further samples a transform takes."""

SEEDS = (0, 1)

WITH_MASKS = ("resize", "resize_cubic", "resize_within", "flip", "pad_sides", "masks", "crop_masks")
"""The cases whose sample has polygons and run lengths."""

FIELDS = (
    *("image", "im_shape", "scale_factor", "gt_bbox", "gt_class", "gt_score", "gt_segm"),
    *("target0", "target1", "ttf_heatmap", "ttf_box_target", "ttf_reg_weight"),
)
"""What is compared."""


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
        "curr_iter": 10,
    }


def seed_of(case: str, seed: int) -> int:
    """Return the seed of a case; those of AutoAugment draw different policies."""
    return 2 * int(case.split()[-1]) + seed if case.startswith("auto") else seed


def batch(case: str) -> list[dict[str, Any]]:
    """Return samples of two sizes; for "pad" channels come first."""
    made = [sample(case, number) for number in range(2)]
    for one in made:
        if case.startswith("pad"):
            one["image"] = np.ascontiguousarray(one["image"].transpose(2, 0, 1))
        del one["gt_poly"]
        if case in ("targets", "heat"):
            one["image"] = np.zeros((3, 24, 24), np.float32)
        if case == "targets":
            one["gt_bbox"] = uniform(f"{case} shares", (3, 4), 0.1, 0.9).astype(np.float32)
    return made


def ready(case: str) -> dict[str, Any]:
    """Return the sample of a transform of single samples."""
    one = sample(case)
    if case not in WITH_MASKS:
        del one["gt_poly"]
    if case == "crop_masks":  # PaddleDetection cuts polygons only with a shapely before 2.0
        one["gt_poly"] = [{"size": [HEIGHT, WIDTH], "counts": [1, HEIGHT * WIDTH - 2, 1]} for _ in range(3)]
    if case.startswith("auto"):  # long enough for a shift of some pixels
        height, width = (6, 200) if int(case.split()[-1]) % 2 else (150, 8)
        one["image"] = uniform(f"{case} image", (height, width, 3), 0.0, 256.0).astype(np.uint8)
        corners = uniform(f"{case} boxes", (3, 2, 2), 0.05, 0.95) * [width, height]
        one["gt_bbox"] = np.concatenate([corners.min(1), corners.max(1)], -1).astype(np.float32)
    if case == "lighting":
        one["image"] = one["image"].astype(np.float32)
    return one


def described(samples: list[dict[str, Any]], decode: Any) -> dict[str, np.ndarray]:
    """Return what is compared of transformed samples, by name; ``decode`` makes pixels of run lengths."""
    found: dict[str, np.ndarray] = {}
    for number, one in enumerate(samples):
        for name in FIELDS:
            if name in one:
                value = np.asarray(one[name])
                found[f"{number} {name} shape"] = np.array(value.shape)
                found[f"{number} {name}"] = value if value.size < 300 else value.reshape(-1)[::4]
        for place, mask in enumerate(one.get("gt_poly", ())):
            pixels = decode(mask) if isinstance(mask, dict) else np.concatenate([np.ravel(part) for part in mask])
            found[f"{number} mask {place}"] = pixels
    return found


def flat(found: dict[str, np.ndarray]) -> np.ndarray:
    """Return all that is compared in a row, float32, in the order of the names."""
    return np.concatenate([np.ravel(found[name]).astype(np.float32) for name in sorted(found)])
