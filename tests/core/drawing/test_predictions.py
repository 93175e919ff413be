from __future__ import annotations

import numpy as np

from core.drawing import RIGHT, WRONG
from core.drawing.predictions import prediction_sheet, sheet_selection
from tests.core.drawing.test_sheets import colored


def test_sheet_shows_mistakes_in_red() -> None:
    images = [np.zeros((8, 8, 3), np.uint8)] * 3
    red, green = [], []
    for predictions in ([0, 1, 2], [0, 2, 2]):
        picture = prediction_sheet(images, [0, 1, 2], predictions, [0.9, 0.8, 0.7], ["zero", "one", "two"])
        red.append(colored(picture, WRONG).sum())
        green.append(colored(picture, RIGHT).sum())
    assert red[0] == 0 and red[1] > 20 and 20 < green[1] < green[0]


def test_photos_of_any_size_make_a_sheet_of_a_readable_size() -> None:
    images = [np.full(shape, 128, np.uint8) for shape in ((375, 500, 3), (3000, 2000, 3), (8, 8, 1), (1, 900, 3))] * 8
    names = ["a name that is far too long to stand below a picture of so few pixels " * 50, "\u8682\u8681"]
    numbers = [number % 2 for number in range(32)]
    picture = prediction_sheet(images, numbers, numbers[::-1], [0.5] * 32, names, "title")
    assert 700 < picture.shape[0] < 1200 and 1400 < picture.shape[1] < 1800


def test_a_sheet_without_images_is_empty() -> None:
    assert prediction_sheet([], [], [], [], ["a"], "title").shape[2] == 3


def test_selection_puts_mistakes_first() -> None:
    labels = list(range(10)) * 2
    predictions = list(labels)
    predictions[4] = predictions[15] = 0
    assert sheet_selection(labels, predictions, count=5)[:2] == [4, 15]
    assert sheet_selection(labels, predictions, count=5)[2:] == [0, 9, 19]
    assert sheet_selection([1], [1]) == [0]
    assert sheet_selection([1], [0]) == [0]


def test_selection_shows_every_kind_of_mistake_before_a_second_of_one() -> None:
    labels = [0] * 20 + [1, 2, 2]
    predictions = [1] * 20 + [0, 0, 0]
    assert sheet_selection(labels, predictions, mistakes=5) == [0, 21, 20, 1, 22]
    assert sheet_selection(labels, predictions, mistakes=2) == [0, 21]  # the most frequent kinds
