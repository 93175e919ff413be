from __future__ import annotations

from pathlib import Path

import numpy as np

from core.vision import read_image
from PaddleClas.pictures import confusion_picture, prediction_sheet, sheet_selection


def test_confusion_picture_is_dark_where_the_counts_are(tmp_path: Path) -> None:
    path = str(tmp_path / "matrix.png")
    confusion_picture(np.array([[9, 0], [3, 0]]), ["a", "b"], path, "title")
    picture = read_image(path)
    assert picture.shape[0] > 200
    dark_blue = (picture[:, :, 2] > picture[:, :, 0].astype(int) + 40).sum(axis=0)
    assert dark_blue[: picture.shape[1] // 2].sum() > 10 * dark_blue[picture.shape[1] // 2 + 40 :].sum()


def test_sheet_shows_mistakes_in_red(tmp_path: Path) -> None:
    images = [np.zeros((8, 8, 3), np.uint8)] * 3
    red = []
    for name, predictions in (("right", [0, 1, 2]), ("wrong", [0, 2, 2])):
        path = str(tmp_path / f"{name}.png")
        prediction_sheet(images, [0, 1, 2], predictions, [0.9, 0.8, 0.7], ["zero", "one", "two"], path)
        picture = read_image(path).astype(int)
        red.append(((picture[:, :, 0] > 150) & (picture[:, :, 1] < 80)).sum())
    assert red[0] == 0 and red[1] > 20


def test_letters_that_the_font_lacks_are_no_warning(tmp_path: Path) -> None:
    confusion_picture(np.eye(2, dtype=np.int64), ["\u8682\u8681", "b"], str(tmp_path / "matrix.png"))
    assert read_image(str(tmp_path / "matrix.png")).ndim == 3


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
