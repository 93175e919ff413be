"""What a config expects, against numbers: bounds, tolerances, messages."""

from __future__ import annotations

from typing import Any

import pytest

from core.train.runner.config import ExpectSection
from core.train.runner.expectation import digits, meets_expectation, shown

NUMBERS = {"test": {"accuracy": 0.75, "fid": 12.346}}


@pytest.mark.parametrize(
    ("wanted", "good", "expected_text"),
    [
        ({"at_least": {"accuracy": 0.75}}, True, "test accuracy 0.7500, expected at least 0.7500: as expected"),
        ({"at_least": {"accuracy": 0.7501}}, False, "at least 0.7501: BELOW what the config expects"),
        ({"at_most": {"fid": 12.5}}, True, "test fid 12.35, expected at most 12.5: as expected"),
        ({"at_most": {"fid": 12.0}}, False, "at most 12: ABOVE what the config expects"),
        ({"near": {"accuracy": {"value": 0.74, "tolerance": 0.01}}}, True, "0.7400 within 0.0100: as expected"),
        ({"near": {"accuracy": {"value": 0.76, "tolerance": 0.009}}}, False, "DRIFTED from what the config expects"),
        ({"split": "valid", "at_least": {"accuracy": 2.0}}, True, ""),
    ],
)
def test_bounds(wanted: Any, good: bool, expected_text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert meets_expectation(ExpectSection.model_validate(wanted), NUMBERS) is good
    assert expected_text in capsys.readouterr().out


def test_all_are_told_and_one_miss_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {"at_least": {"accuracy": 0.8}, "at_most": {"fid": 20.0}}
    assert not meets_expectation(ExpectSection.model_validate(wanted), NUMBERS)
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_unknown_numbers_are_named() -> None:
    with pytest.raises(ValueError, match="expect.near: the evaluation gives accuracy, fid, not 'fids'"):
        meets_expectation(
            ExpectSection.model_validate({"near": {"fids": {"value": 1.0, "tolerance": 0.0}}}), NUMBERS
        )


def test_nothing_is_expected() -> None:
    assert meets_expectation(None, NUMBERS)


def test_numbers_are_shown_with_four_digits() -> None:
    assert shown({"top5_accuracy": 0.5, "fid": 123.456}) == "top5 accuracy 0.5000, fid 123.5"
    assert (digits(9.99999), digits(-3.0), digits(2_000_000.0)) == ("10.0000", "-3.0000", "2e+06")
