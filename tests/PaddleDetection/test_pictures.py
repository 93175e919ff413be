"""Which mistakes a sheet shows, and what is drawn of what is found."""

from __future__ import annotations

import numpy as np
import pytest
from pycocotools import mask as coco

from PaddleDetection.pictures import draw_found, mistakes

BOXES = np.array([[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 60, 20]], np.float32)


def truth(**flags: list[int]) -> dict[str, np.ndarray]:
    return {"gt_bbox": BOXES, "gt_class": np.array([[0], [1], [0]]), **{k: np.array(v) for k, v in flags.items()}}


def test_what_is_missed_and_what_is_wrong() -> None:
    rows = np.array(
        [
            [0, 0.9, 0, 0, 10, 9],  # right
            [0, 0.8, 0, 0, 10, 10],  # the same once more
            [0, 0.7, 20, 0, 30, 10],  # another class
            [0, 0.4, 40, 0, 60, 20],  # not confident
            [1, 0.6, 80, 0, 90, 9],  # nothing is there
        ]
    )
    found = mistakes(rows, truth())
    assert found.missed == [1, 2] and found.false == [1, 2, 4]
    assert found.weight == pytest.approx(2 + 0.8 + 0.7 + 0.6)
    assert mistakes(rows[:0], truth()).missed == [0, 1, 2]
    empty = {"gt_bbox": np.zeros((0, 4)), "gt_class": np.zeros((0, 1))}
    assert mistakes(rows[:1], empty) == ([], [0], pytest.approx(0.9))


def test_groups_and_difficult_objects_excuse() -> None:
    rows = np.array([[0, 0.9, 41, 1, 46, 6], [0, 0.8, 50, 2, 58, 9], [1, 0.7, 20, 0, 30, 10]])
    found = mistakes(rows, truth(is_crowd=[0, 0, 1], difficult=[1, 1, 0]))
    assert found == ([], [], 0)
    assert mistakes(rows, truth(is_crowd=[0, 0, 0])).false == [0, 1]


def test_masks_are_below_their_boxes() -> None:
    image, mask = np.full((200, 250, 3), 128, np.uint8), np.zeros((200, 250), np.uint8)
    mask[60:150, 50:200] = 1
    rows = np.array([[0, 0.75, 50, 60, 200, 150]])
    lengths = coco.encode(np.asfortranarray(mask))
    plain, masked = (draw_found(image, rows, ["thing"], masks) for masks in (None, [lengths]))
    changed = (plain != masked).any(axis=2)
    assert changed[80:145, 55:195].all() and not changed[155:].any()
    enlarged = draw_found(image, rows[:0], ["thing"], least=2 * min(image.shape[:2]) - 1)
    np.testing.assert_array_equal(enlarged, image.repeat(2, axis=0).repeat(2, axis=1))
    unscored = draw_found(image, rows, ["thing"], scored=False)
    assert (unscored != plain).any()
