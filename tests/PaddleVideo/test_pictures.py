"""A timeline has each class where it was seen."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_rgb

from core.drawing import class_color
from PaddleVideo.pictures import timeline
from PaddleVideo.recogniser import Action


def places(picture: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of the pixels that have a class's full colour."""
    color = np.rint(255 * np.array(to_rgb(class_color(number))))
    rows, columns = np.nonzero(np.abs(picture.astype(int) - color).max(axis=2) <= 1)
    return rows, columns


def test_classes_are_where_they_were_seen() -> None:
    actions = [Action(0.0, 1.0, [0, 1], ["a", "b"], [1.0, 0.0]), Action(1.0, 4.0, [1, 0], ["b", "a"], [1.0, 0.0])]
    picture = timeline(actions, ["a", "b", "c"], "a and b")
    (rows, columns), (later_rows, later_columns) = places(picture, 0), places(picture, 1)
    assert rows.max() < later_rows.min() and columns.max() <= later_columns.min() + 1
    assert abs(np.ptp(later_columns) / np.ptp(columns) - 3) < 0.05
    assert not len(places(picture, 2)[0])


def test_many_windows_are_quickly_drawn() -> None:
    actions = [Action(n, n + 1.0, [n % 3], ["abc"[n % 3]], [0.9]) for n in range(5000)]
    assert timeline(actions, list("abc")).shape[1] == 800
