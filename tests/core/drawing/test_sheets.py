from __future__ import annotations

import numpy as np
import pytest

from core.drawing import RIGHT, WRONG, Caption, grid, sheet
from core.drawing.sheets import GAP, LEAST_CAPTIONED, LINE, LONGEST, LONGEST_TITLE, WIDEST, layout


def colored(picture: np.ndarray, color: str) -> np.ndarray:
    """Return which pixels have exactly a colour."""
    return (picture == [int(color[start : start + 2], 16) for start in (1, 3, 5)]).all(axis=-1)


def test_small_pictures_are_enlarged_by_whole_factors() -> None:
    pictures = np.random.RandomState(0).randint(0, 255, (3, 28, 30, 3)).astype(np.uint8)
    whole, place = grid(pictures), layout(28, 30, 2, 2, False, (), False)
    assert place == (28, 30, 4, 0, 0, 0)
    assert whole.shape == (2 * (4 * 28 + GAP) + GAP, 2 * (4 * 30 + GAP) + GAP, 3)
    for number, (row, column) in enumerate(((0, 0), (0, 1), (1, 0))):
        enlarged = whole[place.box(row, column)]
        np.testing.assert_array_equal(enlarged, np.kron(pictures[number], np.ones((4, 4, 1), np.uint8)))
        np.testing.assert_array_equal(place.picture(whole, row, column), pictures[number])
    assert (whole[place.box(1, 1)] == 255).all() and (whole[:GAP] == 255).all()
    assert grid(pictures, across=3).shape[:2] == tuple(part.stop + GAP for part in place.box(0, 2))
    uneven = sheet([[pictures[0]], [pictures[0], pictures[1]]], background=9)
    assert (uneven[place.box(0, 1)] == 9).all()
    factors = {side: layout(side, 2 * side, 1, 1, False, (), False).factor for side in (1, 32, 64, 95, 96, 300)}
    assert factors == {1: 96, 32: 3, 64: 2, 95: 2, 96: 1, 300: 1}
    assert layout(28, 28, 100, 100, False, (), False).factor == 2  # not beyond 8,192 pixels


def test_columns_rows_and_the_sheet_are_labelled() -> None:
    pictures = [[np.full((32, 32, 3), 128, np.uint8)] * 2] * 2
    labels = {"columns": ["input", "output"], "names": ["a file", "another"], "title": "from noise, seed 0"}
    whole = sheet(pictures, **labels)
    place = layout(32, 32, 2, 2, True, labels["names"], True)
    assert place.top == 2 * LINE and place.left > 40
    bare = sheet(pictures)
    np.testing.assert_array_equal(whole[place.top :, place.left :], bare)
    spots = {
        "title": whole[:LINE, place.left :],
        **{f"column {number}": whole[LINE : 2 * LINE, place.box(0, number)[1]] for number in range(2)},
        **{f"row {number}": whole[place.box(number, 0)[0], : place.left] for number in range(2)},
    }
    for name, spot in spots.items():
        assert (spot < 100).any() and (spot[:, 0] == 255).all(), name
    for key, spot in (("columns", "column 0"), ("names", "row 1"), ("title", "title")):
        others = {**labels, key: "" if key == "title" else ["other", "words"]}
        place = layout(32, 32, 2, 2, True, others["names"], bool(others["title"]))
        assert not np.array_equal(sheet(pictures, **others), whole), spot


def test_labels_that_do_not_fit_are_cut() -> None:
    pictures = [[np.zeros((96, 96, 3), np.uint8)]]
    long, longer = ("\n" + "a very long name " * count for count in (20, 30))
    for key in ("columns", "names"):
        one, other = sheet(pictures, **{key: [long]}), sheet(pictures, **{key: [longer]})
        np.testing.assert_array_equal(one, other)  # what is cut off is not seen
        assert one.shape[1] <= LONGEST + 96 + 2 * GAP
    strange = sheet(pictures, names=["\udcff\n\x07"])  # a file's name may be made of any bytes
    assert (strange[:, : layout(96, 96, 1, 1, False, ["\udcff\n\x07"], False).left] < 100).any()
    short = sheet(pictures, names=["x"])
    assert short.shape[1] < sheet(pictures, names=[long]).shape[1]


def test_captions_stand_below_their_pictures_in_their_colour() -> None:
    black = np.zeros((8, 8, 1), np.uint8)
    captions = [Caption(["90% ant"], RIGHT), Caption(["80% bee", "true: ant"], WRONG), Caption(["70% ant"])]
    whole = grid([black] * 3, 2, captions, background=9)
    place = layout(8, 8, 2, 2, False, (), False, lines=2)
    assert place.factor * 8 == LEAST_CAPTIONED and place.below > 2 * LINE
    assert whole.shape[:2] == tuple(part.stop + more for part, more in zip(place.box(1, 1), (place.below + GAP, GAP)))
    for row, column, color, lines in ((0, 0, RIGHT, 1), (0, 1, WRONG, 2), (1, 0, "#000000", 1)):
        assert (whole[place.box(row, column)] == 0).all()
        inked = [colored(whole[place.line(row, column, number)], color).any() for number in range(2)]
        assert inked == [True, lines == 2]
    assert (whole[place.box(0, 0)[0].stop : place.box(1, 0)[0].start - GAP, place.box(0, 0)[1]].min(axis=0) > 9).all()
    assert (whole[place.box(1, 1)] == 9).all()  # no picture
    assert not colored(whole, "#123456").any()


def test_pictures_of_several_sizes_stand_in_the_middle_of_equal_places() -> None:
    shapes = {50: (8, 8), 100: (20, 60, 3), 150: (60, 20, 1)}
    whole = grid([np.full(shape, value, np.uint8) for value, shape in shapes.items()], 3)
    place = layout(60, 60, 1, 3, False, (), False)
    assert place.factor == 2
    for column, (value, rows, columns) in enumerate(((50, 120, 120), (100, 40, 120), (150, 120, 40))):
        own = np.argwhere((whole[place.box(0, column)] == value).all(axis=2))
        (top, left), (bottom, right) = own.min(axis=0), own.max(axis=0) + 1
        assert (bottom - top, right - left) == (rows, columns) and len(own) == rows * columns
        assert top == (120 - rows) // 2 and left == (120 - columns) // 2


def test_large_pictures_are_reduced() -> None:
    photos = [np.full(shape, 77, np.uint8) for shape in ((3000, 4000, 3), (4000, 3000, 3), (1, 5000, 3))]
    whole = grid(photos, 3, largest=160)
    assert whole.shape == (160 + 2 * GAP, 3 * (160 + GAP) + GAP, 3)
    shown = (whole == 77).all(axis=2)
    assert [shown[:, start : start + 160].sum() for start in (2, 164, 326)] == [120 * 160, 160 * 120, 160]
    for rows, columns in ((1, 2), (40, 40), (9000, 1), (1, 9000)):
        place = layout(20_000, 10_000, rows, columns, True, (), True)
        last = place.box(rows - 1, columns - 1)
        assert max(last[0].stop - place.top, last[1].stop) <= max(WIDEST, (1 + GAP) * 9000 + GAP)
        assert place.height >= 1 and place.width >= 1 and place.factor == 1


def test_narrow_pictures_have_room_for_their_captions() -> None:
    captions = [Caption(["a name"], RIGHT), Caption(["another"], RIGHT)]
    whole = grid([np.zeros((500, 2), np.uint8)] * 2, 2, captions, largest=100)
    assert whole.shape[1] >= 2 * LEAST_CAPTIONED
    halves = np.split(whole[:, : whole.shape[1] // 2 * 2], 2, axis=1)
    assert all(colored(half, RIGHT).any() for half in halves)


def test_a_title_makes_a_narrow_sheet_wider() -> None:
    picture = [[np.zeros((96, 96, 3), np.uint8)]]
    bare = sheet(picture)
    titled = sheet(picture, title="network, test: 97.22% of 360 images right", background=9)
    assert bare.shape[1] < titled.shape[1] < LONGEST_TITLE and (titled[:, bare.shape[1] + LINE :][LINE:] == 255).all()
    assert sheet(picture, title="a very long title " * 1000).shape[1] == LONGEST_TITLE


def test_sheets_without_pictures_and_what_is_no_picture() -> None:
    assert sheet([]).shape == grid([]).shape == sheet([[]]).shape == (96 + 2 * GAP, 96 + 2 * GAP, 3)
    assert (sheet([], title="nothing") < 100).any()
    for bad, message in (
        (np.zeros((4, 4, 3)), r"not float64 of shape \(4, 4, 3\)"),
        (np.zeros((4, 4, 4), np.uint8), r"not uint8 of shape \(4, 4, 4\)"),
        (np.zeros((0, 4, 3), np.uint8), r"at least one pixel, not uint8 of shape \(0, 4, 3\)"),
        (np.zeros(4, np.uint8), r"not uint8 of shape \(4,\)"),
    ):
        with pytest.raises(ValueError, match=r"an image to draw is uint8 .*" + message):
            sheet([[np.zeros((4, 4), np.uint8), bad]])


def test_the_same_sheet_has_the_same_pixels() -> None:
    pictures = np.random.RandomState(0).randint(0, 255, (5, 20, 30, 3)).astype(np.uint8)
    labels = {"names": ["\u8682\u8681\n", "\udcff"], "title": "$x$", "captions": [Caption(["\0", "x" * 10_000])] * 5}
    np.testing.assert_array_equal(grid(pictures, **labels), grid(pictures, **labels))
