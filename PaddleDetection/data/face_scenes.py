"""Scenes of drawn people on coloured canvases, among clutter: faces and their boxes without a download.

A split's people are drawn for that split alone, so a detector meets faces in the test scenes that it has never seen.
"""

from __future__ import annotations

import functools
from typing import NamedTuple, Optional

import cv2
import numpy as np

from core.vision.datasets.digits import SPLITS
from core.vision.datasets.face_drawing import cut_out, face_box
from core.vision.datasets.face_factors import draw_factors
from PaddleDetection.data.dataset import Sample, Transform
from PaddleDetection.data.digit_scenes import TRIALS, background, box_overlap
from PaddleDetection.data.scenes import DrawnScenes

PEOPLE = {"train": 240, "valid": 60, "test": 60}
"""How many different ones there are."""

DETAIL = 64
"""Pixels of a side that people are drawn with, before they are brought to their size in a scene."""

SIDES = (0.2, 0.8)
"""Sides of the pictures of people, as shares of the canvas; faces are half as wide and two thirds as high."""

HIDDEN = 0.25
"""The largest part of a face's box that a later person hides, and the largest overlap of two boxes."""


class Person(NamedTuple):
    """Somebody without a background.

    Attributes:
        color: times the cover, float32 (DETAIL, DETAIL, 3).
        cover: how much of each pixel is covered, float32 (DETAIL, DETAIL, 1).
        box: corners of the face as shares of the side, (4,).
    """

    color: np.ndarray
    cover: np.ndarray
    box: np.ndarray


class FaceScenes(DrawnScenes):
    """Drawn scenes; the same split and index is the same scene always. The one class is "face".

    Args:
        split: "train", "valid" or "test": which people are drawn.
        count: how many scenes.
        size: side of the canvas, pixels.
        most: the largest number of people of a scene; the smallest is 1.
        transform: what to do with a sample.

    Raises:
        ValueError: the split is unknown, or a number is too small.
    """

    def __init__(
        self,
        split: str = "train",
        count: int = 1000,
        size: int = 160,
        most: int = 6,
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(["face"], split, count, size, most, transform)

    def sample(self, index: int) -> Sample:
        """Draw a scene."""
        source = self.source(index)
        image = background(source, self.size)
        boxes: list[np.ndarray] = []
        for _ in range(source.randint(1, self.most + 1)):
            _place(source, image, boxes, person(self.split, source.randint(PEOPLE[self.split])))
        flags = np.zeros((len(boxes), 1), np.int32)
        return {
            "im_id": np.array([index], np.int64),
            "image": np.round(image).astype(np.uint8),
            "gt_bbox": np.stack(boxes).astype(np.float32),
            "gt_class": flags,
            "is_crowd": flags,
            "difficult": flags,
        }


@functools.cache
def person(split: str, number: int) -> Person:
    """Draw somebody, once in a process.

    Args:
        split: whose people.
        number: from 0 to ``PEOPLE[split]`` - 1.
    """
    face = draw_factors(SPLITS.index(split), number)
    return Person(*cut_out(face, DETAIL), np.array(face_box(face)))


def _place(source: np.random.RandomState, image: np.ndarray, boxes: list[np.ndarray], drawn: Person) -> None:
    """Draw a person where it hides little of the faces; the first one always finds its place."""
    size = len(image)
    color, cover, share = drawn
    if source.rand() < 0.5:
        color, cover, share = color[:, ::-1], cover[:, ::-1], np.array([1 - share[2], share[1], 1 - share[0], share[3]])
    for _ in range(TRIALS):
        side = int(size * np.exp(source.uniform(*np.log(SIDES))))
        top, left = source.randint(0, size - side + 1, 2)
        box = share * side + [left, top, left, top]
        window = slice(top, top + side), slice(left, left + side)
        shrunk = cv2.resize(np.ascontiguousarray(cover), (side, side), interpolation=cv2.INTER_AREA)
        if any(box_overlap(box, other) > HIDDEN or _hidden(other, shrunk, left, top) > HIDDEN for other in boxes):
            continue
        pixels = cv2.resize(np.ascontiguousarray(color), (side, side), interpolation=cv2.INTER_AREA)
        light = source.uniform(0.7, 1.1)
        image[window] = (image[window] * (1 - shrunk[:, :, None]) + pixels * light).clip(0, 255)
        boxes.append(box)
        return


def _hidden(box: np.ndarray, cover: np.ndarray, left: int, top: int) -> float:
    """Return the part of a box that a cover at a place hides."""
    x1, y1, x2, y2 = np.rint(box).astype(int)
    seen = cover[max(y1 - top, 0) : max(y2 - top, 0), max(x1 - left, 0) : max(x2 - left, 0)]
    return float(seen.sum()) / ((x2 - x1) * (y2 - y1))
