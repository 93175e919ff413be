"""The table of past faults names what can be put back, and the program that puts it back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.past_faults import FAULTS, ROOT, Change, Fault, changed

ROWS = dict(re.findall(r"^\| (\w+) \|.*\| `([^`]+)` \|$", Path(__file__).with_name("README.md").read_text(), re.M))


def test_the_table_and_the_program_have_the_same_faults() -> None:
    assert ROWS == {area: fault.caught_by for area, fault in FAULTS.items()}
    assert all((ROOT / "tests" / file).is_file() for file in ROWS.values())


@pytest.mark.parametrize("area", FAULTS)
def test_a_fault_can_still_be_put_back(area: str) -> None:
    for path, text in changed(FAULTS[area], ROOT).items():
        assert text != path.read_text(encoding="utf-8")
        compile(text, str(path), "exec")


def test_a_fault_whose_place_is_gone_is_named() -> None:
    with pytest.raises(ValueError, match="start.py has 0 times 'no such line'; write the fault anew"):
        changed(Fault([Change("start.py", "no such line", "")], ""), ROOT)
