from __future__ import annotations

import numpy as np
import pytest

from core.drawing import (
    class_color,
    confusion_matrix,
    loglog_plot,
    precision_recall_curves,
    reliability_diagram,
    scatter_plot,
)
from core.drawing.figures import MOST_NAMED
from tests.core.drawing.test_sheets import colored

HOSTILE = ["\u8682\u8681", "$\\frac{", "$x$", "a\nb", "\udcff\0", "W" * 10_000, "", "\\$"]
DARKEST, LIGHTEST = "#08306b", "#f7fbff"
"""The ends of the scale of confusion matrices."""


def bounds(mask: np.ndarray) -> tuple[int, int, int, int]:
    """Return the first and last row and the first and last column of a mask."""
    rows, columns = np.nonzero(mask)
    return rows.min(), rows.max(), columns.min(), columns.max()


def test_a_confusion_matrix_is_dark_where_the_counts_are() -> None:
    picture = confusion_matrix(np.array([[9, 0], [3, 0]]), ["a", "b"], "title")
    assert picture.shape == (400, 400, 3)
    dark, light = bounds(colored(picture, DARKEST)), bounds(colored(picture, LIGHTEST))
    assert dark[3] < light[2]  # both true classes were taken for "a", which is on the left
    assert dark[1] - dark[0] > 200 and abs((dark[1] - dark[0]) - (light[1] - light[0])) < 5
    bad = confusion_matrix(np.array([[9, 0], [0, 0]]), ["a", "b"])
    assert bounds(colored(bad, DARKEST))[1] < bounds(colored(bad, LIGHTEST))[1] - 50  # a class without images is light


def test_counts_are_written_in_few_cells() -> None:
    one, other = (confusion_matrix(np.full((2, 2), count), ["a", "b"]) for count in (7, 1))
    assert one.shape == other.shape and not np.array_equal(one, other)
    same = [confusion_matrix(np.full((MOST_NAMED + 1,) * 2, count), ["a"] * (MOST_NAMED + 1)) for count in (7, 1)]
    np.testing.assert_array_equal(*same)
    large = confusion_matrix(np.full((2, 2), 123_456_789), ["a", "b"])
    assert not np.array_equal(large, confusion_matrix(np.full((2, 2), 124_456_789), ["a", "b"]))
    np.testing.assert_array_equal(large, confusion_matrix(np.full((2, 2), 123_999_999), ["a", "b"]))  # 123M


@pytest.mark.parametrize("count", [1, 3, pytest.param(100, marks=pytest.mark.exhaustive), 1000])
def test_confusion_matrices_of_any_size(count: int) -> None:
    names = ["class " + "x" * (number % 50) for number in range(count)]
    picture = confusion_matrix(np.eye(count, dtype=np.int64), names, "title")
    assert 400 <= picture.shape[0] == picture.shape[1] <= 2400
    dark = colored(picture, DARKEST)
    top, bottom, left, right = bounds(dark)
    assert bottom - top > 150 and right - left > 150
    share = dark[top : bottom + 1, left : right + 1].mean()
    assert 0.7 / count < share < 1.3 / count


def test_hostile_names_are_drawn() -> None:
    for title in HOSTILE:
        confusion_matrix(np.eye(2, dtype=np.int64), [title, "b"], title)
    picture = confusion_matrix(np.eye(8, dtype=np.int64), HOSTILE, "x" * 10_000)
    assert (picture[:, :2] == 255).all() and (picture[:, -2:] == 255).all()  # nothing reaches the edge
    scatter_plot(np.eye(8, 2), np.arange(8), HOSTILE, "$")
    reliability_diagram(np.array([0, 1]), np.array([0.5]), np.array([1]), "$\\frac{$", "$x$\n")


def test_bars_of_a_reliability_diagram_are_as_high_as_the_accuracy() -> None:
    edges, accuracy = np.linspace(0, 1, 5), np.array([0.25, 0.9, 0.5, 1.0])
    picture = reliability_diagram(edges, accuracy, np.array([3, 0, 5, 1]), "net, test", "error 0.1")
    assert picture.shape == (450, 450, 3)
    columns = colored(picture, class_color(0)).any(axis=0)
    filled = np.flatnonzero(columns)
    width = (filled.max() - filled.min()) / 4
    bars = [colored(picture, class_color(0))[:, round(filled.min() + width * (i + 0.2))] for i in range(4)]
    heights = [np.flatnonzero(bar).max() - np.flatnonzero(bar).min() if bar.any() else 0 for bar in bars]
    assert heights[1] == 0  # an empty bin
    np.testing.assert_allclose(np.array(heights) / heights[3], [0.25, 0, 0.5, 1], atol=0.03)


def test_points_have_the_colours_of_their_classes() -> None:
    points = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).repeat(50, axis=0)
    points += np.random.RandomState(0).rand(200, 2) / 20
    picture = scatter_plot(points, np.array([0, 1, 2, -1]).repeat(50), title="title")
    places = [np.argwhere(colored(picture, class_color(number)))[:, :2] for number in (0, 1, 2, -1)]
    assert all(len(place) > 20 for place in places)
    rows, columns = zip(*(np.median(place, axis=0) for place in places))
    assert rows[0] > rows[1] + 200 and rows[2] > rows[3] + 200 and columns[2] > columns[0] + 200
    plain = scatter_plot(points)
    assert colored(plain, class_color(-1)).sum() > 80 and not colored(plain, class_color(0)).any()
    np.testing.assert_array_equal(scatter_plot(points), plain)


def test_points_that_are_no_numbers_are_not_drawn() -> None:
    points = np.array([[0, 0], [np.nan, 1], [1, np.inf], [1, 1]], np.float32)
    classes = np.array([0, 1, 2, 3])
    expected = scatter_plot(points[[0, 3]], classes[[0, 3]])
    np.testing.assert_array_equal(scatter_plot(points, classes), expected)
    assert scatter_plot(points[:0], classes[:0], title="none").shape == expected.shape


def test_up_to_twenty_classes_are_named() -> None:
    points = np.random.RandomState(0).rand(1000, 2)
    for count, named in ((20, True), (21, False), (1000, False)):
        picture = scatter_plot(points, np.arange(1000) % count)
        frame = np.flatnonzero(colored(picture, "#000000").sum(axis=0) > 400)
        assert (frame.max() < 660) == named  # beside it stand the names


def test_a_power_of_a_number_is_a_line_over_logarithmic_axes() -> None:
    x = np.array([1.0, 10, 100, 1000])
    picture = loglog_plot(x, 1000 / x, "degree", "nodes", "title")
    rows, columns = np.nonzero(colored(picture, class_color(0)))
    assert abs(np.corrcoef(rows, columns)[0, 1]) > 0.9999 and len(rows) >= 4
    more = np.array([0, -1, np.nan, np.inf])
    with_others = loglog_plot(np.append(x, more), np.append(1000 / x, 1 + 0 * x), "degree", "nodes", "title")
    np.testing.assert_array_equal(with_others, picture)


def test_curves_of_precision_reach_as_far_as_the_recall() -> None:
    recall = np.linspace(0, 1, 101)
    curves = [(recall, np.full(101, 0.8)), (recall[:51], np.full(51, 0.4)), (recall[:0], recall[:0])]
    picture = precision_recall_curves(curves, [*HOSTILE[:2], "nothing"], "title")
    assert picture.shape == (500, 700, 3)
    far, near = (bounds(colored(picture, class_color(number))[:, :590]) for number in (0, 1))
    assert abs(far[3] - far[2] - 2 * (near[3] - near[2])) < 6  # all of the recall, and half of it
    assert far[0] < near[0] < near[1] <= far[1] + 1
    many = precision_recall_curves(curves[:1] * 30, ["class"] * 30)
    assert colored(many, class_color(29)).any()
    assert precision_recall_curves([], []).shape == (500, 700, 3)
