"""Seeded weights, feature maps and objects of two-stage detectors, for both implementations; numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from tests.parity.recipe import uniform

CLASSES = 3
CHANNELS = 8
HEIGHT, WIDTH = 96, 128
IM_SHAPE = np.array([[96, 120], [88, 128]], np.float32)
"""Height and width of the two images without their padding."""

SCALE = np.array([[0.5, 0.5], [0.8, 0.75]], np.float32)
STRIDES = (4, 8, 16, 32, 64)
CANONICAL = 64
ANCHORS = (12, 20, 32, 48, 64)

COUNTS = {"objects": (5, 3), "one empty": (4, 0), "all empty": (0, 0), "crowd": (5, 4), "random": (5, 3)}
"""How many objects the two images of each case have."""

CROWD = {"crowd": ((2,), (0, 3))}
"""Which objects of the two images are crowds."""

ROOM = 6
"""Rows for the objects of an image."""

SMALLEST = 6.0
"""Smaller proposals are dropped: with aligned=True, Paddle's gradient of RoIAlign takes regions below a cell for larger
than its forward pass does."""

TRAIN = {"pre_nms_top_n": 60, "post_nms_top_n": 50}
TEST = {"pre_nms_top_n": 30, "post_nms_top_n": 24}
SAMPLED = {"rpn": 48, "box": 32}
"""How many anchors and regions of an image are learned from."""

SELECTION = {"score_threshold": 0.15, "keep_top_k": 12, "nms_threshold": 0.5}
IGNORED = 0.4
"""Overlap with a crowd from which on nothing is learned."""


def weights(case: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return weights by name, with which scores differ clearly and boxes move a little.

    Args:
        case: seeds them with the names.
        shapes: by name.
    """
    made = {}
    for name, shape in shapes.items():
        if len(shape) == 1:
            low, high = (0.7, 1.3) if "norm" in name and name.endswith("weight") else (-0.2, 0.2)
            made[name] = uniform(f"{case} {name}", shape, low, high)
            continue
        fan = shape[0] if len(shape) == 2 else np.prod(shape[1:])
        gain = 0.5 if "delta" in name else 1.8 if "mask" in name else 2.5
        bound = gain * float(np.sqrt(3.0 / fan))
        made[name] = uniform(f"{case} {name}", shape, -bound, bound)
    return made


def features(case: str, levels: int = len(STRIDES), channels: int = CHANNELS) -> list[np.ndarray]:
    """Return the feature maps of two images, the finest first; a single one has stride 16."""
    strides = STRIDES[:levels] if levels > 1 else (16,)
    return [
        uniform(f"{case} level {stride}", (2, channels, -(-HEIGHT // stride), -(-WIDTH // stride)), -1.5, 1.5)
        for stride in strides
    ]


def objects(case: str) -> dict[str, np.ndarray]:
    """Return objects, padded with zeros: "gt_bbox", "gt_class", "is_crowd" and "gt_count"."""
    counts = np.array(COUNTS[case])
    name = "objects" if case == "random" else case
    centres = uniform(f"{name} centres", (2, ROOM, 2), 0.2, 0.8) * [120, 88]
    halves = uniform(f"{name} halves", (2, ROOM, 2), 5, 24)
    boxes = np.concatenate([centres - halves, centres + halves], -1).clip(0, [120, 88] * 2)
    classes = uniform(f"{name} classes", (2, ROOM), 0, CLASSES).astype(np.int64)
    crowd = np.zeros((2, ROOM), np.int64)
    for image, used in enumerate(counts):
        boxes[image, used:], classes[image, used:] = 0, 0
        crowd[image, list(CROWD.get(case, ((), ()))[image])] = 1
    return {"gt_bbox": boxes.astype(np.float32), "gt_class": classes, "is_crowd": crowd, "gt_count": counts}


def polygons(found: Mapping[str, np.ndarray]) -> list[list[list[np.ndarray]]]:
    """Return of each image and object its outline: one or two polygons x1, y1, x2, y2, ... inside its box."""
    outlines = []
    for image, count in enumerate(found["gt_count"].tolist()):
        outlines.append([])
        for number in range(count):
            x1, y1, x2, y2 = found["gt_bbox"][image, number].astype(np.float64)
            middle = x1 + 0.55 * (x2 - x1)
            first = [x1, y1, middle, y1 + 0.2 * (y2 - y1), middle, y2, x1, y1 + 0.8 * (y2 - y1)]
            second = [middle + 2, y1, x2, y1, x2, y2]
            parts = [np.array(part, np.float32) for part in (first, second)]
            outlines[-1].append(parts[: 1 + number % 2])
    return outlines


def corners(outlines: Sequence[Sequence[Sequence[np.ndarray]]]) -> np.ndarray:
    """Return outlines as rows x, y, number of the polygon, (N, ROOM, V, 3), with -1 behind the last one."""
    table = np.full((len(outlines), ROOM, 8, 3), -1, np.float32)
    for image, listed in enumerate(outlines):
        for number, parts in enumerate(listed):
            rows = np.concatenate(
                [np.column_stack([part.reshape(-1, 2), np.full(len(part) // 2, i)]) for i, part in enumerate(parts)]
            )
            table[image, number, : len(rows)] = rows
    return table


def draws(number: int, kind: str) -> np.ndarray:
    """Return the random numbers of a sampling, (2, 2, number): of each image for positive and negative ones."""
    return uniform(f"draws {kind}", (2, 2, number), 0.0, 1.0)


def shuffled(count: int, numbers: np.ndarray) -> np.ndarray:
    """Return 0 to count - 1 in the order in which random numbers draw them."""
    order = np.arange(count)
    for place, number in enumerate(numbers[:count]):
        chosen = place + min(int(float(number) * (count - place)), count - place - 1)
        order[place], order[chosen] = order[chosen], order[place]
    return order


def settings(**more: Any) -> dict[str, Any]:
    """Return our detector's settings.

    Args:
        **more: further ones.
    """
    return {
        "num_classes": CLASSES,
        "anchor_sizes": ANCHORS,
        "train_pre_nms_top_n": TRAIN["pre_nms_top_n"],
        "train_post_nms_top_n": TRAIN["post_nms_top_n"],
        "test_pre_nms_top_n": TEST["pre_nms_top_n"],
        "test_post_nms_top_n": TEST["post_nms_top_n"],
        "rpn_min_size": SMALLEST,
        "rpn_batch_size_per_im": SAMPLED["rpn"],
        "batch_size_per_im": SAMPLED["box"],
        "canonical_size": CANONICAL,
        **SELECTION,
        **more,
    }


def sample(level: np.ndarray) -> np.ndarray:
    """Return some channels and cells of feature maps (N, C, H, W)."""
    step = 2 if level.shape[2] > 8 else 1
    return level[:, ::3, ::step, ::step]


WIDE = 32
"""Channels of convolutions with group normalisation."""

DETECTORS: dict[str, tuple[str, Optional[str], bool, bool]] = {
    "mask": ("fpn", None, False, True),
    "mask gn": ("fpn", "gn", False, True),
    "mask c4": ("c4", None, False, False),
    "cascade": ("cascade", None, True, False),
    "aware": ("cascade", None, False, False),
    "cascade gn": ("cascade", "gn", True, True),
}
"""Kind, the heads' normalisation, whether all classes have the same box, and RoIAlign's convention."""

CASES = {
    "mask": ("objects", "one empty", "all empty", "crowd", "random"),
    "mask gn": ("objects",),
    "mask c4": ("objects", "one empty"),
    "cascade": ("objects", "one empty", "all empty", "crowd"),
    "aware": ("objects",),
    "cascade gn": (),
}
"""The cases of objects by which each detector's losses are compared. None is for the longest chain of layers:
a rounding step of its input changes a gradient by a percent."""
