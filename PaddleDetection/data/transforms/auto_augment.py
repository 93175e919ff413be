"""AutoAugment: policies that were searched for detectors (Zoph et al., https://arxiv.org/abs/1906.11172).

The policies are the paper's and its code's. Names, the order of random draws, and what the operations do are those of
PaddleDetection 2.x, https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/autoaugment_utils.py``:
each operation of the drawn policy is done half of the time, whatever its probability, which counts only for those that
change the inside of boxes; those lift what is around the box by one, too.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from core.io.randomness import numpy_random
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms import auto_augment_operations as operations

_V0 = """TranslateX_BBox 0.6 4, Equalize 0.8 10
TranslateY_Only_BBoxes 0.2 2, Cutout 0.8 8
Sharpness 0 8, ShearX_BBox 0.4 0
ShearY_BBox 1 2, TranslateY_Only_BBoxes 0.6 6
Rotate_BBox 0.6 10, Color 1 6"""
POLICIES = {
    "v0": _V0,
    "v1": f"""{_V0}
Color 0 0, ShearX_Only_BBoxes 0.8 4
ShearY_Only_BBoxes 0.8 2, Flip_Only_BBoxes 0 10
Equalize 0.6 10, TranslateX_BBox 0.2 2
Color 1 10, TranslateY_Only_BBoxes 0.4 6
Rotate_BBox 0.8 10, Contrast 0 10
Cutout 0.2 2, Brightness 0.8 10
Color 1 6, Equalize 1 2
Cutout_Only_BBoxes 0.4 6, TranslateY_Only_BBoxes 0.8 2
Color 0.2 8, Rotate_BBox 0.8 10
Sharpness 0.4 4, TranslateY_Only_BBoxes 0 4
Sharpness 1 4, SolarizeAdd 0.4 4
Rotate_BBox 1 8, Sharpness 0.2 8
ShearY_BBox 0.6 10, Equalize_Only_BBoxes 0.6 8
ShearX_BBox 0.2 6, TranslateY_Only_BBoxes 0.2 10
SolarizeAdd 0.6 8, Brightness 0.8 10""",
    "v2": """Color 0 6, Cutout 0.6 8, Sharpness 0.4 8
Rotate_BBox 0.4 8, Sharpness 0.4 2, Rotate_BBox 0.8 10
TranslateY_BBox 1 8, AutoContrast 0.8 2
AutoContrast 0.4 6, ShearX_BBox 0.8 8, Brightness 0 10
SolarizeAdd 0.2 6, Contrast 0 10, AutoContrast 0.6 0
Cutout 0.2 0, Solarize 0.8 8, Color 1 4
TranslateY_BBox 0 4, Equalize 0.6 8, Solarize 0 10
TranslateY_BBox 0.2 2, ShearY_BBox 0.8 8, Rotate_BBox 0.8 8
Cutout 0.8 8, Brightness 0.8 8, Cutout 0.2 2
Color 0.8 4, TranslateY_BBox 1 6, Rotate_BBox 0.6 6
Rotate_BBox 0.6 10, BBox_Cutout 1 4, Cutout 0.2 8
Rotate_BBox 0 0, Equalize 0.6 6, ShearY_BBox 0.6 8
Brightness 0.8 8, AutoContrast 0.4 2, Brightness 0.2 2
TranslateY_BBox 0.4 8, Solarize 0.4 6, SolarizeAdd 0.2 10
Contrast 1 10, SolarizeAdd 0.2 8, Equalize 0.2 4""",
    "v3": """Posterize 0.8 2, TranslateX_BBox 1 8
BBox_Cutout 0.2 10, Sharpness 1 8
Rotate_BBox 0.6 8, Rotate_BBox 0.8 10
Equalize 0.8 10, AutoContrast 0.2 10
SolarizeAdd 0.2 2, TranslateY_BBox 0.2 8
Sharpness 0 2, Color 0.4 8
Equalize 1 8, TranslateY_BBox 1 8
Posterize 0.6 2, Rotate_BBox 0 10
AutoContrast 0.6 0, Rotate_BBox 1 6
Equalize 0 4, Cutout 0.8 10
Brightness 1 2, TranslateY_BBox 1 6
Contrast 0 2, ShearY_BBox 0.8 0
AutoContrast 0.8 10, Contrast 0.2 10
Rotate_BBox 1 10, Cutout 1 10
SolarizeAdd 0.8 6, Equalize 0.8 8""",
    "test": "TranslateX_BBox 1 4, Equalize 1 10",
}
"""A policy in each line: operations with probability and level, from 0 to 10."""

_RANGES: dict[str, tuple[float, bool]] = {
    "Posterize": (4, False),
    "Solarize": (256, False),
    "SolarizeAdd": (110, False),
    "Cutout": (100, False),
    "Cutout_Only_BBoxes": (50, False),
    "BBox_Cutout": (0.75, False),
    "Color": (1.8, False),
    "Contrast": (1.8, False),
    "Brightness": (1.8, False),
    "Sharpness": (1.8, False),
    "Rotate_BBox": (30.0, True),
    "ShearX_BBox": (0.3, True),
    "ShearY_BBox": (0.3, True),
    "ShearX_Only_BBoxes": (0.3, True),
    "ShearY_Only_BBoxes": (0.3, True),
    "TranslateX_BBox": (250.0, True),
    "TranslateY_BBox": (250.0, True),
    "TranslateY_Only_BBoxes": (120.0, True),
}
"""What level 10 is for each operation that has a strength, and whether its sign is drawn."""

_WHOLE = ("Posterize", "Solarize", "SolarizeAdd", "Cutout", "Cutout_Only_BBoxes")
_ENHANCING = ("Color", "Contrast", "Brightness", "Sharpness")


class Operation(NamedTuple):
    """An operation of a policy.

    Attributes:
        name: which.
        probability: of each box, three times; of operations inside boxes.
        level: its strength.
    """

    name: str
    probability: float
    level: float

    def strength(self) -> float:
        """Return the strength as the operation takes it, whose sign may be drawn."""
        largest, signed = _RANGES.get(self.name, (0.0, False))
        value = self.level / 10.0 * largest
        if signed and numpy_random().rand() < 0.5:
            value = -value
        return int(value) if self.name in _WHOLE else value + 0.1 if self.name in _ENHANCING else value


class AutoAugment:
    """Change image and boxes by a policy that is drawn from a set.

    Args:
        autoaug_type: the set: "v0", "v1", "v2", "v3" or "test".

    Raises:
        ValueError: it is none of these.
    """

    def __init__(self, autoaug_type: str = "v1") -> None:
        if autoaug_type not in POLICIES:
            raise ValueError(f"AutoAugment: autoaug_type must be one of {', '.join(POLICIES)}, not {autoaug_type!r}")
        self.policies = [[_parsed(part) for part in line.split(",")] for line in POLICIES[autoaug_type].splitlines()]

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "image" uint8; one without objects stays as it is, masks are left out."""
        boxes = sample["gt_bbox"]
        if not len(boxes):
            return sample
        height, width = sample["image"].shape[:2]
        scale = np.array([width, height] * 2, np.float32)
        drawn = [[(operation, operation.strength()) for operation in policy] for policy in self.policies]
        image, shares = sample["image"].astype(np.uint8), (boxes / scale).astype(np.float32)
        for operation, strength in drawn[numpy_random().randint(0, len(drawn), dtype=np.int32)]:
            if numpy_random().rand() >= 0.5:
                image, shares = _done(operation, strength, image, shares)
        sample = {name: value for name, value in sample.items() if name not in ("gt_poly", "gt_segm")}
        sample["image"], sample["gt_bbox"] = image, shares * scale
        return sample


def _parsed(text: str) -> Operation:
    name, probability, level = text.split()
    return Operation(name, float(probability), float(level))


def _done(
    operation: Operation, strength: float, image: np.ndarray, boxes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return image and boxes, corners x1, y1, x2, y2 in shares of the image, after an operation."""
    kind = operation.name
    if kind == "BBox_Cutout":
        return operations.cut_out_of_a_box(image, boxes, strength), boxes
    if kind.endswith("_Only_BBoxes"):
        change = operations.OF_PIXELS[kind[: -len("_Only_BBoxes")]]
        return _inside(image, boxes, operation.probability / 3, lambda part: change(part, strength)), boxes
    if kind.endswith("_BBox"):
        kind = kind[: -len("_BBox")]
        return operations.OF_PIXELS[kind](image, strength), operations.OF_BOXES[kind](boxes, strength, image.shape)
    return operations.OF_PIXELS[kind](image, strength), boxes


def _inside(
    image: np.ndarray, boxes: np.ndarray, probability: float, change: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return an image with the inside of some boxes changed."""
    for left, top, right, bottom in operations.pixels(boxes, image.shape):
        if numpy_random().rand() + probability >= 1:
            rows, columns = slice(top, bottom + 1), slice(left, right + 1)
            inside = change(image[rows, columns])
            image = image + np.uint8(1)
            image[rows, columns] = inside
    return image
