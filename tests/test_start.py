"""start.py's decisions, without a network and without making an environment."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import start
from tools import machine

SOURCES = [Path(start.__file__), Path(machine.__file__)]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_its_syntax_is_understood_by_python_3_6(source):
    ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_it_runs_on_the_standard_library_alone():
    run = [sys.executable, "-S", "-E", start.__file__, "--help"]
    assert "python3 start.py test" in subprocess.run(run, check=True, capture_output=True, text=True).stdout


# ----------------------------------------------------------------------------------------------- the environment
@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A repository of its own with two locks; returns its folder."""
    (tmp_path / "requirements").mkdir()
    for group in ("runtime", "dev"):
        (tmp_path / "requirements" / f"{group}.txt").write_text(f"{group}==1\n")
    monkeypatch.setattr(start, "ROOT", str(tmp_path))
    monkeypatch.setattr(start, "ENVIRONMENT", str(tmp_path / ".venv"))
    return tmp_path


def test_wanted_state_is_the_place_and_the_hash_of_each_lock(workplace):
    state = start.wanted_state(["runtime"])
    assert state == {"environment": str(workplace / ".venv"), "runtime": hashlib.sha256(b"runtime==1\n").hexdigest()}


def test_stamp_round_trip(workplace):
    (workplace / ".venv").mkdir()
    assert start.read_stamp() is None
    start.write_stamp({"runtime": "1"})
    assert start.read_stamp() == {"runtime": "1"}
    assert [path.name for path in (workplace / ".venv").iterdir()] == ["start.json"]


@pytest.mark.parametrize("content", ["", "{half", "[]", json.dumps("text")])
def test_a_damaged_stamp_counts_as_unfinished(workplace, content):
    (workplace / ".venv").mkdir()
    (workplace / ".venv" / "start.json").write_text(content)
    assert start.read_stamp() == {}


def test_plan(workplace):
    state = start.wanted_state(["runtime", "dev"])
    runtime_only = start.wanted_state(["runtime"])
    assert start.plan(False, None, state, False) == "make"
    assert start.plan(True, {}, state, True) == "make"
    assert start.plan(True, state, state, False) == "make"
    assert start.plan(True, dict(state, environment="/moved/.venv"), state, True) == "make"
    assert start.plan(True, runtime_only, state, True) == "install"
    assert start.plan(True, dict(state, dev="older"), state, True) == "install"
    assert start.plan(True, state, state, True) == "nothing"
    assert start.plan(True, state, runtime_only, True) == "nothing"


def test_plan_leaves_an_environment_of_somebody_else_alone():
    with pytest.raises(start.SetupError, match=r"a \.venv here that this command did not make.*mv \.venv old-venv"):
        start.plan(True, None, {"environment": "x"}, True)


def test_make_environment_replaces_what_was_there_and_adds_the_repository(workplace, monkeypatch):
    (workplace / ".venv").mkdir()
    (workplace / ".venv" / "left_over").write_text("")
    packages = workplace / ".venv" / "lib" / "python3.11" / "site-packages"

    def fake_venv(command, **_):
        assert command == ["python-x", "-m", "venv", str(workplace / ".venv")]
        assert start.read_stamp() == {}
        packages.mkdir(parents=True)
        return subprocess.CompletedProcess(command, 0, b"")

    monkeypatch.setattr(start.subprocess, "run", fake_venv)
    start.make_environment("python-x")
    assert not (workplace / ".venv" / "left_over").exists()
    assert not (workplace / ".venv.old").exists()
    line = (packages / "paddle_on_mxnet.pth").read_text().strip()
    assert not os.path.isabs(line) and (packages / line).resolve() == workplace.resolve()


def test_make_environment_reports_a_failure(workplace, monkeypatch):
    failure = subprocess.CompletedProcess([], 1, b"first\nno space left on device\n\n")
    monkeypatch.setattr(start.subprocess, "run", lambda *_, **__: failure)
    with pytest.raises(start.SetupError, match="python-x -m venv .venv failed: no space left on device"):
        start.make_environment("python-x")


def test_install_reports_pips_error(workplace, capsys):
    python = workplace / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\necho ERROR: no matching distribution for x\necho done\nexit 1\n')
    python.chmod(0o755)
    with pytest.raises(start.SetupError, match=r"could not install .*\(ERROR: no matching distribution for x\)"):
        start.install(["runtime"])
    shown = capsys.readouterr().out
    assert f"--require-hashes -r {workplace}/requirements/runtime.txt" in shown


def test_an_interrupted_installation_leaves_an_unfinished_stamp(workplace, monkeypatch):
    steps = []

    def interrupted(groups):
        steps.append(groups)
        if groups != ["setup"]:
            raise KeyboardInterrupt

    monkeypatch.setattr(start, "check_libraries", lambda: None)
    monkeypatch.setattr(start, "find_interpreter", lambda: "python-x")
    monkeypatch.setattr(start, "make_environment", lambda python: (workplace / ".venv").mkdir())
    monkeypatch.setattr(start, "install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        start.set_up(["runtime"])
    assert steps == [["setup"], ["runtime"]]
    assert start.plan(True, start.read_stamp(), start.wanted_state(["runtime"]), True) == "make"


def test_set_up_does_nothing_when_the_stamp_agrees(workplace, monkeypatch):
    (workplace / ".venv").mkdir()
    start.write_stamp(start.wanted_state(["runtime", "dev"]))
    monkeypatch.setattr(start, "probe", lambda python: ((3, 11), True))
    monkeypatch.setattr(start, "install", lambda groups: pytest.fail("installed again"))
    start.set_up(["runtime"])
    start.set_up(["runtime", "dev"])


# --------------------------------------------------------------------------------------------------- the command
def test_parse():
    assert start.parse([]) == (["runtime"], start.FIRST_JOB)
    assert start.parse(["test", "-k", "digits"]) == (["runtime", "dev"], [*start.TESTS, "-k", "digits"])
    assert start.parse(["setup"]) == (["runtime"], None)
    assert start.parse(["setup", "test"]) == (["runtime", "dev"], None)
    with pytest.raises(start.SetupError, match=r"unknown command 'tset'; there are: start\.py"):
        start.parse(["tset"])


def test_errors_are_one_line_on_stderr(capsys):
    assert start.main(["tset"]) == 1
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1 and shown.err.startswith("start.py: unknown command")
