"""Sides of comparisons: missing packages, memory, and how long a turn is."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from benchmarks import side


def test_missing_packages_and_the_command_that_installs_them_are_one_line() -> None:
    assert side.lacking("numpy", "json") == ""
    with pytest.raises(SystemExit) as left:
        side.require("numpy", "no_such_package", "nor_this")
    command = f"{sys.executable} -m pip install no_such_package nor_this"
    assert left.value.code == f"not installed: no_such_package, nor_this; run: {command}"


def test_packages_have_their_names_on_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(side.PUBLISHED_AS, "no_such_package", "no-such-package")
    assert side.lacking("no_such_package").endswith(" -m pip install no-such-package")


def growing() -> side.Steps:
    """Return a step that takes a hundred megabytes and gives them back."""
    return {"grow": lambda: len(b"x" * (100 << 20))}


def test_the_peak_of_a_side_is_that_of_its_process() -> None:
    one = side.Side("growing", growing)
    before = one.peak()
    assert one.ask("grow") == 100 << 20
    assert 90 < one.peak() - before < 200
    one.close()


def test_an_interpreter_that_is_not_there_is_named() -> None:
    expected = "/nowhere/python cannot be started: No such file or directory"
    assert side.lacking("torch", python="/nowhere/python") == expected


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("PaddleClas.accuracy", ["folder"], "torch"),
        ("PaddleGAN.adversarial", [], "torch"),
        ("PaddleGAN.adversarial", ["--rows", "paddle", "--paddle", "other"], "paddle in other"),
        ("core.bert", [], "torch"),
        ("core.bert", ["--rows", "inference", "--paddle", "other"], "paddle in other"),
        ("PaddleClas.classifiers", [], "torch"),
        ("PaddleClas.classifiers", ["--rows", "openvino", "--peers", "other"], "openvino in other"),
        ("PGL.graph_messages", [], "torch dgl"),
        ("PGL.graph_training", ["folder", "--paddle", "other"], "pgl paddle in other"),
        ("core.language_model", [], "torch"),
        ("core.loader", ["folder", "--paddle", "other"], "paddle in other"),
        ("PaddleClas.resnet50", [], "torch"),
        ("core.transforms", ["folder", "--paddle", "other"], "paddle in other"),
    ],
)
def test_every_comparison_says_at_its_start_what_it_lacks(
    name: str, arguments: list[str], expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacking(*packages: str, python: str = sys.executable) -> str:
        return " ".join(packages) + ("" if python == sys.executable else f" in {python}")

    monkeypatch.setattr(side, "lacking", lacking)
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    with pytest.raises(SystemExit) as left:
        importlib.import_module(f"benchmarks.{name}").main()
    assert left.value.code == expected
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("name", "rows"), [("core.bert", "onnxruntime"), ("PaddleClas.classifiers", "onnxruntime")])
def test_an_onnx_file_needs_onnx_only_where_a_side_reads_it(
    name: str, rows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side, "lacking", lambda *packages, python=sys.executable: "onnx" if "onnx" in packages else "")
    monkeypatch.setattr(sys, "argv", [name, "--rows", rows])
    with pytest.raises(SystemExit, match="^onnx$"):
        importlib.import_module(f"benchmarks.{name}").main()


class FixedSide:
    """A side whose step always takes the same time."""

    def __init__(self, name: str, taken: float) -> None:
        self.name, self.taken = name, taken
        self.calls: list[int] = []

    def seconds(self, step: str, repeats: int = 1) -> float:
        self.calls.append(repeats)
        return self.taken


@pytest.mark.parametrize("taken, calls", [((0.002, 0.01), 10), ((0.05, 0.04), 2), ((0.5, 0.01), 1)])
def test_short_steps_are_called_for_a_tenth_of_a_second(
    taken: tuple[float, float], calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side.time, "sleep", lambda seconds: None)
    first: Any = FixedSide("ours", taken[0])
    second: Any = FixedSide("theirs", taken[1])
    row = side.compare((first, "a"), (second, "b"), 3)
    assert row == (*taken, taken[1] / taken[0])
    assert first.calls == second.calls == [2, calls, calls, calls]
    side.compare((first, "a"), (second, "b"), 1, 7)
    assert first.calls[-1] == 7
