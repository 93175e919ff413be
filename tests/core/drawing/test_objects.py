from __future__ import annotations

import numpy as np
import pytest

from core.drawing import class_color, draw_boxes, draw_keypoints, draw_masks
from tests.core.drawing.test_sheets import colored

GREY = np.full((200, 300), 128, np.uint8)


def changed(picture: np.ndarray) -> np.ndarray:
    """Return which pixels are not the grey of before."""
    return (picture != 128).any(axis=2)


def test_a_box_has_its_place_and_its_class_colour() -> None:
    picture = draw_boxes(GREY, np.array([[50, 60, 250, 150]]), [3], [0.9], ["a", "b", "c", "dog"])
    own = colored(picture, class_color(3))
    assert own[60, 50:251].all() and own[150, 50:251].all() and own[60:151, 50].all() and own[60:151, 250].all()
    assert not changed(picture)[61:150, 51:250].any() and (GREY == 128).all()
    label = changed(picture)[:60]
    rows, columns = np.nonzero(label)
    assert rows.min() == 60 - 16 and columns.min() == 50 and 90 < columns.max() < 130  # "90% dog"
    letters = (picture[44:60, 50:120].astype(int).min(axis=2) > 220) | (picture[44:60, 50:120].max(axis=2) < 60)
    assert letters.sum() > 20
    plain = draw_boxes(GREY, np.array([[50, 60, 250, 150]]), [3])
    assert colored(plain, class_color(3))[60, 50:251].all() and not np.array_equal(plain, picture)


def test_the_best_box_is_on_top_and_labels_are_on_boxes() -> None:
    boxes = np.array([[20, 60, 120, 160], [20, 60, 120, 160], [20, 60, 120, 160]])
    for scores, best in (([0.1, 0.9, 0.5], 1), ([0.9, 0.1, 0.5], 0)):
        picture = draw_boxes(GREY, boxes, [0, 1, 2], scores)
        assert colored(picture, class_color(best))[160, 20:121].all()
    below = draw_boxes(GREY, np.array([[20, 60, 120, 160], [10, 52, 130, 54]]), [0, 1])
    assert not colored(below, class_color(1))[52:54, 21:30].all()  # the label of the first is on the second


def test_boxes_that_reach_outside_are_cut_and_others_are_not_drawn() -> None:
    picture = draw_boxes(GREY, np.array([[-1e300, -50.0, 400, 1e300]]), [0])
    own = colored(picture, class_color(0))
    assert own[-1].all() and own[20:, 0].all() and own[20:, -1].all() and not changed(picture)[17:-1, 1:-1].any()
    nothing = [
        *([np.nan, 1, 2, 3], [1, 1, np.inf, 3], [9, 9, 9, 20], [20, 9, 10, 20]),
        *([400, 10, 500, 20], [-90, 10, -5, 20], [10, 300, 20, 400]),
    ]
    assert not changed(draw_boxes(GREY, np.array(nothing), [0] * len(nothing), [0.5] * len(nothing))).any()
    assert not changed(draw_boxes(GREY, np.zeros((0, 4)), [])).any()


def test_labels_stay_on_their_image() -> None:
    names = ["\u8682$\\frac{\n" + "x" * 10_000]
    for shape in ((1, 1), (8, 8), (8, 300), (300, 8), (2000, 1500)):
        image = np.zeros(shape, np.uint8)
        for corner in (0.0, 0.5, 0.99):
            box = np.array([[shape[1] * corner, shape[0] * corner, shape[1], shape[0]]])
            assert draw_boxes(image, box, [0], [1.0], names).shape == (*shape, 3)
    right = changed(draw_boxes(GREY, np.array([[290, 100, 299, 120]]), [0], None, ["a long name"]))
    assert right[84:100, 200:300].any(axis=0).sum() > 60  # moved to the left


def test_masks_are_mixed_with_the_image() -> None:
    mask = np.zeros((2, 200, 300), bool)
    mask[0, 50:100, 60:160], mask[1, 120:140, 10:20] = True, True
    picture = draw_masks(GREY, mask, [0, 1], opacity=0.25)
    blue, orange = ([int(class_color(n)[s : s + 2], 16) for s in (1, 3, 5)] for n in (0, 1))
    assert (picture[52:98, 62:158] == np.rint(0.75 * 128 + 0.25 * np.array(blue))).all()
    assert (picture[122:138, 12:18] == np.rint(0.75 * 128 + 0.25 * np.array(orange))).all()
    assert colored(picture, class_color(0))[50, 60:160].all() and not changed(picture)[~mask.any(axis=0)].any()
    assert not changed(draw_masks(GREY, np.zeros((1, 200, 300)), [0])).any()
    one_by_one = draw_masks(GREY, (part for part in mask), [0, 1], opacity=0.25)
    np.testing.assert_array_equal(one_by_one, picture)


def test_keypoints_and_the_lines_between_them() -> None:
    points = np.array([[[50, 50, 2], [150, 50, 1], [150, 150, 0], [np.nan, 9, 2]], [[20, 180, 2]] * 4])
    picture = draw_keypoints(GREY, points, [(0, 1), (1, 2), (0, 3)])
    own = colored(picture, class_color(0))
    assert own[50, 50:151].all() and own[48:53, 50].all() and not changed(picture)[60:170].any()
    assert colored(picture, class_color(1))[180, 20] and not changed(draw_keypoints(GREY, points, least=5.0)).any()
    far = np.array([[[1e300, -1e300, 1], [10, 10, 1]]])
    assert colored(draw_keypoints(GREY, far), class_color(0))[10, 10]
    draw_keypoints(GREY, far, [(0, 1)])


def test_what_does_not_fit_is_named() -> None:
    boxes = np.zeros((3, 4))
    with pytest.raises(ValueError, match="^3 boxes do not fit 2 classes$"):
        draw_boxes(GREY, boxes, [0, 1])
    with pytest.raises(ValueError, match="^3 boxes do not fit 1 scores$"):
        draw_boxes(GREY, boxes, [0, 1, 2], [0.5])
    with pytest.raises(ValueError, match=r"masks of an image of \(200, 300\) pixels have its size, not \(4, 4\)"):
        draw_masks(GREY, np.zeros((1, 4, 4)), [0])
    with pytest.raises(ValueError, match="^1 masks do not fit 0 classes$"):
        draw_masks(GREY, np.zeros((1, 200, 300)), [])
    with pytest.raises(ValueError, match="^1 masks do not fit 2 classes$"):
        draw_masks(GREY, iter(np.zeros((1, 200, 300))), [0, 1])
    with pytest.raises(ValueError, match=r"keypoints have shape \(N, K, 3\), not \(3, 4\)"):
        draw_keypoints(GREY, boxes)
    with pytest.raises(ValueError, match="an image to draw is uint8"):
        draw_boxes(GREY / 2, boxes, [0, 1, 2])
