"""The classes' names in a run's folder, whole and damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.train.logs.class_names import read_class_names, write_class_names
from core.train.logs.run_folder import RunFolder


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    (tmp_path / "config.yaml").write_text("")
    return RunFolder.open(tmp_path)


def test_names_are_read_as_they_were_written(folder: RunFolder) -> None:
    assert read_class_names(folder, 2) == ["0", "1"]
    write_class_names(folder, ["\u8682\u8681", 'a "bee"'])
    assert read_class_names(folder, 3) == ["\u8682\u8681", 'a "bee"', "2"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": 1}', "Input should be a valid array"),
        (b'["a", {}]', "entry 1: Input should be a valid string"),
        (b'["a", ', "Invalid JSON: EOF while parsing"),
        (b"[" * 100000, "Invalid JSON: recursion limit exceeded"),
        (b'["\xff"]', "Invalid JSON: invalid unicode"),
    ],
)
def test_a_damaged_file_is_named(data: bytes, message: str, folder: RunFolder) -> None:
    (folder.path / "classes.json").write_bytes(data)
    with pytest.raises(ValueError, match=f"classes.json' should be a list of the classes' names: {message}"):
        read_class_names(folder, 2)
