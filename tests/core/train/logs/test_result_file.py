"""Files of results: rows that are gathered on disk, and put into place as a whole."""

from __future__ import annotations

import gc
import itertools
import json
import os
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.train import EvaluationPass, OutputError, ResultFile
from tests.core.train.regression import Regression, SquaredError

ROWS: list[Any] = [
    {"image_id": np.int64(7), "bbox": np.array([1, 2.5], np.float32), "score": np.float64(0.1)},
    [1, None, "Ünïcode \udc80"],
    {},
]
PLAIN = [{"image_id": 7, "bbox": [1.0, 2.5], "score": 0.1}, [1, None, "Ünïcode \udc80"], {}]


def filled(name: str, rows: Any = ROWS) -> ResultFile:
    file = ResultFile(name)
    for row in rows:
        file.append(row)
    return file


def test_rows_are_lines(tmp_path: Path) -> None:
    file = filled("a.jsonl")
    assert len(file) == 3 and file.write(tmp_path) == "a.jsonl"
    text = (tmp_path / "a.jsonl").read_text("utf-8")
    assert text.endswith("\n") and [json.loads(line) for line in text.splitlines()] == PLAIN


def test_rows_are_one_array(tmp_path: Path) -> None:
    assert filled("a.json").write(tmp_path) == "a.json"
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == PLAIN


@pytest.mark.parametrize(("name", "text"), [("a.jsonl", ""), ("a.json", "[]\n")])
def test_no_rows(name: str, text: str, tmp_path: Path) -> None:
    ResultFile(name).write(tmp_path)
    assert (tmp_path / name).read_text() == text


def test_more_rows_after_the_first_writing(tmp_path: Path) -> None:
    file = filled("a.json", [1, 2])
    file.write(tmp_path)
    file.append(3)
    file.write(tmp_path)
    assert json.loads((tmp_path / "a.json").read_text()) == [1, 2, 3]


@pytest.mark.parametrize("name", ["a.txt", "b/a.json", "..", "", "json", "/a.json", ".json"])
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="a result file's name is NAME.json or NAME.jsonl, without a folder, not '"):
        ResultFile(name)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"score": float("nan")}, "Out of range float values"),
        (np.array([np.inf]), "Out of range float values"),
        ({"score": object()}, "it holds a object"),
        ({(1, 2): 3}, "keys must be str"),
    ],
)
def test_rows_that_json_cannot_hold(row: Any, why: str, tmp_path: Path) -> None:
    file = filled("a.jsonl", [1])
    with pytest.raises(ValueError, match=f"^row 1 of a.jsonl cannot be written as JSON: {why}"):
        file.append(row)
    file.append(2)
    file.write(tmp_path)
    assert (tmp_path / "a.jsonl").read_text() == "1\n2\n"


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path: Path) -> None:
    """The system's own limit, met in the middle of a file."""
    filled("a.jsonl", [1]).write(tmp_path)
    file = filled("a.jsonl", ["x" * 500] * 10)
    with file._temporary():
        file._rows.flush()  # type: ignore[union-attr]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, limits[1]))
        with pytest.raises(OutputError, match=f"^cannot write '{tmp_path}/a.jsonl': File too large$"):
            file.write(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    assert (tmp_path / "a.jsonl").read_text() == "1\n"


def test_rows_without_room_name_the_file_and_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    message = f"^cannot keep the rows of 'a.jsonl' in '{tmp_path}': File too large; set TMPDIR to a folder with more"
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, limits[1]))
        with pytest.raises(OutputError, match=message):
            filled("a.jsonl", ["x" * 500] * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_what_nobody_writes_is_closed() -> None:
    before = len(os.listdir("/proc/self/fd"))
    file = filled("a.jsonl")
    assert len(os.listdir("/proc/self/fd")) == before + 1
    del file
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


class Predictions(SquaredError):
    """Writes what was predicted."""

    def __init__(self) -> None:
        super().__init__()
        self.file = ResultFile("predictions.jsonl")

    def update(self, outputs: Any, batch: Sequence[Any]) -> None:
        super().update(outputs, batch)
        for value in outputs[0]:
            self.file.append({"value": value})

    def write(self, folder: Path) -> list[str]:
        return [self.file.write(folder)]


class Writing(Regression):
    def evaluator(self, split: str) -> Predictions:
        return Predictions()


def test_an_evaluator_writes_its_rows(tmp_path: Path) -> None:
    assert SquaredError().write(tmp_path) == []
    evaluator = EvaluationPass(Writing(), True)("valid")
    assert list(tmp_path.iterdir()) == []
    assert evaluator.write(tmp_path) == ["predictions.jsonl"]
    assert len((tmp_path / "predictions.jsonl").read_text().splitlines()) == 24


def test_an_interrupted_evaluation_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    calls = itertools.count()

    def interrupt() -> None:
        if next(calls) == 2:
            assert list(tmp_path.iterdir()) == []  # already now: the rows have no name
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EvaluationPass(Writing(), True)("valid", interrupt)
    assert list(tmp_path.iterdir()) == []


def test_an_evaluation_without_room_for_its_rows_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.TemporaryFile", lambda *arguments, **options: open("/dev/full", "wb", buffering=0))
    message = "^cannot keep the rows of 'predictions.jsonl' in '.*': No space left on device; set TMPDIR to a folder"
    with pytest.raises(OutputError, match=message):
        EvaluationPass(Writing(), True)("valid")
