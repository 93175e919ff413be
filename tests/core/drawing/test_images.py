from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from core.drawing import annotated, class_color, heat_overlay, in_color


def test_annotated_image_keeps_the_picture_and_adds_text() -> None:
    image = np.full((100, 400, 3), 77, np.uint8)
    result = annotated(image, ["cat 90%", "dog 10%"])
    np.testing.assert_array_equal(result[:100], image)
    assert (result[100:] < 60).any() and result[100:].max() == 255
    assert annotated(np.zeros((8, 8, 1), np.uint8), ["x"]).shape[1] == 320


def test_annotated_pictures_of_any_shape_have_a_readable_size() -> None:
    for rows, columns in ((1, 1), (1, 5000), (5000, 1), (3000, 2000), (30000, 2)):
        picture = annotated(np.full((rows, columns, 3), 200, np.uint8), ["ant 90%"])
        assert 320 <= picture.shape[1] <= 1600 and 20 < picture.shape[0] <= 1800
        assert picture[0, 0].tolist() == [200, 200, 200] and (picture < 60).any()


def test_lines_below_an_image_are_cut_where_they_do_not_fit() -> None:
    image = np.full((40, 330), 200, np.uint8)
    usual = annotated(image, ["x", "y"])
    for long in ("a long name " * 900, "W" * 10_000, "one\ntwo\nthree " * 500, "\u8682" * 300, "\udcff\0" * 100):
        picture = annotated(image, ["x", long])
        assert picture.shape == usual.shape and (picture[:, -4:][40:] == 255).all()
        assert (picture[40 : 40 + 22] == usual[40 : 40 + 22]).all()  # the first line is as it was
        assert (picture[40 + 26 :] < 100).sum() > 40
    assert annotated(image, []).shape == (48, 330, 3)


def test_grey_and_colour_images_are_told_apart_from_what_is_none() -> None:
    grey = np.arange(6, dtype=np.uint8).reshape(2, 3)
    np.testing.assert_array_equal(in_color(grey), np.stack([grey] * 3, axis=2))
    np.testing.assert_array_equal(in_color(grey[:, :, None]), in_color(grey))
    color = in_color(grey)
    assert in_color(color) is color
    heat = np.zeros((2, 2))
    for function in (in_color, lambda image: annotated(image, ["x"]), lambda image: heat_overlay(image, heat)):
        with pytest.raises(ValueError, match=r"an image to draw is uint8 of shape .*, not float32 of shape \(2, 3\)"):
            function(grey.astype(np.float32))
        with pytest.raises(ValueError, match=r"with at least one pixel, not uint8 of shape \(2, 3, 2\)"):
            function(np.zeros((2, 3, 2), np.uint8))


def test_a_heat_map_is_half_image_half_colours() -> None:
    image = np.array([[[10], [20], [30]]], np.uint8)
    picture = heat_overlay(image, np.array([[0, 0.5, 1]]))
    # The colours of 0, 128 and 255: dark blue (0, 0, 128), light green (130, 255, 126), dark red (128, 0, 0).
    np.testing.assert_array_equal(picture[0, 0], [5, 5, 69])
    np.testing.assert_array_equal(picture[0, 2], [79, 15, 15])
    assert picture[0, 1, 1] == 138 and abs(int(picture[0, 1, 0]) - 75) <= 2 and picture.dtype == np.uint8
    assert heat_overlay(np.zeros((6, 8, 3), np.uint8), np.zeros((2, 2))).shape == (6, 8, 3)


def test_heat_that_is_no_number_is_no_heat() -> None:
    image = np.zeros((2, 3), np.uint8)
    heat = np.array([[np.nan, np.inf, -np.inf], [0, 1, 0]])
    np.testing.assert_array_equal(heat_overlay(image, heat)[0], heat_overlay(image, heat)[1])


def test_classes_keep_their_colours_and_many_are_told_apart() -> None:
    assert [class_color(number) for number in (0, 9, -1, -5)] == ["#1f77b4", "#17becf", "#b2b2b2", "#b2b2b2"]
    colors = [class_color(number) for number in range(1000)]
    assert all(len(color) == 7 and int(color[1:], 16) < 1 << 24 for color in colors)
    assert len(set(colors)) == 1000 and "#b2b2b2" not in colors


def test_naming_drawings_loads_neither_the_engine_nor_matplotlib() -> None:
    code = "import core.drawing, sys; print(sorted({'mxnet', 'numba', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
