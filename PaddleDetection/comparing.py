"""Whether an exported detector finds in photographs what the training code finds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from pycocotools import mask as coco_mask

from core.weights.messages import counted
from PaddleDetection.detector import Detections, Image, ObjectDetector

SCORES, CORNERS, MASKS = 1e-4, 0.1, 0.98
"""How far scores, and corners in pixels, may be apart; the least intersection over union of masks."""

TIES = 0.02
"""The largest share of all objects that may differ because another box of the same score was kept."""


@dataclasses.dataclass
class Comparison:
    """What was compared.

    Attributes:
        images: how many images.
        objects: how many objects the first detector finds in them.
        ties: how many of them have no counterpart, but an object of the same class and score in its place, or the
            score of the last object that there was room for.
        scores: the largest difference of two scores.
        corners: the largest difference of two corners, in pixels.
        different: what is not equal, a line for each image.
    """

    images: int = 0
    objects: int = 0
    ties: int = 0
    scores: float = 0.0
    corners: float = 0.0
    different: list[str] = dataclasses.field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Whether nothing differs but a few ties."""
        return not self.different and self.ties <= max(TIES * self.objects, 1)

    def describe(self) -> str:
        """Return the comparison in words."""
        ties = f"; {self.ties} ties" if self.ties else ""
        far = f"scores within {self.scores:.1g}, corners within {self.corners:.2g} pixels{ties}"
        text = f"{counted(self.objects, 'object')} in {counted(self.images, 'image')}: {far}"
        return text if self.equal else "; ".join(["DIFFERENT", *self.different[:3], text])


def compare(first: ObjectDetector, second: ObjectDetector, images: Mapping[str, Image]) -> Comparison:
    """Compare what two detectors find.

    Args:
        first: the training code's.
        second: the exported one.
        images: files or pixels by name.
    """
    result = Comparison(images=len(images))
    for name, image in images.items():
        one, other = first.predict(image), second.predict(image)
        result.objects += len(one.scores)
        problem = _compared(one, other, result)
        if problem:
            result.different.append(f"{name}: {problem}")
    return result


def _compared(one: Detections, other: Detections, result: Comparison) -> str:
    """Note how far apart the objects of an image are; return what is not equal, if anything is."""
    distances = np.abs(one.boxes[:, None] - other.boxes[None]).max(axis=2, initial=0)
    scores = np.abs(one.scores[:, None] - other.scores[None])
    alike = (one.classes[:, None] == other.classes[None]) & (scores <= SCORES)
    same = alike & (distances <= CORNERS)
    left, counterparts = list(range(len(one.scores))), set(range(len(other.scores)))
    for place in list(left):
        found = [number for number in np.flatnonzero(same[place]).tolist() if number in counterparts]
        if not found:
            continue
        best = min(found, key=lambda number: distances[place, number])
        left.remove(place)
        counterparts.remove(best)
        result.scores = max(result.scores, float(scores[place, best]))
        result.corners = max(result.corners, float(distances[place, best]))
        if one.masks is not None and other.masks is not None:
            problem = _masks_differ(one.masks[place], other.masks[best])
            if problem:
                return f"the mask of a {one.names[place]}: {problem}"
    last = max((found.scores.min(initial=1.0) for found in (one, other)), default=1.0)
    for place in list(left):
        found = [number for number in np.flatnonzero(alike[place]).tolist() if number in counterparts]
        if found:
            counterparts.remove(found[0])
        if found or one.scores[place] <= last + SCORES:
            left.remove(place)
            result.ties += 1
    counterparts -= {number for number in counterparts if other.scores[number] <= last + SCORES}
    if left or counterparts:
        return f"{len(left)} of {len(one.scores)} objects have no counterpart, {len(counterparts)} others are found"
    return ""


def _masks_differ(one: dict[str, object], other: dict[str, object]) -> str:
    if coco_mask.area(one) + coco_mask.area(other) == 0:
        return ""
    overlap = float(coco_mask.iou([one], [other], [0])[0, 0])
    return "" if overlap >= MASKS else f"an intersection over union of {overlap:.3f}"
