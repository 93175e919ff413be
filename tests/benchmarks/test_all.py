"""The program that runs every comparison: what it plans, and the table that it prints."""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import re
import sys
from pathlib import Path

import pytest

from benchmarks import all as every
from benchmarks import side
from benchmarks.comparisons import COMPARISONS, OURS_ALONE

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


def options(**changed: object) -> argparse.Namespace:
    given = {"peers": "PEERS", "paddle": "PADDLE", "rounds": 5, "threads": 2, "only": "", "quick": False}
    return argparse.Namespace(**{**given, **changed})


def test_each_program_of_the_document_is_run_or_named_with_a_reason() -> None:
    listed = set(re.findall(r"^\| `python -m benchmarks\.([\w.]+)", DOCUMENT.read_text(encoding="utf-8"), re.M))
    known = {*COMPARISONS, *OURS_ALONE}
    assert listed - {"all"} <= known, "enter the program in COMPARISONS or OURS_ALONE of benchmarks/all.py"
    assert not set(COMPARISONS) & set(OURS_ALONE)


@pytest.mark.parametrize("name", COMPARISONS)
def test_programs_know_the_options_that_they_are_given(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Reached(Exception):
        """The program has read its options."""

    def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
        known, unknown = parser.parse_known_args(words)
        assert not unknown
        raise Reached

    one = COMPARISONS[name]
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse)
    for quick in (False, True) if one.quick else (False,):
        words = every._words(name, one, list(one.rows or ()), options(quick=quick), {name: "FILES"})
        with pytest.raises(Reached):
            importlib.import_module(f"benchmarks.{name}").main()


def test_what_cannot_run_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*packages: str, python: str = sys.executable) -> str:
        return f"{python} lacks {packages[0]}" if {"openvino", "dgl"} & set(packages) else ""

    monkeypatch.setattr(side, "lacking", lacking)
    commands, notes = every.plan(options(), {})
    assert "core.bert, openvino: left out; PEERS lacks openvino" in notes
    assert "PGL.graph_messages, 1: left out; PEERS lacks torch" not in notes
    assert any(note.startswith("PGL.graph_messages: left out; ") for note in notes)
    assert "core.loader: left out; name a folder of photographs with --files core.loader=PATH" in notes
    rows = commands["core.bert"][commands["core.bert"].index("--rows") + 1]
    assert rows == "ours,pytorch,compile,paddle,inference,onnxruntime"
    assert "PGL.graph_messages" not in commands and "core.loader" not in commands


def test_six_rows_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side, "lacking", lambda *packages, python=sys.executable: "")
    commands, notes = every.plan(options(quick=True), {})
    assert len(commands) == 6 and not notes
    assert all(words[-2:] == ["--rounds", "1"] and words.count("--rows") <= 1 for words in commands.values())


def test_a_processor_is_named_with_its_family() -> None:
    lines = ["cpu family\t: 26", "model\t\t: 2", "model name\t: AMD EPYC", "flags\t\t: sse avx512f avx2"]
    other = [line.replace("26", "25") for line in lines]
    assert every.processor("\n".join([*lines, "", *other])) == "AMD EPYC, family 26, model 2, avx2, avx512f"
    assert every.processor("") == platform.machine()


def test_files_of_no_comparison_are_refused() -> None:
    with pytest.raises(SystemExit, match=r"^--files knows PaddleNLP\.word_speed, PaddleDetection\.reader, "):
        every.plan(options(), {"core.lader": "x"})


def test_rows_of_several_processors_stand_side_by_side() -> None:
    row = {"comparison": "core.bert", "case": "8x128", "ours": "exported", "against": "OpenVINO", "step": "forward"}
    other = {**row, "against": "ours", "step": "exported"}
    reports = [
        {"processor": "A", "threads": 2, "versions": {"torch": "2"}, "rows": [{**row, "ratios": [1.0, 1.5, 2.0]}]},
        {"processor": "B", "threads": 1, "versions": {}, "rows": [{**row, "ratios": [0.5]}, {**other, "ratios": [2]}]},
    ]
    lines = every.table(reports)
    assert lines[:2] == ["1: A; 2 threads; torch 2", "2: B; 1 threads; "]
    assert lines[-2:] == [
        "| core.bert | 8x128 | exported | OpenVINO: forward | 1.50 | 1.25–1.75 | 0.50 < | 0.50–0.50 |",
        "| core.bert | 8x128 | exported | ours |  |  | 2.00 | 2.00–2.00 |",
    ]


def test_rows_of_a_program_are_read_and_an_error_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows.jsonl"
    monkeypatch.setenv(side.ROWS, str(file))
    assert side.measured(("ours", "forward"), ("PyTorch", "step"), [(1.0, 2.0), (2.0, 2.0), (1.0, 3.0)], "net") == (
        1.0,
        2.0,
        2.0,
    )
    names = {"case": "net", "ours": "forward", "against": "PyTorch", "step": "step"}
    figures = {"seconds": 1.0, "their_seconds": 2.0, "ratios": [2.0, 1.0, 3.0]}
    assert json.loads(file.read_text(encoding="utf-8")) == {**names, **figures}
    assert every.run("no_such_program", []) == ([], 1)
