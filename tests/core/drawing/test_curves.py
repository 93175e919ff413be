from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.drawing import curves, learning_curve

BLUE, ORANGE, GREEN = (31, 119, 180), (255, 127, 14), (44, 160, 44)


def pixels(picture: np.ndarray, color: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of the pixels of a colour."""
    return np.nonzero((np.abs(picture.astype(int) - color) <= 2).all(axis=2))


def rows(split: str, values: list[Any], name: str = "loss", per_epoch: int = 1) -> list[dict[str, Any]]:
    """Return rows as a run's log has them, one each step."""
    return [
        {"split": split, "step": step, "epoch": step // per_epoch, name: value} for step, value in enumerate(values, 1)
    ]


def test_each_split_has_a_line() -> None:
    train, valid = rows("train", [1.0, 0.5, 0.3]), rows("valid", [3.0, 1.5, 1.0])
    one, two = learning_curve(train, "title"), learning_curve([*train, *valid], "title")
    assert one.shape == two.shape == (340, 420, 3) and one.dtype == np.uint8
    assert len(pixels(one, BLUE)[0]) > 100 and len(pixels(one, ORANGE)[0]) == 0
    assert len(pixels(two, BLUE)[0]) > 100 and len(pixels(two, ORANGE)[0]) > 100
    assert pixels(two, ORANGE)[0].min() < pixels(two, BLUE)[0].min()  # the greater loss is higher
    starred = learning_curve([*train, {"split": "test", "step": 3, "epoch": 3, "loss": 0.4}], "title")
    assert len(pixels(starred, GREEN)[0]) > 30 and len(pixels(one, GREEN)[0]) == 0
    np.testing.assert_array_equal(learning_curve(train, "title"), one)


def test_a_run_without_numbers_is_an_empty_panel() -> None:
    for none in ([], [{"split": "train", "step": 1, "epoch": 1, "seconds": 2.0, "text": "hello"}]):
        picture = learning_curve(none)
        assert picture.shape == (340, 420, 3) and np.ptp(picture.astype(int), axis=2).max() < 10


def test_panels_stand_in_rows_of_four_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "MOST_PANELS", 5)
    for count, (down, across) in ((2, (1, 2)), (100, (2, 4))):
        row = {"split": "train", "step": 1, "epoch": 1, **{f"number_{i}": float(i) for i in range(count)}}
        assert learning_curve([row]).shape == (340 * down, 420 * across, 3)


def test_what_is_not_finite_interrupts_the_line() -> None:
    whole = learning_curve(rows("train", [1.0, 1.0, 1.0, 1.0, 1.0]))
    height = np.bincount(pixels(whole, BLUE)[0]).argmax()  # of the line, which is level
    left, right = (round(part) for part in np.quantile(np.nonzero((whole[height] == BLUE).all(axis=1))[0], (0.4, 0.6)))
    assert (whole[height, left:right] == BLUE).all()
    for nothing in (None, float("nan"), float("inf"), -float("inf"), 1e308):
        broken = learning_curve(rows("train", [1.0, 1.0, nothing, 1.0, 1.0]))
        assert not (broken[height, left:right] == BLUE).all(axis=1).any(), nothing
    learning_curve(rows("train", [None, float("nan")]))


def test_curves_stand_over_steps_where_epochs_do_not_tell_rows_apart() -> None:
    values = [float(value) for value in range(1, 9)]
    by_epoch, by_step = learning_curve(rows("train", values)), learning_curve(rows("train", values, per_epoch=4))
    columns = [pixels(picture[:290], BLUE)[1] for picture in (by_epoch, by_step)]
    for end in (np.min, np.max):
        assert abs(end(columns[0]) - end(columns[1])) <= 3  # the same curve, over 1 to 8
    for part in zip(*(np.quantile(found, (0.25, 0.5, 0.75)) for found in columns)):
        assert abs(part[0] - part[1]) <= 5  # evenly, not in two steps up
    assert not np.array_equal(by_epoch, by_step)  # named "epoch" and "step"


def test_one_bad_epoch_does_not_flatten_the_rest() -> None:
    linear = learning_curve(rows("train", [90.0, 2.0, 1.0]))
    logarithmic = learning_curve(rows("train", [900.0, 2.0, 1.0]))
    heights = [pixels(picture[:300], BLUE) for picture in (linear, logarithmic)]
    middle = [np.median(found[0][np.abs(found[1] - 240) < 10]) for found in heights]
    assert middle[1] < middle[0]


def test_long_runs_and_hostile_names_are_drawn() -> None:
    long = rows("train", [float(i % 7) for i in range(3000)], name="$\\frac{\n" + "x" * 10_000, per_epoch=100)
    assert len(pixels(learning_curve(long, "$\\bad{\udcff\n" * 1000), BLUE)[0]) > 1000
